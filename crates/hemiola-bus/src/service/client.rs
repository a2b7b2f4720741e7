//! The asking end of a service.

use super::{Lane, Question, Service};
use crate::error::{AnswerError, CallError, SendError};
use crate::exchange::LatestReader;
use crate::reply::{Asker, Replies};
use hemiola_realtime::monotonic_now;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

/// Calls a service. A clone is a client of its own: what one client asks is served in order.
///
/// A client may exist before its server, and goes on with the next when one is gone.
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
/// Making a client allocates and waits for a lock. A call does not, as long as fewer of them wait for answers than once before.
///
/// An update asks without waiting, by [`Requests`](crate::Requests).
pub struct Client<Request: Send + 'static, Response: Send + 'static> {
    service: Arc<Service<Request, Response>>,
    lane: LatestReader<Option<Lane<Request, Response>>>,
    replies: Replies<Response>,
}

impl<Request: Send + 'static, Response: Send + 'static> Client<Request, Response> {
    pub(super) fn new(service: Arc<Service<Request, Response>>) -> Self {
        Client { lane: service.join(), service, replies: Replies::new() }
    }

    /// Sends a request, and waits for the answer. Not for real-time threads.
    ///
    /// # Errors
    /// The request was not sent (and comes back): nobody serves, or as many of this client's requests wait as may. Or there is no answer: the
    /// time is over, the server panicked over this request, or it ended. A request whose client has given up is not served any more,
    /// unless the server has begun.
    pub fn call(&mut self, request: Request, timeout: Duration) -> Result<Response, CallError<Request>> {
        let deadline = monotonic_now() + timeout;
        let mut asker = self.ask(request).map_err(CallError::NotSent)?;
        asker.wait(Some(deadline)).map_err(CallError::NoAnswer)
    }

    /// Sends a request. The answer can be awaited in any executor of futures. Wait-free.
    ///
    /// # Errors
    /// Nobody serves, or as many of this client's requests wait as may. The request comes back.
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

    fn ask(&mut self, request: Request) -> Result<Asker<Response>, SendError<Request>> {
        let (asker, answerer) = self.replies.open();
        let question = Question { request, answerer, spent: None };
        self.send(question).map(|()| asker).map_err(|error| error.map(|question| question.request))
    }

    /// To have this many requests on their way without allocating, and no more.
    pub(crate) fn prepare(&mut self, replies: usize) {
        self.replies = Replies::prepared(replies);
    }

    /// As [`ask`](Self::ask), but never allocates, and hands an answer back that is to be dropped.
    pub(crate) fn ask_prepared(
        &mut self,
        request: Request,
        spent: &mut Vec<Response>,
    ) -> Result<Asker<Response>, SendError<Request>> {
        let Some((asker, answerer)) = self.replies.open_prepared() else { return Err(SendError::Full(request)) };
        let sent = self.send(Question { request, answerer, spent: spent.pop() });
        sent.map(|()| asker).map_err(|error| {
            error.map(|question| {
                spent.extend(question.spent);
                question.request
            })
        })
    }

    fn send(&mut self, question: Question<Request, Response>) -> Result<(), SendError<Question<Request, Response>>> {
        self.lane.take();
        let mut result = self.push(question);
        // The server went and another came, just now.
        if let Err(SendError::NoReceiver(question)) = result {
            result = if self.lane.take() { self.push(question) } else { Err(SendError::NoReceiver(question)) };
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

/// The answer to [`Client::call_async`], some day. Dropping it gives up: if the server has not begun, it will not.
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
pub struct AnswerFuture<Response>(Asker<Response>);

impl<Response> Future for AnswerFuture<Response> {
    type Output = Result<Response, AnswerError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.poll(context.waker())
    }
}
