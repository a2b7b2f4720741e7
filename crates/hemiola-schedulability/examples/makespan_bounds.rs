//! Measures how close bounds on one run of a graph are to what can happen. Usage:
//! `makespan_bounds [WORKLOAD.json]...`
//!
//! Prints, for random graphs of layers or the given workloads, each bound as a multiple of
//! Graham's, and beside them the longest of some schedules whose execution times are drawn anew,
//! and how many of these are longer than the published bound by providers and consumers.

use std::error::Error;

use hemiola_analysis::TimeSpan;
use hemiola_analysis::dag::he_2019::{self, Dispatch};
use hemiola_analysis::dag::{Dag, graham_1969, he_2022};
use hemiola_plan::TaskId;
use hemiola_plan::datasets::{self, Workload};
use hemiola_schedulability::dag::{list_schedule, zhao_2020};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

const GRAPHS: usize = 1_000;
const RUNS: usize = 20;

fn main() -> Result<(), Box<dyn Error>> {
    let files: Vec<String> = std::env::args().skip(1).collect();
    let mut runner = TestRunner::deterministic();
    println!("{:32}  workers  He 2019  He 2022  Zhao 2020 (exceeded by)  longest run", "of Graham's bound");
    if files.is_empty() {
        let graphs: Vec<Dag> = (0..GRAPHS).map(|_| drawn(&layers(), &mut runner)).collect::<Result<_, _>>()?;
        print(&format!("{GRAPHS} random graphs"), &graphs, &mut runner)?;
    }
    for file in files {
        let workload = datasets::workload(&std::fs::read_to_string(&file)?)?;
        print(workload.graph.name(), &[graph(&workload)?], &mut runner)?;
    }
    Ok(())
}

fn drawn<S: Strategy>(strategy: &S, runner: &mut TestRunner) -> Result<S::Value, String> {
    strategy.new_tree(runner).map(|tree| tree.current()).map_err(|reason| reason.to_string())
}

fn graph(workload: &Workload) -> Result<Dag, Box<dyn Error>> {
    let tasks = 0..workload.graph.tasks().len() as u32;
    let costs = tasks.map(|task| TimeSpan::from(workload.durations.expected(TaskId(task))));
    let edges = workload.graph.edges().map(|edge| (edge.from.index(), edge.to.index()));
    Ok(Dag::new(costs, edges)?)
}

/// Makes graphs of five to eight layers of one to eight nodes; a node waits for about a third of
/// those in the layer before.
fn layers() -> impl Strategy<Value = Dag> {
    prop::collection::vec(1usize..=8, 5..=8).prop_flat_map(|widths| {
        let nodes: usize = widths.iter().sum();
        let edges = prop::collection::vec(0u8..3, nodes * 8);
        (prop::collection::vec(1u64..=100, nodes), edges, Just(widths)).prop_map(|(costs, drawn, widths)| {
            let mut edges = Vec::new();
            let mut first = 0;
            for pair in widths.windows(2) {
                let second = first + pair[0];
                let all = (first..second).flat_map(|from| (second..second + pair[1]).map(move |to| (from, to)));
                edges.extend(all.filter(|&(from, to)| drawn[to * 8 + from - first] == 0));
                first = second;
            }
            Dag::new(costs.into_iter().map(TimeSpan::microseconds), edges).expect("edges lead to later layers")
        })
    })
}

fn print(name: &str, graphs: &[Dag], runner: &mut TestRunner) -> Result<(), Box<dyn Error>> {
    for workers in 2..=8 {
        let (mut sums, mut exceeded) = ([0.0; 4], 0);
        for dag in graphs {
            let graham = graham_1969::makespan(dag, workers).as_f64();
            let priorities = zhao_2020::priorities(dag);
            let published = zhao_2020::makespan(dag, &priorities, workers);
            let mut longest = TimeSpan::ZERO;
            let shares = prop::collection::vec(prop_oneof![Just(100u64), 0u64..=100], dag.len());
            for _ in 0..RUNS {
                let shares = drawn(&shares, runner)?;
                let taken = dag.costs().iter().zip(shares).map(|(&cost, percent)| (cost * percent).shared_by(100));
                let run = list_schedule::schedule(&dag.with_costs(taken), &priorities, workers).makespan();
                exceeded += usize::from(run > published.rounded_up());
                longest = longest.max(run);
            }
            let bounds = [
                he_2019::makespan(dag, &priorities, workers, Dispatch::NonPreemptive).as_f64(),
                he_2022::makespan(dag, workers).as_f64(),
                published.as_f64(),
                longest.as_nanoseconds() as f64,
            ];
            sums.iter_mut().zip(bounds).for_each(|(sum, bound)| *sum += bound / graham);
        }
        let [he_2019, he_2022, published, longest] = sums.map(|sum| sum / graphs.len() as f64);
        let runs = format!("({exceeded} of {})", graphs.len() * RUNS);
        println!("{name:32}  {workers:7}  {he_2019:7.3}  {he_2022:7.3}  {published:9.3} {runs:>14}  {longest:11.3}");
    }
    Ok(())
}
