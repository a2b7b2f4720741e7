use std::num::NonZeroUsize;
use std::time::Duration;

use hemiola::plan::{Durations, PlanOptions, Simulation, SimulationOptions, TaskGraph, WorkerChoice};
use proptest::prelude::*;

use super::*;

/// Makes a plan of tasks that take so many nanoseconds, after each other where it says so.
fn plan(durations: &[u64], edges: &[(usize, usize)], workers: usize) -> Plan {
    let graph = TaskGraph::plain("tasks", durations.len(), edges.iter().copied()).unwrap();
    let workers = WorkerChoice::Fixed(NonZeroUsize::new(workers).unwrap());
    let options = PlanOptions { workers, hand_over: Duration::ZERO, ..PlanOptions::default() };
    Plan::new(graph, &constant(durations), &options)
}

fn constant(durations: &[u64]) -> Durations {
    Durations::constant(durations.iter().map(|nanoseconds| Duration::from_nanos(*nanoseconds)))
}

/// Returns a cycle of one task, with its duration.
fn single(duration: u64) -> (Shape, Vec<u64>) {
    (Shape::of(&plan(&[duration], &[], 1)), vec![duration])
}

/// Makes a machine for cycles of one task each.
fn machine(cores: usize, scheduling: Scheduling, durations: [u64; 2]) -> (Machine, impl FnMut(usize) -> Vec<u64>) {
    let cycles = durations.map(single);
    let machine = Machine::new(cores, scheduling, cycles.iter().map(|(shape, _)| shape.clone()).collect());
    (machine, move |cycle| cycles[cycle].1.clone())
}

fn ends(ended: &[Ended]) -> Vec<(usize, u64, u64)> {
    ended.iter().map(|ended| (ended.cycle, ended.sample, ended.at)).collect()
}

#[test]
fn the_more_important_cycle_preempts_on_one_core_and_not_on_two() {
    for (cores, end) in [(1, 13), (2, 10)] {
        let (mut machine, draw) = machine(cores, Scheduling::Preemptive, [3, 10]);
        machine.trigger(1, 0, 7);
        machine.trigger(0, 4, 8);
        assert_eq!(ends(&machine.advance(100, draw)), [(0, 8, 7), (1, 7, end)]);
    }
}

#[test]
fn a_loop_does_not_preempt_but_begins_with_the_most_important() {
    let (mut machine, draw) = machine(1, Scheduling::Sequential, [3, 10]);
    machine.trigger(1, 0, 0);
    machine.trigger(1, 6, 1);
    machine.trigger(0, 4, 0);
    assert_eq!(ends(&machine.advance(100, draw)), [(1, 0, 10), (0, 0, 13), (1, 1, 23)]);
}

#[test]
fn the_newest_sample_waits_and_older_ones_are_dropped() {
    let (mut machine, mut draw) = machine(1, Scheduling::Preemptive, [1, 10]);
    for sample in 0..4 {
        machine.trigger(1, sample * 3, sample);
    }
    // In two pieces, which is the same.
    let mut ended = machine.advance(12, &mut draw);
    ended.extend(machine.advance(50, &mut draw));
    assert_eq!(ends(&ended), [(1, 0, 10), (1, 3, 20)]);
    assert_eq!((machine.dropped(1), machine.dropped(1)), (vec![1, 2], vec![]));
}

#[test]
fn without_priority_motion_waits_for_its_turn_and_loses_its_core_after_a_slice() {
    let work = SLICE + 5;
    let (mut machine, draw) = machine(1, Scheduling::MotionAmong(1), [work, 10]);
    machine.trigger(0, 0, 0);
    // The load has its slice, motion its own, the load another one.
    assert_eq!(ends(&machine.advance(10 * SLICE, draw)), [(0, 0, 3 * SLICE + 5)]);

    // Beside a core that nobody else needs, it waits for nobody.
    let (mut machine, draw) = self::machine(2, Scheduling::MotionAmong(1), [work, 10]);
    machine.trigger(0, 0, 0);
    assert_eq!(ends(&machine.advance(10 * SLICE, draw)), [(0, 0, work)]);
}

proptest! {
    #[test]
    fn a_cycle_by_itself_takes_as_long_as_the_schedule_simulator_says(
        durations in prop::collection::vec(1_u64..1000, 1..24),
        pairs in prop::collection::vec((0_usize..24, 0_usize..24), 0..40),
        workers in 1_usize..5,
    ) {
        let edges: Vec<(usize, usize)> =
            pairs.into_iter().filter(|(from, to)| from < to && *to < durations.len()).collect();
        let plan = plan(&durations, &edges, workers);
        let options = SimulationOptions { workers, ..SimulationOptions::default() };
        let schedule = Simulation::new(&plan, &constant(&durations), &options).makespan(1);
        let units: Vec<u64> =
            plan.units().iter().map(|unit| unit.tasks.iter().map(|task| durations[task.index()]).sum()).collect();
        let mut machine = Machine::new(workers, Scheduling::Preemptive, vec![Shape::of(&plan)]);
        machine.trigger(0, 0, 0);
        let ended = machine.advance(1_000_000, |_| units.clone());
        prop_assert_eq!(u128::from(ended[0].at), schedule.mean.as_nanos());
    }

    #[test]
    fn one_core_does_all_work_and_none_twice(
        motion in 1_u64..50, cognition in 1_u64..200, offset in 0_u64..100, is_sequential: bool,
    ) {
        let scheduling = if is_sequential { Scheduling::Sequential } else { Scheduling::Preemptive };
        let (mut machine, draw) = machine(1, scheduling, [motion, cognition]);
        machine.trigger(1, 0, 0);
        machine.trigger(0, offset, 0);
        let ended = machine.advance(1_000_000, draw);
        let last = ended.iter().map(|ended| ended.at).max().unwrap();
        prop_assert_eq!(ended.len(), 2);
        prop_assert_eq!(last, (motion + cognition).max(offset + motion));
    }
}
