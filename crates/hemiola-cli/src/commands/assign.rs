//! `assign`: finds priorities, workers and cores: for a robot, as an overlay that `run` applies;
//! for a described system, as a `system.toml`.

mod json;
mod overlay;

use std::path::Path;
use std::process::ExitCode;

use hemiola_analysis::assignment::{self, threads};
use hemiola_analysis::{NoBound, System};
use serde_json::Value;

use super::analyze::{known, read_system};
use super::print_or_write;
use crate::command_line::AssignArguments;
use crate::error::CommandError;
use crate::program::Program;
use crate::session::Session;

pub fn assign(program: &Program, arguments: &AssignArguments) -> Result<ExitCode, CommandError> {
    let text = match &arguments.system {
        Some(path) => of_system(path, arguments.json)?,
        None => of_robot(program, arguments)?,
    };
    print_or_write(&text, arguments.output.as_deref())
}

fn of_robot(program: &Program, arguments: &AssignArguments) -> Result<String, CommandError> {
    let session = Session::open(program, &arguments.configuration)?;
    let configuration = session.robot.configuration().clone();
    let (derived, knowledge) = known(session, arguments.profile.as_ref(), arguments.quantile)?;
    if !derived.unmeasured.is_empty() {
        let advice = "run the robot once, with `output.profile` in robot.toml";
        let unmeasured = derived.unmeasured.len();
        return Err(CommandError::Usage(format!("{unmeasured} tasks were never measured: {advice}")));
    }
    let cycles: Vec<&str> = configuration.cycles.iter().map(|cycle| cycle.name.as_str()).collect();
    let executors: Vec<&str> = derived.system.executors.iter().map(|executor| executor.name.as_str()).collect();
    let assigned = threads::assign(&derived.system, &cycles, &executors);
    let overlay = overlay::text(&configuration, &derived, &knowledge, &assigned);
    Ok(if arguments.json { pretty(&json::assignment(&derived, &assigned, &overlay)) } else { overlay })
}

/// Assigns executors to the chains of a system, as PiCAS allocates them, and priorities, workers
/// and cores to its cycles.
fn of_system(path: &Path, is_json: bool) -> Result<String, CommandError> {
    let system = read_system(path)?;
    let of_chains = match system.chains.is_empty() {
        true => system,
        false => assignment::with_executors(&system).map_err(|reason: NoBound| {
            CommandError::Usage(format!("no assignment for the chains of {}: {reason}", path.display()))
        })?,
    };
    let cycles: Vec<&str> = of_chains.cycles.iter().map(|cycle| cycle.name.as_str()).collect();
    let assigned: System = threads::assign(&of_chains, &cycles, &[]).system;
    Ok(if is_json { pretty(&assigned.to_json()) } else { assigned.to_toml() })
}

fn pretty(answer: &Value) -> String {
    serde_json::to_string_pretty(answer).unwrap_or_default() + "\n"
}
