//! The part of a robot that runs in one of its processes.

use std::path::PathBuf;

use hemiola_insight::has_chain;
use hemiola_model::configuration::{Configuration, OutputConfiguration};
use hemiola_runtime::{Robot, RuntimeError};

use super::places::sibling;
use crate::command_line::RunArguments;

/// The environment variable with which the processes of one robot find each other: the number of
/// the process that started them.
pub const PROCESSES: &str = "HEMIOLA_PROCESSES";

/// Returns the configuration of the part of a robot that runs in a process. What it writes lies
/// beside what other processes write.
pub fn part(configuration: Configuration, process: &str) -> Result<Configuration, RuntimeError> {
    let whole = Robot::assemble(configuration)?;
    let mut part = whole.part(process, &sockets())?;
    let robot = Robot::assemble(part.clone())?;
    let chains = whole.chains_into(process)?.into_iter();
    part.chains.extend(chains.filter(|chain| has_chain(&robot, &chain.from, &chain.to)));
    let OutputConfiguration { trace, profile, statistics } = &mut part.output;
    for path in [trace, profile, statistics].into_iter().flatten() {
        *path = sibling(path, &format!("-{process}"));
    }
    Ok(part)
}

/// Returns the folder with the Unix sockets at which the processes of a robot meet. Those that were
/// started one by one share a folder.
pub fn sockets() -> PathBuf {
    hemiola_link::socket_folder().join(started_by().map_or_else(|| "processes".to_owned(), sockets_of))
}

/// Returns the number of the process that has started all processes of the robot; `None` if they
/// were started one by one.
pub fn started_by() -> Option<u32> {
    std::env::var(PROCESSES).ok()?.parse().ok()
}

/// Returns the name of that folder for the processes that a process has started.
pub fn sockets_of(process: u32) -> String {
    format!("processes-{process}")
}

/// Returns the arguments of a run with the names of files that a process writes: `--log game.mcap`
/// becomes `game-vision.mcap`.
pub fn of_process(arguments: &RunArguments, process: &str) -> RunArguments {
    let mut arguments = arguments.clone();
    let RunArguments { trace, log, json, picture, .. } = &mut arguments;
    for path in [trace, log, json, picture].into_iter().flatten() {
        *path = sibling(path, &format!("-{process}"));
    }
    arguments
}
