//! The section `[process.*]`: parts of the robot that run in processes of their own.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;
use std::time::Duration;

use hemiola_model::configuration::{Configuration, ProcessConfiguration, RestartLimit};

use super::links::LOSS_POLICIES;
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::node::Node;
use crate::section::{Reading, Refusal, Section, choice, duration_within, suggest_at, text};

/// The maximum number of processes of a robot: each may exchange values with each other one.
const MOST_PROCESSES: usize = 16;
/// The process of the cycles that no other process names.
const MAIN: &str = "main";
/// The longest name of a process, which is part of the names of files and sockets.
pub(super) const LONGEST_NAME: usize = 32;
/// The maximum number of times that a process can be restarted in a second, minute or hour.
const MOST_RESTARTS: u32 = 1000;
/// The times within which a process can be required to begin.
const BEGINNINGS: RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_secs(3600);

pub(super) fn read_processes(processes: &[(&str, &Node)], found: &mut Diagnostics) -> Vec<ProcessConfiguration> {
    if let Some((_, node)) = processes.get(MOST_PROCESSES) {
        let message = format!("there are {} processes, of at most {MOST_PROCESSES}", processes.len());
        found.push(Diagnostic::error(message).at(&node.key, ""));
        return Vec::new();
    }
    processes.iter().filter_map(|(name, node)| read_process(name, node, found)).collect()
}

fn read_process(name: &str, node: &Node, found: &mut Diagnostics) -> Option<ProcessConfiguration> {
    let mut section = Section::open(&format!("process.{name}"), node, found)?;
    let process = ProcessConfiguration {
        name: name.to_owned(),
        cycles: section.list("cycles", "a list of cycles, such as [\"cognition\"]", text, found),
        sources: section.list("sources", "a list of sources, such as [\"UpperCamera\"]", text, found),
        services: section.list("services", "a list of services, such as [\"SaveMap\"]", text, found),
        host: section.read("host", text, found),
        restart: section.read("restart", restart, found),
        begin_within: section
            .read("begin_within", duration_within(BEGINNINGS, "from 1 s to 60 min"), found)
            .unwrap_or(ProcessConfiguration::BEGIN_WITHIN),
        on_loss: section.read("on_loss", choice(LOSS_POLICIES), found).unwrap_or_default(),
    };
    section.finish(found);
    if !is_plain(name) {
        let error = Diagnostic::error(format!("`{name}` cannot be the name of a process"));
        let help = format!("it is part of file names: up to {LONGEST_NAME} letters, digits, `-` and `_`");
        found.push(error.at(&node.key, "").help(help));
    }
    let is_said = |key: &str| node.table().is_some_and(|table| table.contains_key(key));
    // The contents of `main` need not be listed: they are the cycles that no other process names.
    if !["cycles", "sources", "services"].into_iter().any(is_said) && name != MAIN {
        let error = Diagnostic::error(format!("`[process.{name}]` does not say what runs in it"));
        found.push(error.at(&node.key, "").help("add `cycles = [...]`, `sources = [...]` or `services = [...]`"));
    }
    Some(process)
}

/// Returns whether a name can be part of the names of files and units.
pub(super) fn is_plain(name: &str) -> bool {
    let is_plain = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_');
    (1..=LONGEST_NAME).contains(&name.len()) && name.chars().all(is_plain)
}

/// Reads `3 per minute`.
fn restart(node: &Node) -> Reading<'_, RestartLimit> {
    let limit = || {
        let (count, unit) = node.text()?.split_once(" per ")?;
        let count = count.trim().parse().ok().filter(|count| (1..=MOST_RESTARTS).contains(count))?;
        let within = match unit.trim() {
            "second" => 1,
            "minute" => 60,
            "hour" => 3600,
            _ => return None,
        };
        Some(RestartLimit { count, within: Duration::from_secs(within) })
    };
    limit().ok_or_else(|| {
        let expected = "a limit such as \"3 per minute\": a number, `per`, and `second`, `minute` or `hour`";
        Refusal::new(node, expected).help("remove it for a process whose death ends the robot")
    })
}

/// Checks that each cycle and source that a process names exists, and that each runs in one
/// process.
pub(super) fn check_processes(
    processes: &[(&str, &Node)],
    configuration: &Configuration,
    known: &[&str],
    found: &mut Diagnostics,
) {
    let cycles: Vec<&str> = configuration.cycles.iter().map(|cycle| cycle.name.as_str()).collect();
    for (key, kind, names) in [("cycles", "cycle", cycles.as_slice()), ("sources", "source", known)] {
        let mut taken: BTreeMap<&str, &Node> = BTreeMap::new();
        let entries = processes.iter().filter_map(|(_, node)| node.table()?.get(key)?.list());
        for entry in entries.flatten() {
            let Some(name) = entry.text() else { continue };
            if !names.contains(&name) {
                let error = Diagnostic::error(format!("unknown {kind} `{name}`"));
                found.push(suggest_at(error, &entry.place, name, names.iter().copied(), "there are"));
            } else if let Some(before) = taken.insert(name, entry) {
                let error = Diagnostic::error(format!("the {kind} `{name}` can run in one process only"));
                found.push(error.at(&entry.place, "").related(&before.place, "and here").help("keep one of them"));
            }
        }
    }
    check_services(processes, found);
    for (name, node) in processes {
        if configuration.links.iter().any(|link| link.name == *name) {
            let error = Diagnostic::error(format!("a process and a link are both named `{name}`"));
            found
                .push(error.at(&node.key, "").help("a process is reached over a link of its name: rename one of them"));
        }
    }
}

/// Checks that each service is served in one process.
fn check_services(processes: &[(&str, &Node)], found: &mut Diagnostics) {
    let mut taken: BTreeMap<&str, (&str, &Node)> = BTreeMap::new();
    for (process, node) in processes {
        let services = node.table().and_then(|table| table.get("services")?.list()).unwrap_or_default();
        for entry in services {
            let Some(name) = entry.text() else { continue };
            if let Some((other, before)) = taken.insert(name, (process, entry)) {
                let error =
                    format!("the service `{name}` can be served in one process only, not in `{other}` and `{process}`");
                let error = Diagnostic::error(error).at(&entry.place, "").related(&before.place, "and here");
                found.push(error.help("keep it in the process where its server belongs; others call it there"));
            }
        }
    }
}
