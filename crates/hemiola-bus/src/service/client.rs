//! The client's end of a service.

use super::{Given, Lane, Question, Service, Tell};
use crate::error::{AnswerError, CallError, SendError};
use crate::exchange::LatestReader;
use crate::reply::{Answerer, Asker, Replies};
use hemiola_realtime::monotonic_now;
use hemiola_trace::Ticks;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

/// Calls a service. A clone is a client of its own: the requests of one client are served in order.
///
/// A client may exist before its server, and goes on with the next server when one is gone.
///
/// ```
/// use hemiola_bus::{Bus, CallError, SendError};
/// use hemiola_realtime::ThreadSettings;
/// use std::time::Duration;
///
/// let bus = Bus::new();
/// let mut inverse = bus.client::<f64, Result<f64, String>>("inverse")?;
/// let nobody = inverse.call(4.0, Duration::from_secs(1));
/// assert!(matches!(nobody, Err(CallError::NotSent(SendError::NoReceiver(4.0)))));
///
/// let server = bus.server("inverse", 8)?.spawn(ThreadSettings::new("inverse"), |number: &f64| {
///     if *number == 0.0 { Err("zero has none".to_string()) } else { Ok(1.0 / number) }
/// })?;
/// assert_eq!(inverse.call(4.0, Duration::from_secs(1))?, Ok(0.25));
/// assert!(inverse.call(0.0, Duration::from_secs(1))?.is_err()); // what can fail says so in its answer
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Making a client allocates and waits for a lock. A call does not, as long as fewer of them wait
/// for answers than did at the busiest moment so far.
///
/// An update sends requests without waiting, by [`Requests`](crate::Requests).
pub struct Client<Request: Send + 'static, Response: Send + 'static> {
    service: Arc<Service<Request, Response>>,
    lane: LatestReader<Option<Lane<Request, Response>>>,
    replies: Replies<Given<Response>>,
}

impl<Request: Send + 'static, Response: Send + 'static> Client<Request, Response> {
    pub(super) fn new(service: Arc<Service<Request, Response>>) -> Self {
        Client { lane: service.join(), service, replies: Replies::new() }
    }

    /// Sends a request, and waits for the answer. Not for real-time threads.
    ///
    /// # Errors
    /// Fails if the request was not sent (it is returned): nobody serves, or as many of this
    /// client's requests wait as the server's capacity allows. It also fails if there is no answer:
    /// the timeout expired, the server panicked on this request, or it ended. A request whose
    /// client has given up is no longer served, unless the server has begun with it.
    pub fn call(&mut self, request: Request, timeout: Duration) -> Result<Response, CallError<Request>> {
        let deadline = monotonic_now() + timeout;
        let mut pending = self.ask(request).map_err(CallError::NotSent)?;
        let given = pending.asker.wait(Some(deadline)).map_err(CallError::NoAnswer)?;
        Ok(given.response)
    }

    /// Sends a request. The answer can be awaited in any executor of futures. Wait-free.
    ///
    /// # Errors
    /// Fails if nobody serves, or if as many of this client's requests wait as the server's
    /// capacity allows. The request is returned.
    ///
    /// ```
    /// use hemiola_bus::Bus;
    /// use std::{future::Future, pin::pin, task::{Context, Poll, Waker}};
    ///
    /// let bus = Bus::new();
    /// let mut server = bus.server("square", 8)?;
    /// let mut answer = pin!(bus.client("square")?.call_async(7)?);
    /// let mut context = Context::from_waker(Waker::noop());
    /// assert!(answer.as_mut().poll(&mut context).is_pending());
    /// server.run(1, |number: &i32| number * number);
    /// assert_eq!(answer.as_mut().poll(&mut context), Poll::Ready(Ok(49)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn call_async(&mut self, request: Request) -> Result<AnswerFuture<Response>, SendError<Request>> {
        Ok(AnswerFuture(self.ask(request)?))
    }

    pub(crate) fn ask(&mut self, request: Request) -> Result<Pending<Response>, SendError<Request>> {
        let reply = self.replies.open();
        self.send(request, reply, None).map_err(|error| error.map(|question| question.request))
    }

    /// Prepares to have this many requests on their way without allocating, and no more.
    pub(crate) fn prepare(&mut self, replies: usize) {
        self.replies = Replies::prepared(replies);
    }

    /// Sends a request as [`ask`](Self::ask) does, but never allocates, and passes one of the spent
    /// answers to the server, which drops it.
    pub(crate) fn ask_prepared(
        &mut self,
        request: Request,
        spent: &mut Vec<Response>,
    ) -> Result<Pending<Response>, SendError<Request>> {
        let Some(reply) = self.replies.open_prepared() else { return Err(SendError::Full(request)) };
        self.send(request, reply, spent.pop()).map_err(|error| {
            error.map(|question| {
                spent.extend(question.spent);
                question.request
            })
        })
    }

    /// Sends a request as [`ask_prepared`](Self::ask_prepared) does, whose answer is told. If there
    /// was [room](Self::room) and it cannot be sent all the same, as the server has just ended, it
    /// is sent nowhere, and its answer is that the server has ended.
    pub(crate) fn ask_told(
        &mut self,
        request: Request,
        spent: &mut Vec<Response>,
        told: &Arc<dyn Tell<Response>>,
    ) -> Result<Pending<Response>, SendError<Request>> {
        let Some((asker, answerer)) = self.replies.open_prepared() else { return Err(SendError::Full(request)) };
        let (number, sent) = (self.service.figures.number(), self.service.figures.now());
        let told = Some(told.clone());
        let question = Question { request, number, sent, answerer, spent: spent.pop(), told };
        if let Err(error) = self.send_question(question) {
            spent.extend(error.into_inner().spent);
        }
        Ok(Pending { asker, number, answered: Ticks(0), told: 0 })
    }

    /// Counts a request that is returned without an attempt to send it.
    pub(crate) fn refuse(&self) {
        self.service.figures.number();
        self.service.figures.refuse();
    }

    /// Returns how many requests can be sent now, up to `most`; `None` if nobody serves. Wait-free.
    pub(crate) fn room(&mut self, most: usize) -> Option<usize> {
        self.lane.take();
        let room = self.lane.with_front_mut(|lane| lane.as_ref().and_then(Lane::room))?;
        Some(room.min(self.replies.free_up_to(most)))
    }

    /// Returns the name by which servers are found.
    pub(crate) fn name(&self) -> &str {
        &self.service.name
    }

    fn send(
        &mut self,
        request: Request,
        (asker, answerer): (Asker<Given<Response>>, Answerer<Given<Response>>),
        spent: Option<Response>,
    ) -> Result<Pending<Response>, SendError<Question<Request, Response>>> {
        let (number, sent) = (self.service.figures.number(), self.service.figures.now());
        let question = Question { request, number, sent, answerer, spent, told: None };
        self.send_question(question).map(|()| Pending { asker, number, answered: Ticks(0), told: 0 })
    }

    fn send_question(
        &mut self,
        question: Question<Request, Response>,
    ) -> Result<(), SendError<Question<Request, Response>>> {
        self.lane.take();
        let mut result = self.push(question);
        // The server was replaced by another one just now.
        if let Err(SendError::NoReceiver(question)) = result {
            result = if self.lane.take() { self.push(question) } else { Err(SendError::NoReceiver(question)) };
        }
        if result.is_err() {
            self.service.figures.refuse();
        }
        result
    }

    fn push(&mut self, question: Question<Request, Response>) -> Result<(), SendError<Question<Request, Response>>> {
        self.lane.with_front_mut(|lane| match lane {
            Some(lane) => lane.send(question),
            None => Err(SendError::NoReceiver(question)),
        })
    }
}

impl<Request: Send + 'static, Response: Send + 'static> Clone for Client<Request, Response> {
    fn clone(&self) -> Self {
        Self::new(self.service.clone())
    }
}

/// The future answer to a [`Client::call_async`]. Dropping it gives up the request: if the server
/// has not begun with it, it will not.
///
/// ```
/// use hemiola_bus::Bus;
///
/// let bus = Bus::new();
/// let mut server = bus.server::<u8, u8>("double", 8)?;
/// drop(bus.client::<u8, u8>("double")?.call_async(7)?);
/// server.run(8, |_| panic!("nobody wants to know"));
/// assert_eq!((server.panics(), server.abandoned()), (0, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct AnswerFuture<Response>(Pending<Response>);

impl<Response> Future for AnswerFuture<Response> {
    type Output = Result<Response, AnswerError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.poll(context.waker())
    }
}

/// A request that was sent.
pub(crate) struct Pending<Response> {
    asker: Asker<Given<Response>>,
    number: u64,
    answered: Ticks,
    /// The number of the answer among those that were told.
    told: u64,
}

impl<Response> Pending<Response> {
    /// Takes the answer, if it is there. Call it until it is.
    pub(crate) fn take(&mut self) -> Option<Result<Response, AnswerError>> {
        let answer = self.asker.take()?;
        Some(self.receive(answer))
    }

    /// Takes the answer, if it is there; otherwise `waker` will be used when it is.
    pub(crate) fn poll(&mut self, waker: &Waker) -> Poll<Result<Response, AnswerError>> {
        self.asker.poll(waker).map(|answer| self.receive(answer))
    }

    fn receive(&mut self, answer: Result<Given<Response>, AnswerError>) -> Result<Response, AnswerError> {
        let Given { response, at, number } = answer?;
        (self.answered, self.told) = (at, number);
        Ok(response)
    }

    /// Returns the number of the request.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Returns the number of the answer among those that were told, if it was.
    pub(crate) fn told(&self) -> u64 {
        self.told
    }

    /// Returns when the answer was given, if it was given and that is measured.
    pub(crate) fn answered(&self) -> Option<Ticks> {
        (self.answered != Ticks(0)).then_some(self.answered)
    }
}
