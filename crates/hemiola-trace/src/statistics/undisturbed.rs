//! Judges which executions nothing more important can have interrupted: their times are those of
//! the task alone.
//!
//! An execution is measured from entry to return, and interruptions make it longer. A bound adds
//! the more important work itself, so it needs the time without interruptions. That cannot be
//! measured: a real-time thread must not ask the kernel before and after each task. So only those
//! executions count during which no run of a more important cycle, and no callback of a more
//! important executor, was in progress, on whatever core, from its trigger or message until shortly
//! after its end. Where events come too late to decide, an execution counts as undisturbed: that
//! makes its time no shorter.

use crate::{
    clock::{Core, TickScale, Ticks},
    event::Event,
    ids::{CallbackId, CycleId, SourceId, TaskId, WorkerId},
};
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

/// The judge of executions, which waits until everything that happened during them is known.
#[derive(Clone, Debug, Default)]
pub(super) struct Undisturbed {
    waiting: Vec<Execution>,
    /// The last runs of each cycle, and of callbacks of each executor, from begin to end, or until
    /// now.
    runs: BTreeMap<Runner, VecDeque<Run>>,
}

/// An execution: what was executed, where and when.
#[derive(Clone, Copy, Debug)]
pub(super) struct Execution {
    pub(super) of: What,
    pub(super) worker: WorkerId,
    /// The core on which it ended.
    pub(super) core: Core,
    pub(super) begin: Ticks,
    pub(super) end: Ticks,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum What {
    Task(TaskId),
    Callback(CallbackId),
    Sample(SourceId),
}

/// The owner of the threads that execute it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Runner {
    Cycle(CycleId),
    Executor(WorkerId),
}

#[derive(Clone, Copy, Debug)]
struct Run {
    trigger: Ticks,
    begin: Ticks,
    end: Option<Ticks>,
}

/// The maximum number of executions that wait: others are not judged.
const MOST_WAITING: usize = 1 << 16;
/// The minimum number of runs of a cycle that are kept; more are kept while executions wait that
/// may have overlapped with them.
const RUNS: usize = 4;
/// The time for which a worker without work spins before it sleeps, and occupies a core meanwhile.
const SPIN: Duration = Duration::from_micros(50);

impl Execution {
    pub(super) fn told_by(worker: WorkerId, event: &Event) -> Option<Self> {
        let (of, core, begin, end) = match *event {
            Event::TaskRun { task, core, begin, end, .. } => (What::Task(task), core, begin, end),
            Event::Callback { callback, core, begin, end, .. } => (What::Callback(callback), core, begin, end),
            Event::Sample { source, core, begin, end, .. } => (What::Sample(source), core, begin, end),
            _ => return None,
        };
        Some(Self { of, worker, core, begin, end })
    }
}

impl Undisturbed {
    pub(super) fn executed(&mut self, execution: Execution) {
        if self.waiting.len() < MOST_WAITING {
            self.waiting.push(execution);
        }
    }

    pub(super) fn begun(&mut self, runner: Runner, trigger: Ticks, begin: Ticks) {
        let runs = self.runs.entry(runner).or_default();
        // The end of the previous run was lost.
        if let Some(before) = runs.back_mut() {
            before.end.get_or_insert(begin);
        }
        if runs.len() >= MOST_WAITING {
            runs.pop_front();
        }
        runs.push_back(Run { trigger, begin, end: None });
    }

    pub(super) fn ended(&mut self, runner: Runner, at: Ticks) {
        if let Some(run) = self.runs.get_mut(&runner).and_then(VecDeque::back_mut) {
            run.end = Some(at);
        }
    }

    /// Returns the undisturbed executions among those that ended before `until`. Everything that
    /// began before `until` is known, except for callbacks that have not returned. `runner_of`
    /// returns the owner of an execution, `priority_of` the priority of an owner; an unknown one is
    /// less important than all others.
    pub(super) fn settle(
        &mut self,
        until: Ticks,
        scale: &TickScale,
        runner_of: impl Fn(What) -> Option<Runner>,
        priority_of: impl Fn(Runner) -> Option<i32>,
    ) -> Vec<Execution> {
        let spin = scale.ticks_in(SPIN);
        let mut settled = Vec::new();
        self.waiting.retain(|execution| {
            if execution.end > until {
                return true;
            }
            let own = runner_of(execution.of);
            let may_disturb = |other: Runner| match (own, other) {
                (Some(own), _) => priority_of(other) > priority_of(own),
                // The priority of a source is not known.
                (None, Runner::Cycle(_)) => true,
                (None, Runner::Executor(_)) => false,
            };
            let disturbs = |run: &Run| match execution.of {
                What::Task(_) | What::Callback(_) => {
                    let end = run.end.map_or(u64::MAX, |end| end.0.saturating_add(spin));
                    run.trigger.0 < execution.end.0 && execution.begin.0 < end
                }
                // The run that a sample triggers begins after it.
                What::Sample(_) => run.begin < execution.end && run.end.is_none_or(|end| execution.begin < end),
            };
            if !self.runs.iter().any(|(&other, runs)| may_disturb(other) && runs.iter().any(disturbs)) {
                settled.push(*execution);
            }
            false
        });
        let first = self.waiting.iter().map(|execution| execution.begin).min().unwrap_or(until);
        for runs in self.runs.values_mut() {
            let is_over = |run: &Run| run.end.is_some_and(|end| end.0.saturating_add(spin) < first.0.min(until.0));
            while runs.len() > RUNS && runs.front().is_some_and(is_over) {
                runs.pop_front();
            }
        }
        settled
    }
}
