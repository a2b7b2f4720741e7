//! Providers and consumers of a graph, and how far the published bound on them can be trusted.

mod shared;

use hemiola_analysis::TimeSpan;
use hemiola_analysis::dag::{Dag, graham_1969};
use hemiola_plan::{TaskId, datasets};
use hemiola_schedulability::dag::{list_schedule, zhao_2020};
use proptest::prelude::*;

fn graphs() -> impl Strategy<Value = Dag> {
    (1usize..16).prop_flat_map(|nodes| {
        let edges = prop::collection::vec((0..nodes, 0..nodes), 0..2 * nodes);
        (prop::collection::vec(1u64..30, nodes), edges).prop_map(|(costs, edges)| {
            let upwards = edges.into_iter().filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b)));
            Dag::new(costs.into_iter().map(TimeSpan::nanoseconds), upwards).expect("edges lead upwards")
        })
    })
}

/// Returns whether a path leads from one node to the other.
fn leads(dag: &Dag, from: usize, to: usize) -> bool {
    dag.successors(from).iter().any(|&next| next == to || leads(dag, next, to))
}

proptest! {
    #[test]
    fn providers_are_the_longest_path_and_consumers_what_the_next_one_waits_for(dag in graphs()) {
        let providers = zhao_2020::providers(&dag);
        let path: Vec<usize> = providers.iter().flat_map(|provider| provider.nodes.iter().copied()).collect();
        prop_assert!(path.windows(2).all(|pair| dag.successors(pair[0]).contains(&pair[1])));
        prop_assert_eq!(path.iter().map(|&node| dag.costs()[node]).sum::<TimeSpan>(), dag.length());

        let consumers = providers.iter().flat_map(|provider| provider.consumers.iter().copied());
        let mut all: Vec<usize> = path.iter().copied().chain(consumers).collect();
        all.sort_unstable();
        prop_assert_eq!(all, (0..dag.len()).collect::<Vec<_>>());
        for (place, provider) in providers.iter().enumerate() {
            for &node in &provider.consumers {
                prop_assert!(!leads(&dag, node, provider.nodes[0]));
                prop_assert!(providers.get(place + 1).is_none_or(|next| leads(&dag, node, next.nodes[0])));
            }
            prop_assert!(provider.nodes.windows(2).all(|pair| dag.predecessors(pair[1]) == [pair[0]]));
        }
    }

    #[test]
    fn the_longest_path_goes_first_then_consumers_by_provider_each_after_what_it_waits_for(dag in graphs()) {
        let (providers, priorities) = (zhao_2020::providers(&dag), zhao_2020::priorities(&dag));
        let mut places = priorities.clone();
        places.sort_unstable();
        prop_assert_eq!(places, (0..dag.len()).collect::<Vec<_>>());
        let nodes = providers.iter().flat_map(|provider| provider.nodes.iter());
        let groups = providers.iter().map(|provider| provider.consumers.iter());
        let mut before = 0;
        for group in std::iter::once(nodes.collect::<Vec<_>>()).chain(groups.map(Iterator::collect)) {
            prop_assert!(group.iter().all(|&&node| (before..before + group.len()).contains(&priorities[node])));
            for (&&one, &&other) in group.iter().flat_map(|one| group.iter().map(move |other| (one, other))) {
                prop_assert!(!leads(&dag, one, other) || priorities[one] < priorities[other]);
            }
            before += group.len();
        }
    }
}

/// Node 1 may delay node 2, and so does not count for node 3, which waits for 2. But 2 begins at
/// once, and then 1 delays 3.
#[test]
fn the_published_bound_is_exceeded() {
    let costs = [9, 15, 2, 11, 16].map(TimeSpan::nanoseconds);
    let dag = Dag::new(costs, [(2, 3), (0, 4), (2, 4)]).expect("edges lead upwards");
    let priorities = zhao_2020::priorities(&dag);
    assert_eq!(list_schedule::schedule(&dag, &priorities, 2).makespan(), TimeSpan::nanoseconds(28));
    assert_eq!(zhao_2020::makespan(&dag, &priorities, 2).as_f64(), 27.0);
}

#[test]
fn the_published_bound_on_a_naos_cognition_is_shorter_than_any_schedule_on_two_workers() {
    let Some(text) = shared::data_file("graphs/dispatch-nao-cognition.json") else { return };
    let workload = datasets::workload(&text).expect("it can be read");
    let costs = (0..120).map(|task| TimeSpan::from(workload.durations.expected(TaskId(task))));
    let edges = workload.graph.edges().map(|edge| (edge.from.index(), edge.to.index()));
    let dag = Dag::new(costs, edges).expect("it is a graph");
    let published = zhao_2020::makespan(&dag, &zhao_2020::priorities(&dag), 2);
    assert!(published.rounded_up() < graham_1969::lower_bound(&dag, 2));
}
