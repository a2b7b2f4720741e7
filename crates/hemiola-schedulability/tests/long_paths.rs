//! No run takes longer than the bound by long paths, whatever the order, the execution times, and
//! the delays after which workers see ready nodes.

use hemiola_analysis::TimeSpan;
use hemiola_analysis::dag::pool::Pool;
use hemiola_analysis::dag::{Dag, graham_1969, he_2022};
use hemiola_analysis::{Arrivals, Costs};
use proptest::prelude::*;

/// A graph and the circumstances of a run of it.
#[derive(Debug, Clone)]
struct Case {
    costs: Vec<u64>,
    edges: Vec<(usize, usize)>,
    /// The part of its cost that each node takes, in percent.
    taken: Vec<u64>,
    /// The order of nodes: the smallest goes first.
    order: Vec<u32>,
    workers: usize,
    /// The time until a node is seen by workers that did not make it ready, node by node.
    seen_after: Vec<u64>,
}

fn cases(nodes: usize) -> impl Strategy<Value = Case> {
    (2..nodes).prop_flat_map(|nodes| {
        (
            prop::collection::vec(prop_oneof![1u64..10, 1u64..100], nodes),
            prop::collection::vec((0..nodes, 0..nodes), 0..2 * nodes),
            prop::collection::vec(prop_oneof![Just(100), 0u64..=100], nodes),
            prop::collection::vec(any::<u32>(), nodes),
            2usize..6,
            prop::collection::vec(0u64..10, nodes),
        )
            .prop_map(|(costs, edges, taken, order, workers, seen_after)| {
                let upwards = edges.into_iter().filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b)));
                Case { costs, edges: upwards.collect(), taken, order, workers, seen_after }
            })
    })
}

impl Case {
    fn dag(&self) -> Dag {
        let costs = self.costs.iter().copied().map(TimeSpan::nanoseconds);
        Dag::new(costs, self.edges.iter().copied()).expect("edges lead upwards")
    }

    /// Returns when all nodes are done. Worker 0 makes ready the nodes that wait for nothing.
    fn simulated(&self) -> u64 {
        let dag = self.dag();
        let mut waiting: Vec<usize> = (0..dag.len()).map(|node| dag.predecessors(node).len()).collect();
        let mut ready: Vec<(usize, usize, u64)> = Vec::new();
        let mut running: Vec<Option<(u64, usize)>> = vec![None; self.workers];
        let mut now = 0;
        ready.extend((0..dag.len()).filter(|&node| waiting[node] == 0).map(|node| (node, 0, self.seen_after[node])));
        loop {
            for (worker, runs) in running.iter_mut().enumerate().filter(|(_, runs)| runs.is_none()) {
                let seen = ready.iter().enumerate().filter(|(_, (_, by, to_all))| *by == worker || *to_all <= now);
                let Some((place, _)) = seen.min_by_key(|(_, (node, ..))| (self.order[*node], *node)) else { continue };
                let (node, ..) = ready.swap_remove(place);
                *runs = Some((now + self.costs[node] * self.taken[node] / 100, node));
            }
            let ends = running.iter().flatten().map(|&(end, _)| end);
            let seen = ready.iter().map(|&(.., to_all)| to_all).filter(|&time| time > now);
            let Some(next) = ends.chain(seen).min() else { return now };
            now = next;
            for (worker, runs) in running.iter_mut().enumerate() {
                let Some((_, node)) = runs.take_if(|(end, _)| *end == now) else { continue };
                for &after in dag.successors(node) {
                    waiting[after] -= 1;
                    if waiting[after] == 0 {
                        ready.push((after, worker, now + self.seen_after[after]));
                    }
                }
            }
        }
    }

    fn check(&self) -> Result<(), TestCaseError> {
        let at_once = Case { seen_after: vec![0; self.costs.len()], ..self.clone() };
        let bound = he_2022::makespan(&self.dag(), self.workers);
        prop_assert!(at_once.simulated() <= bound.rounded_up().as_nanoseconds());
        prop_assert!(bound.as_f64() <= graham_1969::makespan(&self.dag(), self.workers).as_f64() + 1e-9);

        let hand_over = TimeSpan::nanoseconds(self.seen_after.iter().copied().max().unwrap_or(0));
        let pool = Pool {
            graph: &self.dag(),
            priorities: None,
            makespan: None,
            kept: TimeSpan::ZERO,
            arrivals: Arrivals::periodic(TimeSpan::milliseconds(1)),
            workers: self.workers,
            allowed: self.workers,
            cores: self.workers,
            costs: Costs { hand_over, ..Costs::default() },
        };
        let (bound, _) = pool.response_time(&[], TimeSpan::milliseconds(10)).expect("it is short");
        prop_assert!(self.simulated() <= bound.as_nanoseconds());
        Ok(())
    }
}

proptest! {
    #[test]
    fn no_run_takes_longer_than_the_bound_by_long_paths(case in cases(16)) {
        case.check()?;
    }
}

/// Takes a minute: `cargo test --release -p hemiola-schedulability --test long_paths -- --ignored`
#[test]
#[ignore = "takes a minute"]
fn none_of_four_hundred_thousand_runs_takes_longer_than_the_bound_by_long_paths() {
    for nodes in [6, 9, 16, 30] {
        let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(100_000));
        runner.run(&cases(nodes), |case| case.check()).expect("it is a bound");
    }
}
