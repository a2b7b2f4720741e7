//! The Autoware reference system (`ros-realtime/reference-system`): 24 nodes between sensors and a
//! vehicle, each of which computes for a while, as three kinds of systems run them.
//!
//! | file | what |
//! |---|---|
//! | `graph` | the nodes |
//! | `history` | the contents of messages: which callbacks they came through, and when those began |
//! | `figures` | the figures by which an executor is judged |
//! | `callbacks` | the system as callbacks, under ROS 2's default executor and PiCAS |
//! | `cycles`, `modules` | the system as cycles of Hemiola, simulated and executed |

mod callbacks;
mod cycles;
mod figures;
mod graph;
mod history;
mod modules;

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use hemiola_analysis::TimeSpan;
use hemiola_realtime::Affinity;
use hemiola_schedulability::simulation::Observed;

pub use self::callbacks::{Nodes, Scheduler, model};
use self::figures::{Figures, sample_deviation};
use super::executed::execute;
use super::ranges::Range;
use super::simulated::simulate;
use super::table::ms;
use crate::error::BenchError;

/// The cores of the original, and how long computing takes on its computer (a Raspberry Pi 4).
const ORIGINAL: (usize, TimeSpan) = (4, TimeSpan::milliseconds(10));
/// The time that computing takes where it is really executed, so that a single thread can bear it.
const CRUNCH: TimeSpan = TimeSpan::milliseconds(4);
const SIMULATED: TimeSpan = TimeSpan::milliseconds(60_000);

/// The way in which the system is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    Callbacks(Scheduler),
    Cycles,
}

const WAYS: [(Way, &str); 3] = [
    (Way::Callbacks(Scheduler::Ros2), "ROS 2, one default executor"),
    (Way::Callbacks(Scheduler::Picas), "PiCAS, four executors"),
    (Way::Cycles, "Hemiola, six cycles"),
];

/// The outcome of one way.
pub struct Outcome {
    pub way: &'static str,
    pub figures: Figures,
    pub cores_used: f64,
    /// The number of messages that found no room, or of releases of cycles.
    pub dropped: u64,
    /// The processor time that the host took.
    stolen: Duration,
}

/// The outcomes of a table.
pub struct Trial {
    pub heading: String,
    pub outcomes: Vec<Outcome>,
}

/// Simulates the system as it was meant, executes it on this machine for that long each way, and
/// simulates what was executed.
pub fn run(length: Duration) -> Result<[Trial; 3], BenchError> {
    let cores = Affinity::of_this_thread().cores().len().clamp(1, ORIGINAL.0);
    let mut executed = Vec::new();
    for (way, name) in WAYS {
        executed.push(really(way, name, cores, length)?);
    }
    let trial = |what: &str, (cores, crunch): (usize, TimeSpan), outcomes| Trial {
        heading: format!("{what} on {cores} cores, computing takes {crunch}"),
        outcomes,
    };
    let simulated = |cores, crunch| WAYS.map(|(way, name)| simulated(way, name, cores, crunch)).into();
    Ok([
        trial("simulated", ORIGINAL, simulated(ORIGINAL.0, ORIGINAL.1)),
        trial("executed", (cores, CRUNCH), executed),
        trial("the same simulated", (cores, CRUNCH), simulated(cores, CRUNCH)),
    ])
}

fn simulated(way: Way, name: &'static str, cores: usize, crunch: TimeSpan) -> Outcome {
    let (figures, simulated) = match way {
        Way::Callbacks(scheduler) => {
            let nodes = Nodes::new();
            let simulated = simulate(&model(scheduler, cores, crunch), SIMULATED, &nodes);
            (nodes.figures(), simulated)
        }
        Way::Cycles => cycles::simulate(cores, crunch, SIMULATED),
    };
    let stolen = Duration::ZERO;
    Outcome { way: name, figures, cores_used: simulated.cores_used, dropped: simulated.dropped, stolen }
}

fn really(way: Way, name: &'static str, cores: usize, length: Duration) -> Result<Outcome, BenchError> {
    let (figures, executed) = match way {
        Way::Callbacks(scheduler) => {
            let nodes = Arc::new(Nodes::new());
            let executed = execute(&model(scheduler, cores, CRUNCH), length, &nodes)?;
            (nodes.figures(), executed)
        }
        Way::Cycles => modules::execute(CRUNCH.into(), length)?,
    };
    let dropped = executed.dropped + executed.skipped;
    Ok(Outcome { way: name, figures, cores_used: executed.cores_used, dropped, stolen: executed.stolen })
}

/// Returns the executed figures beside the simulated ones, for a picture.
pub fn ranges([_, executed, simulated]: &[Trial; 3]) -> Vec<(&'static str, Vec<Range>)> {
    let range = |name: &str, executed, simulated| Range { name: name.to_owned(), simulated, executed, bound: None };
    let of = |executed: &Figures, simulated: &Figures| {
        vec![range("latency", executed.latency, simulated.latency), range("period", executed.period, simulated.period)]
    };
    let pairs = executed.outcomes.iter().zip(&simulated.outcomes);
    pairs.map(|(executed, simulated)| (executed.way, of(&executed.figures, &simulated.figures))).collect()
}

pub fn text(trials: &[Trial]) -> String {
    let mut text = String::from(
        "The Autoware reference system. Hot-path latency: from the begin of the younger lidar driver's callback to the begin of the collision\n\
         estimator's, in ms; the planner's period is to be 100 ms. Computed from messages at the command nodes, without the first 9, as the\n\
         project does. `drops`: messages lost on the hot path, per message that came through; `lost`: all messages that found no room, or runs\n\
         of cycles that were left out. Two things differ by design: as cycles, the localiser and what follows it run with every lidar sample and\n\
         the latest map (10 Hz), where a fusion waits for the slower of both (8.3 Hz); and PiCAS calls the rear lidar's driver only when the\n\
         front one's transformer is done, which hides that work from the figure. So do cycles on two cores, one of which planning has for a while:\n\
         a driver is one unit with the transformer that waits for it. On four cores they see both drivers at their time.\n",
    );
    for Trial { heading, outcomes } in trials {
        _ = writeln!(
            text,
            "\n{heading}\n  {:30}{:>8}{:>8}{:>8}{:>8} |{:>8}{:>8}{:>8}{:>8} |{:>7} {:>9} {:>6}",
            "", "latency", "mean", "max", "std", "period", "mean", "max", "std", "drops", "lost, all", "cores"
        );
        for Outcome { way, figures, cores_used, dropped, .. } in outcomes {
            _ = writeln!(
                text,
                "  {way:30}{} |{} |{:>7.2} {dropped:>9} {cores_used:>6.2}",
                columns(&figures.latency),
                columns(&figures.period),
                figures.drops_per_message()
            );
        }
        let stolen: Duration = outcomes.iter().map(|outcome| outcome.stolen).sum();
        if !stolen.is_zero() {
            _ = writeln!(text, "  the host took {:.0} ms of the processors' time", stolen.as_secs_f64() * 1e3);
        }
    }
    text
}

fn columns(observed: &Observed) -> String {
    let [least, mean, most] = [observed.minimum, observed.mean(), observed.maximum].map(ms);
    format!("{least:>8.2}{mean:>8.2}{most:>8.2}{:>8.2}", sample_deviation(observed) / 1e6)
}
