//! The response of motion while the robot is observed: with pages open, and beside commands that
//! show its values.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::bar::{Bar, Limit};
use super::browser::{Browser, column, row, view};
use super::median;
use super::program::Program;
use super::robot::{LiveRobot, RobotProgram, cycle};
use crate::error::BenchError;
use crate::report::time;
use crate::thesis::experiment::OtherPrograms;

/// The observers of the robot.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Onlooker {
    Nobody,
    /// One page with all views.
    Page,
    /// A page with all views, one with plots, and two with a camera each.
    FourPages,
    /// `hemiola top`.
    Top,
    /// `hemiola show --watch`.
    Show,
}

/// A case: the onlookers, and what else the cores have to do.
struct Arm {
    label: &'static str,
    onlooker: Onlooker,
    load: Load,
    /// The figures of each round: motion's response, its p99 in nanoseconds, and missed deadlines
    /// of all cycles.
    rounds: Vec<(u64, u64, u64)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Load {
    /// The robot alone, and its onlookers.
    Robot,
    /// A thread per core besides, which never sleeps.
    Full,
}

fn arms() -> Vec<Arm> {
    let arm = |label, onlooker, load| Arm { label, onlooker, load, rounds: Vec::new() };
    vec![
        arm("nobody looks", Onlooker::Nobody, Load::Robot),
        arm("one page, all views", Onlooker::Page, Load::Robot),
        arm("four pages, two image streams", Onlooker::FourPages, Load::Robot),
        arm("no core ever idle, nobody looks", Onlooker::Nobody, Load::Full),
        arm("no core ever idle, `top`", Onlooker::Top, Load::Full),
        arm("no core ever idle, `show --watch`", Onlooker::Show, Load::Full),
    ]
}

/// The limit of the p99, as a multiple of that without onlookers.
const MOST: f64 = 1.05;

/// Runs the robot with all onlookers in turn, and returns a table.
pub fn measure(
    robot: &RobotProgram,
    browser: Option<&mut Browser>,
    length: Duration,
    rounds: usize,
) -> Result<String, BenchError> {
    let mut arms = arms();
    if browser.is_none() {
        arms.retain(|arm| !matches!(arm.onlooker, Onlooker::Page | Onlooker::FourPages));
    }
    let mut browser = browser;
    // The robot learns durations in its first run, and knows them in all others.
    LiveRobot::start(robot, WARM_UP)?.finish()?;
    for _ in 0..rounds {
        for arm in &mut arms {
            let others = (arm.load == Load::Full).then(OtherPrograms::start);
            let running = LiveRobot::start(robot, length + OPENING)?;
            let looking = look(arm.onlooker, &running, robot, browser.as_deref_mut())?;
            let report = running.finish()?;
            drop((looking, others));
            if let Some(browser) = browser.as_deref_mut() {
                browser.close()?;
            }
            let missed = report.cycles.iter().map(|cycle| cycle.missed_deadlines).sum();
            let response = cycle(&report, "motion")?.response;
            arm.rounds.push((response.mean, response.p99, missed));
        }
    }
    Ok(text(&arms, length))
}

const WARM_UP: Duration = Duration::from_secs(3);
/// The time that pages take to open: every run is longer by this.
const OPENING: Duration = Duration::from_secs(10);

/// Starts the onlookers; commands run until the returned value is dropped.
fn look(
    onlooker: Onlooker,
    running: &LiveRobot,
    robot: &RobotProgram,
    browser: Option<&mut Browser>,
) -> Result<Option<Program>, BenchError> {
    let commanded = |arguments: &[&str]| {
        let mut command = commands(&robot.program, arguments);
        command.args(["--at", running.page()]).current_dir(&robot.folder);
        Program::start("a command", command).map(Some)
    };
    match (onlooker, browser) {
        (Onlooker::Page, Some(browser)) => browser.open(running.page(), &[everything()])?,
        (Onlooker::FourPages, Some(browser)) => browser.open(running.page(), &four_pages())?,
        (Onlooker::Top, _) => {
            // `top` needs a terminal.
            let mut command = Program::command(Path::new("script"));
            let top = format!("{:?} top --at {:?}", robot.program, running.page());
            command.args(["--quiet", "--flush", "--command", &top, "/dev/null"]).env("TERM", "xterm-256color");
            return Program::start("top", command).map(Some);
        }
        (Onlooker::Show, _) => return commanded(&["show", "BallModel", "RobotPose", "--watch", "--rate", "30"]),
        _ => {}
    }
    Ok(None)
}

/// Returns a command of the robot's own program, which has those of `hemiola`.
fn commands(program: &Path, arguments: &[&str]) -> std::process::Command {
    let mut command = Program::command(program);
    command.args(arguments);
    command
}

/// Returns a page with all views.
fn everything() -> Value {
    let plots = view("plots", json!({"charts": charts(&["timing:motion.response", "RobotPose.pose.translation.x"])}));
    let shown = [json!({"name": "BallModel", "topic": false}), json!({"name": "JointAngles", "topic": false})];
    row(&[
        column(&[view("overview", json!({})), view("log", json!({})), view("parameters", json!({}))]),
        column(&[view("timeline", json!({})), view("graph", json!({})), view("values", json!({"shown": shown}))]),
        column(&[plots, image("UpperImage"), view("field", json!({}))]),
    ])
}

fn four_pages() -> [Value; 4] {
    let fields = ["timing:motion.response", "timing:cognition.response", "RobotPose.pose.translation.x"];
    let plots = view("plots", json!({"charts": charts(&fields)}));
    [everything(), plots, image("UpperImage"), image("LowerImage")]
}

/// Returns a view of images at the camera's own rate.
fn image(name: &str) -> Value {
    view("images", json!({"value": name, "rate": null}))
}

fn charts(fields: &[&str]) -> Value {
    fields.iter().map(|field| json!({"lines": [{"field": field}]})).collect()
}

fn text(arms: &[Arm], length: Duration) -> String {
    let rounds = arms.first().map_or(0, |arm| arm.rounds.len());
    let mut text = format!(
        "motion's response on the NAO, from its trigger to its end (medians of {rounds} rounds of {} s)\n  {:36}{:>10}{:>10}{:>20}{:>13}{:>9}\n",
        (length + OPENING).as_secs(),
        "",
        "mean",
        "p99",
        "p99 of all rounds",
        "p99, ratio",
        "missed"
    );
    let (mut worst, mut missed) = (0.0_f64, 0);
    for arm in arms {
        let base = arms.iter().find(|base| base.load == arm.load && base.onlooker == Onlooker::Nobody);
        // Medians are compared, not single rounds: a round has some thirty runs beyond its p99, so
        // that ratios of rounds differ by more than the limit when medians are the same.
        let p99 = |arm: &Arm| median(arm.rounds.iter().map(|round| round.1 as f64));
        let ratio = base.map_or(f64::NAN, |base| p99(arm) / p99(base));
        let own: u64 = arm.rounds.iter().map(|round| round.2).sum();
        if arm.onlooker != Onlooker::Nobody {
            worst = worst.max(ratio);
            missed += own;
        }
        let all = arm.rounds.iter().map(|round| round.1 as f64);
        let range = (all.clone().fold(f64::INFINITY, f64::min), all.fold(0.0, f64::max));
        let of = |pick: fn(&(u64, u64, u64)) -> u64| time(median(arm.rounds.iter().map(|round| pick(round) as f64)));
        // Writing to a string cannot fail.
        _ = writeln!(
            text,
            "  {:36}{:>10}{:>10}{:>20}{:>13}{:>9}",
            arm.label,
            of(|round| round.0),
            of(|round| round.1),
            format!("{} to {}", time(range.0), time(range.1)),
            format!("{ratio:.3}"),
            own
        );
    }
    text += &Bar { what: "p99 with onlookers, times that without", limit: Limit::AtMost(MOST), is: worst, unit: "" }
        .to_string();
    text +=
        &Bar { what: "deadlines missed while somebody looks", limit: Limit::AtMost(0.0), is: missed as f64, unit: "" }
            .to_string();
    text + "  allocations on real-time threads: 0, by robots/nao/tests/allocations.rs; a release build counts none\n"
}
