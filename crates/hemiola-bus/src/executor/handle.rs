//! The handle by which other threads, and its own callbacks, change an executor.

use std::sync::{Arc, Mutex, PoisonError};

use hemiola_model::configuration::ExecutorConfiguration;
use hemiola_realtime::ThreadSettings;
use hemiola_trace::{CallbackId as TracedCallback, Catalog, ExecutorThread, WorkerId};

use super::callback::{CallbackId, CallbackReport, Figures, Priority, Runnable};
use super::configured;
use super::registry::{CHANGES, Command, Commands, Messages, Newcomer, Registry};
use super::subscription::Carrier;
use crate::clock::RobotClock;
use crate::error::BusError;
use crate::panics::drop_contained;
use crate::ready::{CAPACITY, Ready};
use crate::sync::{AtomicBool, AtomicU64, Ordering};

/// Adds and removes callbacks of an executor and stops it, from any thread and from its callbacks.
///
/// A change takes effect between two calls, in the order of the requests. At most eight are applied
/// before the next call, so that a flood of changes does not delay the callbacks. The methods lock
/// and allocate, but never make the executor wait.
///
/// ```
/// use hemiola_bus::{Executor, Priority, RobotClock};
/// use hemiola_realtime::ThreadSettings;
/// use std::sync::Arc;
/// use std::sync::mpsc;
/// use std::time::Duration;
///
/// let running = Executor::new("control", &Arc::new(RobotClock::running(1.0))).spawn(ThreadSettings::new("control"))?;
/// let (called, calls) = mpsc::channel();
/// running.handle().once(Duration::ZERO, Priority(1), move |tick| called.send(tick).unwrap())?;
/// assert_eq!(calls.recv()?.missed, 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct ExecutorHandle {
    shared: Arc<Shared>,
}

struct Shared {
    name: String,
    clock: Arc<RobotClock>,
    /// Notifies the executor that there are commands.
    commands: Ready,
    stopping: AtomicBool,
    gone: AtomicBool,
    sleeps: AtomicU64,
    registry: Mutex<Registry>,
}

impl ExecutorHandle {
    pub(super) fn new(name: String, clock: Arc<RobotClock>, ready: Ready) -> (Self, Commands) {
        let (registry, commands) = Registry::new();
        let shared = Shared {
            name,
            clock,
            commands: ready,
            stopping: AtomicBool::new(false),
            gone: AtomicBool::new(false),
            sleeps: AtomicU64::new(0),
            registry: Mutex::new(registry),
        };
        (Self { shared: Arc::new(shared) }, commands)
    }

    /// Returns the name of the executor.
    pub fn name(&self) -> &str {
        &self.shared.name
    }

    /// Removes a callback: see [`Executor::remove`](crate::Executor::remove).
    ///
    /// # Errors
    /// Returns [`BusError::ExecutorBusy`] or [`BusError::ExecutorGone`].
    pub fn remove(&self, id: CallbackId) -> Result<(), BusError> {
        self.with_registry(|registry| {
            let Some((index, position, count)) = registry.place(id) else { return Ok(()) };
            let command = match registry.carrier(index) {
                Some(carrier) if count > 1 => Command::TakeOut { index, position, carrier },
                _ => Command::Remove { index },
            };
            self.send(registry, command)?;
            registry.strike(index, position);
            Ok(())
        })
    }

    /// Ends [`Executor::run`](crate::Executor::run) after the present call.
    pub fn stop(&self) {
        self.shared.stopping.store(true, Ordering::Release);
        self.shared.commands.tell();
    }

    /// Returns reports of all callbacks, in the order in which their numbers were given out.
    pub fn callbacks(&self) -> Vec<CallbackReport> {
        self.with_registry(Registry::reports)
    }

    /// Returns how often the executor went to sleep, and therefore was woken.
    pub fn wake_ups(&self) -> u64 {
        self.shared.sleeps.load(Ordering::Relaxed)
    }

    /// Adds the callback that `make` makes, which may be foreign code and so is called without the
    /// registry's lock.
    pub(super) fn add(
        &self,
        mut newcomer: Newcomer,
        make: impl FnOnce(Ready, Arc<Figures>) -> Result<Box<dyn Runnable>, BusError>,
    ) -> Result<CallbackId, BusError> {
        newcomer.priority = self.priority(&newcomer.name, newcomer.priority);
        let (kind, priority, figures) = (newcomer.kind, newcomer.priority, Arc::<Figures>::default());
        let Some((index, traced)) = self.with_registry(|registry| registry.reserve(newcomer, figures.clone())) else {
            return Err(BusError::TooManyCallbacks { executor: self.name().to_owned(), limit: CAPACITY });
        };
        let reserved = Reserved { handle: self, index };
        let made = make(self.shared.commands.of(index), figures);
        std::mem::forget(reserved);
        self.with_registry(|registry| {
            let add = |entry| self.send(registry, Command::Add { index, kind, priority, traced, entry });
            let sent = made.and_then(add);
            if sent.is_err() {
                registry.release(index);
            }
            sent.map(|()| registry.enter(index))
        })
    }

    /// Adds a callback to those that receive the same messages at the same priority, with the help
    /// of `put_in`. Returns the callback if there are none.
    pub(super) fn join<C>(
        &self,
        messages: &Messages,
        priority: Priority,
        callback: C,
        put_in: impl FnOnce(&mut Registry, usize, Carrier<C>) -> Result<(), BusError>,
    ) -> Result<Result<CallbackId, BusError>, C> {
        self.with_registry(|registry| {
            let Some((index, others)) = registry.find(messages, priority) else { return Err(callback) };
            let put = put_in(registry, index, Carrier::with(callback, others));
            Ok(put.map(|()| registry.enter(index)))
        })
    }

    /// Lets this configuration override what the program sets, from now on.
    pub(super) fn configure(&self, configuration: ExecutorConfiguration) {
        self.with_registry(|registry| registry.configuration = configuration);
    }

    /// Returns the priority of a callback: the configured one, or else the one that the program
    /// sets.
    pub(super) fn priority(&self, callback: &str, said: Priority) -> Priority {
        self.with_registry(|registry| configured::priority(&registry.configuration, callback, said))
    }

    /// Returns the settings of the executor's thread: those of the program, overridden by those
    /// that are configured.
    pub(super) fn thread(&self, said: ThreadSettings) -> ThreadSettings {
        self.with_registry(|registry| configured::thread(&registry.configuration, said))
    }

    /// Makes every subscription receive its messages by itself from now on.
    pub(super) fn share_no_messages(&self) {
        self.with_registry(Registry::share_no_messages);
    }

    /// Names callbacks in a trace from now on. Returns the names of those that are there, with
    /// their numbers.
    pub(super) fn record(&self, catalog: &Catalog, executor: WorkerId) -> Vec<(usize, Option<TracedCallback>)> {
        self.with_registry(|registry| registry.record(catalog, executor))
    }

    /// Records in the trace, if there is one, on which thread callbacks are called from now on.
    /// Locks and calls the system.
    pub(super) fn note_thread(&self, thread: impl FnOnce() -> ExecutorThread) {
        self.with_registry(|registry| registry.note_thread(thread));
    }

    pub(super) fn send(&self, registry: &mut Registry, command: Command) -> Result<(), BusError> {
        if self.shared.gone.load(Ordering::Relaxed) {
            return Err(BusError::ExecutorGone { executor: self.name().to_owned() });
        }
        if !registry.send(command) {
            return Err(BusError::ExecutorBusy { executor: self.name().to_owned(), waiting: CHANGES });
        }
        self.shared.commands.tell();
        Ok(())
    }

    fn with_registry<R>(&self, body: impl FnOnce(&mut Registry) -> R) -> R {
        // Entries are put in whole, so a registry is sound even if somebody panicked.
        let mut registry = self.shared.registry.lock().unwrap_or_else(PoisonError::into_inner);
        let result = body(&mut registry);
        let waste = std::mem::take(&mut registry.waste);
        drop(registry);
        // The waste belonged to others, whose panics must not reach this thread.
        waste.into_iter().for_each(drop_contained);
        result
    }

    pub(super) fn clock(&self) -> &Arc<RobotClock> {
        &self.shared.clock
    }

    /// Returns whether a stop was requested since the last call of this method.
    pub(super) fn take_stop(&self) -> bool {
        let stopping = self.shared.stopping.load(Ordering::Acquire);
        if stopping {
            self.shared.stopping.store(false, Ordering::Relaxed);
        }
        stopping
    }

    pub(super) fn count_sleep(&self) {
        self.shared.sleeps.store(self.wake_ups() + 1, Ordering::Relaxed);
    }

    /// Refuses whatever is sent to the executor from now on.
    pub(super) fn note_end(&self) {
        self.with_registry(|_| self.shared.gone.store(true, Ordering::Relaxed));
    }
}

/// A reserved number, which is freed unless it turns out to be needed.
struct Reserved<'a> {
    handle: &'a ExecutorHandle,
    index: usize,
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        self.handle.with_registry(|registry| registry.release(self.index));
    }
}
