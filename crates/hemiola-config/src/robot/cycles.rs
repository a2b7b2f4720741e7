//! The section `[cycle.*]`.

use std::collections::BTreeSet;
use std::time::Duration;

use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger, names_module};

use super::{read_cores, read_scheduling};
use crate::catalog::{Catalog, Component};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::node::Node;
use crate::section::{Section, duration, rate, suggest_at, text, whole};
use crate::suggest::list;

/// The number of workers for which an executor has room.
const MOST_WORKERS: usize = 64;

/// The largest number of samples, which is more than any update reads.
const MOST_SAMPLES: usize = 1 << 20;

pub(super) fn read_cycles(
    cycles: &[(&str, &Node)],
    catalog: &Catalog,
    found: &mut Diagnostics,
) -> Vec<CycleConfiguration> {
    let read: Vec<_> = cycles.iter().filter_map(|(name, node)| read_cycle(name, node, catalog, found)).collect();
    if cycles.len() > 1 {
        for (name, node) in cycles {
            let modules = node.table().and_then(|table| table.get("modules"));
            if node.table().is_some() && modules.is_none_or(|modules| modules.list().is_some_and(<[_]>::is_empty)) {
                found.push(
                    Diagnostic::error(format!("`[cycle.{name}]` does not say which modules run in it"))
                        .at(&node.key, "with several cycles, each has to list them")
                        .help("add `modules = [...]` with names (\"BallFinder\") or Rust paths (\"nao::motion\")"),
                );
            }
        }
    }
    read
}

fn read_cycle(name: &str, node: &Node, catalog: &Catalog, found: &mut Diagnostics) -> Option<CycleConfiguration> {
    let mut section = Section::open(&format!("cycle.{name}"), node, found)?;
    let trigger = read_trigger(&mut section, node, catalog, found);
    // Without a trigger there is an error, and the cycle only serves to find more errors.
    let mut cycle = CycleConfiguration::new(name, trigger.clone().unwrap_or(Trigger::Rate(1.0)));
    let modules = section.peek("modules");
    let expected = "a list of modules or Rust paths, such as [\"nao::motion\"]";
    cycle.modules = section.list("modules", expected, text, found);
    for entry in modules.and_then(Node::list).unwrap_or_default().iter().filter(|_| !cycle.modules.is_empty()) {
        check_entry(entry, catalog, found);
    }
    cycle.deadline = section.read("deadline", duration, found);
    cycle.scheduling = read_scheduling(&mut section, found).unwrap_or_default();
    cycle.cores = read_cores(&mut section, found);
    cycle.workers = section.read("workers", whole(1..=MOST_WORKERS), found);
    let watchdog = section.peek("watchdog");
    cycle.watchdog = section.read("watchdog", duration, found);
    if let Some(samples) = section.read("sample_capacity", whole(1..=MOST_SAMPLES), found) {
        cycle.sample_capacity = samples;
    }
    section.finish(found);
    if let (Some(Trigger::Rate(rate)), Some(limit), Some(node)) = (&trigger, cycle.watchdog, watchdog)
        && limit < Duration::from_secs_f64(1.0 / rate)
    {
        found.push(
            Diagnostic::warning(format!(
                "the watchdog of `{name}` is shorter than its period, so it trips in every run"
            ))
            .at(&node.place, format!("the period is {:.1} ms", 1e3 / rate)),
        );
    }
    Some(cycle)
}

/// Reads `rate`, `trigger` or `topic`.
fn read_trigger(
    section: &mut Section<'_>,
    cycle: &Node,
    catalog: &Catalog,
    found: &mut Diagnostics,
) -> Option<Trigger> {
    const WAYS: [(&str, &str); 3] = [
        ("rate", "the clock starts a run"),
        ("trigger", "each new sample of this source"),
        ("topic", "new messages of this topic"),
    ];
    let given: Vec<(&Node, &str)> =
        WAYS.iter().filter_map(|&(key, meaning)| Some((section.peek(key)?, meaning))).collect();
    let hertz = section.read("rate", rate, found);
    let (source, topic) = (section.read("trigger", text, found), section.read("topic", text, found));
    match given[..] {
        [] => {
            found.push(
                Diagnostic::error(format!("`[{}]` does not say what starts a run", section.path())).at(&cycle.key, "").help(
                    "add `rate = 83.3` (hertz), `trigger = \"...\"` with the name of a source, or `topic = \"...\"`",
                ),
            );
            None
        }
        [(node, _)] => {
            if let Some(source) = source {
                if catalog.source(&source).is_none() {
                    let names = catalog.sources.iter().map(|source| source.name.as_str());
                    let error = Diagnostic::error(format!("unknown source `{source}`"));
                    found.push(suggest_at(error, &node.place, &source, names, "sources are"));
                }
                Some(Trigger::Source(source))
            } else if let Some(topic) = topic {
                if !catalog.topics.contains(&topic) {
                    let names = catalog.topics.iter().map(String::as_str);
                    let error = Diagnostic::error(format!("no module uses a topic `{topic}`"));
                    found.push(suggest_at(error, &node.place, &topic, names, "topics are"));
                }
                Some(Trigger::Topic(topic))
            } else {
                hertz.map(Trigger::Rate)
            }
        }
        [(first, meaning), (second, other), ..] => {
            found.push(
                Diagnostic::error(format!("`[{}]` has more than one trigger", section.path()))
                    .at(&second.key, format!("or {other}"))
                    .related(&first.key, format!("either {meaning}"))
                    .help("keep one of them; an overlay removes the other with `{ unset = true }`"),
            );
            None
        }
    }
}

fn check_entry(entry: &Node, catalog: &Catalog, found: &mut Diagnostics) {
    let Some(name) = entry.text().filter(|name| !name.is_empty()) else { return };
    if catalog.modules.iter().any(|module| names_module(name, &module.name, &module.path)) {
        return;
    }
    if catalog.source(name).is_some() {
        found.push(
            Diagnostic::error(format!("`{name}` is a source, not a module"))
                .at(&entry.place, "sources run on threads of their own")
                .help("leave it out; `trigger = \"...\"` makes its samples start the cycle"),
        );
        return;
    }
    let mut candidates: Vec<&str> = catalog.modules.iter().map(|module| module.name.as_str()).collect();
    for module in &catalog.modules {
        candidates.extend(module.path.match_indices("::").map(|(end, _)| &module.path[..end]));
        candidates.push(&module.path);
    }
    candidates.sort_unstable();
    candidates.dedup();
    let error = Diagnostic::error(format!("no module is named `{name}` or is in a Rust module of that path"));
    let error = suggest_at(error, &entry.place, name, candidates.into_iter(), "there are");
    found.push(match unlinked_crate(name, catalog) {
        Some(unlinked) => error.help(format!(
            "the crate `{unlinked}` has no module in this program; the linker omits a crate that nothing uses: write `use {unlinked} as _;` beside `main`"
        )),
        None => error,
    });
}

/// Returns the crate of a Rust path, if no module of it is part of the program.
fn unlinked_crate<'n>(path: &'n str, catalog: &Catalog) -> Option<&'n str> {
    let (name, _) = path.split_once("::")?;
    let is_linked = catalog.modules.iter().any(|module| module.path.split("::").next() == Some(name));
    (!is_linked).then_some(name)
}

/// Checks that sources are enabled: a disabled one starts no cycle and provides nothing.
pub(super) fn check_sources_are_enabled(
    cycles: &[(&str, &Node)],
    sources: &[(&str, &Node)],
    configuration: &Configuration,
    found: &mut Diagnostics,
) {
    for cycle in &configuration.cycles {
        let Trigger::Source(source) = &cycle.trigger else { continue };
        if configuration.sources.get(source).and_then(|source| source.enabled) != Some(false) {
            continue;
        }
        let entry = |tables: &[(&str, &Node)], table: &str, key: &str| {
            let (_, node) = tables.iter().find(|(name, _)| *name == table)?;
            node.table()?.get(key).map(|node| node.place.clone())
        };
        let places = (entry(cycles, &cycle.name, "trigger"), entry(sources, source, "enabled"));
        if let (Some(trigger), Some(enabled)) = places {
            found.push(
                Diagnostic::error(format!("the cycle `{}` would never run: its source is switched off", cycle.name))
                    .at(&trigger, "this source starts its runs")
                    .related(&enabled, "and is switched off here"),
            );
        }
    }
}

/// Warns of modules that no cycle names, and of a robot without cycles: both are legal and mostly
/// mistakes. It is none that modules do not run whose source is switched off.
pub(super) fn warn_of_idle_modules(configuration: &Configuration, catalog: &Catalog, found: &mut Diagnostics) {
    if configuration.cycles.is_empty() {
        found.push(
            Diagnostic::warning("there is no cycle, so nothing would run")
                .help("add a table such as `[cycle.main]` with `rate = 30.0`"),
        );
        return;
    }
    let absent = absent_representations(configuration, catalog);
    let runs = |module: &Component| configuration.cycles.iter().any(|cycle| cycle.runs(&module.name, &module.path));
    let is_idle = |module: &&Component| !runs(module) && module.requires.is_disjoint(&absent);
    let idle: Vec<_> = catalog.modules.iter().filter(is_idle).collect();
    if !idle.is_empty() {
        let (count, belong) = if idle.len() == 1 { ("one module", "belongs") } else { ("some modules", "belong") };
        let names = list(idle.iter().map(|module| module.name.as_str()));
        found.push(
            Diagnostic::warning(format!("{count} {belong} to no cycle and will not run: {names}"))
                .help("list them, or the path of their Rust module, in `modules` of a cycle"),
        );
    }
}

/// Returns the representations that only sources provide which are switched off, or modules that
/// cannot run without such representations.
fn absent_representations(configuration: &Configuration, catalog: &Catalog) -> BTreeSet<String> {
    let is_off =
        |source: &&Component| configuration.sources.get(&source.name).and_then(|source| source.enabled) == Some(false);
    let (off, on): (Vec<_>, Vec<_>) = catalog.sources.iter().partition(is_off);
    let mut absent = BTreeSet::new();
    loop {
        let (idle, able): (Vec<_>, Vec<_>) =
            catalog.modules.iter().partition(|module| !module.requires.is_disjoint(&absent));
        let provided_by = |components: &[&Component]| {
            components.iter().flat_map(|component| component.provides.iter().cloned()).collect::<BTreeSet<_>>()
        };
        let lost = &provided_by(&off) | &provided_by(&idle);
        let next = &lost - &(&provided_by(&on) | &provided_by(&able));
        if next == absent {
            return absent;
        }
        absent = next;
    }
}
