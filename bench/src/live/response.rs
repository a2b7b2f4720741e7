//! The response of motion while the robot is observed: by clients that send the requests of a page,
//! by pages in Chromium, and, beside programs that never sleep, by commands that show its values.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::browser::{Browser, column, row, view};
use super::median;
use super::plain::{PlainClient, Received};
use super::requests::Requests;
use super::robot::{LiveRobot, RobotProgram, cycle};
use crate::bar::{Bar, Limit};
use crate::error::BenchError;
use crate::program::Program;
use crate::report::time;
use crate::thesis::experiment::OtherPrograms;

/// The observers of the robot.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Onlooker {
    Nobody,
    /// A client without a browser that sends the requests of a page with all views.
    Client,
    /// Such a client for each of four pages.
    FourClients,
    /// One page with all views.
    Page,
    /// A page with all views, one with plots, and two with a camera each.
    FourPages,
    /// `hemiola top`, over the robot's Unix socket, as on its own computer.
    Top,
    /// `hemiola show --watch`, in the same way.
    Show,
}

/// A case: the observers, and the load of the cores.
struct Arm {
    label: &'static str,
    onlooker: Onlooker,
    load: Load,
    rounds: Vec<Round>,
    /// The messages that clients without a browser have received, in all rounds.
    received: Vec<Received>,
}

/// The figures of a round.
struct Round {
    /// The mean of motion's response, in nanoseconds.
    mean: u64,
    p99: u64,
    /// The missed deadlines of all cycles.
    missed: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Load {
    /// The robot alone, with its observers.
    Robot,
    /// A thread per core in addition, which never sleeps.
    Full,
}

/// Clients and pages.
fn viewers() -> Vec<Arm> {
    vec![
        arm("no observer", Onlooker::Nobody, Load::Robot),
        arm("one client, all views", Onlooker::Client, Load::Robot),
        arm("four clients, two image streams", Onlooker::FourClients, Load::Robot),
        arm("one page in Chromium, all views", Onlooker::Page, Load::Robot),
        arm("four pages in Chromium, two image streams", Onlooker::FourPages, Load::Robot),
    ]
}

/// Commands, while no core is ever idle.
fn commands() -> Vec<Arm> {
    vec![
        arm("no core ever idle, no observer", Onlooker::Nobody, Load::Full),
        arm("no core ever idle, `top`", Onlooker::Top, Load::Full),
        arm("no core ever idle, `show --watch`", Onlooker::Show, Load::Full),
    ]
}

fn arm(label: &'static str, onlooker: Onlooker, load: Load) -> Arm {
    Arm { label, onlooker, load, rounds: Vec::new(), received: Vec::new() }
}

/// The limit of the p99, as a multiple of that without observers.
const MOST: f64 = 1.05;

/// Returns the requests of the pages with which the robot is observed.
pub fn requests(robot: &RobotProgram, browser: Option<&mut Browser>, length: Duration) -> Result<Requests, BenchError> {
    match browser {
        Some(browser) => Requests::record(robot, browser, &four_pages(), length + OPENING),
        None => Requests::load(),
    }
}

/// Runs the robot with clients and pages in turn, and returns a table.
pub fn of_viewers(
    robot: &RobotProgram,
    browser: Option<&mut Browser>,
    length: Duration,
    rounds: usize,
    requests: &Requests,
) -> Result<String, BenchError> {
    let mut arms = viewers();
    if browser.is_none() {
        arms.retain(|arm| !matches!(arm.onlooker, Onlooker::Page | Onlooker::FourPages));
    }
    measure(arms, robot, browser, length, rounds, requests)
}

/// Runs the robot with commands in turn, and returns a table.
pub fn of_commands(robot: &RobotProgram, length: Duration, rounds: usize) -> Result<String, BenchError> {
    measure(commands(), robot, None, length, rounds, &Requests::default())
}

fn measure(
    mut arms: Vec<Arm>,
    robot: &RobotProgram,
    mut browser: Option<&mut Browser>,
    length: Duration,
    rounds: usize,
    requests: &Requests,
) -> Result<String, BenchError> {
    // The robot learns durations in its first run, and knows them in all others.
    LiveRobot::start(robot, WARM_UP)?.finish()?;
    for _ in 0..rounds {
        for arm in &mut arms {
            let others = (arm.load == Load::Full).then(OtherPrograms::start);
            let running = LiveRobot::start(robot, length + OPENING)?;
            let looking = look(arm.onlooker, &running, robot, browser.as_deref_mut(), requests)?;
            let report = running.finish()?;
            drop((looking.command, others));
            for client in looking.clients {
                arm.received.push(client.finish()?);
            }
            if let Some(browser) = browser.as_deref_mut() {
                browser.close()?;
            }
            let missed = report.cycles.iter().map(|cycle| cycle.missed_deadlines).sum();
            let response = cycle(&report, "motion")?.response;
            arm.rounds.push(Round { mean: response.mean, p99: response.p99, missed });
        }
    }
    Ok(text(&arms, length))
}

const WARM_UP: Duration = Duration::from_secs(3);
/// The time that pages take to open: every run is longer by this.
const OPENING: Duration = Duration::from_secs(10);

/// Observers outside the browser. A command runs until it is dropped, clients until the robot ends.
#[derive(Default)]
struct Looking {
    command: Option<Program>,
    clients: Vec<PlainClient>,
}

/// Starts the observers.
fn look(
    onlooker: Onlooker,
    running: &LiveRobot,
    robot: &RobotProgram,
    browser: Option<&mut Browser>,
    requests: &Requests,
) -> Result<Looking, BenchError> {
    let clients = |count| -> Result<Looking, BenchError> {
        let clients = requests.pages.iter().take(count);
        let clients = clients.map(|requests| PlainClient::start(running.page(), requests.clone()));
        Ok(Looking { clients: clients.collect::<Result<_, _>>()?, ..Looking::default() })
    };
    let command = |label, command| -> Result<Looking, BenchError> {
        Ok(Looking { command: Some(Program::start(label, command)?), ..Looking::default() })
    };
    match (onlooker, browser) {
        (Onlooker::Client, _) => return clients(1),
        (Onlooker::FourClients, _) => return clients(4),
        (Onlooker::Page, Some(browser)) => browser.open(running.page(), &[everything()])?,
        (Onlooker::FourPages, Some(browser)) => browser.open(running.page(), &four_pages())?,
        (Onlooker::Top, _) => {
            // `top` needs a terminal.
            let mut terminal = Program::command(Path::new("script"));
            let top = format!("{:?} top --robot {}", robot.program, running.process());
            terminal.args(["--quiet", "--flush", "--command", &top, "/dev/null"]).env("TERM", "xterm-256color");
            return command("top", terminal);
        }
        (Onlooker::Show, _) => {
            // The robot's own program has the commands of `hemiola`.
            let mut show = Program::command(&robot.program);
            show.args(["show", "BallModel", "RobotPose", "--watch", "--rate", "30", "--robot"]);
            show.arg(running.process().to_string()).current_dir(&robot.folder);
            return command("a command", show);
        }
        _ => {}
    }
    Ok(Looking::default())
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

/// Returns four pages, of which the first one has all views.
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

/// The kinds of observers, each with bars of its own.
const KINDS: [Kind; 3] = [
    Kind {
        onlookers: [Onlooker::Client, Onlooker::FourClients],
        p99: "p99 with clients without a browser, relative to no observer",
    },
    Kind {
        onlookers: [Onlooker::Page, Onlooker::FourPages],
        p99: "p99 with pages in Chromium on the same cores, relative to no observer",
    },
    Kind {
        onlookers: [Onlooker::Top, Onlooker::Show],
        p99: "p99 with commands and no core ever idle, relative to no observer",
    },
];

struct Kind {
    onlookers: [Onlooker; 2],
    p99: &'static str,
}

fn text(arms: &[Arm], length: Duration) -> String {
    let rounds = arms.first().map_or(0, |arm| arm.rounds.len());
    let mut text = format!(
        "motion's response on the NAO, from its trigger to its end (medians of {rounds} rounds of {} s)\n  {:44}{:>10}{:>10}{:>20}{:>13}{:>9}\n",
        (length + OPENING).as_secs(),
        "",
        "mean",
        "p99",
        "p99 of all rounds",
        "p99, ratio",
        "missed"
    );
    for arm in arms {
        let all = arm.rounds.iter().map(|round| round.p99 as f64);
        let range = (all.clone().fold(f64::INFINITY, f64::min), all.fold(0.0, f64::max));
        // Writing to a string cannot fail.
        _ = writeln!(
            text,
            "  {:44}{:>10}{:>10}{:>20}{:>13}{:>9}",
            arm.label,
            time(median(arm.rounds.iter().map(|round| round.mean as f64))),
            time(arm.p99()),
            format!("{} to {}", time(range.0), time(range.1)),
            format!("{:.3}", arm.ratio(arms)),
            arm.missed()
        );
    }
    text.extend(arms.iter().filter(|arm| !arm.received.is_empty()).map(receipt));
    text.extend(KINDS.iter().map(|kind| bars(kind, arms)));
    text + "  allocations on real-time threads: 0, by robots/nao/tests/allocations.rs; a release build counts none\n"
}

impl Arm {
    /// Returns the median of the rounds.
    fn p99(&self) -> f64 {
        median(self.rounds.iter().map(|round| round.p99 as f64))
    }

    /// Returns its p99 as a multiple of that without observers. Medians are compared, not single
    /// rounds: a round has some thirty runs beyond its p99, so that ratios of rounds differ by more
    /// than the limit when medians are the same.
    fn ratio(&self, arms: &[Arm]) -> f64 {
        let base = arms.iter().find(|base| base.load == self.load && base.onlooker == Onlooker::Nobody);
        base.map_or(f64::NAN, |base| self.p99() / base.p99())
    }

    fn missed(&self) -> u64 {
        self.rounds.iter().map(|round| round.missed).sum()
    }
}

/// Returns a line with what clients without a browser have received.
fn receipt(arm: &Arm) -> String {
    let sum = |pick: fn(&Received) -> u64| arm.received.iter().map(pick).sum::<u64>();
    // Clients of one round run at the same time.
    let clients = (arm.received.len() / arm.rounds.len().max(1)).max(1) as f64;
    let seconds = arm.received.iter().map(|received| received.length.as_secs_f64()).sum::<f64>() / clients;
    let used: Duration = arm.received.iter().map(|received| received.used).sum();
    format!(
        "  {}: {:.0} messages and {:.2} MB a second, read in {:.1} % of a core; {} values dropped, {} requests refused\n",
        arm.label,
        sum(|received| received.messages) as f64 / seconds,
        sum(|received| received.bytes) as f64 / 1e6 / seconds,
        100.0 * used.as_secs_f64() / seconds,
        sum(|received| received.dropped),
        sum(|received| received.refused)
    )
}

/// Returns the bars of a kind of observers, if there were any.
fn bars(kind: &Kind, arms: &[Arm]) -> String {
    let of_kind: Vec<&Arm> = arms.iter().filter(|arm| kind.onlookers.contains(&arm.onlooker)).collect();
    if of_kind.is_empty() {
        return String::new();
    }
    let worst = of_kind.iter().map(|arm| arm.ratio(arms)).fold(0.0, f64::max);
    let missed: u64 = of_kind.iter().map(|arm| arm.missed()).sum();
    Bar { what: kind.p99, limit: Limit::AtMost(MOST), is: worst, unit: "" }.to_string()
        + &Bar { what: "deadlines missed meanwhile", limit: Limit::AtMost(0.0), is: missed as f64, unit: "" }
            .to_string()
}
