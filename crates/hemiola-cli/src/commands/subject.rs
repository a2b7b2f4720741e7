//! The subject of `graph` and `simulate`: a cycle of this robot, or of a file with a task graph.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::time::Duration;

use hemiola_plan::datasets::{Dataset, DatasetCycle};
use hemiola_plan::{Durations, TaskGraph};

use crate::command_line::ConfigurationArguments;
use crate::error::CommandError;
use crate::notes::tell;
use crate::program::Program;
use crate::session::Session;

/// A cycle, as far as planning is concerned.
pub struct Subject {
    pub graph: TaskGraph,
    pub durations: Durations,
    /// Set if the durations of some of its tasks are known.
    pub has_durations: bool,
    /// The time between two of its runs.
    pub period: Option<Duration>,
    /// The number of workers that it has in the robot or file.
    pub workers: Option<NonZeroUsize>,
}

/// The place from which durations would come.
pub enum Missing {
    /// The profile that a run of the robot keeps, if robot.toml says where.
    Profile(Option<PathBuf>),
    /// A module graph in a file has no durations.
    NotInFile,
}

/// Returns the cycles of a command: the one of that name, or all.
pub fn subjects(
    program: &Program,
    configuration: &ConfigurationArguments,
    file: Option<&Path>,
    name: Option<&str>,
) -> Result<(Vec<Subject>, Missing), CommandError> {
    let Some(path) = file else { return of_robot(program, configuration, name) };
    let wrong = |error| CommandError::Dataset { path: path.to_owned(), error: Box::new(error) };
    let text = std::fs::read_to_string(path).map_err(|error| CommandError::Read { path: path.to_owned(), error })?;
    let dataset = Dataset::read(&text).map_err(wrong)?;
    let unfilled = dataset.unfilled().iter();
    let notes: Vec<_> = unfilled.map(|unfilled| format!("note: {unfilled}: it stays at its default")).collect();
    let cycles = dataset.cycles().map_err(wrong)?;
    notes.iter().for_each(tell);
    if let Some(name) = name
        && !cycles.iter().any(|cycle| cycle.graph.name() == name)
    {
        return Err(CommandError::unknown("cycle", name, cycles.iter().map(|cycle| cycle.graph.name())));
    }
    let wanted = cycles.into_iter().filter(|cycle| name.is_none_or(|name| cycle.graph.name() == name));
    Ok((wanted.map(Subject::from).collect(), Missing::NotInFile))
}

/// Returns the one cycle of a picture.
pub fn only(mut subjects: Vec<Subject>, what: &str) -> Result<Subject, CommandError> {
    match subjects.pop() {
        Some(subject) if subjects.is_empty() => Ok(subject),
        last => {
            let names: Vec<_> = subjects.iter().chain(&last).map(|subject| subject.graph.name()).collect();
            Err(CommandError::Usage(format!("{what} shows one cycle; name one of: {}", names.join(", "))))
        }
    }
}

fn of_robot(
    program: &Program,
    configuration: &ConfigurationArguments,
    name: Option<&str>,
) -> Result<(Vec<Subject>, Missing), CommandError> {
    let session = Session::open(program, configuration)?;
    let robot = &session.robot;
    let has_durations = !session.history.profiles().is_empty();
    let subjects = session.cycles(name)?.into_iter().map(|index| {
        let graph = TaskGraph::of(&robot.resolved().cycles[index]);
        let durations = robot.durations(&graph);
        Subject { graph, durations, has_durations, period: None, workers: None }
    });
    Ok((subjects.collect(), Missing::Profile(robot.configuration().output.profile.clone())))
}

impl From<DatasetCycle> for Subject {
    fn from(DatasetCycle { graph, durations, has_durations, facts }: DatasetCycle) -> Self {
        Self { graph, durations, has_durations, period: facts.period(), workers: facts.workers() }
    }
}
