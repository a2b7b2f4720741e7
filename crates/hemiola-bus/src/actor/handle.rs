//! The sending end of an actor.
#![expect(unsafe_code, reason = "a call is written where it will lie, and its answer has the type of its question")]

use super::call::{Answer, Call, Order, Question, Task, Timed};
use super::report::Handles;
use crate::error::{AnswerError, CallError, SendError};
use crate::mailbox::Sender;
use crate::reply::{Asker, Replies};
use crate::statistics::TIMED_ONE_OF;
use hemiola_realtime::monotonic_now;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

/// Sends calls to an [`Actor`](super::Actor), from any thread. A clone is a sender of its own:
/// calls of one handle run in order.
///
/// ```
/// use hemiola_bus::Actor;
/// use std::time::Duration;
///
/// let (mut actor, mut handle) = Actor::new(vec![1.0, 2.0], 64);
/// let mut other = handle.clone();
/// let filter = std::thread::spawn(move || actor.run_until_closed());
/// handle.send(|samples| samples.push(3.0))?;
/// assert_eq!(handle.call(|samples| samples.len(), Duration::from_secs(1))?, 3);
/// assert_eq!(other.call(|samples| samples.iter().sum::<f64>(), Duration::from_secs(1))?, 6.0);
/// # drop((handle, other));
/// # filter.join().unwrap();
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Making and dropping a handle may allocate, free and wait for a lock: not for real-time threads.
/// Everything else does not, as long as what a call captures fits 48 bytes, what it returns fits 64
/// (more goes into a box), and fewer calls wait for results than did at the busiest moment so far.
pub struct ActorHandle<S: 'static> {
    sender: Sender<Call<S>>,
    replies: Replies<Answer>,
    handles: Arc<Handles>,
}

impl<S: 'static> ActorHandle<S> {
    pub(super) fn new(sender: Sender<Call<S>>, handles: Arc<Handles>) -> Self {
        #[cfg(not(loom))]
        handles.add(sender.depth());
        ActorHandle { sender, replies: Replies::new(), handles }
    }

    /// Sends a call, which the actor executes later. Wait-free.
    ///
    /// # Errors
    /// Fails if as many calls of this handle wait as its capacity allows, or the actor is gone. The
    /// call is returned.
    ///
    /// ```
    /// use hemiola_bus::{Actor, SendError};
    ///
    /// let (actor, mut handle) = Actor::new(0, 1);
    /// handle.send(|count| *count += 1)?;
    /// assert!(matches!(handle.send(|count| *count += 1), Err(SendError::Full(_))));
    /// drop(actor);
    /// assert!(matches!(handle.send(|count| *count += 1), Err(SendError::NoReceiver(_))));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[inline]
    pub fn send<F>(&mut self, call: F) -> Result<(), SendError<F>>
    where
        F: FnOnce(&mut S) + Send + 'static,
    {
        self.push(Order(call)).map_err(|error| error.map(|Order(call)| call))
    }

    /// Sends several calls and notifies the actor once: for many small calls, where a notification
    /// for each would cost more than sending them.
    ///
    /// ```
    /// use hemiola_bus::Actor;
    ///
    /// let (mut actor, mut handle) = Actor::new(0.0, 64);
    /// let mut batch = handle.batch();
    /// for sample in [0.1, 0.2, 0.3] {
    ///     batch.send(move |sum| *sum += sample)?;
    /// }
    /// drop(batch); // now it knows
    /// assert_eq!(actor.run(8), 3);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn batch(&mut self) -> CallBatch<'_, S> {
        CallBatch { handle: self, untold: false }
    }

    /// Sends a call and waits for its result.
    ///
    /// This waits for the actor's thread: not for real-time threads, and not from within the actor,
    /// which would wait for itself.
    ///
    /// # Errors
    /// Fails if the call was not sent (it is returned), or if there is no result: the timeout
    /// expired (the call may still be executed later), the call panicked, or the actor ended before
    /// it came to it.
    ///
    /// ```
    /// use hemiola_bus::{Actor, AnswerError, CallError};
    /// use std::time::Duration;
    ///
    /// let (mut actor, mut handle) = Actor::new(20, 4);
    /// let busy = handle.call(|_| (), Duration::from_millis(1)); // nobody runs the actor
    /// assert!(matches!(busy, Err(CallError::NoAnswer(AnswerError::TimedOut))));
    /// let thread = std::thread::spawn(move || actor.run_until_closed());
    /// assert_eq!(handle.call(|degrees| *degrees + 1, Duration::from_secs(1))?, 21);
    /// # drop(handle);
    /// # thread.join().unwrap();
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn call<R, F>(&mut self, call: F, timeout: Duration) -> Result<R, CallError<F>>
    where
        R: Send + 'static,
        F: FnOnce(&mut S) -> R + Send + 'static,
    {
        let deadline = monotonic_now() + timeout;
        let mut asker = self.ask(call).map_err(CallError::NotSent)?;
        let answer = asker.wait(Some(deadline)).map_err(CallError::NoAnswer)?;
        // SAFETY: the answer to this question was made with what `call` returned.
        Ok(unsafe { answer.into_value() })
    }

    /// Sends a call whose result can be awaited in any executor of futures. Wait-free.
    ///
    /// # Errors
    /// Fails if as many calls of this handle wait as its capacity allows, or the actor is gone. The
    /// call is returned.
    ///
    /// ```
    /// use hemiola_bus::Actor;
    /// use std::{future::Future, pin::pin, task::{Context, Poll, Waker}};
    ///
    /// let (mut actor, mut handle) = Actor::new(41, 4);
    /// let mut answer = pin!(handle.call_async(|state| *state + 1)?);
    /// let mut context = Context::from_waker(Waker::noop());
    /// assert_eq!(answer.as_mut().poll(&mut context), Poll::Pending);
    /// actor.run(1);
    /// assert_eq!(answer.as_mut().poll(&mut context), Poll::Ready(Ok(42)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn call_async<R, F>(&mut self, call: F) -> Result<CallFuture<R>, SendError<F>>
    where
        R: Send + 'static,
        F: FnOnce(&mut S) -> R + Send + 'static,
    {
        Ok(CallFuture { asker: self.ask(call)?, result: PhantomData })
    }

    fn ask<R, F>(&mut self, call: F) -> Result<Asker<Answer>, SendError<F>>
    where
        R: Send + 'static,
        F: FnOnce(&mut S) -> R + Send + 'static,
    {
        let (asker, answerer) = self.replies.open();
        self.push(Question { call, answerer }).map_err(|error| error.map(|question| question.call))?;
        Ok(asker)
    }

    #[inline]
    fn push<T: Task<S>>(&mut self, task: T) -> Result<(), SendError<T>> {
        if self.times_next::<T>() {
            return self.transfer(Timed::now(task)).map_err(|error| error.map(|timed| timed.task));
        }
        self.transfer(task)
    }

    /// Returns whether the next call records how long it waited.
    #[inline]
    fn times_next<T>(&self) -> bool {
        Timed::<T>::FITS && self.sender.sent().is_multiple_of(TIMED_ONE_OF) && self.handles.are_timed()
    }

    #[inline]
    fn transfer<T: Task<S>>(&mut self, task: T) -> Result<(), SendError<T>> {
        // SAFETY: `write` makes a call; what comes back is what was written last: the call that was
        // sent.
        unsafe { self.sender.send_with(task, Call::write, |call| call.into_task()) }
    }
}

/// Calls of one handle of which the actor is notified together, when this is dropped: see
/// [`ActorHandle::batch`].
///
/// ```
/// use hemiola_bus::{Actor, SendError};
///
/// let (mut actor, mut handle) = Actor::new(Vec::new(), 2);
/// let mut batch = handle.batch();
/// for number in 1..=3 {
///     while let Err(SendError::Full(_)) = batch.send(move |numbers| numbers.push(number)) {
///         actor.run(1); // as another thread would
///     }
/// }
/// drop(batch);
/// actor.run(8);
/// assert_eq!(actor.state(), &[1, 2, 3]);
/// ```
#[must_use = "the actor learns of the calls when this is dropped"]
pub struct CallBatch<'h, S: 'static> {
    handle: &'h mut ActorHandle<S>,
    /// Set while there are calls of which the actor was not notified.
    untold: bool,
}

impl<S: 'static> CallBatch<'_, S> {
    /// Sends a call, which the actor executes later. Wait-free. If the actor is gone when the batch
    /// is dropped, so are its calls.
    ///
    /// # Errors
    /// Fails if as many calls of this handle wait as its capacity allows. The call is returned, and
    /// the actor is notified of the others.
    #[inline]
    pub fn send<F>(&mut self, call: F) -> Result<(), SendError<F>>
    where
        F: FnOnce(&mut S) + Send + 'static,
    {
        let order = Order(call);
        let written = if self.handle.times_next::<Order<F>>() {
            self.write(Timed::now(order)).map_err(|timed| timed.task)
        } else {
            self.write(order)
        };
        match written {
            Ok(()) => {
                self.untold = true;
                Ok(())
            }
            Err(Order(call)) => {
                self.tell();
                Err(SendError::Full(call))
            }
        }
    }

    #[inline]
    fn write<T: Task<S>>(&mut self, task: T) -> Result<(), T> {
        // SAFETY: `write` makes a call.
        unsafe { self.handle.sender.write_with(task, Call::write) }
    }

    #[inline]
    fn tell(&mut self) {
        if std::mem::take(&mut self.untold) {
            // If the actor is gone, the last call is returned, and is dropped as the others are.
            _ = self.handle.sender.tell();
        }
    }
}

impl<S: 'static> Drop for CallBatch<'_, S> {
    #[inline]
    fn drop(&mut self) {
        self.tell();
    }
}

impl<S: 'static> Clone for ActorHandle<S> {
    /// Creates another sender. Allocates: not for real-time threads.
    fn clone(&self) -> Self {
        Self::new(self.sender.clone(), self.handles.clone())
    }
}

/// The future result of an [`ActorHandle::call_async`]. Dropping it does not cancel the call.
///
/// ```
/// use hemiola_bus::{Actor, AnswerError};
/// use std::{future::Future, pin::pin, task::{Context, Poll, Waker}};
///
/// let (actor, mut handle) = Actor::new((), 4);
/// let mut answer = pin!(handle.call_async(|()| "never")?);
/// drop(actor);
/// let mut context = Context::from_waker(Waker::noop());
/// assert_eq!(answer.as_mut().poll(&mut context), Poll::Ready(Err(AnswerError::Ended)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct CallFuture<R> {
    asker: Asker<Answer>,
    result: PhantomData<fn() -> R>,
}

impl<R> Future for CallFuture<R> {
    type Output = Result<R, AnswerError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        // SAFETY: the answer to this question was made with the R that the call returned.
        self.asker.poll(context.waker()).map(|answer| answer.map(|answer| unsafe { answer.into_value() }))
    }
}
