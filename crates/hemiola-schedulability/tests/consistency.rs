//! Relations between bounds that must hold whatever the input.

use hemiola_analysis::dag::he_2019::{self, Dispatch};
use hemiola_analysis::dag::{Dag, graham_1969, nasri_2019};
use hemiola_analysis::{Arrivals, TimeSpan};
use hemiola_plan::{Durations, Plan, PlanOptions, Simulation, SimulationOptions, TaskGraph};
use hemiola_schedulability::Task;
use hemiola_schedulability::dag::list_schedule;
use hemiola_schedulability::reaction::{Release, Step, davare_2007, duerr_2019, guenzel_2023, kloda_2018};
use hemiola_schedulability::response_times::fixed_priority;
use proptest::prelude::*;

const HORIZON: TimeSpan = TimeSpan::milliseconds(1_000);

/// Makes costs, and edges from lower to higher numbers.
fn graphs() -> impl Strategy<Value = (Vec<u64>, Vec<(usize, usize)>)> {
    (2usize..14).prop_flat_map(|nodes| {
        let edges = prop::collection::vec((0..nodes, 0..nodes), 0..2 * nodes);
        (prop::collection::vec(1u64..1000, nodes), edges).prop_map(|(costs, edges)| {
            let upwards = edges.into_iter().filter(|(a, b)| a != b).map(|(a, b)| (a.min(b), a.max(b)));
            (costs, upwards.collect())
        })
    })
}

fn dag(costs: &[u64], edges: &[(usize, usize)]) -> Dag {
    Dag::new(costs.iter().copied().map(TimeSpan::nanoseconds), edges.iter().copied()).expect("edges lead upwards")
}

fn tasks() -> impl Strategy<Value = Vec<Task>> {
    let task = (1u64..20, 20u64..200, 0u64..100, 1u64..10).prop_map(|(cost, period, jitter, piece)| Task {
        longest_piece: TimeSpan::nanoseconds(piece.min(cost)),
        ..Task::new(
            TimeSpan::nanoseconds(cost),
            Arrivals::periodic(TimeSpan::nanoseconds(period)).late_by(TimeSpan::nanoseconds(jitter)),
        )
    });
    prop::collection::vec(task, 1..6)
}

fn chains() -> impl Strategy<Value = Vec<Step>> {
    let step = (1u64..50, 0u64..50, 1u64..30, 0u32..1000).prop_map(|(period, phase, response, priority)| Step {
        priority,
        ..Step::new(
            Release::Periodic { period: TimeSpan::nanoseconds(period), phase: TimeSpan::nanoseconds(phase) },
            TimeSpan::TICK,
            TimeSpan::nanoseconds(response.min(period)),
        )
    });
    prop::collection::vec(step, 1..5)
}

proptest! {
    #[test]
    fn every_schedule_lies_between_the_lower_bound_and_its_upper_bounds((costs, edges) in graphs(), workers in 1usize..5) {
        let dag = dag(&costs, &edges);
        let priorities = dag.critical_path_first();
        let makespan = list_schedule::schedule(&dag, &priorities, workers).makespan();
        prop_assert!(graham_1969::lower_bound(&dag, workers) <= makespan);
        let he = he_2019::makespan(&dag, &priorities, workers, Dispatch::NonPreemptive);
        prop_assert!(makespan <= he.rounded_up());
        prop_assert!(he.as_f64() <= graham_1969::makespan(&dag, workers).as_f64());
    }

    #[test]
    fn with_shorter_costs_and_anomalies_graham_still_holds(
        (costs, edges) in graphs(), shorter in prop::collection::vec(0u64..=100, 14), workers in 1usize..5
    ) {
        let dag = dag(&costs, &edges);
        let actual = costs.iter().zip(&shorter).map(|(&cost, &percent)| TimeSpan::nanoseconds(cost * percent / 100));
        let makespan = list_schedule::schedule(&dag.with_costs(actual), &dag.critical_path_first(), workers).makespan();
        prop_assert!(makespan <= graham_1969::makespan(&dag, workers).rounded_up());
        let he = he_2019::makespan(&dag, &dag.critical_path_first(), workers, Dispatch::NonPreemptive);
        prop_assert!(makespan <= he.rounded_up());
    }

    #[test]
    fn nodes_end_when_the_interval_analysis_says_so_whatever_they_take(
        (costs, edges) in graphs(), range in prop::collection::vec(0u64..=100, 14), actual in prop::collection::vec(0u64..=100, 14),
        order in prop::collection::vec(0usize..1000, 14), workers in 1usize..5
    ) {
        let dag = dag(&costs, &edges);
        let shortest: Vec<TimeSpan> =
            costs.iter().zip(&range).map(|(&cost, &percent)| TimeSpan::nanoseconds(cost * percent / 100)).collect();
        let taken = dag.costs().iter().zip(&shortest).zip(&actual).map(|((&longest, &shortest), &percent)| {
            shortest + TimeSpan::nanoseconds((longest - shortest).as_nanoseconds() * percent / 100)
        });
        let mut by_order: Vec<usize> = (0..costs.len()).collect();
        by_order.sort_by_key(|&node| order[node]);
        let mut priorities = vec![0; costs.len()];
        by_order.into_iter().enumerate().for_each(|(place, node)| priorities[node] = place);
        let hand_over = TimeSpan::ZERO;
        let problem = nasri_2019::Problem { graph: &dag, shortest: &shortest, priorities: &priorities, workers, hand_over };
        if let Ok(ends) = problem.ends() {
            let schedule = list_schedule::schedule(&dag.with_costs(taken), &priorities, workers);
            for (end, interval) in schedule.ends.into_iter().zip(ends) {
                prop_assert!(interval.earliest <= end && end <= interval.latest);
            }
        }
    }

    // Of nodes that end at the same moment, the plan's simulator lets one go on before it looks at
    // the next, and the other simulator does not. No two do here, because each cost has a bit of
    // its own.
    #[test]
    fn list_schedules_are_those_of_the_plans_simulator((costs, edges) in graphs(), workers in 2usize..5) {
        let costs: Vec<u64> = costs.iter().zip(0..).map(|(&cost, node)| (cost << 14) + (1 << node)).collect();
        let dag = dag(&costs, &edges);
        let durations = Durations::constant(costs.iter().map(|&cost| std::time::Duration::from_nanos(cost)));
        let graph = TaskGraph::plain("graph", costs.len(), edges.iter().copied()).expect("edges lead upwards");
        let options = PlanOptions { hand_over: std::time::Duration::ZERO, ..PlanOptions::default() };
        let plan = Plan::new(graph, &durations, &options);
        let options = SimulationOptions { workers, ..SimulationOptions::default() };
        let planned = Simulation::new(&plan, &durations, &options).makespan(1).maximum;
        let ours = list_schedule::schedule(&dag, &dag.critical_path_first(), workers).makespan();
        prop_assert_eq!(TimeSpan::from(planned), ours);
    }

    #[test]
    fn more_cost_or_jitter_never_lowers_a_bound(tasks in tasks(), which in 0usize..6, jitter in 0u64..50, cost in 0u64..5) {
        let which = which % tasks.len();
        let mut worse = tasks.clone();
        worse[which].arrivals.jitter += TimeSpan::nanoseconds(jitter);
        worse[which].cost += TimeSpan::nanoseconds(cost);
        for analysis in [fixed_priority::preemptive, fixed_priority::limited_preemptive] {
            for (before, after) in analysis(&tasks, HORIZON).iter().zip(analysis(&worse, HORIZON)) {
                if let (Ok(before), Ok(after)) = (before, after) {
                    prop_assert!(*before <= after);
                }
            }
        }
    }

    #[test]
    fn reaction_time_bounds_that_know_more_are_not_larger(chain in chains()) {
        let davare = davare_2007::reaction_time(&chain);
        let duerr = duerr_2019::reaction_time(&chain);
        let kloda = kloda_2018::reaction_time(&chain).expect("hyperperiods are short");
        prop_assert!(kloda <= duerr && duerr <= davare);
        prop_assert_eq!(guenzel_2023::reaction_time(&chain), Ok(kloda));
        prop_assert_eq!(guenzel_2023::sporadic(&chain), duerr);
    }
}
