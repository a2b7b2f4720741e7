//! The lineage of results: the sensor samples from which they derive.
//!
//! As long as no task fails, that depends on the imports and messages from which a task derives,
//! directly or not: its roots. Many tasks derive from the same ones: there is one provenance per
//! set of roots, known before the run begins. A provider that fails keeps its last value, so what
//! derives from that is older than the roots indicate. From there on, and only in such a run, each
//! task adds up the origins of its inputs.
//!
//! Invariant behind the `unsafe` blocks: the provenances of subscriptions and of the sets are
//! written by worker 0 between two runs; a task's own one is written by that task, which runs once
//! in a run, and read by tasks that the plan orders after it.

#![expect(unsafe_code, reason = "what values come from is shared by tasks; see the invariant")]

use std::cell::UnsafeCell;

use hemiola_model::module::BetweenRuns;
use hemiola_trace::ExchangeId;

use crate::blackboard::feedback::Shape;
use crate::blackboard::provenance::Provenance;
use crate::origins::OriginReader;
use crate::sync::{AtomicBool, Ordering};

/// The lineage of the results of a program's tasks.
pub struct Lineage {
    state: UnsafeCell<State>,
    tasks: Box<[TaskLineage]>,
    /// Set if some task of the present run has failed.
    deviates: AtomicBool,
}

/// The state that changes between two runs only.
struct State {
    subscriptions: Box<[OriginReader]>,
    sets: Box<[RootSet]>,
}

/// A set of roots, with the provenance of values that derive from them.
struct RootSet {
    roots: Box<[Root]>,
    now: Provenance,
    /// The provenance in the previous run.
    before: Provenance,
}

struct TaskLineage {
    set: usize,
    inputs: Box<[Input]>,
    own: UnsafeCell<Deviation>,
}

/// An input of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Input {
    Root(Root),
    Task(usize),
}

/// An input from outside the cycle's run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Root {
    Import(usize),
    /// The messages of the subscription with that number, or their absence.
    Messages(usize),
}

/// The provenance of a task's results if it differs from that of the roots.
struct Deviation {
    run: Option<u32>,
    provenance: Provenance,
}

// SAFETY: see the module's invariant.
unsafe impl Sync for Lineage {}

impl Lineage {
    /// Creates the lineage of tasks with these direct inputs, for the shape of a robot's
    /// provenances. A task's inputs that are tasks may come in any order.
    pub fn new(inputs: Vec<Vec<Input>>, subscriptions: Vec<OriginReader>, shape: impl Into<Shape>) -> Self {
        let shape = shape.into();
        let mut sets = Vec::new();
        let mut set_of = vec![None; inputs.len()];
        for task in 0..inputs.len() {
            find_set(task, &inputs, &mut set_of, &mut sets);
        }
        let none = || Provenance::shaped(shape);
        let own = || UnsafeCell::new(Deviation { run: None, provenance: none() });
        let tasks = inputs.into_iter().zip(set_of).map(|(inputs, set)| TaskLineage {
            set: set.unwrap_or_default(),
            inputs: inputs.into(),
            own: own(),
        });
        let root_set = |roots: Vec<Root>| RootSet { roots: roots.into(), now: none(), before: none() };
        let tasks = tasks.collect();
        let sets = sets.into_iter().map(root_set).collect();
        let state = UnsafeCell::new(State { subscriptions: subscriptions.into(), sets });
        Self { state, tasks, deviates: AtomicBool::new(false) }
    }

    fn state_mut<'b>(&'b self, _: &'b mut BetweenRuns<'_>) -> &'b mut State {
        // SAFETY: this is between two runs, and the witness is borrowed for as long as the
        // reference lives.
        unsafe { &mut *self.state.get() }
    }

    fn state(&self) -> &State {
        // SAFETY: it changes only between two runs, and tasks read it within a run.
        unsafe { &*self.state.get() }
    }

    /// Prepares for receiving messages.
    pub fn look(&self, between: &mut BetweenRuns<'_>) {
        self.state_mut(between).subscriptions.iter_mut().for_each(OriginReader::look);
    }

    /// Finds the origins of the messages that a subscription received, like [`OriginReader::hear`].
    pub fn hear(
        &self,
        subscription: usize,
        next: impl Fn(usize) -> u64,
        between: &mut BetweenRuns<'_>,
        tell: &mut dyn FnMut(ExchangeId, u32),
    ) {
        self.state_mut(between).subscriptions[subscription].hear(next, tell);
    }

    /// Prepares a run on these imports, and on what was received.
    pub fn begin_run(&self, imported: &[Provenance], between: &mut BetweenRuns<'_>) {
        self.deviates.store(false, Ordering::Relaxed);
        let State { subscriptions, sets } = self.state_mut(between);
        for RootSet { roots, now, before } in sets {
            before.copy_from(now);
            now.clear();
            roots.iter().for_each(|&root| now.merge(of_root(root, imported, subscriptions)));
        }
    }

    /// Returns whether some task of the present run has failed, as tasks after it see it.
    pub fn deviates(&self) -> bool {
        self.deviates.load(Ordering::Relaxed)
    }

    /// Returns the origins of the results of a task.
    ///
    /// # Safety
    /// This is called by the task, or by one that is ordered after it.
    pub unsafe fn of(&self, task: usize, run: u32) -> &Provenance {
        let task = &self.tasks[task];
        if self.deviates() {
            // SAFETY: promised by the caller.
            let own = unsafe { &*task.own.get() };
            if own.run == Some(run) {
                return &own.provenance;
            }
        }
        &self.state().sets[task.set].now
    }

    /// Returns the origins of the results of a task in the run before this one, whose tasks have
    /// not begun.
    pub fn before<'b>(&'b self, task: usize, run: u32, _: &'b BetweenRuns<'_>) -> &'b Provenance {
        let task = &self.tasks[task];
        // SAFETY: no task runs.
        let own = unsafe { &*task.own.get() };
        if own.run == Some(run.wrapping_sub(1)) { &own.provenance } else { &self.state().sets[task.set].before }
    }

    /// Notes the origins of the results of a task in that run.
    pub fn restore(&self, task: usize, run: u32, provenance: &Provenance, _: &mut BetweenRuns<'_>) {
        // SAFETY: no task runs.
        let own = unsafe { &mut *self.tasks[task].own.get() };
        own.run = Some(run);
        own.provenance.copy_from(provenance);
    }

    /// Notes that a task keeps its previous results.
    ///
    /// # Safety
    /// This is called by the task, once in a run.
    pub unsafe fn keep(&self, task: usize, run: u32) {
        let task = &self.tasks[task];
        // SAFETY: promised by the caller.
        let own = unsafe { &mut *task.own.get() };
        if own.run != Some(run.wrapping_sub(1)) {
            own.provenance.copy_from(&self.state().sets[task.set].before);
        }
        own.run = Some(run);
        // Relaxed: tasks to which this matters are ordered after this one.
        self.deviates.store(true, Ordering::Relaxed);
    }

    /// Notes that a task has new results, based on these imports.
    ///
    /// # Safety
    /// This is called by the task, once in a run.
    #[inline]
    pub unsafe fn renew(&self, task: usize, run: u32, imported: &[Provenance]) {
        if self.deviates() {
            // SAFETY: promised by the caller.
            unsafe { self.add_up(task, run, imported) };
        }
    }

    /// Adds up the origins of what a task reads.
    ///
    /// # Safety
    /// The conditions of `renew` hold.
    #[cold]
    unsafe fn add_up(&self, task: usize, run: u32, imported: &[Provenance]) {
        let lineage = &self.tasks[task];
        // SAFETY: promised by the caller.
        let own = unsafe { &mut *lineage.own.get() };
        own.provenance.clear();
        for &input in &lineage.inputs {
            match input {
                Input::Root(root) => own.provenance.merge(of_root(root, imported, &self.state().subscriptions)),
                // SAFETY: the plan orders this task after those whose results it reads.
                Input::Task(input) => own.provenance.merge(unsafe { self.of(input, run) }),
            }
        }
        own.run = Some(run);
    }
}

/// Returns the origins of a root.
fn of_root<'r>(root: Root, imported: &'r [Provenance], subscriptions: &'r [OriginReader]) -> &'r Provenance {
    match root {
        Root::Import(import) => &imported[import],
        Root::Messages(subscription) => subscriptions[subscription].heard(),
    }
}

/// Returns the number of the set of roots that a task derives from.
fn find_set(task: usize, inputs: &[Vec<Input>], set_of: &mut [Option<usize>], sets: &mut Vec<Vec<Root>>) -> usize {
    if let Some(set) = set_of[task] {
        return set;
    }
    let mut roots = Vec::new();
    for &input in &inputs[task] {
        match input {
            Input::Root(root) => roots.push(root),
            Input::Task(input) => {
                let set = find_set(input, inputs, set_of, sets);
                roots.extend_from_slice(&sets[set]);
            }
        }
    }
    roots.sort_unstable();
    roots.dedup();
    let set = sets.iter().position(|set| *set == roots).unwrap_or_else(|| {
        sets.push(roots);
        sets.len() - 1
    });
    set_of[task] = Some(set);
    set
}

#[cfg(all(test, not(loom)))]
mod tests {
    use hemiola_model::Time;

    use super::*;

    fn sampled(millisecond: i64) -> Provenance {
        let mut provenance = Provenance::none(1);
        provenance.include(0, Time::from_nanoseconds(millisecond * 1_000_000));
        provenance
    }

    /// Creates a lineage in which `0` reads the sensor, `1` reads `0`, `2` reads `1` and the
    /// sensor, `3` reads the sensor.
    fn lineage() -> Lineage {
        let sensor = Input::Root(Root::Import(0));
        let inputs = vec![vec![sensor], vec![Input::Task(0)], vec![Input::Task(1), sensor], vec![sensor]];
        Lineage::new(inputs, Vec::new(), 1)
    }

    fn run(lineage: &Lineage, run: u32, failing: &[usize]) -> Vec<Option<(i64, i64)>> {
        let imported = [sampled(i64::from(run) * 10)];
        // SAFETY: one thread, tasks in order.
        unsafe {
            lineage.begin_run(&imported, &mut BetweenRuns::assume());
            for task in 0..4 {
                if failing.contains(&task) {
                    lineage.keep(task, run);
                } else {
                    lineage.renew(task, run, &imported);
                }
            }
            let milliseconds = |time: Time| time.nanoseconds() / 1_000_000;
            let span = |task| lineage.of(task, run).span(0).map(|(old, new)| (milliseconds(old), milliseconds(new)));
            (0..4).map(span).collect()
        }
    }

    #[test]
    fn what_derives_from_a_stale_value_is_as_old_as_that() {
        let lineage = lineage();
        assert_eq!(run(&lineage, 1, &[]), [Some((10, 10)); 4]);
        let stale = [Some((10, 10)), Some((10, 10)), Some((10, 20)), Some((20, 20))];
        assert_eq!(run(&lineage, 2, &[0]), stale);
        let staler = [Some((10, 10)), Some((10, 10)), Some((10, 30)), Some((30, 30))];
        assert_eq!(run(&lineage, 3, &[0]), staler, "it fails again");
        assert_eq!(run(&lineage, 4, &[]), [Some((40, 40)); 4], "and recovers");
        assert_eq!(run(&lineage, 5, &[3])[3], Some((40, 40)));
    }

    #[test]
    fn a_value_that_was_never_made_comes_from_nothing() {
        let lineage = lineage();
        assert_eq!(run(&lineage, 1, &[0]), [None, None, Some((10, 10)), Some((10, 10))]);
    }
}
