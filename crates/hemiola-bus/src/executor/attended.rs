//! Callbacks that handle whatever raises a signal: actors, servers, receivers of the newest
//! message.

use std::sync::Arc;

use super::agenda::Kind;
use super::callback::{Call, CallbackId, Figures, Left, Priority, Reason, Runnable};
use super::registry::Newcomer;
use super::{Executor, ExecutorHandle};
use crate::error::BusError;
use crate::ready::Ready;
use crate::signal::Signal;

impl Executor {
    /// Calls a callback whenever a signal is raised: in this way, an executor runs anything that
    /// raises one, such as an [`Actor`](crate::Actor).
    ///
    /// `make` gets the signal, and returns the callback and whatever else it made. The callback
    /// does one piece of work and returns whether there was any; then it is called again, as soon
    /// as nothing more important is ready and nothing of the same priority arrived before. It is
    /// also called when it is added. The name appears in the trace.
    ///
    /// The calls of an [`Actor`](crate::Actor) arrive when they are sent. For anything else, what
    /// is there when the signal is raised arrives at that moment, and the rest when one piece of
    /// work is done.
    ///
    /// # Errors
    /// Returns [`BusError::TooManyCallbacks`].
    ///
    /// ```
    /// use hemiola_bus::{Actor, Executor, Priority, RobotClock};
    /// use std::sync::Arc;
    ///
    /// let mut executor = Executor::new("speech", &Arc::new(RobotClock::running(1.0)));
    /// let (_, mut speaker) = executor.attend("speaker", Priority(1), |signal| {
    ///     let (mut actor, handle) = Actor::with_signal(Vec::new(), 16, signal);
    ///     (move || actor.run(1) > 0, handle)
    /// })?;
    /// speaker.send(|said: &mut Vec<&str>| said.push("Hello.")).unwrap();
    /// speaker.send(|said: &mut Vec<&str>| assert_eq!(*said, ["Hello."])).unwrap();
    /// assert_eq!(executor.run_ready(), 2);
    /// # Ok::<(), hemiola_bus::BusError>(())
    /// ```
    pub fn attend<C, R>(
        &mut self,
        name: &str,
        priority: Priority,
        make: impl FnOnce(Signal) -> (C, R),
    ) -> Result<(CallbackId, R), BusError>
    where
        C: FnMut() -> bool + Send + 'static,
    {
        let added = self.handle.attend(name, priority, make);
        self.make_changes();
        added
    }
}

impl ExecutorHandle {
    /// Calls a callback whenever a signal is raised: see [`Executor::attend`].
    ///
    /// # Errors
    /// Returns [`BusError::TooManyCallbacks`], [`BusError::ExecutorBusy`] or
    /// [`BusError::ExecutorGone`].
    pub fn attend<C, R>(
        &self,
        name: &str,
        priority: Priority,
        make: impl FnOnce(Signal) -> (C, R),
    ) -> Result<(CallbackId, R), BusError>
    where
        C: FnMut() -> bool + Send + 'static,
    {
        let (kind, name) = (Kind::Message, name.to_owned());
        let newcomer = Newcomer { kind, name, topic: None, priority, period: None, messages: None };
        let mut rest = None;
        let id = self.add(newcomer, |ready, figures| {
            let (callback, other) = make(ready.clone().into());
            rest = Some(other);
            Ok(Box::new(Attended { callback, ready, figures }))
        })?;
        Ok((id, rest.expect("`add` has made what it has added")))
    }
}

struct Attended<C> {
    callback: C,
    ready: Ready,
    figures: Arc<Figures>,
}

impl<C: FnMut() -> bool + Send> Runnable for Attended<C> {
    fn arrived(&mut self) -> Option<u64> {
        self.ready.oldest()
    }

    fn waiting(&mut self) -> usize {
        1
    }

    fn run(&mut self, call: &mut Call<'_>) -> Left {
        let Self { callback, ready, figures } = self;
        // This comes before the call: what arrives meanwhile is noted anew, as is what the call
        // leaves for later.
        ready.forget_oldest();
        // A callback that panics counts as one that did some work.
        let mut worked = true;
        figures.contain(call, || worked = callback());
        if !worked {
            return Left::WasIdle;
        }
        call.note(Reason::Message { sequence: figures.calls(), published: None }, 1);
        figures.count(0);
        Left::More
    }
}
