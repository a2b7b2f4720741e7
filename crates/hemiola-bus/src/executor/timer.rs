//! Callbacks that are called by the clock.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::panic::Location;
use std::sync::Arc;
use std::time::Duration;

use hemiola_model::Time;

use super::agenda::Kind;
use super::callback::{Call, CallbackId, Figures, Left, Priority, Reason, Runnable};
use super::registry::Newcomer;
use super::{Executor, ExecutorHandle};
use crate::error::BusError;
use crate::ready::CAPACITY;

/// The facts about one call of a timer's callback.
///
/// ```
/// use hemiola_bus::{Executor, Priority, RobotClock, Tick};
/// use hemiola_model::Time;
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// let clock = Arc::new(RobotClock::stepped());
/// let mut executor = Executor::new("control", &clock);
/// let period = Duration::from_millis(10);
/// executor.every(period, Priority(1), move |tick: Tick| {
///     // Late by 32 ms: the ticks of 20, 30 and 40 ms are skipped, and the next one is that of 50 ms.
///     assert_eq!(tick.due, Time::ZERO + period);
///     assert_eq!(tick.now.since(tick.due), Duration::from_millis(32));
///     assert_eq!(tick.missed, 3);
/// })?;
/// clock.set(Time::from_seconds(0.042));
/// assert_eq!(executor.run_ready(), 1);
/// assert_eq!(executor.next_due(), Some(Time::from_seconds(0.050)));
/// # Ok::<(), hemiola_bus::BusError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tick {
    /// The time at which the callback was due.
    pub due: Time,
    /// The time at which the callback was called.
    pub now: Time,
    /// The number of later ticks that were due before the callback was called for this one. They
    /// are skipped: the timer keeps its beat, and does not make up for lost time with a burst.
    pub missed: u64,
}

impl Executor {
    /// Calls `callback` every `period`, for the first time one period from now.
    ///
    /// A tick that comes too late to be called before the next one is due is skipped and counted:
    /// see [`Tick::missed`].
    ///
    /// # Errors
    /// Returns [`BusError::TooManyCallbacks`].
    #[track_caller]
    pub fn every(
        &mut self,
        period: Duration,
        priority: Priority,
        callback: impl FnMut(Tick) + Send + 'static,
    ) -> Result<CallbackId, BusError> {
        let added = self.handle.every(period, priority, callback);
        self.make_changes();
        added
    }

    /// Calls `callback` once, `delay` from now.
    ///
    /// # Errors
    /// Returns [`BusError::TooManyCallbacks`].
    #[track_caller]
    pub fn once(
        &mut self,
        delay: Duration,
        priority: Priority,
        callback: impl FnOnce(Tick) + Send + 'static,
    ) -> Result<CallbackId, BusError> {
        let added = self.handle.once(delay, priority, callback);
        self.make_changes();
        added
    }

    /// Calls `callback` once, when the framework's clock shows `time`, or at once if it shows that
    /// or a later time already.
    ///
    /// # Errors
    /// Returns [`BusError::TooManyCallbacks`].
    #[track_caller]
    pub fn at(
        &mut self,
        time: Time,
        priority: Priority,
        callback: impl FnOnce(Tick) + Send + 'static,
    ) -> Result<CallbackId, BusError> {
        let added = self.handle.at(time, priority, callback);
        self.make_changes();
        added
    }
}

impl ExecutorHandle {
    /// Calls `callback` every `period`: see [`Executor::every`](crate::Executor::every).
    ///
    /// # Errors
    /// Returns [`BusError::TooManyCallbacks`], [`BusError::ExecutorBusy`] or
    /// [`BusError::ExecutorGone`].
    #[track_caller]
    pub fn every(
        &self,
        period: Duration,
        priority: Priority,
        callback: impl FnMut(Tick) + Send + 'static,
    ) -> Result<CallbackId, BusError> {
        let name = format!("every {period:?} at {}", Location::caller());
        self.add_timer(name, self.clock().now() + period, Repetition::Every(period), priority, Box::new(callback))
    }

    /// Calls `callback` once, `delay` from now: see [`Executor::once`](crate::Executor::once).
    ///
    /// # Errors
    /// Returns [`BusError::TooManyCallbacks`], [`BusError::ExecutorBusy`] or
    /// [`BusError::ExecutorGone`].
    #[track_caller]
    pub fn once(
        &self,
        delay: Duration,
        priority: Priority,
        callback: impl FnOnce(Tick) + Send + 'static,
    ) -> Result<CallbackId, BusError> {
        self.at(self.clock().now() + delay, priority, callback)
    }

    /// Calls `callback` once, at `time`: see [`Executor::at`](crate::Executor::at).
    ///
    /// # Errors
    /// Returns [`BusError::TooManyCallbacks`], [`BusError::ExecutorBusy`] or
    /// [`BusError::ExecutorGone`].
    #[track_caller]
    pub fn at(
        &self,
        time: Time,
        priority: Priority,
        callback: impl FnOnce(Tick) + Send + 'static,
    ) -> Result<CallbackId, BusError> {
        let mut callback = Some(callback);
        let callback = move |tick| {
            if let Some(callback) = callback.take() {
                callback(tick);
            }
        };
        let name = format!("once at {}", Location::caller());
        self.add_timer(name, time, Repetition::Once, priority, Box::new(callback))
    }

    fn add_timer(
        &self,
        name: String,
        due: Time,
        repetition: Repetition,
        priority: Priority,
        callback: Box<dyn FnMut(Tick) + Send>,
    ) -> Result<CallbackId, BusError> {
        let period = match repetition {
            Repetition::Every(period) => Some(period),
            Repetition::Once => None,
        };
        let newcomer = Newcomer { kind: Kind::Timer, name, topic: None, priority, period, messages: None };
        self.add(newcomer, |_, figures| Ok(Box::new(Timer { callback, due, repetition, figures })))
    }
}

/// A timer's callback.
pub(super) struct Timer {
    callback: Box<dyn FnMut(Tick) + Send>,
    due: Time,
    repetition: Repetition,
    figures: Arc<Figures>,
}

#[derive(Clone, Copy)]
pub(super) enum Repetition {
    Every(Duration),
    Once,
}

impl Runnable for Timer {
    fn first_due(&self) -> Option<Time> {
        Some(self.due)
    }

    fn waiting(&mut self) -> usize {
        1
    }

    fn run(&mut self, call: &mut Call<'_>) -> Left {
        let mut tick = Tick { due: self.due, now: call.clock.now(), missed: 0 };
        let left = match self.repetition {
            Repetition::Once => Left::Over,
            Repetition::Every(period) => {
                let nanoseconds = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
                let [period, late] = [period, tick.now.since(tick.due)].map(nanoseconds);
                let period = period.max(1);
                // A tick that is due exactly now is not missed: it is called next.
                tick.missed = late.saturating_sub(1) / period;
                self.due = self.due + Duration::from_nanos(period.saturating_mul(tick.missed + 1));
                Left::Until(self.due)
            }
        };
        let Self { callback, figures, .. } = self;
        call.note(Reason::Tick { sequence: figures.calls(), late: tick.now.since(tick.due) }, 1);
        figures.count(tick.missed);
        figures.contain(call, || callback(tick));
        left
    }
}

/// The timers that are not ready yet, the next one first.
pub(super) struct Timers {
    /// The time of each timer's next tick, and the number of its callback.
    queue: BinaryHeap<Reverse<(Time, u8)>>,
}

impl Timers {
    pub(super) fn new() -> Self {
        Self { queue: BinaryHeap::with_capacity(CAPACITY) }
    }

    pub(super) fn insert(&mut self, index: usize, due: Time) {
        self.queue.push(Reverse((due, index as u8)));
    }

    pub(super) fn remove(&mut self, index: usize) {
        self.queue.retain(|Reverse((_, timer))| usize::from(*timer) != index);
    }

    pub(super) fn next_due(&self) -> Option<Time> {
        self.queue.peek().map(|Reverse((due, _))| *due)
    }

    /// Removes the timer that is due first, if any is, and returns the number of its callback.
    #[inline]
    pub(super) fn take_due(&mut self, now: Time) -> Option<usize> {
        let Reverse((due, index)) = *self.queue.peek()?;
        (due <= now).then(|| {
            self.queue.pop();
            usize::from(index)
        })
    }
}
