use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use hemiola_analysis::picas::{Chain, Deployment, Executor, ExecutorId, Order, holistic, priorities};
use hemiola_analysis::{Bound, Costs, TimeSpan};
use hemiola_schedulability::simulation::deployed;

use super::executed::execute;
use super::latencies::Latencies;
use super::mapping::{Taken, as_executed};
use super::sentinels::Sentinels;
use super::simulated::simulate;
use super::table::{Row, remarks, table};
use crate::error::BenchError;

/// Two chains, the more important one first: period and durations in ms. The talk's own are not
/// published.
struct Workload {
    what: &'static str,
    chains: [(u64, [u64; 5]); 2],
}

const WORKLOADS: [Workload; 2] = [
    // The less important chain takes longer than the other one's period.
    Workload { what: "80 % of a core", chains: [(80, [2, 6, 6, 6, 4]), (200, [5, 30, 30, 20, 15])] },
    // The timer of the less important chain is faster than the core. An executor that serves timers
    // first begins instances of it that it cannot finish.
    Workload { what: "130 % of a core", chains: [(80, [2, 6, 6, 6, 4]), (100, [5, 30, 30, 20, 15])] },
];
const HORIZON: TimeSpan = TimeSpan::milliseconds(10_000);
const SIMULATED: TimeSpan = TimeSpan::milliseconds(60_000);
/// The capacity of queues, more than messages ever wait: order is compared, not loss.
const QUEUED: usize = 64;

/// The executors that run the two chains, on one core.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrangement {
    OneExecutor,
    ExecutorPerChain,
}

/// The trials: a workload, and how it is arranged.
const TRIALS: [(usize, Arrangement, &str); 3] = [
    (0, Arrangement::OneExecutor, "one executor"),
    (0, Arrangement::ExecutorPerChain, "an executor per chain"),
    (1, Arrangement::OneExecutor, "one executor"),
];

/// Returns both chains, with PiCAS' priorities or in the order of registration. Default executors
/// have the same priority.
fn deployment(workload: &Workload, arrangement: Arrangement, order: Order) -> Deployment {
    let ms = TimeSpan::milliseconds;
    let chains = workload.chains.iter().map(|(period, costs)| Chain::new(ms(*period), costs.map(ms)));
    let mut chains: Vec<Chain> = chains.collect();
    priorities::assign(&mut chains);
    if arrangement == Arrangement::ExecutorPerChain {
        chains[1].callbacks.iter_mut().for_each(|callback| callback.executor = ExecutorId(1));
    }
    let executors = match (arrangement, order) {
        (Arrangement::OneExecutor, _) => vec![90],
        (Arrangement::ExecutorPerChain, Order::Priority) => vec![90, 89],
        (Arrangement::ExecutorPerChain, Order::Registration) => vec![90, 90],
    };
    let executors = executors.into_iter().map(|priority| Executor { core: 0, priority, order }).collect();
    Deployment { chains, executors, interference: Vec::new(), costs: Costs::default() }
}

/// A table: an arrangement of a workload under one scheduler.
pub struct Trial {
    pub heading: String,
    pub rows: Vec<Row>,
    remarks: String,
}

/// Simulates and executes all trials under both schedulers, for that long each.
pub fn run(length: Duration) -> Result<Vec<Trial>, BenchError> {
    let sentinels = Sentinels::start()?;
    let taken = Taken::measure()?;
    let mut trials = Vec::new();
    for (workload, arrangement, how) in TRIALS {
        let workload = &WORKLOADS[workload];
        for (order, scheduler) in [(Order::Registration, "ROS 2's default"), (Order::Priority, "chain-aware")] {
            let deployment = deployment(workload, arrangement, order);
            let (model, chain_of) = deployed(&deployment, 1);
            let model = as_executed(model, 1, QUEUED);
            let simulated = Latencies::new(&chain_of);
            simulate(&model, SIMULATED, &simulated);
            let bounds: Vec<Bound> = holistic::latencies(&taken.added_to(&deployment), HORIZON);
            let application = Arc::new(Latencies::new(&chain_of).within(&bounds));
            let run = execute(&model, length, &application)?;
            let rows: Vec<Row> = (0..workload.chains.len())
                .map(|chain| Row {
                    chain: format!("chain {}", chain + 1),
                    period: deployment.chains[chain].period,
                    bound: bounds[chain].clone(),
                    simulated: simulated.observed()[chain],
                    executed: application.observed()[chain],
                    beyond: application.beyond(chain),
                })
                .collect();
            let remarks = remarks(&rows, &run, &sentinels.since(run.zero));
            let heading = format!("{}, {how}, {scheduler}", workload.what);
            trials.push(Trial { heading, rows, remarks });
        }
    }
    Ok(trials)
}

pub fn text(trials: &[Trial]) -> String {
    let mut text = String::from(
        "Two chains on one core, latencies in ms from the timer's expiry to the end of the last callback.\n",
    );
    for Workload { what, chains } in &WORKLOADS {
        _ = writeln!(text, "{what}");
        for (chain, (period, costs)) in chains.iter().enumerate() {
            _ = writeln!(text, "  chain {}: every {period} ms, callbacks of {costs:?} ms", chain + 1);
        }
    }
    for Trial { heading, rows, remarks } in trials {
        _ = write!(text, "\n{heading}\n{}{remarks}", table(rows));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn simulated(workload: usize, arrangement: Arrangement, order: Order) -> [TimeSpan; 2] {
        let (model, chain_of) = deployed(&deployment(&WORKLOADS[workload], arrangement, order), 1);
        let latencies = Latencies::new(&chain_of);
        simulate(&as_executed(model, 1, QUEUED), SIMULATED, &latencies);
        [0, 1].map(|chain| latencies.observed()[chain].maximum)
    }

    #[test]
    fn the_important_chain_waits_for_nobody_where_priorities_say_so() {
        let alone = TimeSpan::milliseconds(WORKLOADS[0].chains[0].1.iter().sum());
        let longest_other = TimeSpan::milliseconds(30);
        for workload in 0..WORKLOADS.len() {
            let one = simulated(workload, Arrangement::OneExecutor, Order::Priority)[0];
            assert!(one > alone && one <= alone + longest_other, "{one}");
            assert_eq!(simulated(workload, Arrangement::ExecutorPerChain, Order::Priority)[0], alone);
        }
        assert!(simulated(0, Arrangement::OneExecutor, Order::Registration)[0] > TimeSpan::milliseconds(80));
    }

    #[test]
    fn a_chain_that_finishes_what_it_began_does_not_get_into_its_own_way() {
        let [default, aware] =
            [Order::Registration, Order::Priority].map(|order| simulated(1, Arrangement::OneExecutor, order));
        for (default, aware) in default.into_iter().zip(aware) {
            assert!(default.as_nanoseconds() > 2 * aware.as_nanoseconds(), "{default} and {aware}");
        }
    }
}
