//! An object that only one thread touches, and that all threads may call.
//!
//! A handle has a lane of its own to the actor ([`mailbox`](crate::mailbox)), so that sending is a
//! few stores and one atomic instruction, whatever other senders are doing. The calls of one handle
//! run in the order in which they were sent.

mod call;
mod handle;
mod inline;
mod report;

pub use handle::{ActorHandle, CallBatch, CallFuture};
pub use report::ActorReport;
pub(crate) use report::Figures;

use crate::mailbox::{Inbox, Waited, mailbox};
use crate::panics::Panics;
use crate::signal::Signal;
use call::Call;
use hemiola_realtime::{MonotonicTime, monotonic_now};
use std::sync::Arc;
use std::time::Duration;

/// The number of calls that [`Actor::run_until_closed`] runs before it visits all senders again.
const CALLS_PER_TURN: usize = 64;

/// Owns an object that need not be thread-safe, and runs the calls that [handles](ActorHandle) send
/// to it, where and when its owner asks for it.
///
/// ```
/// use hemiola_bus::Actor;
///
/// let (mut actor, mut handle) = Actor::new(String::new(), 64);
/// handle.send(|text| text.push_str("goal "))?;
/// handle.send(|text| text.push_str("for us"))?;
/// assert_eq!(actor.run(8), 2); // at most 8 calls in this turn
/// assert_eq!(actor.state(), "goal for us");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The object need not be [`Send`] either, if the actor is made on the thread that runs it.
///
/// A call that panics ends, and is [counted](Actor::panics) instead of printed; the others go on,
/// with the object as the panic left it.
pub struct Actor<S: 'static> {
    state: S,
    inbox: Inbox<Call<S>>,
    panics: Panics,
    figures: Arc<Figures>,
}

impl<S: 'static> Actor<S> {
    /// Creates an actor and its first handle. Of each handle's calls, `capacity` may wait; the next
    /// one is refused.
    ///
    /// # Panics
    /// Panics if the capacity is zero.
    pub fn new(state: S, capacity: usize) -> (Self, ActorHandle<S>) {
        Self::with_signal(state, capacity, Signal::Nothing)
    }

    /// Like [`new`](Self::new), for a thread that waits for other things, too: sending a call
    /// raises `signal`.
    ///
    /// ```
    /// use hemiola_bus::Actor;
    /// use hemiola_realtime::{Reason, Wakeup, monotonic_now};
    /// use std::sync::Arc;
    ///
    /// let wakeup = Arc::new(Wakeup::new());
    /// let (mut left, mut left_handle) = Actor::with_signal(0, 4, wakeup.clone().into());
    /// let (mut right, _right_handle) = Actor::with_signal(0, 4, wakeup.clone().into());
    /// let seen = wakeup.generation();
    /// left_handle.send(|steps| *steps += 1).unwrap();
    /// assert_eq!(wakeup.wait(seen, Some(monotonic_now())), Reason::Signalled);
    /// assert_eq!((left.run(8), right.run(8)), (1, 0));
    /// ```
    ///
    /// # Panics
    /// Panics if the capacity is zero.
    pub fn with_signal(state: S, capacity: usize, signal: Signal) -> (Self, ActorHandle<S>) {
        let actor =
            Actor { state, inbox: mailbox(capacity, signal), panics: Panics::default(), figures: Arc::default() };
        let handle = actor.handle();
        (actor, handle)
    }

    /// Runs one turn, at most `limit` of the calls that wait, and returns how many it ran.
    ///
    /// Never waits. Each turn begins with the sender after the one at which the last turn ended, so
    /// that a sender that always has calls (such as the actor itself) delays the others by a turn
    /// at most.
    #[inline]
    pub fn run(&mut self, limit: usize) -> usize {
        let mut left = limit;
        let Actor { state, inbox, panics, figures } = self;
        if inbox.is_noted() {
            panics.contain(|| inbox.drain(&mut left, |call| Call::run(call, state, figures)));
            figures.note_turn((limit - left) as u64, inbox.refused(), panics.count());
            inbox.note_next_arrival();
        }
        limit - left
    }

    /// Sleeps until there is something to run, all handles are gone, or the time is over.
    pub fn wait(&mut self, timeout: Duration) -> Waited {
        self.inbox.wait(Some(monotonic_now() + timeout))
    }

    /// Sleeps until there is something to run, all handles are gone, or `deadline` has come.
    pub fn wait_until(&mut self, deadline: MonotonicTime) -> Waited {
        self.inbox.wait(Some(deadline))
    }

    /// Runs calls, and sleeps while there are none, until all handles are gone.
    ///
    /// ```
    /// use hemiola_bus::Actor;
    /// use hemiola_realtime::{ThreadSettings, spawn};
    ///
    /// let (mut actor, mut handle) = Actor::new(Vec::new(), 64);
    /// let scribe = spawn(ThreadSettings::new("scribe"), move || {
    ///     actor.run_until_closed();
    ///     actor.into_state()
    /// })?;
    /// handle.send(|lines| lines.push("kick-off"))?;
    /// drop(handle);
    /// assert_eq!(scribe.thread.join().unwrap(), ["kick-off"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn run_until_closed(&mut self) {
        while self.inbox.wait(None) != Waited::Closed {
            self.run(CALLS_PER_TURN);
        }
    }

    /// Creates another handle. Allocates: not for real-time threads.
    pub fn handle(&self) -> ActorHandle<S> {
        ActorHandle::new(self.inbox.sender(), self.figures.handles().clone())
    }

    /// Returns the object.
    pub fn state(&self) -> &S {
        &self.state
    }

    /// Returns the object, to change it directly.
    pub fn state_mut(&mut self) -> &mut S {
        &mut self.state
    }

    /// Returns the object and ends the actor. Calls that still wait are dropped, and whoever waits
    /// for their results is notified.
    pub fn into_state(self) -> S {
        self.state
    }

    /// Returns how many calls panicked.
    pub fn panics(&self) -> u64 {
        self.panics.count()
    }

    /// Returns the message and the place of the last panic of a call.
    pub fn last_panic(&self) -> Option<&str> {
        self.panics.last()
    }

    pub(crate) fn figures(&self) -> &Arc<Figures> {
        &self.figures
    }

    /// Returns how many calls were refused because their sender's lane was full.
    pub fn refused(&self) -> u64 {
        self.inbox.refused()
    }
}
