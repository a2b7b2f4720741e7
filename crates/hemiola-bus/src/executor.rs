//! Threads that run callbacks, the most important ready one first.
//!
//! | file | what |
//! |---|---|
//! | `agenda`, `ranks` | which of them comes next |
//! | `pass` | when one callback may be called several times in a row |
//! | `callback`, `timer`, `subscription`, `once`, `service`, `attended` | what is called |
//! | `handle`, `registry`, `changes` | adding and removing callbacks, from any thread |
//! | `rest` | what the executor does when nothing is ready |
//! | `recorder` | what goes into the trace |
//! | `configured` | configuration that overrides what the program sets |
//! | `running` | an executor with a thread of its own |

mod agenda;
mod attended;
mod callback;
mod changes;
mod configured;
mod handle;
mod once;
mod pass;
mod ranks;
mod recorder;
mod registry;
mod rest;
mod running;
mod service;
mod subscription;
mod timer;

pub use agenda::Order;
pub use callback::{CallbackId, CallbackReport, Priority};
pub use handle::ExecutorHandle;

pub use running::RunningExecutor;
pub use timer::Tick;

use std::sync::Arc;

use hemiola_model::Time;
use hemiola_realtime::Containment;
use hemiola_trace::Ticks;

use crate::clock::RobotClock;
use crate::panics::drop_contained;
use crate::ready::{CAPACITY, COMMANDS, ReadySet};
use agenda::{Agenda, Arrival};
use callback::{Call, Done, Left, Reason, Runnable};
use pass::{Rivals, Turn};
use recorder::Recorder;
use registry::Commands;
use rest::Patience;
use timer::Timers;

/// Runs callbacks for messages and timers on one thread, always the most important one that is
/// ready.
///
/// - A callback is never preempted by another one of its executor: what they share needs no lock. A
///   callback that must preempt belongs in an executor of its own, on a thread of higher priority.
/// - It handles one message, call or tick at a time: before each call, the executor makes sure that
///   nothing more important is ready.
/// - Equal priorities are served in the order of arrival, whatever it is that arrives: a message
///   when it is published, a call or a request when it is sent, a tick when the executor sees that
///   it is due, which it checks before each call. So no callback starves another one of the same
///   priority: what arrives waits for what has arrived before, and for nothing else. A message that
///   took the place of one that was dropped also takes its place in this order.
/// - Callbacks that are added or removed (from other threads or by callbacks) delay nobody: at most
///   eight such changes are applied before the next call.
/// - A callback that panics does not end the executor: the panic is counted and kept in
///   [`CallbackReport`], nothing is printed, and the callback is called again for the next message.
///   For another policy, catch the panic in the callback.
/// - With nothing to do, the thread sleeps without a timeout: an idle executor causes no wake-ups
///   at all.
/// - Between two callbacks it neither allocates nor locks nor calls the system, except to sleep.
///
/// It has room for 251 timers and subscriptions; those to one topic with the same priority count
/// once.
///
/// It runs on whichever thread calls [`run`](Self::run), or on one of its own:
/// [`spawn`](Self::spawn).
///
/// ```
/// use hemiola_bus::{Executor, Priority, RobotClock};
/// use hemiola_model::Time;
/// use std::sync::{Arc, mpsc};
/// use std::time::Duration;
///
/// let clock = Arc::new(RobotClock::stepped());
/// let mut executor = Executor::new("control", &clock);
/// let (balance, calls) = mpsc::channel();
/// let plan = balance.clone();
/// executor.every(Duration::from_millis(20), Priority(10), move |_| plan.send("plan").unwrap())?;
/// executor.every(Duration::from_millis(10), Priority(20), move |_| balance.send("balance").unwrap())?;
/// for milliseconds in [10, 20] {
///     clock.set(Time::ZERO + Duration::from_millis(milliseconds));
///     executor.run_ready();
/// }
/// assert_eq!(calls.try_iter().collect::<Vec<_>>(), ["balance", "balance", "plan"]);
/// # Ok::<(), hemiola_bus::BusError>(())
/// ```
pub struct Executor {
    handle: ExecutorHandle,
    ready: ReadySet,
    agenda: Agenda,
    timers: Timers,
    entries: Vec<Option<Box<dyn Runnable>>>,
    commands: Commands,
    /// Set while more changes are waiting than are applied before the next call.
    changes_wait: bool,
    patience: Patience,
    recorder: Option<Recorder>,
}

impl Executor {
    /// Creates an executor without callbacks, whose timers follow `clock`.
    pub fn new(name: impl Into<String>, clock: &Arc<RobotClock>) -> Self {
        let ready = ReadySet::new();
        clock.wake_when_set(ready.wakeup());
        let (handle, commands) = ExecutorHandle::new(name.into(), clock.clone(), ready.ready(COMMANDS));
        Self {
            handle,
            ready,
            agenda: Agenda::new(Order::default()),
            timers: Timers::new(),
            entries: Vec::with_capacity(CAPACITY),
            commands,
            changes_wait: false,
            patience: Patience::default(),
            recorder: None,
        }
    }

    /// Sets how the executor chooses among the callbacks that are ready; by default it goes by
    /// priority.
    ///
    /// # Panics
    /// Panics if the executor has callbacks already.
    #[must_use]
    pub fn order(mut self, order: Order) -> Self {
        self.agenda.set_order(order);
        if order != Order::Priority {
            self.handle.share_no_messages();
        }
        self
    }

    /// Runs the most important callback that is ready, for one message or tick. Returns whether
    /// there was one.
    pub fn run_one(&mut self) -> bool {
        let _containment = Containment::new();
        self.call_next(Turn::One) > 0
    }

    /// Runs callbacks until none is ready. Returns how many calls that were.
    ///
    /// A callback that makes itself ready again goes on for ever: use [`run_one`](Self::run_one) to
    /// bound that.
    pub fn run_ready(&mut self) -> usize {
        let _containment = Containment::new();
        std::iter::repeat_with(|| self.call_next(Turn::Pass(usize::MAX))).take_while(|&calls| calls > 0).sum()
    }

    /// Runs callbacks for the messages and ticks that are there now, and not for those that these
    /// cause or that come meanwhile. Returns how many there were.
    ///
    /// Modules and messages can thus take turns in two phases, as in a synchronous system: whatever
    /// is sent in one phase arrives in the next, and results do not depend on the order of the
    /// modules.
    ///
    /// ```
    /// use hemiola_bus::{Bus, Executor, Priority, RobotClock, WhenFull};
    /// use std::sync::{Arc, Mutex};
    ///
    /// let topic = Bus::new().topic("count")?;
    /// let (count, received) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new(0)));
    /// let mut synchronisation = Executor::new("synchronisation", &Arc::new(RobotClock::stepped()));
    /// let sink = received.clone();
    /// synchronisation.subscribe(&topic, Priority(1), 16, WhenFull::DropOldest, move |count: &u32| *sink.lock().unwrap() = *count)?;
    ///
    /// let mut publisher = topic.publisher();
    /// for turn in 1..=3 {
    ///     // The phase of the modules: each knows what was received in the turns before.
    ///     let mut count = count.lock().unwrap();
    ///     assert_eq!(*received.lock().unwrap(), *count);
    ///     *count += 1;
    ///     publisher.publish(*count);
    ///     // The phase of the messages.
    ///     assert_eq!(synchronisation.run_waiting(), 1);
    /// }
    /// # Ok::<(), hemiola_bus::BusError>(())
    /// ```
    pub fn run_waiting(&mut self) -> usize {
        let _containment = Containment::new();
        self.make_changes();
        self.look();
        let mut waiting = [0; CAPACITY];
        for (index, (entry, waiting)) in self.entries.iter_mut().zip(&mut waiting).enumerate() {
            if let Some(entry) = entry.as_mut().filter(|_| self.agenda.is_marked(index)) {
                *waiting = entry.waiting();
            }
        }
        let (mut later, mut count) = ([false; CAPACITY], 0);
        loop {
            self.look();
            let Some(index) = self.next() else {
                if self.changes_wait {
                    continue;
                }
                break;
            };
            if waiting[index] == 0 {
                later[index] = true;
            } else {
                let called = self.call_entry(index, Turn::Pass(waiting[index])).count;
                waiting[index] -= called.min(waiting[index]);
                count += called;
            }
        }
        (0..CAPACITY).filter(|&index| later[index]).for_each(|index| self.mark(index));
        count
    }

    /// Runs callbacks, and sleeps when none is ready, until a handle calls
    /// [`stop`](ExecutorHandle::stop).
    pub fn run(&mut self) {
        self.note_thread();
        let _containment = Containment::new();
        while !self.handle.take_stop() {
            if self.call_next(Turn::Pass(usize::MAX)) == 0 {
                self.rest();
            }
        }
    }

    /// Returns when the next timer is due, among those that are not ready yet: the time to which a
    /// simulation may set its clock.
    pub fn next_due(&self) -> Option<Time> {
        self.timers.next_due()
    }

    /// Returns a handle to add and remove callbacks, and to stop the executor, from other threads
    /// and from its callbacks.
    pub fn handle(&self) -> ExecutorHandle {
        self.handle.clone()
    }

    /// Calls the next callback, if any is ready. Returns how many calls that were.
    #[inline]
    fn call_next(&mut self, turn: Turn) -> usize {
        loop {
            self.look();
            let Some(index) = self.next() else {
                if self.changes_wait {
                    continue;
                }
                return 0;
            };
            let calls = self.call_entry(index, turn).calls;
            if calls > 0 {
                return calls;
            }
        }
    }

    /// Calls a callback for what it has to do. Returns what that was.
    #[inline]
    fn call_entry(&mut self, index: usize, turn: Turn) -> Done {
        let Some(Some(entry)) = self.entries.get_mut(index) else { return Done::default() };
        let clock = &**self.handle.clock();
        let (limit, alone) = match turn {
            Turn::One => (usize::MAX, false),
            Turn::Pass(limit) => {
                (limit, self.recorder.is_none() && !self.changes_wait && self.agenda.would_repeat(index))
            }
        };
        let next_due = self.timers.next_due();
        let mut call = Call {
            clock,
            limit,
            rivals: alone.then_some(Rivals { ready: &self.ready, callback: index, clock, next_due }),
            done: Done::default(),
            reason: Reason::Nothing,
            panics: 0,
        };
        let begin = self.recorder.as_ref().map(|_| Ticks::now());
        let left = entry.run(&mut call);
        if let (Some(recorder), Some(begin)) = (&mut self.recorder, begin) {
            recorder.record(index, begin, &call);
        }
        let done = call.done;
        match left {
            Left::WasIdle => {}
            Left::Nothing => self.agenda.unmark(index),
            Left::More => self.mark(index),
            Left::Until(due) => self.timers.insert(index, due),
            Left::Over => self.discard(index),
        }
        done
    }

    /// Marks what has become ready, and applies requested changes, a limited number at once.
    #[inline]
    fn look(&mut self) {
        if self.ready.is_touched() {
            self.take_ready();
        }
        if self.changes_wait {
            self.make_changes_of_a_turn();
        }
        if let Some(due) = self.timers.next_due() {
            let now = self.handle.clock().now();
            if due <= now {
                self.mark_due(now);
            }
        }
    }

    /// Marks the timers that are due: a tick arrives when it is seen to be due.
    #[inline(never)]
    fn mark_due(&mut self, now: Time) {
        while let Some(index) = self.timers.take_due(now) {
            if self.agenda.lines_up(index) {
                self.agenda.line_up(index, Arrival::Known(self.ready.arrive()));
            } else {
                self.agenda.mark_timer(index);
            }
        }
    }

    /// Marks a callback as ready, in its place if it shares its priority with others.
    #[inline]
    fn mark(&mut self, index: usize) {
        if self.agenda.lines_up(index) {
            let arrival = self.arrival(index);
            self.agenda.line_up(index, arrival);
        } else {
            self.agenda.mark(index);
        }
    }

    /// Returns the callback that comes next and removes its mark.
    #[inline]
    fn next(&mut self) -> Option<usize> {
        match self.agenda.next()? {
            (index, false) => Some(index),
            (index, true) => self.next_after_guess(index),
        }
    }

    /// Chooses again: what callback `index` is to be called for may have come only after it was
    /// marked, and after others.
    #[inline(never)]
    fn next_after_guess(&mut self, index: usize) -> Option<usize> {
        match self.arrival(index) {
            arrival @ Arrival::Known(_) => {
                self.agenda.line_up(index, arrival);
                self.next()
            }
            Arrival::Guessed(_) => Some(index),
        }
    }

    /// Returns when what a callback is to be called for next arrived: now, if that is not known
    /// better.
    fn arrival(&mut self, index: usize) -> Arrival {
        let entry = self.entries.get_mut(index).and_then(Option::as_mut);
        let known = entry.and_then(|entry| entry.arrived()).map(Arrival::Known);
        known.unwrap_or_else(|| Arrival::Guessed(self.ready.arrive()))
    }

    #[inline(never)]
    fn take_ready(&mut self) {
        for word in 0..ReadySet::WORDS {
            for index in self.ready.take(word) {
                match index {
                    COMMANDS => self.changes_wait = true,
                    _ => self.mark(index),
                }
            }
        }
    }
}

impl Drop for Executor {
    fn drop(&mut self) {
        self.handle.note_end();
        // A command that never got here may hold a handle, which would hold the commands.
        while let Some(command) = self.commands.todo.pop() {
            drop_contained(command);
        }
    }
}
