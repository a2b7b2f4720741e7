//! The causes of a callback's latency.

use super::history::{History, Occupation, ThreadState};
use crate::{
    clock::{Core, Ticks},
    ids::{CallbackId, WorkerId},
};
use std::collections::BTreeMap;

/// A run of a callback, taken apart: [`History::call`]. All durations are in nanoseconds.
///
/// ```
/// use hemiola_trace::{Core, WorkerId, causes::Call};
///
/// let (worker, core) = (WorkerId(3), Core(0));
/// let call = Call { worker, core, waited: 4_000_000, for_siblings: 3_900_000, took: 300_000, disturbed: 0, by: None };
/// assert!(call.for_siblings > call.waited / 2); // its executor was busy with others
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call {
    /// The thread of its executor.
    pub worker: WorkerId,
    /// The core on which the callback returned.
    pub core: Core,
    /// The time from when there was work until the callback was entered.
    pub waited: u64,
    /// The part of the waiting time in which the executor ran other callbacks.
    pub for_siblings: u64,
    /// The time from entry to return.
    pub took: u64,
    /// The part of that time in which other threads of the robot had the core.
    pub disturbed: u64,
    /// The thread of the robot that had the core longest while the callback waited or ran, and its
    /// time.
    pub by: Option<(WorkerId, u64)>,
}

/// A run of a callback, as recorded in an executor's ring.
#[derive(Clone, Copy, Debug)]
pub(super) struct CallEvents {
    pub(super) callback: CallbackId,
    pub(super) core: Core,
    pub(super) published: Ticks,
    pub(super) begin: Ticks,
    pub(super) end: Ticks,
}

impl History {
    /// Returns the run of a callback that returned at `end`; `None` if its event is lost, or if the
    /// time at which there was work is unknown.
    pub fn call(&self, callback: CallbackId, end: Ticks) -> Option<Call> {
        let is_it = |call: &&CallEvents| call.callback == callback && call.end == end && call.published != Ticks(0);
        let calls = self.calls.iter();
        let (&worker, call) = calls.filter_map(|(worker, calls)| Some((worker, calls.iter().find(is_it)?))).next()?;
        let CallEvents { core, begin, end, .. } = *call;
        let published = call.published.min(begin);
        let nanoseconds = |ticks| self.scale.nanoseconds_between(Ticks(0), Ticks(ticks));
        let siblings = self.calls[&worker].iter().filter(|other| other.end <= begin);
        let for_siblings = siblings.map(|other| other.end.since(other.begin.max(published).min(other.end))).sum();
        // It is unknown whether the executor slept while it waited: a less important thread may
        // have had the core then.
        let before = self.others_on(core, (worker, ThreadState::PerhapsAsleep), (published, begin));
        let beside = self.others_on(core, (worker, ThreadState::Awake), (begin, end));
        let mut of_others: BTreeMap<WorkerId, u64> = BTreeMap::new();
        let mut disturbed = 0;
        let within = |other: &Occupation, (from, to): (Ticks, Ticks)| other.end.min(to).since(other.begin.max(from));
        for other in &before {
            *of_others.entry(other.worker).or_default() += within(other, (published, begin));
        }
        for other in &beside {
            let ticks = within(other, (begin, end));
            *of_others.entry(other.worker).or_default() += ticks;
            disturbed += ticks;
        }
        let by = of_others.into_iter().max_by_key(|&(_, ticks)| ticks);
        Some(Call {
            worker,
            core,
            waited: nanoseconds(begin.since(published)),
            for_siblings: nanoseconds(for_siblings),
            took: nanoseconds(end.since(begin)),
            disturbed: nanoseconds(disturbed),
            by: by.map(|(worker, ticks)| (worker, nanoseconds(ticks))),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Callback, Capture, Catalog, Cycle, Event, ExecutorThread, TaskId, TickScale};

    const MILLISECOND: u64 = 1_000_000;

    /// An executor of priority 50 on core 0, with two callbacks, and a cycle of priority 80.
    struct Robot {
        catalog: Catalog,
        capture: Capture,
        executor: WorkerId,
        callbacks: [CallbackId; 2],
        motion: (WorkerId, TaskId),
    }

    impl Robot {
        fn new() -> Self {
            let catalog = Catalog::new("robot");
            let executor = catalog.executor("arm").unwrap();
            let thread = ExecutorThread {
                priority: Some(50),
                reservation: None,
                cores: vec![0],
                order: <_>::default(),
                spin: 0,
                early: 0,
            };
            catalog.executor_runs(executor, thread);
            let callbacks = ["Reach", "servo"].map(|name| catalog.callback(Callback::of(executor, name)).unwrap());
            let cycle = catalog.cycle(Cycle::named("motion").priority(80)).unwrap();
            let motion = (catalog.worker(cycle, 0, 0).unwrap(), catalog.task(cycle, "Walk.joints").unwrap());
            Self { catalog, capture: Capture::default(), executor, callbacks, motion }
        }

        /// Adds a run of a callback, with times in milliseconds.
        fn called(&mut self, callback: usize, times: [u64; 3]) -> &mut Self {
            let [published, begin, end] = times.map(|time| Ticks(time * MILLISECOND));
            let callback = self.callbacks[callback];
            let event = Event::Callback { callback, core: Core(0), sequence: 0, published, begin, end };
            self.capture.insert(self.executor, vec![event]);
            self
        }

        fn moved(&mut self, times: [u64; 2]) -> &mut Self {
            let [begin, end] = times.map(|time| Ticks(time * MILLISECOND));
            let (worker, task) = self.motion;
            self.capture.insert(worker, vec![Event::TaskRun { task, core: Core(0), run: 0, ready: begin, begin, end }]);
            self
        }

        fn call(&self, callback: usize, end: u64) -> Option<Call> {
            let history = History::of(&self.capture, &self.catalog, &TickScale::nanoseconds_per_tick_one());
            history.call(self.callbacks[callback], Ticks(end * MILLISECOND))
        }
    }

    /// Returns the expected run of a callback, with times in milliseconds.
    fn told(
        worker: WorkerId,
        [waited, for_siblings, took, disturbed]: [u64; 4],
        by: Option<(WorkerId, u64)>,
    ) -> Option<Call> {
        let [waited, for_siblings, took, disturbed] =
            [waited, for_siblings, took, disturbed].map(|time| time * MILLISECOND);
        let by = by.map(|(worker, time)| (worker, time * MILLISECOND));
        Some(Call { worker, core: Core(0), waited, for_siblings, took, disturbed, by })
    }

    #[test]
    fn what_its_executor_called_meanwhile_is_told_apart_from_what_it_took() {
        let mut robot = Robot::new();
        robot.called(1, [90, 98, 107]).called(0, [100, 108, 111]);
        assert_eq!(robot.call(0, 111), told(robot.executor, [8, 7, 3, 0], None));
    }

    #[test]
    fn a_more_important_thread_counts_before_it_and_beside_it() {
        let mut robot = Robot::new();
        robot.moved([99, 104]).moved([106, 108]).called(0, [100, 105, 112]);
        assert_eq!(robot.call(0, 112), told(robot.executor, [5, 0, 7, 2], Some((robot.motion.0, 6))));
    }

    #[test]
    fn a_call_that_is_lost_or_was_made_for_nobody_knows_when_is_not_told() {
        let mut robot = Robot::new();
        robot.called(0, [0, 5, 6]);
        assert_eq!((robot.call(0, 6), robot.call(1, 6)), (None, None));
    }
}
