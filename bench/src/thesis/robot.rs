//! The NAO in simulation, as a process of its own, run in different ways.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::experiment::OtherPrograms;
use super::report::{Origin, Picture, Question, Report, Row};
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

/// Builds the robot, runs it in all ways, and draws what ran where in each.
pub fn ask(bench: &Path, folder: &Path, duration: Duration, report: &mut Report) -> Result<(), BenchError> {
    let mut question = Question {
        title: "8. The NAO in simulation: 66 modules with real work".to_owned(),
        rows: Vec::new(),
        grids: Vec::new(),
        findings: Vec::new(),
    };
    let program = match program(bench) {
        Ok(program) => program,
        Err(problem) => {
            report.notices.push(format!("Left out: the NAO in simulation. {problem}"));
            return Ok(());
        }
    };
    let folder = folder.join("nao");
    std::fs::create_dir_all(&folder).map_err(|error| BenchError::Write { path: folder.clone(), error })?;
    let time_sharing = folder.join("time-sharing.toml");
    write(&time_sharing, &without_priorities(&read(&configuration())?))?;
    let mut missed = Vec::new();
    for way in &WAYS {
        let neighbours = (way.neighbours == Neighbours::Busy).then(OtherPrograms::start);
        let mut command = Command::new(&program);
        command.current_dir(&folder).args([
            "run",
            "--headless",
            "--no-trace",
            "--statistics",
            FIGURES,
            "--picture",
            PICTURE,
        ]);
        command.arg("--duration").arg(format!("{} ms", duration.as_millis()));
        way.assignments.iter().for_each(|assignment| _ = command.args(["--set", assignment]));
        if way.priorities == Priorities::None {
            command.arg("--config").arg(&time_sharing);
        }
        let output = command.stdin(Stdio::null()).output();
        drop(neighbours);
        let output = output.map_err(|error| BenchError::Start { program: program.display().to_string(), error })?;
        if !output.status.success() {
            let complaint = String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or_default().to_owned();
            report.notices.push(format!("The NAO did not run with {}: {complaint}", way.name));
            continue;
        }
        let path = folder.join(FIGURES);
        let figures: hemiola_trace::Report =
            serde_json::from_str(&read(&path)?).map_err(|error| BenchError::Report { path, error })?;
        let mut late = Vec::new();
        for cycle in &figures.cycles {
            for (what, figures) in [("execution", cycle.execution), ("response", cycle.response)] {
                let what = format!("{}, {what}", cycle.name);
                question.rows.push(Row::of_summary(way.name, &what, Origin::Measured, figures));
            }
            late.push(format!("{} {} of {}", cycle.name, cycle.missed_deadlines, cycle.response.count));
        }
        report.pictures.push(Picture {
            title: format!("The NAO, 40 ms: {}", way.name),
            text: None,
            svg: read(&folder.join(PICTURE))?,
        });
        missed.push(format!("{}: {}", way.name, late.join(", ")));
    }
    question.findings.push(format!("Missed deadlines. {}.", missed.join("; ")));
    report.questions.push(question);
    Ok(())
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
