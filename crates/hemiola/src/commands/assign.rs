//! `assign`: priorities and workers of cycles, as an overlay that `run` obeys.

use std::fmt::Write;
use std::process::ExitCode;

use hemiola_analysis::assignment::cycles::{self, Assigned, Method};
use hemiola_analysis::{Analysis, System};
use hemiola_model::configuration::{Configuration, Scheduling};

use super::analyze::known;
use super::{human, print_or_write};
use crate::analysis::{Derived, Knowledge, basis};
use crate::application::Application;
use crate::command_line::AssignArguments;
use crate::error::CommandError;
use crate::session::Session;

pub fn assign(application: &Application, arguments: &AssignArguments) -> Result<ExitCode, CommandError> {
    let session = Session::open(application, &arguments.configuration)?;
    let configuration = session.robot.configuration().clone();
    let (derived, knowledge) = known(session, arguments.profile.as_ref(), arguments.quantile)?;
    if !derived.unmeasured.is_empty() {
        let advice = "run the robot once, with `output.profile` in robot.toml";
        let unmeasured = derived.unmeasured.len();
        return Err(CommandError::Usage(format!("how long {unmeasured} tasks take was never measured: {advice}")));
    }
    let names: Vec<&str> = configuration.cycles.iter().map(|cycle| cycle.name.as_str()).collect();
    let assigned = cycles::assign(&derived.system, &names);
    let text = overlay(&configuration, &derived, &knowledge, &assigned);
    print_or_write(&text, arguments.output.as_deref())
}

/// The overlay, with the reasons as comments.
fn overlay(
    configuration: &Configuration,
    derived: &Derived,
    knowledge: &Knowledge,
    Assigned { system, method }: &Assigned,
) -> String {
    let mut text = String::from(
        "# Priorities and workers of cycles, as `assign` found them. `run --overlay` obeys them, `analyze --overlay` shows all bounds.\n#\n",
    );
    for line in reason(*method).lines() {
        let _ = writeln!(text, "# {line}");
    }
    text += "# Workers are the fewest whose bound is within 2 % of the best.\n#\n";
    for line in comparison(derived, system).lines() {
        let _ = writeln!(text, "# {line}");
    }
    text += "#\n";
    basis(derived, knowledge).lines().for_each(|line| _ = writeln!(text, "# {line}"));
    for configured in &configuration.cycles {
        let Some(cycle) = system.cycles.iter().find(|cycle| cycle.name == configured.name) else { continue };
        let _ = writeln!(text, "\n[cycle.{}]", key(&cycle.name));
        if configured.scheduling == Scheduling::TimeSharing {
            text += "policy = \"fifo\"\n";
        }
        let _ = writeln!(text, "priority = {}\nworkers = {}", cycle.priority, cycle.workers);
    }
    text
}

fn reason(method: Method) -> &'static str {
    match method {
        Method::DeadlineMonotonic => {
            "Priorities are deadline monotonic: the sooner a cycle has to be done, the more important. All deadlines are met."
        }
        Method::Audsley => {
            "Priorities come from Audsley's search, for with the most important being what is due first not all deadlines are met;\nwith these, they are."
        }
        Method::NothingHolds => {
            "NOT ALL DEADLINES ARE SURE TO BE MET, with these priorities or any that were tried. They are deadline monotonic: the\nsooner a cycle has to be done, the more important. `analyze` tells what to shorten."
        }
    }
}

/// A line per cycle: how it is, and how it would be.
fn comparison(derived: &Derived, system: &System) -> String {
    let (before, after) = (Analysis::of(&derived.system), Analysis::of(system));
    let width = derived.responses.iter().map(|response| response.cycle.chars().count()).max().unwrap_or(0).max(5);
    let mut text = format!(
        "{:width$}  {:>9}  {:>32}  {:>32}\n",
        "cycle", "deadline", "priority, workers, bound before", "and now"
    );
    for response in &derived.responses {
        let cell = |system: &System, analysis: &Analysis| {
            let cycle = system.cycles.iter().find(|cycle| cycle.name == response.cycle);
            let bound = analysis.find(&response.verdict).map(|verdict| match &verdict.bound {
                Ok(bound) => human((*bound).into()),
                Err(_) => "no bound".to_owned(),
            });
            cycle.zip(bound).map(|(cycle, bound)| format!("{:>2}, {}, {bound:>9}", cycle.priority, cycle.workers))
        };
        let deadline = after.find(&response.verdict).and_then(|verdict| verdict.deadline);
        let _ = writeln!(
            text,
            "{:width$}  {:>9}  {:>32}  {:>32}",
            response.cycle,
            deadline.map_or_else(|| "none".to_owned(), |deadline| human(deadline.into())),
            cell(&derived.system, &before).unwrap_or_default(),
            cell(system, &after).unwrap_or_default()
        );
    }
    text
}

/// A key of TOML.
fn key(name: &str) -> String {
    let is_bare = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-');
    if !name.is_empty() && name.chars().all(is_bare) { name.to_owned() } else { serde_json::json!(name).to_string() }
}
