//! `check`: everything that can be known without running.

mod carried;
mod machine;
mod processes;
mod safe_state;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::process::ExitCode;

use hemiola_config::{Catalog, Diagnostics, Origins};
use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
use hemiola_plan::Warning;
use hemiola_realtime::Affinity;
use hemiola_words::duration;

use super::{print, wrapped};
use crate::command_line::CheckArguments;
use crate::error::CommandError;
use crate::guard::StopCommand;
use crate::program::Program;
use crate::session::{self, Session};

pub fn check(program: &Program, arguments: &CheckArguments) -> Result<ExitCode, CommandError> {
    let session = Session::open(program, &arguments.configuration)?;
    if let Some(key) = &arguments.explain {
        return print(&explain(key, session.robot.configuration(), &session.origins)?);
    }
    warn(&session.warnings, &carried::without_sent(session.robot.warnings(), session.robot.configuration()));
    warn(&carried::unread(&session.robot, &session.origins), &[]);
    warn(&carried::without_ros2(session.robot.configuration(), &session.origins), &[]);
    warn(&carried::unasked(&session.robot, &session.origins, &Catalog::linked().services), &[]);
    warn(&machine::warnings(&session.robot, &session.origins, &Affinity::of_this_thread()), &[]);
    let base = session::base(program, &arguments.configuration);
    let guard = session.robot.configuration().guard.as_ref();
    let guard = guard.map(|guard| StopCommand::of(guard, &base)).transpose()?;
    let processes = processes::lines(program, &arguments.configuration, session.robot.configuration())?;
    print(&overview(&session, &processes, guard.as_ref()))
}

/// Prints warnings to the standard error output.
pub fn warn(warnings: &Diagnostics, of_modules: &[Warning]) {
    if !warnings.is_empty() {
        eprintln!("{}\n", if std::io::stderr().is_terminal() { warnings.coloured() } else { warnings.to_string() });
    }
    let (unread, others): (Vec<_>, Vec<_>) =
        of_modules.iter().partition(|warning| matches!(warning, Warning::Unused { .. }));
    for warning in others {
        eprintln!("warning: {warning}");
    }
    // A representation that only people look at is read by no module, and that is no mistake.
    let unread: Vec<_> = unread
        .iter()
        .filter_map(|warning| match warning {
            Warning::Unused { provider, representation, .. } => {
                Some(format!("{representation} ({})", provider.choice()))
            }
            _ => None,
        })
        .collect();
    if !unread.is_empty() {
        let note = format!("note: read by people at most, by no module and no source: {}", unread.join(", "));
        eprintln!("{}\n", wrapped(&note, 0));
    }
}

/// Returns a line per cycle, the priorities of triggering sources, the processes, and what the safe
/// state does.
fn overview(session: &Session, processes: &[String], guard: Option<&StopCommand>) -> String {
    let robot = &session.robot;
    let available = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let plans = robot.plans(available);
    let cycles = || robot.configuration().cycles.iter();
    let widest = |text: fn(&CycleConfiguration) -> String| cycles().map(|cycle| text(cycle).chars().count()).max();
    let name_width = widest(|cycle| cycle.name.clone()).unwrap_or(0).max(5);
    let runs_width = widest(runs).unwrap_or(0);
    let mut text = format!(
        "{:name_width$}  {:runs_width$}  {:>8}  {:>7}  {:>5}  {:>7}\n",
        "cycle", "runs", "deadline", "modules", "tasks", "workers"
    );
    for ((cycle, resolved), plan) in cycles().zip(&robot.resolved().cycles).zip(&plans) {
        let mut modules: Vec<&str> = resolved.updates.iter().map(|update| update.module.as_str()).collect();
        modules.sort_unstable();
        modules.dedup();
        let deadline = cycle.deadline.map_or_else(|| "none".to_owned(), duration);
        let _ = writeln!(
            text,
            "{:name_width$}  {:runs_width$}  {deadline:>8}  {:>7}  {:>5}  {:>7}",
            cycle.name,
            runs(cycle),
            modules.len(),
            plan.graph().tasks().len(),
            plan.workers()
        );
    }
    text.push('\n');
    for (source, triggered) in raised(robot.configuration()) {
        if let Some(priority) = robot.configuration().source_scheduling(source).priority() {
            let _ = writeln!(text, "{source} has priority {priority}, for it triggers {}.", triggered.name);
        }
    }
    processes.iter().for_each(|line| _ = writeln!(text, "{line}"));
    if !processes.is_empty() {
        text.push('\n');
    }
    safe_state::lines(session, guard).iter().for_each(|line| _ = writeln!(text, "{line}"));
    let _ = writeln!(text, "\n{} is in order.", session.configured_by);
    text
}

/// Says what triggers a cycle: `at 83.3 Hz`.
fn runs(cycle: &CycleConfiguration) -> String {
    match &cycle.trigger {
        Trigger::Rate(rate) => format!("at {rate} Hz"),
        Trigger::Source(source) => format!("on {source}"),
        Trigger::Topic(topic) => format!("on messages of {topic}"),
    }
}

/// Says what triggers a cycle, and its deadline: `at 83.3 Hz, deadline 12 ms`.
pub fn trigger(cycle: &CycleConfiguration) -> String {
    let mut text = runs(cycle);
    if let Some(deadline) = cycle.deadline {
        let _ = write!(text, ", deadline {}", duration(deadline));
    }
    text
}

/// Returns the sources that have a priority because of a cycle that they trigger, with that cycle.
fn raised(configuration: &Configuration) -> BTreeMap<&str, &CycleConfiguration> {
    let triggers = configuration.cycles.iter().filter_map(|cycle| match &cycle.trigger {
        Trigger::Source(source) => Some(source.as_str()),
        Trigger::Rate(_) | Trigger::Topic(_) => None,
    });
    let said = |source: &str| configuration.sources.get(source).and_then(|source| source.scheduling);
    let unsaid = triggers.filter(|source| said(source).is_none());
    unsaid.filter_map(|source| Some((source, configuration.most_important_triggered_by(source)?.0))).collect()
}

/// Says where a value, or every value below a key, comes from.
fn explain(key: &str, configuration: &Configuration, origins: &Origins) -> Result<String, CommandError> {
    let below = format!("{key}.");
    let is_asked = |path: &str| path == key || path.starts_with(&below);
    let mut text = String::new();
    for (path, origin) in origins.iter().filter(|(path, _)| is_asked(path)) {
        let _ = writeln!(text, "{path} = {}", origin.value);
        let _ = writeln!(text, "    from  {}", origin.place);
        for place in origin.overrides.iter().rev() {
            let _ = writeln!(text, "    over  {place}  {}", place.text());
        }
    }
    for (source, cycle) in raised(configuration) {
        let path = format!("source.{source}.priority");
        if let Some(priority) = configuration.source_scheduling(source).priority().filter(|_| is_asked(&path)) {
            let place = origins.at(&["cycle", &cycle.name, "priority"]).map(|origin| origin.place.to_string());
            let _ = writeln!(text, "{path} = {priority}");
            let _ = writeln!(
                text,
                "    from  {}, for it triggers `{}` and nothing else is written",
                place.as_deref().unwrap_or("the cycle's priority"),
                cycle.name
            );
        }
    }
    if text.is_empty() {
        let advice = format!("`{key}` is not written anywhere: its default holds (see `parameters` and `check`)");
        return Err(CommandError::Usage(advice));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use hemiola_config::{Catalog, Component, Loaded, parse};

    use super::*;

    fn loaded(text: &str) -> Loaded {
        parse(text, "robot.toml", &Catalog::new([], [Component::new("Body", "nao"), Component::new("Lidar", "nao")]))
            .unwrap_or_else(|error| panic!("{error}"))
    }

    const MOTION: &str = "[cycle.'left leg']\ntrigger = \"Body\"\npriority = 80\n";

    #[test]
    fn a_priority_that_a_source_has_for_its_cycle_is_explained_by_that_cycle() {
        let Loaded { configuration, origins, .. } = loaded(MOTION);
        let said = explain("source", &configuration, &origins).unwrap();
        assert!(
            said.starts_with("source.Body.priority = 81\n    from  robot.toml:3:12, for it triggers `left leg`"),
            "{said}"
        );
        assert_eq!(explain("source.Body.priority", &configuration, &origins).unwrap(), said);
        let Loaded { configuration, origins, .. } = loaded(&format!("{MOTION}[source.Body]\npriority = 30\n"));
        let said = explain("source", &configuration, &origins).unwrap();
        assert!(said.starts_with("source.Body.priority = 30\n    from  robot.toml:5:12\n"), "{said}");
    }
}
