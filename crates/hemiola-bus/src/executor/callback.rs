//! The interface between an executor and its callbacks, and their statistics.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hemiola_model::Time;
use hemiola_trace::Ticks;

use super::pass::Rivals;
use super::registry::Newcomer;
use crate::clock::RobotClock;
use crate::panics::describe;
use crate::sync::{AtomicU64, Ordering};

/// The importance of a callback among those of its executor: the larger number goes first. It has
/// nothing to do with the priority of the executor's thread.
///
/// See [`Executor`](crate::Executor).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Priority(pub u16);

/// An identifier by which to [remove](crate::Executor::remove) a callback.
///
/// ```
/// use hemiola_bus::{Executor, Priority, RobotClock};
/// use hemiola_model::Time;
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// let clock = Arc::new(RobotClock::stepped());
/// let mut executor = Executor::new("control", &clock);
/// let watchdog = executor.once(Duration::from_millis(500), Priority(9), |_| panic!("no pose for half a second"))?;
/// executor.remove(watchdog)?;
/// clock.set(Time::from_seconds(0.5));
/// assert_eq!(executor.run_ready(), 0);
/// # Ok::<(), hemiola_bus::BusError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CallbackId {
    pub(super) index: u8,
    pub(super) serial: u64,
}

/// The statistics of a timer, a server, or all callbacks of one topic that share a priority.
///
/// ```
/// use hemiola_bus::{Executor, Priority, RobotClock};
/// use hemiola_model::Time;
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// let clock = Arc::new(RobotClock::stepped());
/// let mut executor = Executor::new("control", &clock);
/// executor.every(Duration::from_millis(10), Priority(20), |_| panic!("no IMU"))?;
/// clock.set(Time::from_seconds(0.010));
/// executor.run_ready();
///
/// let report = &executor.handle().callbacks()[0];
/// assert!(report.name.starts_with("every 10ms at "));
/// assert_eq!((report.calls, report.panics), (1, 1));
/// assert!(report.last_panic.as_ref().is_some_and(|text| text.contains("no IMU")));
/// # Ok::<(), hemiola_bus::BusError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallbackReport {
    /// The name of the topic; of the service, with `requests` or `answers`; of what is attended; or
    /// of the timer, with where in the source it was added.
    pub name: String,
    /// The priority of the callbacks.
    pub priority: Priority,
    /// The number of callbacks that are called together.
    pub callbacks: usize,
    /// The number of ticks or messages for which the callbacks were called.
    pub calls: u64,
    /// The number of ticks that were skipped because an earlier one was late.
    pub missed: u64,
    /// The number of calls that ended in a panic. The callback is still called afterwards.
    pub panics: u64,
    /// The message and the place of the last panic.
    pub last_panic: Option<String>,
}

/// A timer, or all callbacks of one topic that share a priority.
pub(super) trait Runnable: Send {
    /// Returns when the clock makes the callback ready for the first time.
    fn first_due(&self) -> Option<Time> {
        None
    }

    /// Returns when what the callback is called for next arrived, if that is known: see
    /// [`ready`](crate::ready).
    fn arrived(&mut self) -> Option<u64> {
        None
    }

    /// Calls the callback for one tick or message, or for as many messages as the executor allows.
    fn run(&mut self, call: &mut Call<'_>) -> Left;

    /// Returns how many messages or ticks wait for the callback when it is ready.
    fn waiting(&mut self) -> usize;

    /// Moves the callback from a carrier to the others for the same messages.
    fn put_in(&mut self, _carrier: &mut dyn Any) {}

    /// Moves the callback at this position into a carrier.
    fn take_out(&mut self, _position: usize, _carrier: &mut dyn Any) {}
}

/// The state that an executor and a callback exchange during a call.
pub(super) struct Call<'a> {
    pub(super) clock: &'a RobotClock,
    /// The number of messages with which the callback may be called.
    pub(super) limit: usize,
    /// The callbacks that end a pass; `None` where only one call is allowed.
    pub(super) rivals: Option<Rivals<'a>>,
    pub(super) done: Done,
    /// The reason of the last call.
    pub(super) reason: Reason,
    /// The number of callbacks that panicked.
    pub(super) panics: u32,
}

/// The work that was done in a call, or in all calls of a pass.
#[derive(Clone, Copy, Default)]
pub(super) struct Done {
    pub(super) calls: usize,
    /// The number of messages or ticks that the calls were for.
    pub(super) count: usize,
}

impl Call<'_> {
    /// Records what the callback is called for next, and how many messages or ticks that are.
    #[inline]
    pub(super) fn note(&mut self, reason: Reason, count: usize) {
        self.reason = reason;
        self.done.calls += 1;
        self.done.count += count;
    }

    /// Returns whether the callback may be called again before the executor checks what else is
    /// ready.
    #[inline]
    pub(super) fn goes_on(&self) -> bool {
        self.done.count < self.limit && self.rivals.as_ref().is_some_and(|rivals| !rivals.are_ready())
    }
}

/// The reason for which a callback was called.
#[derive(Clone, Copy, Default)]
pub(super) enum Reason {
    /// No reason: it was not called.
    #[default]
    Nothing,
    /// A message: its number, and when it was published, if that is known.
    Message { sequence: u64, published: Option<Ticks> },
    /// A tick: its number, and how late it came.
    Tick { sequence: u64, late: Duration },
}

/// The work that is left after a call.
pub(super) enum Left {
    /// Nothing is left, and there was nothing to be called for in the first place.
    WasIdle,
    /// Nothing is left.
    Nothing,
    /// More is left.
    More,
    /// Nothing is left until this time.
    Until(Time),
    /// Nothing is left, and the callback will never be called again.
    Over,
}

/// The counts of a callback: written by its executor only, read by anyone.
#[derive(Debug, Default)]
pub(super) struct Figures {
    calls: AtomicU64,
    missed: AtomicU64,
    panics: AtomicU64,
    last_panic: Mutex<Option<String>>,
}

impl Figures {
    /// Counts a call, and the ticks that were missed meanwhile.
    #[inline]
    pub(super) fn count(&self, missed: u64) {
        add(&self.calls, 1);
        if missed > 0 {
            add(&self.missed, missed);
        }
    }

    pub(super) fn calls(&self) -> u64 {
        self.calls.load(Ordering::Relaxed)
    }

    /// Runs `body`; counts its panic and keeps the message.
    #[inline]
    pub(super) fn contain(&self, call: &mut Call<'_>, body: impl FnOnce()) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(body)) {
            call.panics += 1;
            self.note(panic);
        }
    }

    /// Counts a panic and keeps its message. Allocates and locks, as panicking did: a callback that
    /// panics is late already.
    #[cold]
    fn note(&self, panic: Box<dyn Any + Send>) {
        add(&self.panics, 1);
        *self.last_panic() = Some(describe(panic));
    }

    pub(super) fn report(&self, newcomer: &Newcomer, callbacks: usize) -> CallbackReport {
        let (name, priority) = (newcomer.name.clone(), newcomer.priority);
        let [calls, missed, panics] =
            [&self.calls, &self.missed, &self.panics].map(|figure| figure.load(Ordering::Relaxed));
        CallbackReport { name, priority, callbacks, calls, missed, panics, last_panic: self.last_panic().clone() }
    }

    fn last_panic(&self) -> std::sync::MutexGuard<'_, Option<String>> {
        self.last_panic.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Adds to a figure that only this thread writes.
#[inline]
fn add(figure: &AtomicU64, count: u64) {
    figure.store(figure.load(Ordering::Relaxed) + count, Ordering::Relaxed);
}
