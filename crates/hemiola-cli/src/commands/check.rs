//! `check`: all that can be found without running the robot.

mod carried;
mod explain;
mod json;
mod machine;
pub mod processes;
mod safe_state;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::IsTerminal;
use std::num::NonZeroUsize;
use std::process::ExitCode;

use hemiola_config::{Catalog, Diagnostics};
use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
use hemiola_plan::Warning;
use hemiola_realtime::Affinity;
use hemiola_words::duration;

use super::{print, print_json, wrapped};
use crate::command_line::CheckArguments;
use crate::error::CommandError;
use crate::guard::StopCommand;
use crate::program::Program;
use crate::session::{self, Session};

pub fn check(program: &Program, arguments: &CheckArguments) -> Result<ExitCode, CommandError> {
    let session = Session::open(program, &arguments.configuration)?;
    if let Some(key) = &arguments.explain {
        let explained = explain::explain(key, session.robot.configuration(), &session.origins)?;
        return if arguments.json {
            print_json(&explain::as_json(&explained))
        } else {
            print(&explain::text(&explained))
        };
    }
    let of_modules = carried::without_sent(session.robot.warnings(), session.robot.configuration());
    let (robot, origins) = (&session.robot, &session.origins);
    let found = [
        carried::unread(robot, origins),
        carried::without_ros2(robot.configuration(), origins),
        carried::without_zenoh(robot.configuration(), origins),
        carried::unasked(robot, origins, &Catalog::linked().services),
        machine::warnings(robot, origins, &Affinity::of_this_thread()),
    ];
    let found: Vec<&Diagnostics> = std::iter::once(&session.warnings).chain(&found).collect();
    if arguments.json {
        return print_json(&json::overview(&session, &found, &of_modules));
    }
    warn(&session.warnings, &of_modules);
    found[1..].iter().for_each(|warnings| warn(warnings, &[]));
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
    // A representation that only people look at is read by no module, which is not an error.
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
        let note = format!("note: not read by any module or source: {}", unread.join(", "));
        eprintln!("{}\n", wrapped(&note, 0));
    }
}

/// Returns a line for each cycle, the priorities of triggering sources, the processes, and the
/// effects of the safe state.
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
            let _ = writeln!(text, "{source} has priority {priority}, because it triggers {}.", triggered.name);
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

/// Returns the trigger of a cycle in words: `at 83.3 Hz`.
pub fn runs(cycle: &CycleConfiguration) -> String {
    match &cycle.trigger {
        Trigger::Rate(rate) => format!("at {rate} Hz"),
        Trigger::Source(source) => format!("on {source}"),
        Trigger::Topic(topic) => format!("on messages of {topic}"),
    }
}

/// Returns the trigger and deadline of a cycle in words: `at 83.3 Hz, deadline 12 ms`.
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
