//! A robot that is cut into processes, compared with the same in one: the response of the motion
//! cycle, and the time from the camera to the joints, which then includes a link.
//!
//! Both have a turn in each round, so that the state of the machine meets both alike; medians are
//! over rounds.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use hemiola_trace::{ChainReport, Report, Summary};

use crate::bar::{Bar, Limit};
use crate::contest::host::Host;
use crate::contest::result::median;
use crate::error::{BenchError, EntryError, read};
use crate::machine::Machine;
use crate::program::Program;
use crate::report::time;
use crate::robot::{configuration, program};

/// The options of the command.
#[derive(Args)]
#[command(after_help = "Examples:
  hemiola-bench cut
  hemiola-bench cut --rounds 9 --seconds 60
  hemiola-bench cut --quick")]
pub struct Options {
    /// Runs everything once and briefly: shows that it works, not how fast it is.
    #[arg(long)]
    quick: bool,
    /// The number of rounds, in each of which both have a turn.
    #[arg(long, value_name = "N", default_value_t = 5)]
    rounds: usize,
    /// The length of a turn.
    #[arg(long, value_name = "S", default_value_t = 20)]
    seconds: u64,
}

/// The NAO in one process or several.
struct Arm {
    label: &'static str,
    /// The overlay that cuts it.
    overlay: Option<&'static str>,
    /// The end of the name of the file in which the process with the motion cycle reports.
    reports_as: &'static str,
    /// The source through which the camera's samples arrive in that process.
    camera: &'static str,
    rounds: Vec<Round>,
}

/// The figures of a turn, in nanoseconds.
struct Round {
    response: Summary,
    reaction: Summary,
    missed: u64,
}

fn arms() -> [Arm; 2] {
    let arm = |label, overlay, reports_as, camera| Arm { label, overlay, reports_as, camera, rounds: Vec::new() };
    [
        arm("one process", None, "", "SimulatedCameras"),
        arm("three processes", Some("processes"), "-main", "link.vision.MotionRequest"),
    ]
}

/// The maximum by which the cut may lengthen the p99 of motion's response, in microseconds.
const RESPONSE_BAR: f64 = 10.0;
/// The maximum by which it may lengthen the time from the camera to the joints, in microseconds.
const REACTION_BAR: f64 = 100.0;
const WARM_UP: Duration = Duration::from_secs(3);

/// Runs the measurements, and prints the results. `bench` is this program, `folder` where the robot
/// keeps what it learns.
pub fn run(options: &Options, bench: &Path, folder: &Path) -> Result<(), BenchError> {
    println!("{}\n", Machine::examine());
    let program = program(bench).map_err(|message| EntryError::Failed { label: LABEL, message })?;
    let folder = folder.join("cut");
    std::fs::create_dir_all(&folder).map_err(|error| BenchError::Write { path: folder.clone(), error })?;
    let nao = Nao { program, folder };
    let (rounds, length) = match options.quick {
        true => (1, WARM_UP),
        false => (options.rounds.max(1), Duration::from_secs(options.seconds.max(1))),
    };
    let mut arms = arms();
    for arm in &arms {
        // A robot learns durations in its first run, and knows them in all others.
        nao.run(arm, WARM_UP)?;
    }
    let mut host = Host::default();
    for round in 0..rounds {
        for arm in &mut arms {
            let measured = host.hold(|| nao.run(arm, length))?;
            arm.rounds.push(measured);
        }
        eprintln!("measured: round {} of {rounds}", round + 1);
    }
    println!("{}{host}", text(&arms, length));
    if options.quick {
        println!("note: a quick run shows that everything works; its figures mean nothing.");
    }
    Ok(())
}

const LABEL: &str = "nao";
/// The time that a robot's processes need to begin and end, on a machine that does something else
/// as well.
const PATIENCE: Duration = Duration::from_secs(60);

/// The NAO's program, and the folder in which it runs.
struct Nao {
    program: PathBuf,
    folder: PathBuf,
}

impl Nao {
    /// Runs the robot for that long, and returns its figures.
    fn run(&self, arm: &Arm, length: Duration) -> Result<Round, BenchError> {
        let name = if arm.overlay.is_some() { "cut" } else { "whole" };
        let report = self.folder.join(format!("{name}.json"));
        let profile = self.folder.join(format!("{name}.profile.json"));
        let mut command = Program::command(&self.program);
        command.current_dir(&self.folder).arg("run").arg("--config").arg(configuration());
        command.args(["--headless", "--no-page", "--no-trace", "--no-log", "--statistics"]).arg(&report);
        command.arg("--duration").arg(format!("{} ms", length.as_millis()));
        command.arg("--set").arg(format!("output.profile={:?}", profile.display().to_string()));
        command.args(arm.overlay.iter().flat_map(|overlay| ["--overlay", overlay]));
        Program::start(LABEL, command)?.finish(length + PATIENCE)?;
        let path = self.folder.join(format!("{name}{}.json", arm.reports_as));
        let text = read(&path)?;
        let report = serde_json::from_str(&text).map_err(|error| BenchError::Report { path, error })?;
        arm.read(&report)
    }
}

impl Arm {
    fn read(&self, report: &Report) -> Result<Round, BenchError> {
        let missing = |what, name: &str, known| BenchError::Unknown { what, name: name.to_owned(), known };
        let cycle =
            report.cycles.iter().find(|cycle| cycle.name == CYCLE).ok_or_else(|| {
                missing("cycle", CYCLE, report.cycles.iter().map(|cycle| cycle.name.clone()).collect())
            })?;
        let chain = |chain: &&ChainReport| chain.source == self.camera && chain.cycle == CYCLE;
        let chain = report.chains.iter().find(chain).ok_or_else(|| {
            missing("chain", self.camera, report.chains.iter().map(|chain| chain.source.clone()).collect())
        })?;
        Ok(Round { response: cycle.response, reaction: chain.reaction, missed: cycle.missed_deadlines })
    }

    fn median(&self, pick: impl Fn(&Round) -> u64) -> f64 {
        let values: Vec<f64> = self.rounds.iter().map(|round| pick(round) as f64).collect();
        median(&values).unwrap_or(f64::NAN)
    }

    fn missed(&self) -> u64 {
        self.rounds.iter().map(|round| round.missed).sum()
    }
}

/// The cycle that moves the robot.
const CYCLE: &str = "motion";

fn text(arms: &[Arm; 2], length: Duration) -> String {
    let rounds = arms[0].rounds.len();
    let mut text = format!(
        "the NAO (medians of {rounds} rounds of {} s)\n  {:20}{:>18}{:>12}{:>26}{:>12}{:>10}\n",
        length.as_secs(),
        "",
        "motion's response",
        "p99",
        "from camera to joints",
        "p99",
        "missed"
    );
    for arm in arms {
        // Writing to a string cannot fail.
        _ = writeln!(
            text,
            "  {:20}{:>18}{:>12}{:>26}{:>12}{:>10}",
            arm.label,
            time(arm.median(|round| round.response.mean)),
            time(arm.median(|round| round.response.p99)),
            time(arm.median(|round| round.reaction.mean)),
            time(arm.median(|round| round.reaction.p99)),
            arm.missed()
        );
    }
    let longer = |pick: fn(&Round) -> u64| (arms[1].median(pick) - arms[0].median(pick)) / 1e3;
    let bars = [
        Bar {
            what: "motion's response, p99, longer by",
            limit: Limit::AtMost(RESPONSE_BAR),
            is: longer(|round| round.response.p99),
            unit: " µs",
        },
        Bar {
            what: "from camera to joints, mean, longer by",
            limit: Limit::AtMost(REACTION_BAR),
            is: longer(|round| round.reaction.mean),
            unit: " µs",
        },
    ];
    text.extend(bars.iter().map(Bar::to_string));
    text
}

#[cfg(test)]
mod tests {
    use hemiola_trace::CycleReport;

    use super::*;

    #[test]
    fn bars_are_of_what_the_cut_adds() {
        let round = |response, reaction| Round {
            response: Summary { p99: response, ..Summary::default() },
            reaction: Summary { mean: reaction, ..Summary::default() },
            missed: 0,
        };
        let mut arms = arms();
        arms[0].rounds.push(round(90_000, 40_000_000));
        arms[1].rounds.push(round(99_000, 40_120_000));
        let text = text(&arms, WARM_UP);
        assert!(text.contains("longer by: at most 10 µs; 9.00 µs, met"), "{text}");
        assert!(text.contains("longer by: at most 100 µs; 120.00 µs, MISSED"), "{text}");
    }

    #[test]
    fn a_report_without_the_chain_names_those_that_it_has() {
        let report = Report {
            cycles: vec![CycleReport { name: CYCLE.to_owned(), ..CycleReport::default() }],
            chains: vec![ChainReport { source: "SimulatedBody".to_owned(), ..ChainReport::default() }],
            ..Report::default()
        };
        let error = arms()[1].read(&report).err().expect("no camera there").to_string();
        assert!(error.contains("link.vision.MotionRequest") && error.contains("SimulatedBody"), "{error}");
    }
}
