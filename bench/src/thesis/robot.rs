//! The NAO in simulation, as a process of its own, run in different ways.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::experiment::OtherPrograms;
use super::report::{Deadlines, Origin, Picture, Question};
use crate::error::{BenchError, read, write};
use crate::robot::{configuration, program};

/// A way to run the robot.
struct Way {
    name: &'static str,
    /// The values that are put over its configuration, `KEY=VALUE`.
    assignments: &'static [&'static str],
    priorities: Priorities,
    neighbours: Neighbours,
}

#[derive(PartialEq, Eq)]
enum Priorities {
    AsConfigured,
    /// No thread has a priority: all share time.
    None,
}

#[derive(PartialEq, Eq)]
enum Neighbours {
    None,
    /// A thread per core never sleeps.
    Busy,
}

const ONE_WORKER: &[&str] = &["cycle.motion.workers=1", "cycle.audio.workers=1", "cycle.cognition.workers=1"];
const TWO_WORKERS: &[&str] = &["cycle.motion.workers=2", "cycle.cognition.workers=2"];
const PINNED: &[&str] = &["cycle.motion.cores=[0]", "cycle.audio.cores=[0]", "cycle.cognition.cores=[1]"];

const WAYS: [Way; 7] = [
    Way {
        name: "1 worker each",
        assignments: ONE_WORKER,
        priorities: Priorities::AsConfigured,
        neighbours: Neighbours::None,
    },
    Way {
        name: "2 workers each",
        assignments: TWO_WORKERS,
        priorities: Priorities::AsConfigured,
        neighbours: Neighbours::None,
    },
    Way {
        name: "as Hemiola chooses",
        assignments: &[],
        priorities: Priorities::AsConfigured,
        neighbours: Neighbours::None,
    },
    Way {
        name: "pinned, motion beside cognition",
        assignments: PINNED,
        priorities: Priorities::AsConfigured,
        neighbours: Neighbours::None,
    },
    Way { name: "time sharing", assignments: &[], priorities: Priorities::None, neighbours: Neighbours::None },
    Way {
        name: "real time, other programs",
        assignments: &[],
        priorities: Priorities::AsConfigured,
        neighbours: Neighbours::Busy,
    },
    Way {
        name: "time sharing, other programs",
        assignments: &[],
        priorities: Priorities::None,
        neighbours: Neighbours::Busy,
    },
];

/// The file that the robot writes its figures to.
const FIGURES: &str = "run.json";
const PICTURE: &str = "run.svg";
const GUARD: &str = "soften-joints";
pub const TITLE: &str = "9. The NAO in simulation: 66 modules with real work";

/// The robot's program, and the folder in which it runs.
pub struct Robot {
    program: PathBuf,
    folder: PathBuf,
    /// The path of its configuration without priorities.
    time_sharing: PathBuf,
}

impl Robot {
    /// Builds the robot. The inner error says why there is none.
    pub fn prepare(bench: &Path, folder: &Path) -> Result<Result<Self, String>, BenchError> {
        let program = match program(bench) {
            Ok(program) => program,
            Err(problem) => return Ok(Err(problem)),
        };
        let folder = folder.join("nao");
        std::fs::create_dir_all(&folder).map_err(|error| BenchError::Write { path: folder.clone(), error })?;
        // The guard's command is looked for beside the configuration.
        let guard = configuration().with_file_name(GUARD);
        std::fs::copy(&guard, folder.join(GUARD)).map_err(|error| BenchError::Read { path: guard, error })?;
        let time_sharing = folder.join("time-sharing.toml");
        write(&time_sharing, &without_priorities(&read(&configuration())?))?;
        Ok(Ok(Self { program, folder, time_sharing }))
    }

    /// Returns the path of a file in the robot's folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Runs the robot, and returns its figures. The inner error is what it complains about.
    pub fn run(&self, arguments: &[&str]) -> Result<Result<hemiola_trace::Report, String>, BenchError> {
        let mut command = Command::new(&self.program);
        command.current_dir(&self.folder).args(["run", "--headless", "--no-trace", "--statistics", FIGURES]);
        let output = command.args(arguments).stdin(Stdio::null()).output();
        let output =
            output.map_err(|error| BenchError::Start { program: self.program.display().to_string(), error })?;
        if !output.status.success() {
            return Ok(Err(String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or_default().to_owned()));
        }
        let path = self.path(FIGURES);
        serde_json::from_str(&read(&path)?).map(Ok).map_err(|error| BenchError::Report { path, error })
    }

    /// Runs the robot in all ways. In the first pass it draws what ran where in each.
    pub fn pass(
        &self,
        duration: Duration,
        question: &mut Question,
        pictures: &mut Vec<Picture>,
        notices: &mut Vec<String>,
    ) -> Result<(), BenchError> {
        let is_first = question.rows.is_empty();
        for way in &WAYS {
            let length = format!("{} ms", duration.as_millis());
            let time_sharing = self.time_sharing.display().to_string();
            let mut arguments = vec!["--picture", PICTURE, "--duration", &length];
            way.assignments.iter().for_each(|assignment| arguments.extend(["--set", assignment]));
            if way.priorities == Priorities::None {
                arguments.extend(["--config", &time_sharing]);
            }
            let neighbours = (way.neighbours == Neighbours::Busy).then(OtherPrograms::start);
            let figures = self.run(&arguments)?;
            drop(neighbours);
            match figures {
                Ok(figures) => {
                    add(question, way.name, &figures);
                    if is_first {
                        let title = format!("The NAO, 40 ms: {}", way.name);
                        pictures.push(Picture { title, text: None, svg: read(&self.path(PICTURE))? });
                    }
                }
                Err(complaint) => notices.push(format!("The NAO did not run with {}: {complaint}", way.name)),
            }
        }
        Ok(())
    }
}

/// Adds the times of all cycles, and the deadlines to those from trigger to end.
fn add(question: &mut Question, way: &str, figures: &hemiola_trace::Report) {
    for cycle in &figures.cycles {
        question.add_summary(way, &format!("{}, execution", cycle.name), Origin::Measured, cycle.execution);
        let what = format!("{}, response", cycle.name);
        let row = question.add_summary(way, &what, Origin::Measured, cycle.response);
        let deadlines = Deadlines { missed: cycle.missed_deadlines, of: cycle.response.count };
        row.deadlines.get_or_insert_default().add(deadlines);
    }
}

/// Removes the priorities: a cycle or source without one shares time.
fn without_priorities(configuration: &str) -> String {
    let lines = configuration.lines().filter(|line| !line.starts_with("priority"));
    lines.map(|line| format!("{line}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_but_priorities_is_taken_from_the_robots_configuration() {
        let all = read(&configuration()).expect("it is part of the repository");
        let kept = without_priorities(&all);
        assert!(all.lines().count() >= kept.lines().count() + 3, "three cycles have a priority");
        assert!(kept.contains("deadline") && !kept.lines().any(|line| line.starts_with("priority")));
    }
}
