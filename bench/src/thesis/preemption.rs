//! Motion preempting cognition, core by core.

use std::collections::BTreeSet;

use hemiola_plan::{Plan, Schedule};

use super::experiment::Placement;
use super::prediction::nanoseconds;

/// The times at which workers of motion occupy each core, busy or spinning.
pub struct Occupation {
    /// The times of each core, from begin to end; in order and apart once they are merged.
    cores: Vec<Vec<(u64, u64)>>,
}

impl Occupation {
    pub fn new(cores: usize) -> Self {
        Self { cores: vec![Vec::new(); cores.max(1)] }
    }

    /// Adds a run that is due at `due`, with worker 0 on the first core, worker 1 on the second:
    /// each is awake for `lead` before, and spins for `patience` after each task. Worker 0 goes to
    /// sleep at the end of the run.
    pub fn add(&mut self, due: u64, schedule: &Schedule, lead: u64, patience: u64) {
        let (count, makespan) = (self.cores.len(), nanoseconds(schedule.makespan));
        let latest = |worker: usize, end: u64| if worker == 0 { end.min(makespan) } else { end };
        for worker in 0..schedule.workers {
            self.cores[worker % count].push((due.saturating_sub(lead), due + latest(worker, patience)));
        }
        for slot in &schedule.slots {
            let end = latest(slot.worker, nanoseconds(slot.end) + patience);
            self.cores[slot.worker % count].push((due + nanoseconds(slot.start), due + end));
        }
    }

    /// Merges times that overlap. To be called after the last run was added.
    pub fn merge(&mut self) {
        for core in &mut self.cores {
            core.sort_unstable();
            core.dedup_by(|next, before| {
                let overlaps = next.0 <= before.1;
                if overlaps {
                    before.1 = before.1.max(next.1);
                }
                overlaps
            });
        }
    }

    /// Returns whether a core is free at a time, and when that changes.
    fn at(&self, core: usize, time: u64) -> (bool, u64) {
        let core = &self.cores[core];
        match core.get(core.partition_point(|&(_, end)| end <= time)) {
            Some(&(begin, end)) if begin <= time => (false, end),
            Some(&(begin, _)) => (true, begin),
            None => (true, u64::MAX),
        }
    }
}

/// A worker of cognition.
#[derive(Default, Clone)]
struct Worker {
    /// The unit that it has begun, and the time that this still takes.
    held: Option<(usize, u64)>,
    /// The core on which it is.
    core: Option<usize>,
}

/// Returns when a run of a plan that begins at `begin` ends, if motion preempts cognition. Worker 0
/// is on `first_core`, the next on the next one. A worker whose core is taken keeps its unit; it
/// moves to a core that is free, or waits for its own where workers are pinned. An idle worker
/// starts the most important unit as soon as it has a core.
pub fn preempted(
    plan: &Plan,
    durations: &[u64],
    occupation: &Occupation,
    placement: Placement,
    first_core: usize,
    begin: u64,
) -> u64 {
    let (units, cores) = (plan.units(), occupation.cores.len());
    let mut unmet: Vec<u32> = units.iter().map(|unit| unit.predecessors).collect();
    let mut ready: BTreeSet<usize> = (0..units.len()).filter(|&unit| unmet[unit] == 0).collect();
    let mut workers = vec![Worker::default(); plan.workers()];
    let mut now = begin;
    loop {
        let states: Vec<(bool, u64)> = (0..cores).map(|core| occupation.at(core, now)).collect();
        let mut free: Vec<bool> = states.iter().map(|&(is_free, _)| is_free).collect();
        for worker in &mut workers {
            // Who is idle, or whose core is taken, is on no core.
            worker.core = worker.core.filter(|&core| worker.held.is_some() && free[core]);
            worker.core.into_iter().for_each(|core| free[core] = false);
        }
        let mut take_core = |index: usize| {
            let home = (first_core + index) % cores;
            let any = || free.iter().position(|&is_free| is_free && placement == Placement::Anywhere);
            let core = Some(home).filter(|&home| free[home]).or_else(any);
            core.into_iter().for_each(|core| free[core] = false);
            core
        };
        for (index, worker) in workers.iter_mut().enumerate() {
            if worker.held.is_some() && worker.core.is_none() {
                worker.core = take_core(index);
            }
        }
        for (index, worker) in workers.iter_mut().enumerate() {
            if worker.held.is_none() && !ready.is_empty() {
                worker.core = take_core(index);
                if worker.core.is_some() {
                    worker.held = ready.pop_first().map(|unit| (unit, durations[unit]));
                }
            }
        }
        if ready.is_empty() && workers.iter().all(|worker| worker.held.is_none()) {
            return now;
        }
        let running = workers.iter().filter(|worker| worker.core.is_some());
        let ends = running.filter_map(|worker| worker.held).map(|(_, rest)| now + rest);
        let changes = states.iter().map(|&(_, change)| change);
        let next = ends.chain(changes).min().unwrap_or(u64::MAX);
        if next == u64::MAX {
            // No core is free, and none will ever become free.
            return now;
        }
        for worker in workers.iter_mut().filter(|worker| worker.core.is_some()) {
            let Some((unit, rest)) = worker.held else { continue };
            worker.held = Some((unit, rest - (next - now))).filter(|&(_, rest)| rest > 0);
            if worker.held.is_none() {
                for successor in &units[unit].successors {
                    unmet[successor.index()] -= 1;
                    if unmet[successor.index()] == 0 {
                        ready.insert(successor.index());
                    }
                }
            }
        }
        now = next;
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::time::Duration;

    use hemiola_plan::{Durations, PlanOptions, Simulation, SimulationOptions, TaskGraph, WorkerChoice};

    use super::*;

    /// Makes a plan of two tasks of 6 and 4 ns beside each other, on two workers.
    fn pair() -> Plan {
        let workers = WorkerChoice::Fixed(NonZeroUsize::new(2).expect("two"));
        let durations = Durations::constant([6, 4].map(Duration::from_nanos));
        let options = PlanOptions { workers, ..PlanOptions::default() };
        Plan::new(TaskGraph::plain("pair", 2, []).expect("a graph"), &durations, &options)
    }

    fn end(occupation: Vec<Vec<(u64, u64)>>, placement: Placement) -> u64 {
        preempted(&pair(), &[6, 4], &Occupation { cores: occupation }, placement, 0, 100)
    }

    #[test]
    fn who_has_all_cores_is_not_held_up() {
        assert_eq!(end(vec![vec![]; 2], Placement::Anywhere), 106);
    }

    #[test]
    fn a_preempted_worker_goes_on_where_it_was() {
        // Core 1 is taken from 102 to 105: the worker with 4 ns waits for 3 ns.
        assert_eq!(end(vec![vec![], vec![(102, 105)]], Placement::Anywhere), 107);
        // On a single core: 2 ns, a pause of 3 ns, the other 8 ns.
        assert_eq!(end(vec![vec![(102, 105)]], Placement::Anywhere), 113);
    }

    #[test]
    fn a_pinned_worker_does_not_move_to_a_free_core() {
        // Core 0 is taken from 103 to 110, when the worker there has 3 ns left; core 1 is idle from
        // 104 on.
        let taken = vec![vec![(103, 110)], vec![]];
        assert_eq!(end(taken.clone(), Placement::Anywhere), 107);
        assert_eq!(end(taken, Placement::Pinned), 113);
    }

    #[test]
    fn a_worker_of_motion_occupies_its_core_while_it_spins() {
        let options = SimulationOptions { workers: 2, ..SimulationOptions::default() };
        let durations = Durations::constant([6, 4].map(Duration::from_nanos));
        let plan = pair();
        let mut occupation = Occupation::new(2);
        occupation.add(100, &Simulation::new(&plan, &durations, &options).schedule(), 10, 5);
        occupation.merge();
        // Worker 1 spins for 5 ns after its task, worker 0 sleeps at the end of the run.
        assert_eq!(occupation.cores, [vec![(90, 106)], vec![(90, 109)]]);
        assert_eq!(
            (occupation.at(0, 89), occupation.at(0, 90), occupation.at(1, 106)),
            ((true, 90), (false, 106), (false, 109))
        );
    }
}
