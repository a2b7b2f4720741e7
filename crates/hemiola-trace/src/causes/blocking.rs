//! The blocking chain of one run.

use super::{
    Because, BlockingChain, Cause, Stretch,
    canvas::Canvas,
    history::{History, RunEvents, Slice, ThreadState},
};
use crate::{
    clock::{Core, Ticks},
    ids::{CycleId, TaskId, WorkerId},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    time::Duration,
};

/// The longest time from one task of a worker to its next one, and from worker to worker if nobody
/// sleeps: it takes some microseconds at most. A thread that needs longer was not running.
const LONGEST_DISPATCH: Duration = Duration::from_micros(100);

impl History {
    /// Returns the causes of a run's response time, from its end back to its trigger; `None` if its
    /// begin or end is not in the capture.
    ///
    /// The stretches add up to the response time, whatever events were lost. The worst case is
    /// quadratic in the number of the run's tasks.
    pub fn blocking_chain(&self, cycle: CycleId, run: u32) -> Option<BlockingChain> {
        let end = self.runs.get(&(cycle, run))?.span(run)?.end;
        self.blocking_chain_until(cycle, run, end)
    }

    /// Returns the chain for the part of a run that was over at `until`, such as an output, or for
    /// the whole run if it ended earlier.
    pub fn blocking_chain_until(&self, cycle: CycleId, run: u32, until: Ticks) -> Option<BlockingChain> {
        let events = self.runs.get(&(cycle, run))?;
        let (leader, _, trigger, begin) = events.begin?;
        let end = events.end.map_or(until, |end| end.min(until)).max(begin);
        let missing = self.missing(events);
        let walk = Walk { history: self, events, leader, begin, is_partial: !missing.is_empty() };
        let mut stretches = walk.late((cycle, run), self.runs.get(&(cycle, run.wrapping_sub(1))), trigger);
        stretches.extend(walk.back_from(end));
        Some(BlockingChain { cycle, run, trigger, end, stretches, missing })
    }

    /// Returns, for each task, the tasks whose results it waits for in the plan that a run
    /// followed.
    fn predecessors(&self, events: &RunEvents) -> BTreeMap<TaskId, BTreeSet<TaskId>> {
        let mut predecessors: BTreeMap<TaskId, BTreeSet<TaskId>> = BTreeMap::new();
        let names = self.catalog.read();
        let plan = events.begin.and_then(|(_, plan, ..)| names.plan(plan));
        for &(from, to) in plan.into_iter().flat_map(|plan| &plan.edges) {
            predecessors.entry(to).or_default().insert(from);
        }
        predecessors
    }
}

/// A walk back through a run.
struct Walk<'h> {
    history: &'h History,
    events: &'h RunEvents,
    /// Worker 0, which waits for the trigger.
    leader: WorkerId,
    begin: Ticks,
    /// Set if events of the run were lost.
    is_partial: bool,
}

impl Walk<'_> {
    /// Returns the stretches from the trigger to the begin.
    fn late(&self, (cycle, run): (CycleId, u32), before: Option<&RunEvents>, trigger: Ticks) -> Vec<Stretch> {
        let mut canvas = Canvas::new(trigger, self.begin);
        if let Some(end) = before.and_then(|before| before.end) {
            canvas.paint(trigger, end, Cause::Backlog);
        }
        for source in self.history.sources_of(cycle, run) {
            for &(begin, end) in self.history.samples.get(&source).into_iter().flatten() {
                canvas.paint(begin, end, Cause::Sampled { source });
            }
        }
        // The core on which the thread ends is the one that it waited for.
        let core = self.events.tasks.iter().find(|slice| slice.worker == self.leader).map(|slice| slice.core);
        let leader = (self.leader, ThreadState::PerhapsAsleep);
        for other in self.history.others_on(core.unwrap_or(Core::UNKNOWN), leader, (trigger, self.begin)) {
            let cause = Cause::Preempted { worker: None, task: None, by: other.worker };
            canvas.paint(other.begin, other.end, cause);
        }
        canvas.fill(|_| Cause::Late)
    }

    /// Returns the stretches from the begin to `end`.
    fn back_from(&self, end: Ticks) -> Vec<Stretch> {
        let predecessors = self.history.predecessors(self.events);
        let mut left: Vec<&Slice> = self.events.tasks.iter().filter(|slice| slice.end <= end).collect();
        let mut backwards: Vec<Stretch> = Vec::new();
        let mut prepend = |mut stretches: Vec<Stretch>| {
            stretches.reverse();
            backwards.extend(stretches);
        };
        let Some(mut current) = left.pop() else {
            return self.gap((self.begin, end), None, (self.leader, Core::UNKNOWN));
        };
        // A task begins before its run only in a damaged trace.
        let core = if current.worker == self.leader { current.core } else { Core::UNKNOWN };
        prepend(self.gap((current.end.max(self.begin), end), Some(current.worker), (self.leader, core)));
        let mut because = Because::Needed;
        loop {
            prepend(self.execution(current, because));
            let begin = current.begin.max(self.begin);
            left.retain(|slice| slice.end <= begin);
            let Some((before, why)) = binding(current, &left, &predecessors) else {
                // Tasks that wait for no other task became ready with worker 0.
                prepend(self.gap((self.begin, begin), Some(self.leader), (current.worker, current.core)));
                break;
            };
            let to = (current.worker, current.core);
            prepend(self.gap((before.end.max(self.begin), begin), Some(before.worker), to));
            left.retain(|slice| !std::ptr::eq(*slice, before));
            (current, because) = (before, why);
        }
        backwards.reverse();
        backwards
    }

    /// Returns the stretches of a task from its entry to its return.
    fn execution(&self, slice: &Slice, because: Because) -> Vec<Stretch> {
        let Slice { task, worker, core, begin, end, .. } = *slice;
        let mut canvas = Canvas::new(begin.max(self.begin), end);
        for other in self.history.others_on(core, (worker, ThreadState::Awake), (begin, end)) {
            let cause = Cause::Preempted { worker: Some(worker), task: Some(task), by: other.worker };
            canvas.paint(other.begin, other.end, cause);
        }
        // A task that waits for parts of it that other workers execute may run whole tasks
        // meanwhile.
        let is_within = |inner: &&Slice| {
            inner.worker == worker && begin <= inner.begin && inner.end <= end && !std::ptr::eq(*inner, slice)
        };
        for inner in self.events.tasks.iter().filter(is_within) {
            let cause = Cause::Executed { task: inner.task, worker, because: Because::Occupied };
            canvas.paint(inner.begin, inner.end, cause);
        }
        canvas.fill(|_| Cause::Executed { task, worker, because })
    }

    /// Returns the stretches between tasks of the chain: from what `from` did to what `to` does on
    /// a core.
    fn gap(&self, (begin, end): (Ticks, Ticks), from: Option<WorkerId>, (to, core): (WorkerId, Core)) -> Vec<Stretch> {
        let mut canvas = Canvas::new(begin, end);
        if begin >= end {
            return Vec::new();
        }
        for busy in self.events.tasks.iter().filter(|slice| slice.worker == to) {
            canvas.paint(
                busy.begin,
                busy.end,
                Cause::Executed { task: busy.task, worker: to, because: Because::Occupied },
            );
        }
        let state = if from == Some(to) { ThreadState::Awake } else { ThreadState::PerhapsAsleep };
        for other in self.history.others_on(core, (to, state), (begin, end)) {
            let cause = Cause::Preempted { worker: Some(to), task: None, by: other.worker };
            canvas.paint(other.begin, other.end, cause);
        }
        for &(asked, at) in self.history.wakes.get(&to).into_iter().flatten() {
            canvas.paint(asked, at, Cause::Woken { worker: to });
        }
        let longest = self.history.scale.ticks_in(LONGEST_DISPATCH);
        canvas.fill(|ticks| match from {
            _ if ticks > longest && self.is_partial => Cause::Unknown,
            _ if ticks > longest => Cause::Stalled { worker: to },
            Some(from) if from != to => Cause::HandedOver { from, to },
            _ => Cause::Dispatched { worker: to },
        })
    }
}

/// Returns what ended last of all that a task had to wait for: the results that it needs, and what
/// its worker did before. `left` is in the order of ends, and all of it ended before the task
/// began.
fn binding<'s>(
    slice: &Slice,
    left: &[&'s Slice],
    predecessors: &BTreeMap<TaskId, BTreeSet<TaskId>>,
) -> Option<(&'s Slice, Because)> {
    let needed = match predecessors.get(&slice.task) {
        Some(needed) => left.iter().rev().find(|before| needed.contains(&before.task)),
        // Without a plan, the task that ended last when this one became ready made it ready.
        None if predecessors.is_empty() => left.iter().rev().find(|before| before.end <= slice.ready),
        None => None,
    };
    let occupied = left.iter().rev().find(|before| before.worker == slice.worker);
    match (needed, occupied) {
        (Some(needed), Some(occupied)) if needed.end < occupied.end => Some((occupied, Because::Occupied)),
        (Some(needed), _) => Some((needed, Because::Needed)),
        (None, Some(occupied)) => Some((occupied, Because::Occupied)),
        (None, None) => None,
    }
}
