//! Chains on an executor with several threads, and graphs on workers of several types: no schedule
//! takes longer than its bound.

use std::cmp::Reverse;

use hemiola_analysis::TimeSpan;
use hemiola_analysis::dag::Dag;
use hemiola_analysis::picas::Chain;
use hemiola_schedulability::dag::han_2019;
use hemiola_schedulability::picas::many_threads;
use proptest::prelude::*;

const END: u64 = 4_000;

/// A callback of an instance of a chain that waits or runs, with the end of its run.
#[derive(Clone, Copy)]
struct Job {
    until: u64,
    chain: usize,
    released: u64,
    place: usize,
}

/// Returns the longest latency of every chain, where callbacks take `percent` of their costs in
/// turn, and chains begin at `offsets`.
fn simulated(chains: &[(u64, Vec<u64>)], threads: usize, offsets: &[u64], percent: &[u64]) -> Vec<u64> {
    let mut longest = vec![0; chains.len()];
    let mut next: Vec<u64> = chains.iter().zip(offsets).map(|((period, _), offset)| offset % period).collect();
    let mut ready: Vec<Job> = Vec::new();
    let mut running: Vec<Job> = Vec::new();
    let mut begun = 0;
    let mut now = 0;
    while now < END {
        for (chain, release) in next.iter_mut().enumerate().filter(|(_, release)| **release == now) {
            ready.push(Job { until: 0, chain, released: *release, place: 0 });
            *release += chains[chain].0;
        }
        let (ended, rest): (Vec<Job>, Vec<Job>) = running.into_iter().partition(|job| job.until == now);
        running = rest;
        for job in ended {
            if job.place + 1 < chains[job.chain].1.len() {
                ready.push(Job { place: job.place + 1, ..job });
            } else {
                longest[job.chain] = longest[job.chain].max(now - job.released);
            }
        }
        ready.sort_by_key(|job| Reverse((job.chain, job.released)));
        while running.len() < threads
            && let Some(job) = ready.pop()
        {
            let cost = chains[job.chain].1[job.place];
            let takes = (cost * percent[begun % percent.len()] / 100).max(1);
            begun += 1;
            running.push(Job { until: now + takes, ..job });
        }
        let ends = running.iter().map(|job| job.until);
        now = ends.chain(next.iter().copied()).filter(|&time| time > now).min().unwrap_or(END);
    }
    longest
}

fn chains() -> impl Strategy<Value = Vec<(u64, Vec<u64>)>> {
    let chain = (40u64..200, prop::collection::vec(1u64..15, 1..5));
    prop::collection::vec(chain, 1..6)
}

/// Returns the makespan on workers of several types, where the node with the smallest number goes
/// first.
fn typed_makespan(costs: &[u64], edges: &[(usize, usize)], types: &[usize], workers: &[usize]) -> u64 {
    let mut ends: Vec<Option<u64>> = vec![None; costs.len()];
    let mut now = 0;
    loop {
        for (node, &kind) in types.iter().enumerate() {
            let busy =
                (0..costs.len()).filter(|&other| types[other] == kind && ends[other].is_some_and(|end| end > now));
            let free = busy.count() < workers[kind];
            let waits = edges.iter().any(|&(from, to)| to == node && ends[from].is_none_or(|end| end > now));
            if ends[node].is_none() && free && !waits {
                ends[node] = Some(now + costs[node]);
            }
        }
        match ends.iter().flatten().copied().filter(|&end| end > now).min() {
            Some(next) => now = next,
            None => return now,
        }
    }
}

proptest! {
    #[test]
    fn no_chain_on_several_threads_takes_longer_than_its_bound(
        chains in chains(), threads in 1usize..5, offsets in prop::collection::vec(0u64..200, 6),
        percent in prop::collection::vec(0u64..=100, 1..8), full in any::<bool>()
    ) {
        let described: Vec<Chain> = chains
            .iter()
            .map(|(period, costs)| Chain::new(TimeSpan::nanoseconds(*period), costs.iter().copied().map(TimeSpan::nanoseconds)))
            .collect();
        let bounds = many_threads::latencies(&described, threads, TimeSpan::nanoseconds(100_000));
        let percent = if full { vec![100] } else { percent };
        let observed = simulated(&chains, threads, &offsets, &percent);
        // A chain without a bound may run twice at the same time, which the bounds of those below
        // it do not take into account.
        for (bound, observed) in bounds.into_iter().zip(observed).take_while(|(bound, _)| bound.is_ok()) {
            prop_assert!(bound.is_ok_and(|bound| TimeSpan::nanoseconds(observed) <= bound));
        }
    }

    #[test]
    fn no_graph_on_workers_of_several_types_takes_longer_than_its_bound(
        costs in prop::collection::vec(1u64..100, 2..12), edges in prop::collection::vec((0usize..12, 0usize..12), 0..20),
        types in prop::collection::vec(0usize..3, 12), workers in prop::collection::vec(1usize..4, 3)
    ) {
        let edges: Vec<(usize, usize)> = edges.into_iter().filter(|&(from, to)| from < to && to < costs.len()).collect();
        let dag = Dag::new(costs.iter().copied().map(TimeSpan::nanoseconds), edges.clone()).expect("edges lead upwards");
        let types = &types[..costs.len()];
        let makespan = typed_makespan(&costs, &edges, types, &workers);
        prop_assert!(TimeSpan::nanoseconds(makespan) <= han_2019::makespan(&dag, types, &workers).rounded_up());
    }
}
