//! The prediction for a machine with more cores than this one: the schedule simulator, and motion
//! preempting cognition.

use std::collections::BTreeSet;
use std::time::Duration;

use hemiola_plan::{Plan, PlanOptions, Schedule, Simulation, SimulationOptions};
use hemiola_trace::Distribution;

use super::cycle::Cycle;

/// The cores of the robot that the thesis measured on.
pub const ROBOT_CORES: usize = 4;

/// Predicts the responses of both cycles on `cores` cores in `runs` runs of cognition: motion's per
/// kind of frame, then cognition's.
pub fn both(
    motion: (&Cycle, &Plan),
    cognition: (&Cycle, &Plan),
    cores: usize,
    runs: usize,
) -> (Vec<Distribution>, Distribution) {
    let end = nanoseconds(cognition.0.period) * runs as u64;
    let motion_runs = end.div_ceil(nanoseconds(motion.0.period)) as usize;
    let (mut responses, mut preemption) = (vec![Distribution::new(); motion.0.frames.len()], Preemption::new(cores));
    for (run, (frame, schedule)) in schedules(motion.0, motion.1, cores).take(motion_runs).enumerate() {
        responses[frame].record(nanoseconds(schedule.makespan));
        preemption.add(nanoseconds(motion.0.period) * run as u64, &schedule);
    }
    preemption.ready();

    let mut response = Distribution::new();
    // On one worker all tasks are there with the durations that the simulator draws, and nothing
    // else.
    let draws = schedules(cognition.0, cognition.1, 1).take(runs);
    let mut due = 0;
    for (_, draw) in draws {
        let ended = preempted(cognition.1, &unit_durations(cognition.1, &draw), &preemption, due);
        response.record(ended - due);
        while due < ended {
            due += nanoseconds(cognition.0.period);
        }
    }
    (responses, response)
}

/// Predicts the response of one cycle alone.
pub fn alone(cycle: &Cycle, plan: &Plan, runs: usize) -> Vec<Distribution> {
    let mut responses = vec![Distribution::new(); cycle.frames.len()];
    for (frame, schedule) in schedules(cycle, plan, usize::MAX).take(runs) {
        responses[frame].record(nanoseconds(schedule.makespan));
    }
    responses
}

/// Returns run after run, each with newly drawn durations and its kind of frame, on no more than
/// `most` workers.
fn schedules(cycle: &Cycle, plan: &Plan, most: usize) -> impl Iterator<Item = (usize, Schedule)> {
    let workers = plan.workers().min(most);
    let hand_over = PlanOptions::default().hand_over;
    let simulate = |(seed, frame): (u64, &super::cycle::Frame)| {
        Simulation::new(plan, &frame.durations, &SimulationOptions { workers, hand_over, seed, ..Default::default() })
    };
    let mut simulations: Vec<Simulation> = (1..).zip(&cycle.frames).map(simulate).collect();
    (0..).map(move |run| {
        let frame = cycle.frame_of(run);
        (frame, simulations[frame].schedule())
    })
}

fn unit_durations(plan: &Plan, draw: &Schedule) -> Vec<u64> {
    let mut durations = vec![0; plan.units().len()];
    draw.slots.iter().for_each(|slot| durations[slot.unit.index()] += nanoseconds(slot.end - slot.start));
    durations
}

/// The times at which a number of cores is left to cognition.
struct Preemption {
    cores: usize,
    /// The times, and how many workers of motion get busy at each (negative: idle).
    changes: Vec<(u64, isize)>,
}

impl Preemption {
    fn new(cores: usize) -> Self {
        Self { cores, changes: Vec::new() }
    }

    fn add(&mut self, begin: u64, schedule: &Schedule) {
        for slot in schedule.slots.iter().filter(|slot| slot.end > slot.start) {
            self.changes.push((begin + nanoseconds(slot.start), 1));
            self.changes.push((begin + nanoseconds(slot.end), -1));
        }
    }

    fn ready(&mut self) {
        self.changes.sort_unstable();
    }

    /// Returns the changes after `time`, and how many cores are free before the first of them.
    fn from(&self, time: u64) -> (usize, &[(u64, isize)]) {
        let next = self.changes.partition_point(|&(at, _)| at <= time);
        let busy: isize = self.changes[..next].iter().map(|&(_, change)| change).sum();
        (self.cores.saturating_sub(usize::try_from(busy).unwrap_or(0)), &self.changes[next..])
    }
}

/// Returns when a run of a plan that begins at `begin` ends, if motion preempts cognition. A worker
/// without a core keeps its unit and waits; an idle worker starts the most important unit as soon
/// as there is a core for it.
fn preempted(plan: &Plan, durations: &[u64], preemption: &Preemption, begin: u64) -> u64 {
    let units = plan.units();
    let mut unmet: Vec<u32> = units.iter().map(|unit| unit.predecessors).collect();
    let mut ready: BTreeSet<usize> = (0..units.len()).filter(|&unit| unmet[unit] == 0).collect();
    let mut held: Vec<Held> = Vec::new();
    let mut now = begin;
    let (mut free, mut changes) = preemption.from(now);
    loop {
        while held.len() < plan.workers().min(free)
            && let Some(unit) = ready.pop_first()
        {
            held.push(Held { unit, rest: durations[unit] });
        }
        if held.is_empty() && ready.is_empty() {
            return now;
        }
        let running = held.len().min(free);
        let first_end = held[..running].iter().map(|held| now + held.rest).min();
        let next = match (first_end, changes.first()) {
            (Some(end), Some(&(change, _))) => end.min(change),
            (Some(end), None) => end,
            (None, Some(&(change, _))) => change,
            // No core is free, and none will ever become free.
            (None, None) => return now,
        };
        held[..running].iter_mut().for_each(|held| held.rest -= next - now);
        now = next;
        while let Some(&(_, change)) = changes.first().filter(|&&(at, _)| at <= now) {
            free = free.saturating_add_signed(-change).min(preemption.cores);
            changes = &changes[1..];
        }
        for ended in held.extract_if(.., |held| held.rest == 0).collect::<Vec<_>>() {
            for next in &units[ended.unit].successors {
                unmet[next.index()] -= 1;
                if unmet[next.index()] == 0 {
                    ready.insert(next.index());
                }
            }
        }
    }
}

/// A unit that a worker has begun.
struct Held {
    unit: usize,
    rest: u64,
}

fn nanoseconds(duration: Duration) -> u64 {
    duration.as_nanos() as u64
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use hemiola_plan::{Durations, TaskGraph, WorkerChoice};

    use super::*;

    /// Makes a plan of two tasks of 6 and 4 ns beside each other, on two workers.
    fn pair() -> Plan {
        let workers = WorkerChoice::Fixed(NonZeroUsize::new(2).expect("two"));
        let durations = Durations::constant([6, 4].map(Duration::from_nanos));
        let options = PlanOptions { workers, ..PlanOptions::default() };
        Plan::new(TaskGraph::plain("pair", 2, []).expect("a graph"), &durations, &options)
    }

    #[test]
    fn who_has_all_cores_is_not_held_up() {
        assert_eq!(preempted(&pair(), &[6, 4], &Preemption::new(2), 100), 106);
    }

    #[test]
    fn a_preempted_worker_goes_on_where_it_was() {
        // One of two cores is taken from 102 to 105: the worker with 4 ns waits for 3 ns.
        let preemption = Preemption { cores: 2, changes: vec![(102, 1), (105, -1)] };
        assert_eq!(preempted(&pair(), &[6, 4], &preemption, 100), 107);
        // On a single core: 2 ns, a pause of 3 ns, the other 8 ns.
        let preemption = Preemption { cores: 1, changes: vec![(102, 1), (105, -1)] };
        assert_eq!(preempted(&pair(), &[6, 4], &preemption, 100), 113);
    }
}
