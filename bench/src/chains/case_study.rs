use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hemiola_analysis::TimeSpan;
use hemiola_analysis::picas::{Deployment, holistic};
use hemiola_realtime::Affinity;
use hemiola_schedulability::draw;
use hemiola_schedulability::picas::{case_study, published};
use hemiola_schedulability::ros2::end_to_end;
use hemiola_schedulability::simulation::{Model, Observed, Options, Schedule, Who, run};

use super::executed::execute;
use super::latencies::Latencies;
use super::mapping::{Mapping, Taken, as_executed, under_ros2};
use super::sentinels::Sentinels;
use super::simulated::simulate;
use super::table::{Row, bound, ms, remarks, table};
use super::trace;
use crate::error::BenchError;

const CORES: usize = 4;
const HORIZON: TimeSpan = TimeSpan::milliseconds(100_000);
const SIMULATED: TimeSpan = TimeSpan::milliseconds(60_000);

fn latencies(model: &Model, chain_of: &[usize]) -> Vec<Observed> {
    let latencies = Latencies::new(chain_of);
    simulate(model, SIMULATED, &latencies);
    latencies.observed()
}

fn simulated(deployment: &Deployment) -> Vec<Observed> {
    let (model, chain_of) = case_study::model(deployment);
    latencies(&model, &chain_of)
}

/// Returns the case as published: four cores, bounds and simulation.
pub fn published() -> String {
    let deployment = case_study::deployment();
    let (picas, default) = (simulated(&deployment), simulated(&under_ros2(&deployment, CORES)));
    let (bounds, paper) = (holistic::latencies(&deployment, HORIZON), published::latencies(&deployment, HORIZON));
    let of_default = end_to_end::latencies(&deployment, HORIZON);
    let mut text = String::from(
        "Latencies in ms on four cores, simulated for 60 s with the longest durations. Chains 1 and 2 share a\n\
         timer, which their bounds count twice. The bounds of ROS 2's default executor are ROS2-SD's (Casini and\n\
         others, 2019), one executor per core.\n\n\
         chain  period  published    bound |    PiCAS min    mean     max     std | ROS 2 default bound    mean     max     std\n",
    );
    for (chain, one) in deployment.chains.iter().enumerate() {
        let (ours, theirs) = (picas[chain], default[chain]);
        // Writing to a String cannot fail.
        _ = writeln!(
            text,
            "{:5}  {:6.0}  {:>9}  {:>7} | {:12.1} {:7.1} {:7.1} {:7.1} | {:>19} {:7.1} {:7.1} {:7.1}",
            chain + 1,
            ms(one.period),
            bound(&paper[chain]),
            bound(&bounds[chain]),
            ms(ours.minimum),
            ms(ours.mean()),
            ms(ours.maximum),
            ms(ours.deviation()),
            bound(&of_default[chain]),
            ms(theirs.mean()),
            ms(theirs.maximum),
            ms(theirs.deviation())
        );
    }
    text
}

/// A scheduler, and the latencies of the chains under it.
pub struct Trial {
    pub scheduler: &'static str,
    pub rows: Vec<Row>,
    remarks: String,
}

/// The trials that were really executed, and the mapping to this machine.
pub struct Execution {
    pub trials: Vec<Trial>,
    cores: usize,
    scale: f64,
    taken: Taken,
}

/// Executes the case for that long under each scheduler, on the cores that there are, and simulates
/// the same.
pub fn executed(length: Duration) -> Result<Execution, BenchError> {
    let available = Affinity::of_this_thread().cores().len();
    let sentinels = Sentinels::start()?;
    let taken = Taken::measure()?;
    let mapping = Mapping::new(&case_study::deployment(), CORES, available);
    let schedulers = [
        ("PiCAS", mapping.deployment.clone()),
        ("ROS 2's default executor, one per core", under_ros2(&mapping.deployment, mapping.cores)),
    ];
    let mut trials = Vec::new();
    for (scheduler, deployment) in schedulers {
        let (model, chain_of) = case_study::model(&deployment);
        // One message waits at most, as in the paper's program.
        let model = as_executed(model, mapping.cores, 1);
        let bounds = holistic::latencies(&taken.added_to(&deployment), HORIZON);
        let application = Arc::new(Latencies::new(&chain_of).within(&bounds));
        let run = execute(&model, length, &application)?;
        let observed = latencies(&model, &chain_of).into_iter().zip(application.observed());
        let rows: Vec<Row> = (deployment.chains.iter().zip(bounds).zip(observed).enumerate())
            .map(|(chain, ((one, bound), (simulated, executed)))| Row {
                chain: format!("chain {}", chain + 1),
                period: one.period,
                bound,
                simulated,
                executed,
                beyond: application.beyond(chain),
            })
            .collect();
        let remarks = remarks(&rows, &run, &sentinels.since(run.zero));
        trials.push(Trial { scheduler, rows, remarks });
    }
    Ok(Execution { trials, cores: mapping.cores, scale: mapping.scale, taken })
}

impl Execution {
    pub fn text(&self) -> String {
        let Self { cores, scale, taken: Taken { costs, share }, .. } = self;
        let mut text = format!(
            "Executed on {cores} cores: core c of the four is core c modulo {cores}, and all durations are multiplied by {scale:.3}, so\n\
             that no core is used for more than 90 % (Linux keeps 5 % from real-time threads). Callbacks compute until they have used\n\
             their processor time; latencies in ms, from the timer's expiry to the end of the last callback. Bounds are those of this\n\
             mapping, jitter-aware, with what this machine took before: timers late by {}, {} to wake who gets a message,\n\
             {} beside what a callback computes, and {:.2} % of its time for interrupts and the host (99 of 100 took less).\n",
            costs.timer_lateness,
            costs.wake_up,
            costs.dispatch,
            share * 100.0
        );
        for Trial { scheduler, rows, remarks } in &self.trials {
            _ = write!(text, "\n{scheduler}\n{}{remarks}", table(rows));
        }
        text
    }
}

/// Returns the name of a callback in pictures and traces, and the number of its colour.
fn describe(chain_of: &[usize], who: Who) -> (String, usize) {
    match who {
        Who::Callback(callback) => {
            let chain = chain_of[callback];
            let place = callback - chain_of.iter().position(|&other| other == chain).unwrap_or(callback);
            (format!("{}.{}", chain + 1, place + 1), chain)
        }
        Who::Task { cycle, node } => (format!("{cycle}.{node}"), cycle),
    }
}

/// Simulates which callback runs when on the four cores, up to `end`, under PiCAS or in default
/// executors.
fn schedule(deployment: &Deployment, end: TimeSpan) -> (Schedule, Vec<usize>) {
    let (model, chain_of) = case_study::model(deployment);
    let mut schedule = Schedule::default();
    run(&model, &Options { end, ..Options::default() }, &mut schedule);
    (schedule, chain_of)
}

const SHOWN: TimeSpan = TimeSpan::milliseconds(400);

/// Draws the beginning, under PiCAS and in ROS 2's default executors.
pub fn pictures() -> [String; 2] {
    let deployment = case_study::deployment();
    [
        ("The PiCAS case study under PiCAS: chain and callback, by core", deployment.clone()),
        ("The same in ROS 2's default executors", under_ros2(&deployment, CORES)),
    ]
    .map(|(heading, deployment)| {
        let (schedule, chain_of) = schedule(&deployment, SHOWN);
        draw::schedule_svg(heading, &schedule, CORES, TimeSpan::ZERO, SHOWN, |who| describe(&chain_of, who))
    })
}

/// Writes the first two seconds under PiCAS for Perfetto.
pub fn write_trace(path: &Path) -> Result<(), BenchError> {
    let (schedule, chain_of) = schedule(&case_study::deployment(), TimeSpan::milliseconds(2_000));
    Ok(trace::write(path, &schedule, CORES, |who| describe(&chain_of, who).0)?)
}
