//! Simulated cores, on which the runs of several cycles preempt each other.
//!
//! A run has the units of its plan and the cycle's workers; a free worker starts the most important
//! unit that is ready; and at every moment the workers of more important cycles have the cores
//! first. A worker whose core is taken keeps its unit, and goes on with it on any core that is
//! free.
//!
//! Why not one of the framework's simulators: that of `hemiola::plan` knows one cycle, with all
//! workers for itself. That of `hemiola-schedulability` knows several, but neither durations as
//! they were measured nor threads without priority, and no robot links it. They are the oracles of
//! the tests: where both know a case, all times are the same to the nanosecond.

use std::collections::{BTreeSet, VecDeque};

use hemiola::plan::Plan;

use super::condition::Scheduling;

/// The time for which a thread without priority keeps its core while others wait, in nanoseconds: a
/// choice, in the order of what schedulers of desktops and servers give.
const SLICE: u64 = 3_000_000;

/// The units of a plan: how many others each waits for, and which wait for it.
#[derive(Clone, Debug)]
pub struct Shape {
    predecessors: Vec<u32>,
    successors: Vec<Vec<usize>>,
    workers: usize,
}

impl Shape {
    /// Returns the shape of a plan.
    #[must_use]
    pub fn of(plan: &Plan) -> Self {
        let units = plan.units();
        Self {
            predecessors: units.iter().map(|unit| unit.predecessors).collect(),
            successors: units.iter().map(|unit| unit.successors.iter().map(|next| next.index()).collect()).collect(),
            workers: plan.workers(),
        }
    }

    /// Returns the number of units.
    #[must_use]
    pub fn units(&self) -> usize {
        self.predecessors.len()
    }
}

/// A run that has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The cycle, by its importance: 0 is the most important one.
    pub cycle: usize,
    /// The number of the sample that it has processed.
    pub sample: u64,
    /// The end, in nanoseconds.
    pub at: u64,
}

/// A cycle on its way: at most one run at a time, and at most one sample that waits.
#[derive(Debug)]
struct Cycle {
    shape: Shape,
    /// The samples to come, with the times at which they trigger, in order.
    triggers: VecDeque<(u64, u64)>,
    /// The sample that waits for the end of the run.
    waiting: Option<u64>,
    run: Option<Run>,
    /// The samples that were replaced by newer ones while they waited.
    dropped: Vec<u64>,
    /// Set if it takes part in the round of threads without priority.
    shares: bool,
    /// The rest of the slice of each of its workers, if it shares.
    slices: Vec<u64>,
}

#[derive(Debug)]
struct Run {
    sample: u64,
    /// The number of units that have not ended.
    left: usize,
    unmet: Vec<u32>,
    ready: BTreeSet<usize>,
    durations: Vec<u64>,
    /// The unit that each worker has begun, and the time that this still takes.
    held: Vec<Option<(usize, u64)>>,
}

/// A thread in the round of those without priority.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Thread {
    Load(usize),
    Worker(usize, usize),
}

/// The cores, the cycles that run on them, and the threads that are in their way.
#[derive(Debug)]
pub struct Machine {
    cores: usize,
    is_sequential: bool,
    /// The cycles, the most important one first.
    cycles: Vec<Cycle>,
    /// The rests of the slices of the threads that are always ready.
    load: Vec<u64>,
    /// The threads without priority that are ready, the next one first.
    round: VecDeque<Thread>,
    now: u64,
}

impl Machine {
    /// Creates a machine for cycles, the most important one first.
    ///
    /// # Panics
    /// If there is no core.
    #[must_use]
    pub fn new(cores: usize, scheduling: Scheduling, shapes: Vec<Shape>) -> Self {
        assert!(cores > 0, "a machine without cores runs nothing; give it one");
        let load = if let Scheduling::MotionAmong(threads) = scheduling { threads } else { 0 };
        let cycles = shapes.into_iter().enumerate().map(|(index, shape)| Cycle {
            triggers: VecDeque::new(),
            waiting: None,
            run: None,
            dropped: Vec::new(),
            shares: index == 0 && matches!(scheduling, Scheduling::MotionAmong(_)),
            slices: vec![SLICE; shape.workers],
            shape,
        });
        Self {
            cores,
            is_sequential: scheduling == Scheduling::Sequential,
            cycles: cycles.collect(),
            // They have begun at different times.
            load: (0..load).map(|thread| SLICE - SLICE * thread as u64 / (load as u64 + 1)).collect(),
            round: (0..load).map(Thread::Load).collect(),
            now: 0,
        }
    }

    /// Lets a sample trigger a run of a cycle at a time that is not over. Samples of a cycle must
    /// be given in the order of their times.
    pub fn trigger(&mut self, cycle: usize, at: u64, sample: u64) {
        self.cycles[cycle].triggers.push_back((at, sample));
    }

    /// Returns the samples of a cycle that were dropped since the last call.
    pub fn dropped(&mut self, cycle: usize) -> Vec<u64> {
        std::mem::take(&mut self.cycles[cycle].dropped)
    }

    /// Simulates up to a time, and returns the runs that have ended by then, in order. `draw` gives
    /// the durations of the units in the next run of a cycle.
    pub fn advance(&mut self, until: u64, mut draw: impl FnMut(usize) -> Vec<u64>) -> Vec<Ended> {
        let mut ended = Vec::new();
        loop {
            self.begin_runs(&mut draw);
            let running = self.dispatch();
            let mut next = until;
            for thread in &running {
                next = next.min(self.now + self.until_change(*thread));
            }
            for cycle in &self.cycles {
                next = cycle.triggers.front().map_or(next, |&(at, _)| next.min(at.max(self.now)));
            }
            let passed = next - self.now;
            self.now = next;
            running.iter().for_each(|thread| self.spend(*thread, passed));
            for (index, cycle) in self.cycles.iter_mut().enumerate() {
                if let Some(run) = cycle.run.take_if(|run| run.left == 0) {
                    ended.push(Ended { cycle: index, sample: run.sample, at: self.now });
                }
            }
            if self.now == until && passed == 0 {
                return ended;
            }
        }
    }

    /// Takes over the samples that are due, and begins the runs that can begin.
    fn begin_runs(&mut self, draw: &mut impl FnMut(usize) -> Vec<u64>) {
        // A cycle whose run has ended takes the sample that has waited, even if a newer one comes
        // at that very moment. A loop takes what is there when it looks.
        if !self.is_sequential {
            self.begin_waiting(draw);
        }
        for cycle in &mut self.cycles {
            while let Some(&(_, sample)) = cycle.triggers.front().filter(|(at, _)| *at <= self.now) {
                cycle.triggers.pop_front();
                cycle.dropped.extend(cycle.waiting.replace(sample));
            }
        }
        self.begin_waiting(draw);
    }

    /// Begins the runs of samples that wait, if nothing is in their way.
    fn begin_waiting(&mut self, draw: &mut impl FnMut(usize) -> Vec<u64>) {
        for cycle in 0..self.cycles.len() {
            self.begin_run(cycle, draw);
        }
    }

    /// Begins a run of a cycle if a sample waits and nothing is in its way.
    fn begin_run(&mut self, cycle: usize, draw: &mut impl FnMut(usize) -> Vec<u64>) {
        // A loop does one thing at a time. What it does next is known when it gets there.
        let is_busy = self.cycles[cycle].run.is_some()
            || self.is_sequential && self.cycles.iter().any(|other| other.run.is_some());
        let state = &mut self.cycles[cycle];
        if !is_busy && let Some(sample) = state.waiting.take() {
            let shape = &state.shape;
            let ready = (0..shape.units()).filter(|&unit| shape.predecessors[unit] == 0).collect();
            state.run = Some(Run {
                sample,
                left: shape.units(),
                unmet: shape.predecessors.clone(),
                ready,
                durations: draw(cycle),
                held: vec![None; shape.workers],
            });
        }
    }

    /// Gives the cores to workers and other threads, and returns who has one.
    fn dispatch(&mut self) -> Vec<Thread> {
        let mut running = Vec::with_capacity(self.cores);
        for (index, cycle) in self.cycles.iter_mut().enumerate().filter(|(_, cycle)| !cycle.shares) {
            let Some(run) = &mut cycle.run else { continue };
            run.start(self.cores - running.len(), |worker| running.push(Thread::Worker(index, worker)));
        }
        self.join_round();
        let mut place = 0;
        while running.len() < self.cores && place < self.round.len() {
            let thread = self.round[place];
            let has_work = match thread {
                Thread::Load(_) => true,
                Thread::Worker(cycle, worker) => {
                    self.cycles[cycle].run.as_mut().is_some_and(|run| run.start_on(worker))
                }
            };
            if has_work {
                running.push(thread);
                place += 1;
            } else {
                self.round.remove(place);
            }
        }
        running
    }

    /// Appends the workers without priority to the round that have something to do.
    fn join_round(&mut self) {
        for (index, cycle) in self.cycles.iter_mut().enumerate().filter(|(_, cycle)| cycle.shares) {
            let Some(run) = cycle.run.as_ref().filter(|run| !run.ready.is_empty()) else { continue };
            for worker in 0..cycle.shape.workers {
                let thread = Thread::Worker(index, worker);
                if run.held[worker].is_none() && !self.round.contains(&thread) {
                    cycle.slices[worker] = SLICE;
                    self.round.push_back(thread);
                }
            }
        }
    }

    /// Returns the time until something changes for a thread that runs.
    fn until_change(&self, thread: Thread) -> u64 {
        match thread {
            Thread::Load(number) => self.load[number],
            Thread::Worker(index, worker) => {
                let cycle = &self.cycles[index];
                let unit = cycle.run.as_ref().and_then(|run| run.held[worker]).map_or(u64::MAX, |(_, rest)| rest);
                if cycle.shares { unit.min(cycle.slices[worker]) } else { unit }
            }
        }
    }

    /// Lets a thread have run for a time.
    fn spend(&mut self, thread: Thread, passed: u64) {
        let slice = match thread {
            Thread::Load(number) => &mut self.load[number],
            Thread::Worker(index, worker) => {
                let cycle = &mut self.cycles[index];
                if let Some(run) = &mut cycle.run {
                    run.spend(&cycle.shape, worker, passed);
                }
                if !cycle.shares {
                    return;
                }
                &mut cycle.slices[worker]
            }
        };
        *slice -= passed;
        if *slice == 0 {
            *slice = SLICE;
            // It goes to the end of the round.
            self.round.retain(|other| *other != thread);
            self.round.push_back(thread);
        }
    }
}

impl Run {
    /// Starts and continues units on as many cores as are free; reports the workers that have one.
    fn start(&mut self, mut cores: usize, mut on_core: impl FnMut(usize)) {
        // Those that hold a unit come first: theirs have begun.
        let (holding, idle): (Vec<usize>, Vec<usize>) =
            (0..self.held.len()).partition(|&worker| self.held[worker].is_some());
        for worker in holding.into_iter().chain(idle) {
            if cores > 0 && self.start_on(worker) {
                cores -= 1;
                on_core(worker);
            }
        }
    }

    /// Lets a worker that has a core continue its unit or start one; returns whether there is one.
    fn start_on(&mut self, worker: usize) -> bool {
        if self.held[worker].is_none() {
            self.held[worker] = self.ready.pop_first().map(|unit| (unit, self.durations[unit]));
        }
        self.held[worker].is_some()
    }

    /// Lets a worker have run for a time, and ends its unit if that was all that it took.
    fn spend(&mut self, shape: &Shape, worker: usize, passed: u64) {
        let Some((unit, rest)) = &mut self.held[worker] else { return };
        *rest -= passed;
        if *rest > 0 {
            return;
        }
        let unit = *unit;
        self.held[worker] = None;
        self.left -= 1;
        for &successor in &shape.successors[unit] {
            self.unmet[successor] -= 1;
            if self.unmet[successor] == 0 {
                self.ready.insert(successor);
            }
        }
    }
}

#[cfg(test)]
mod tests;
