//! Callbacks that answer requests, and callbacks for answers.

use std::sync::Arc;
use std::task::{Poll, Wake, Waker};

use super::agenda::Kind;
use super::callback::{Call, CallbackId, Figures, Left, Priority, Reason, Runnable};
use super::registry::Newcomer;
use super::{Executor, ExecutorHandle};
use crate::bus::Bus;
use crate::error::{BusError, CallError};
use crate::ready::Ready;
use crate::service::{Arrived, Client, Pending, Server};

impl Executor {
    /// Answers the requests to the service of that name by calling `answer`, until the callback is
    /// removed.
    ///
    /// Of each client, `capacity` requests may wait. A request on which `answer` panics is answered
    /// with [`AnswerError::Panicked`](crate::AnswerError::Panicked); the others are answered as
    /// usual.
    ///
    /// # Errors
    /// Returns [`BusError::AlreadyServed`], [`BusError::OtherType`] or
    /// [`BusError::TooManyCallbacks`].
    ///
    /// ```
    /// use hemiola_bus::{Bus, Executor, Priority, RobotClock};
    /// use std::sync::Arc;
    ///
    /// let bus = Bus::new();
    /// let mut executor = Executor::new("arm", &Arc::new(RobotClock::running(1.0)));
    /// executor.serve(&bus, "grip", Priority(10), 4, |force: &f32| *force < 20.0)?;
    /// let mut grip = bus.client::<f32, bool>("grip")?;
    /// let answer = grip.call_async(5.0);
    /// assert_eq!(executor.run_ready(), 1);
    /// # drop(answer);
    /// # Ok::<(), hemiola_bus::BusError>(())
    /// ```
    ///
    /// # Panics
    /// Panics if the capacity is zero.
    pub fn serve<Request: Send + 'static, Response: Send + 'static>(
        &mut self,
        bus: &Bus,
        service: &str,
        priority: Priority,
        capacity: usize,
        answer: impl FnMut(&Request) -> Response + Send + 'static,
    ) -> Result<CallbackId, BusError> {
        let added = self.handle.serve(bus, service, priority, capacity, answer);
        self.make_changes();
        added
    }

    /// Sends a request, and calls `callback` once with what [`Client::call`] would have returned
    /// after a wait without a time limit. Removing the callback cancels the request.
    ///
    /// # Errors
    /// Returns [`BusError::TooManyCallbacks`] if there is no room for the callback; the request is
    /// not sent then.
    ///
    /// ```
    /// use hemiola_bus::{Bus, Executor, Priority, RobotClock};
    /// use std::sync::{Arc, mpsc};
    ///
    /// let bus = Bus::new();
    /// let mut executor = Executor::new("arm", &Arc::new(RobotClock::running(1.0)));
    /// executor.serve(&bus, "grip", Priority(10), 4, |force: &f32| *force < 20.0)?;
    /// let (sent, answers) = mpsc::channel();
    /// executor.call(&mut bus.client("grip")?, 5.0_f32, Priority(1), move |answer| sent.send(answer).unwrap())?;
    /// executor.run_ready();
    /// assert_eq!(answers.try_iter().collect::<Vec<_>>(), [Ok(true)]);
    /// # Ok::<(), hemiola_bus::BusError>(())
    /// ```
    pub fn call<Request: Send + 'static, Response: Send + 'static>(
        &mut self,
        client: &mut Client<Request, Response>,
        request: Request,
        priority: Priority,
        callback: impl FnOnce(Result<Response, CallError<Request>>) + Send + 'static,
    ) -> Result<CallbackId, BusError> {
        let added = self.handle.call(client, request, priority, callback);
        self.make_changes();
        added
    }
}

impl ExecutorHandle {
    /// Answers the requests to a service: see [`Executor::serve`].
    ///
    /// # Errors
    /// Returns the errors of [`Executor::serve`], [`BusError::ExecutorBusy`] or
    /// [`BusError::ExecutorGone`].
    ///
    /// # Panics
    /// Panics if the capacity is zero.
    pub fn serve<Request: Send + 'static, Response: Send + 'static>(
        &self,
        bus: &Bus,
        service: &str,
        priority: Priority,
        capacity: usize,
        answer: impl FnMut(&Request) -> Response + Send + 'static,
    ) -> Result<CallbackId, BusError> {
        self.add(newcomer(service, "requests", priority), |ready, figures| {
            let server = bus.server_with_signal(service, capacity, ready.into())?;
            Ok(Box::new(Served { server, answer, figures }))
        })
    }

    /// Sends a request, and calls `callback` with the answer: see [`Executor::call`]. For threads
    /// that may wait for a lock and allocate.
    ///
    /// # Errors
    /// Returns the errors of [`Executor::call`], [`BusError::ExecutorBusy`] or
    /// [`BusError::ExecutorGone`].
    pub fn call<Request: Send + 'static, Response: Send + 'static>(
        &self,
        client: &mut Client<Request, Response>,
        request: Request,
        priority: Priority,
        callback: impl FnOnce(Result<Response, CallError<Request>>) + Send + 'static,
    ) -> Result<CallbackId, BusError> {
        let name = client.name().to_owned();
        self.add(newcomer(&name, "answers", priority), |ready, figures| {
            let answer = client.ask(request).map_err(CallError::NotSent);
            let waker = Arc::new(ready.clone()).into();
            Ok(Box::new(Answered { answer: Some(answer), callback: Some(callback), waker, ready, figures }))
        })
    }
}

/// Returns the description of a callback for the requests or the answers of a service.
fn newcomer(service: &str, what: &str, priority: Priority) -> Newcomer {
    let name = format!("{service} {what}");
    Newcomer { kind: Kind::Message, topic: Some(name.clone()), name, priority, period: None, messages: None }
}

struct Served<Request: Send + 'static, Response: Send + 'static, A> {
    server: Server<Request, Response>,
    answer: A,
    figures: Arc<Figures>,
}

impl<Request, Response, A> Runnable for Served<Request, Response, A>
where
    Request: Send + 'static,
    Response: Send + 'static,
    A: FnMut(&Request) -> Response + Send,
{
    fn arrived(&mut self) -> Option<u64> {
        self.server.next_arrival()
    }

    fn waiting(&mut self) -> usize {
        self.server.waiting()
    }

    fn run(&mut self, call: &mut Call<'_>) -> Left {
        let Self { server, answer, figures } = self;
        let mut arrived = None;
        figures.contain(call, || server.answer_next(&mut arrived, answer));
        let Some(Arrived { number, sent }) = arrived else { return Left::WasIdle };
        if call.panics > 0 {
            server.note_panic();
        }
        call.note(Reason::Message { sequence: number, published: Some(sent) }, 1);
        figures.count(0);
        if server.waiting() > 0 { Left::More } else { Left::Nothing }
    }
}

struct Answered<Request: Send + 'static, Response: Send + 'static, C> {
    /// The answer, until the callback is called.
    answer: Option<Result<Pending<Response>, CallError<Request>>>,
    callback: Option<C>,
    waker: Waker,
    /// The notification by which the waker marks the callback as ready: the waker is made of a
    /// clone of it.
    ready: Ready,
    figures: Arc<Figures>,
}

impl<Request, Response, C> Runnable for Answered<Request, Response, C>
where
    Request: Send + 'static,
    Response: Send + 'static,
    C: FnOnce(Result<Response, CallError<Request>>) + Send,
{
    fn arrived(&mut self) -> Option<u64> {
        self.ready.oldest()
    }

    fn waiting(&mut self) -> usize {
        1
    }

    fn run(&mut self, call: &mut Call<'_>) -> Left {
        let mut reason = Reason::Message { sequence: 0, published: None };
        let answer = match self.answer.take() {
            None => return Left::Over,
            Some(Err(error)) => Err(error),
            Some(Ok(mut pending)) => match pending.poll(&self.waker) {
                Poll::Pending => {
                    self.answer = Some(Ok(pending));
                    return Left::WasIdle;
                }
                Poll::Ready(answer) => {
                    reason = Reason::Message { sequence: pending.number(), published: pending.answered() };
                    answer.map_err(CallError::NoAnswer)
                }
            },
        };
        call.note(reason, 1);
        self.figures.count(0);
        if let Some(callback) = self.callback.take() {
            self.figures.contain(call, || callback(answer));
        }
        Left::Over
    }
}

impl Wake for Ready {
    fn wake(self: Arc<Self>) {
        self.raise();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.raise();
    }
}
