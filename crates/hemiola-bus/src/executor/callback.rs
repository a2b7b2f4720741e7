//! What an executor calls, and what is known of it.

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

/// How important a callback is among those of its executor: the larger number first. It has nothing
/// to do with the priority of the executor's thread.
///
/// ```
/// use hemiola_bus::Priority;
///
/// assert!(Priority(20) > Priority(10));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Priority(pub u16);

/// Which callback to [remove](crate::Executor::remove).
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

/// What is known of a timer, a server, or of all callbacks of one topic that share a priority.
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
    /// The topic; the service, and whether its requests or answers; what was attended; or the
    /// timer, and where in the source it was added.
    pub name: String,
    /// Its priority.
    pub priority: Priority,
    /// How many callbacks are called together.
    pub callbacks: usize,
    /// How many ticks or messages they were called for.
    pub calls: u64,
    /// How many ticks were skipped because an earlier one was late.
    pub missed: u64,
    /// How many calls ended in a panic. The callback goes on being called.
    pub panics: u64,
    /// What the last panic said, and where.
    pub last_panic: Option<String>,
}

/// A timer, or all callbacks of one topic that share a priority.
pub(super) trait Runnable: Send {
    /// When the clock makes it ready for the first time.
    fn first_due(&self) -> Option<Time> {
        None
    }

    /// When what it is called for next arrived, if that is known: see [`ready`](crate::ready).
    fn arrived(&mut self) -> Option<u64> {
        None
    }

    /// Calls it for one tick or message, or for as many messages as the executor lets it.
    fn run(&mut self, call: &mut Call<'_>) -> Left;

    /// How many messages wait for it, or ticks, when it is ready.
    fn waiting(&mut self) -> usize;

    /// Takes in what a carrier brings: another callback for the same messages.
    fn put_in(&mut self, _carrier: &mut dyn Any) {}

    /// Lets a carrier have the callback at this position.
    fn take_out(&mut self, _position: usize, _carrier: &mut dyn Any) {}
}

/// What an executor and a callback tell each other.
pub(super) struct Call<'a> {
    pub(super) clock: &'a RobotClock,
    /// How many messages it may be called with.
    pub(super) limit: usize,
    /// What ends a pass; there is none where one call is all that may be done.
    pub(super) rivals: Option<Rivals<'a>>,
    pub(super) done: Done,
    /// What the callback was called for last.
    pub(super) reason: Reason,
    /// How many callbacks panicked.
    pub(super) panics: u32,
}

/// What has been done in a call, or in all calls of a pass.
#[derive(Clone, Copy, Default)]
pub(super) struct Done {
    pub(super) calls: usize,
    /// How many messages or ticks they were for.
    pub(super) count: usize,
}

impl Call<'_> {
    /// Notes what the callback is called for next, and how many messages or ticks that are.
    #[inline]
    pub(super) fn note(&mut self, reason: Reason, count: usize) {
        self.reason = reason;
        self.done.calls += 1;
        self.done.count += count;
    }

    /// Whether the callback may be called again before the executor looks what else there is.
    #[inline]
    pub(super) fn goes_on(&self) -> bool {
        self.done.count < self.limit && self.rivals.as_ref().is_some_and(|rivals| !rivals.are_ready())
    }
}

/// What a callback was called for.
#[derive(Clone, Copy, Default)]
pub(super) enum Reason {
    /// It was not.
    #[default]
    Nothing,
    /// A message with this number, and when it was published, if that is known.
    Message { sequence: u64, published: Option<Ticks> },
    /// The tick with this number, and how late it came.
    Tick { sequence: u64, late: Duration },
}

/// What is left to do after a call.
pub(super) enum Left {
    /// Nothing was there to be called for in the first place.
    WasIdle,
    /// Nothing.
    Nothing,
    /// There is more.
    More,
    /// Nothing until then.
    Until(Time),
    /// It will never be called again.
    Over,
}

/// Counts what happened to a callback: written by its executor only, read by anyone.
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

    /// Runs `body`, and counts and keeps a panic of it.
    #[inline]
    pub(super) fn contain(&self, call: &mut Call<'_>, body: impl FnOnce()) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(body)) {
            call.panics += 1;
            self.note(panic);
        }
    }

    /// Allocates and locks, as panicking did: a callback that panics is no longer on time.
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
