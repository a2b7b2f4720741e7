//! The part of a robot that runs in one of its processes.

use std::path::{Path, PathBuf};

use hemiola_bus::DeclaredService;
use hemiola_insight::{InsightError, has_chain, is_by_messages, profile};
use hemiola_model::configuration::{Configuration, OutputConfiguration};
use hemiola_runtime::{Robot, RuntimeError};
use hemiola_trace::{Known, ProfileHistory, source_of_messages};

use super::places::sibling;
use crate::command_line::RunArguments;

/// The environment variable with which the processes of one robot find each other: the number of
/// the process that started them.
pub const PROCESSES: &str = "HEMIOLA_PROCESSES";

/// Returns the configuration of the part of a robot that runs in a process. Its files lie beside
/// those of other processes.
pub fn part(
    configuration: Configuration,
    services: &[DeclaredService],
    process: &str,
) -> Result<Configuration, RuntimeError> {
    let whole = Robot::assemble(configuration)?.with_services(services.iter().cloned());
    let mut part = whole.part(process, &sockets())?;
    let robot = Robot::assemble(part.clone())?;
    for (declared, chain) in whole.chains_into(process)? {
        // A chain of values does not go on with messages.
        let is_meant =
            source_of_messages(&chain.from).is_none() || is_by_messages(&whole, &declared.from, &declared.to);
        if is_meant && has_chain(&robot, &chain.from, &chain.to) {
            part.chains.push(chain);
        }
    }
    let OutputConfiguration { trace, profile, statistics } = &mut part.output;
    for path in [trace, profile, statistics].into_iter().flatten() {
        *path = sibling(path, &format!("-{process}"));
    }
    Ok(part)
}

/// Returns the measurements of the processes of a robot, by their names: the profiles that they
/// keep beside the one of that path, or logs that they wrote. There are none if the robot is a
/// single process.
pub fn histories(robot: &Robot, path: &Path) -> Result<Vec<(String, ProfileHistory)>, InsightError> {
    let files =
        robot.configuration().process_names().into_iter().map(|name| (name, sibling(path, &format!("-{name}"))));
    files.filter(|(_, path)| path.exists()).map(|(name, path)| Ok((name.to_owned(), profile::read(&path)?))).collect()
}

/// Adds the measurements of the processes of a robot to the knowledge about the whole.
pub fn add_known(known: &mut Known, robot: &Robot, path: &Path) -> Result<(), InsightError> {
    let parts = histories(robot, path)?;
    profile::add_parts(known, robot, parts.iter().map(|(name, history)| (name.as_str(), history)));
    Ok(())
}

/// Returns the folder with the Unix sockets that connect the processes of a robot. Processes that
/// were started one by one share a folder.
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
    let RunArguments { trace, log, statistics, picture, .. } = &mut arguments;
    for path in [trace, log, statistics, picture].into_iter().flatten() {
        *path = sibling(path, &format!("-{process}"));
    }
    arguments
}
