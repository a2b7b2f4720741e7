use std::num::NonZeroUsize;
use std::time::Duration;

use hemiola::plan::{Durations, PlanOptions, Simulation, SimulationOptions, TaskGraph, WorkerChoice};
use hemiola_analysis::dag::Dag;
use hemiola_analysis::system::Span;
use hemiola_analysis::{Costs, TimeSpan};
use hemiola_schedulability::simulation::{
    self, Callback, Cycle as SimulatedCycle, Dispatch, Executor, Model, Observer, Options, Source,
};
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

/// Notes when runs end, and for what they were released.
#[derive(Default)]
struct Ends(Vec<(usize, u64, u64)>);

impl Observer for Ends {
    fn cycle_ended(&mut self, cycle: usize, released: TimeSpan, now: TimeSpan) {
        self.0.push((cycle, released.as_nanoseconds(), now.as_nanoseconds()));
    }

    fn callback_ended(&mut self, callback: usize, released: TimeSpan, now: TimeSpan) {
        self.0.push((callback, released.as_nanoseconds(), now.as_nanoseconds()));
    }
}

/// A cycle that is triggered periodically; its tasks take constant times.
#[derive(Clone, Debug)]
struct Periodic {
    first: u64,
    period: u64,
    durations: Vec<u64>,
    edges: Vec<(usize, usize)>,
    workers: usize,
}

impl Periodic {
    /// Returns it as the framework's simulator knows it; its tasks are the units of its plan.
    fn simulated(&self, priority: u32, shape: &Shape, units: &[u64]) -> SimulatedCycle {
        let edges: Vec<(usize, usize)> = shape
            .successors
            .iter()
            .enumerate()
            .flat_map(|(unit, successors)| successors.iter().map(move |next| (unit, *next)))
            .collect();
        let units: Vec<TimeSpan> = units.iter().copied().map(TimeSpan::nanoseconds).collect();
        SimulatedCycle {
            every: Some((TimeSpan::nanoseconds(self.first), TimeSpan::nanoseconds(self.period))),
            releases: Vec::new(),
            workers: self.workers,
            cores: Vec::new(),
            priority,
            takes: units.iter().copied().map(Span::upto).collect(),
            order: (0..units.len()).collect(),
            kept: Vec::new(),
            graph: Dag::new(units, edges).unwrap(),
        }
    }

    fn plan(&self) -> Plan {
        plan(&self.durations, &self.edges, self.workers)
    }
}

fn units(plan: &Plan, durations: &[u64]) -> Vec<u64> {
    plan.units().iter().map(|unit| unit.tasks.iter().map(|task| durations[task.index()]).sum()).collect()
}

fn periodic(workers: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = Periodic> {
    let durations = prop::collection::vec(1_u64..400, 1..8);
    let edges = prop::collection::vec((0_usize..8, 0_usize..8), 0..8);
    (0_u64..500, 300_u64..3000, durations, edges, workers).prop_map(|(first, period, durations, edges, workers)| {
        let edges = edges.into_iter().filter(|(from, to)| from < to && *to < durations.len()).collect();
        Periodic { first, period, durations, edges, workers }
    })
}

const END: u64 = 10_000;

/// Returns all runs that begin and end before [`END`], as (cycle, release, end).
fn runs(machine: &mut Machine, cycles: &[Periodic], draw: impl FnMut(usize) -> Vec<u64>) -> Vec<(usize, u64, u64)> {
    for (index, cycle) in cycles.iter().enumerate() {
        for sample in (0..).take_while(|sample| cycle.first + sample * cycle.period < END) {
            machine.trigger(index, cycle.first + sample * cycle.period, sample);
        }
    }
    let ended = machine.advance(END, draw);
    ended
        .iter()
        .map(|run| (run.cycle, cycles[run.cycle].first + run.sample * cycles[run.cycle].period, run.at))
        .collect()
}

proptest! {
    #[test]
    fn cycles_that_preempt_each_other_end_when_the_framework_s_simulator_says(
        cores in 1_usize..4,
        first in periodic(1..=3),
        others in prop::collection::vec(periodic(1..=1), 1..3),
    ) {
        // Which of its workers a cycle of several loses to a more important one is not defined.
        let first = Periodic { workers: first.workers.min(cores), ..first };
        let cycles: Vec<Periodic> = [first].into_iter().chain(others).collect();
        let plans: Vec<Plan> = cycles.iter().map(Periodic::plan).collect();
        let units: Vec<Vec<u64>> = plans.iter().zip(&cycles).map(|(plan, cycle)| units(plan, &cycle.durations)).collect();
        let shapes: Vec<Shape> = plans.iter().map(Shape::of).collect();
        let simulated = (0..cycles.len()).map(|index| cycles[index].simulated(9 - index as u32, &shapes[index], &units[index]));
        let model = Model { cores, cycles: simulated.collect(), costs: Costs::default(), ..Model::default() };
        let mut expected = Ends::default();
        simulation::run(&model, &Options { end: TimeSpan::nanoseconds(END), ..Options::default() }, &mut expected);
        expected.0.retain(|&(_, _, end)| end < END);

        let mut machine = Machine::new(cores, Scheduling::Preemptive, shapes);
        let mut found = runs(&mut machine, &cycles, |cycle| units[cycle].clone());
        found.retain(|&(_, _, end)| end < END);
        found.sort_unstable();
        expected.0.sort_unstable();
        prop_assert_eq!(found, expected.0);
    }

    #[test]
    fn a_loop_ends_its_cycles_when_the_framework_s_simulator_of_an_executor_says(
        cycles in prop::collection::vec(periodic(1..=1), 1..4),
    ) {
        let plans: Vec<Plan> = cycles.iter().map(Periodic::plan).collect();
        let units: Vec<Vec<u64>> = plans.iter().zip(&cycles).map(|(plan, cycle)| units(plan, &cycle.durations)).collect();
        let callback = |(index, cycle): (usize, &Periodic)| Callback {
            executor: 0,
            source: Source::Messages {
                depth: 1,
                arrivals: (0..)
                    .map(|sample| cycle.first + sample * cycle.period)
                    .take_while(|arrival| *arrival < END)
                    .map(TimeSpan::nanoseconds)
                    .collect(),
            },
            takes: Span::upto(TimeSpan::nanoseconds(cycle.durations.iter().sum())),
            priority: 9 - index as u32,
            publishes: Vec::new(),
            releases: Vec::new(),
            joins: Vec::new(),
        };
        let model = Model {
            cores: 1,
            executors: vec![Executor { core: Some(0), priority: 1, reservation: None, dispatch: Dispatch::Priority }],
            callbacks: cycles.iter().enumerate().map(callback).collect(),
            costs: Costs::default(),
            ..Model::default()
        };
        let mut expected = Ends::default();
        simulation::run(&model, &Options { end: TimeSpan::nanoseconds(END), ..Options::default() }, &mut expected);
        expected.0.retain(|&(_, _, end)| end < END);

        let mut machine = Machine::new(1, Scheduling::Sequential, plans.iter().map(Shape::of).collect());
        let mut found = runs(&mut machine, &cycles, |cycle| units[cycle].clone());
        found.retain(|&(_, _, end)| end < END);
        prop_assert_eq!(found, expected.0);
    }

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
        let units = units(&plan, &durations);
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
