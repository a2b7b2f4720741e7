use std::collections::BTreeMap;
use std::fmt::Write as _;

use hemiola_analysis::picas::{Deployment, Executor, ExecutorId, Order, case_study, holistic, published};
use hemiola_analysis::simulation::{Observed, Observer, Options, Schedule, Who, run};
use hemiola_analysis::{Bound, Time, draw};

const CORES: usize = 4;
const HORIZON: Time = Time::milliseconds(100_000);

/// Latency from the timer's expiry to the end of the last callback, per chain.
struct Latencies {
    chain_of: Vec<usize>,
    observed: BTreeMap<usize, Observed>,
}

impl Observer for Latencies {
    fn callback_ended(&mut self, callback: usize, released: Time, now: Time) {
        let chain = self.chain_of[callback];
        if self.chain_of.get(callback + 1) != Some(&chain) {
            self.observed.entry(chain).or_default().add(now - released);
        }
    }
}

fn simulate(deployment: &Deployment) -> BTreeMap<usize, Observed> {
    let (model, chain_of) = case_study::model(deployment);
    let mut latencies = Latencies { chain_of, observed: BTreeMap::new() };
    run(&model, &Options { end: Time::milliseconds(60_000), ..Options::default() }, &mut latencies);
    latencies.observed
}

/// The same callbacks on the same cores, in one default executor per core.
fn under_ros2(deployment: &Deployment) -> Deployment {
    let mut default = deployment.clone();
    for callback in default.chains.iter_mut().flat_map(|chain| &mut chain.callbacks) {
        callback.executor = ExecutorId(deployment.executor(callback).core);
    }
    default.executors = (0..CORES).map(|core| Executor { core, priority: 1, order: Order::Registration }).collect();
    default
}

pub fn table() -> String {
    let deployment = case_study::deployment();
    let (picas, default) = (simulate(&deployment), simulate(&under_ros2(&deployment)));
    let (bounds, paper) = (holistic::latencies(&deployment, HORIZON), published::latencies(&deployment, HORIZON));
    let mut text = String::from(
        "Latencies in ms, simulated for 60 s with the longest durations. Chains 1 and 2 share a\n\
         timer, which their bounds count twice.\n\n\
         chain  period  published    bound |    PiCAS min    mean     max     std | ROS 2 default mean     max     std\n",
    );
    for (chain, one) in deployment.chains.iter().enumerate() {
        let (ours, theirs) =
            (picas.get(&chain).copied().unwrap_or_default(), default.get(&chain).copied().unwrap_or_default());
        // Writing to a String cannot fail.
        let _ = writeln!(
            text,
            "{:5}  {:6.0}  {:>9}  {:>7} | {:12.1} {:7.1} {:7.1} {:7.1} | {:18.1} {:7.1} {:7.1}",
            chain + 1,
            ms(one.period),
            bound(&paper[chain]),
            bound(&bounds[chain]),
            ms(ours.minimum),
            ms(ours.mean()),
            ms(ours.maximum),
            ms(ours.deviation()),
            ms(theirs.mean()),
            ms(theirs.maximum),
            ms(theirs.deviation())
        );
    }
    text
}

pub fn picture() -> String {
    let deployment = case_study::deployment();
    let (model, chain_of) = case_study::model(&deployment);
    let mut schedule = Schedule::default();
    let end = Time::milliseconds(400);
    run(&model, &Options { end, ..Options::default() }, &mut schedule);
    let describe = |who: Who| match who {
        Who::Callback(callback) => {
            let chain = chain_of[callback];
            let place = callback - chain_of.iter().position(|&other| other == chain).unwrap_or(callback);
            (format!("{}.{}", chain + 1, place + 1), chain)
        }
        Who::Task { cycle, node } => (format!("{cycle}.{node}"), cycle),
    };
    let heading = "The PiCAS case study: chain and callback, by core";
    draw::schedule_svg(heading, &schedule, CORES, Time::ZERO, end, describe)
}

fn ms(time: Time) -> f64 {
    time.as_nanoseconds() as f64 / 1e6
}

fn bound(bound: &Bound) -> String {
    bound.as_ref().map_or_else(|_| "none".to_owned(), |&bound| format!("{:.1}", ms(bound)))
}
