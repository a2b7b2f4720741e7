//! The server's end of a service.

use super::report::Figures;
use super::{Given, Lane, Question, Service, Tell};
use crate::error::{AnswerError, BusError};
use crate::exchange::Taken;
use crate::mailbox::{Inbox, Stop, Waited, mailbox};
use crate::panics::{Panics, drop_contained};
use crate::reply::Answerer;
use crate::signal::Signal;
use hemiola_realtime::{RealtimeError, ThreadReport, ThreadSettings, monotonic_now, spawn};
use hemiola_trace::Ticks;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

/// The number of requests that a running server answers before it visits all clients again.
const REQUESTS_PER_TURN: usize = 16;

/// Answers requests, where and when its owner asks for it: polled, or on a thread of its own
/// ([`spawn`](Self::spawn)).
///
/// ```
/// use hemiola_bus::Bus;
///
/// let bus = Bus::new();
/// let mut server = bus.server("add", 8)?;
/// let mut client = bus.client::<(i32, i32), i32>("add")?;
/// let answer = client.call_async((3, 4))?;
/// let mut sum = 0;
/// assert_eq!(server.run(8, |(a, b): &(i32, i32)| { sum += a + b; sum }), 1); // at most 8 requests in this turn
/// assert_eq!(sum, 7);
/// # drop(answer);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A request on which the handler panics is answered with
/// [`AnswerError::Panicked`](crate::AnswerError::Panicked); the others are answered as usual.
pub struct Server<Request: Send + 'static, Response: Send + 'static> {
    inbox: Inbox<Question<Request, Response>>,
    /// The service, which keeps the name.
    service: Arc<Service<Request, Response>>,
    panics: Panics,
    /// The one sender of a server that receives nothing: without senders nobody waits.
    _idle: Option<Lane<Request, Response>>,
}

impl<Request: Send + 'static, Response: Send + 'static> Server<Request, Response> {
    pub(super) fn new(
        service: Arc<Service<Request, Response>>,
        capacity: usize,
        signal: Signal,
    ) -> Result<Self, BusError> {
        let inbox = mailbox(capacity, signal);
        service.open(inbox.sender())?;
        Ok(Server { inbox, service, panics: Panics::default(), _idle: None })
    }

    /// Creates a server that receives nothing, as another process serves.
    pub(super) fn idle(service: Arc<Service<Request, Response>>, capacity: usize, signal: Signal) -> Self {
        let inbox = mailbox(capacity, signal);
        let idle = Some(inbox.sender());
        Server { inbox, service, panics: Panics::default(), _idle: idle }
    }

    /// Runs one turn: answers at most `limit` of the requests that wait, and returns how many.
    /// Never waits.
    pub fn run(&mut self, limit: usize, mut handle: impl FnMut(&Request) -> Response) -> usize {
        let mut left = limit;
        let Server { inbox, service, panics, .. } = self;
        let figures = &service.figures;
        if inbox.is_noted() {
            figures.look();
            let before = panics.count();
            panics.contain(|| inbox.drain(&mut left, |question| answer(figures, question, &mut None, &mut handle)));
            (before..panics.count()).for_each(|_| figures.panic());
        }
        limit - left
    }

    /// Answers the next request whose client waits for the answer. Sets `arrived` before it calls
    /// `handle`, which may panic.
    pub(crate) fn answer_next(&mut self, arrived: &mut Option<Arrived>, mut handle: impl FnMut(&Request) -> Response) {
        let Server { inbox, service, .. } = self;
        service.figures.look();
        let mut left = 1;
        while inbox.is_noted() && left == 1 && arrived.is_none() {
            inbox.drain(&mut left, |question| answer(&service.figures, question, arrived, &mut handle));
            // A request whose client has given up does not count.
            left = 1;
        }
    }

    /// Takes the next request whose client waits for the answer, which is given later.
    pub(super) fn receive(&mut self) -> Option<(Request, OpenRequest<Request, Response>)> {
        let Server { inbox, service, .. } = self;
        service.figures.look();
        let (mut left, mut received) = (1, None);
        while inbox.is_noted() && left == 1 && received.is_none() {
            inbox.drain(&mut left, |question| received = open(&service.figures, question));
            // A request whose client has given up does not count.
            left = 1;
        }
        let (request, given) = received?;
        Some((request, OpenRequest { service: service.clone(), given }))
    }

    /// Returns when the next request arrived at the executor that answers it.
    pub(crate) fn next_arrival(&mut self) -> Option<u64> {
        self.inbox.next_arrival()
    }

    /// Counts a panic of the handler in [`answer_next`](Self::answer_next).
    pub(crate) fn note_panic(&self) {
        self.service.figures.panic();
    }

    /// Returns how many requests wait: at least one if there may be some.
    pub(crate) fn waiting(&mut self) -> usize {
        if self.next_arrival().is_some() { self.service.figures.depth().max(1) as usize } else { 0 }
    }

    /// Sleeps until there may be a request, at most `timeout`.
    pub fn wait(&mut self, timeout: Duration) -> Waited {
        self.inbox.wait(Some(monotonic_now() + timeout))
    }

    /// Answers requests on a thread of its own, which sleeps while there are none, until the result
    /// is dropped.
    ///
    /// ```
    /// use hemiola_bus::Bus;
    /// use hemiola_realtime::ThreadSettings;
    /// use std::time::Duration;
    ///
    /// let bus = Bus::new();
    /// let mut snapshots = 0;
    /// let server = bus.server("save_snapshot", 4)?.spawn(ThreadSettings::new("snapshots"), move |folder: &String| {
    ///     snapshots += 1;
    ///     format!("{folder}/{snapshots}.snapshot")
    /// })?;
    /// let mut client = bus.client::<String, String>("save_snapshot")?;
    /// assert_eq!(client.call("logs".into(), Duration::from_secs(1))?, "logs/1.snapshot");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Fails if the thread cannot be created.
    pub fn spawn(
        mut self,
        settings: ThreadSettings,
        mut handle: impl FnMut(&Request) -> Response + Send + 'static,
    ) -> Result<RunningServer, RealtimeError> {
        let stop = self.inbox.stop();
        let spawned = spawn(settings, move || {
            while self.inbox.wait(None) != Waited::Closed {
                self.run(REQUESTS_PER_TURN, &mut handle);
            }
        })?;
        Ok(RunningServer { report: spawned.report, stop: Box::new(stop), thread: Some(spawned.thread) })
    }

    /// Returns how many requests to this service were left unanswered because their clients had
    /// given up, also by earlier servers.
    pub fn abandoned(&self) -> u64 {
        self.service.figures.abandoned()
    }

    /// Returns how many requests made the handler panic.
    pub fn panics(&self) -> u64 {
        self.panics.count()
    }

    /// Returns the message and the place of the handler's last panic.
    pub fn last_panic(&self) -> Option<&str> {
        self.panics.last()
    }

    /// Returns the name by which clients find the service.
    pub fn name(&self) -> &str {
        &self.service.name
    }
}

/// A request that has arrived at the server.
pub(crate) struct Arrived {
    pub(crate) number: u64,
    /// The time at which the request was sent, if that is measured.
    pub(crate) sent: Ticks,
}

/// The answer to a request that was taken, until it is given.
struct ToGive<Response> {
    answerer: Answerer<Given<Response>>,
    number: u64,
    sent: Ticks,
    told: Option<Arc<dyn Tell<Response>>>,
}

/// A request that was taken, and is answered later, on the server's thread.
pub(super) struct OpenRequest<Request: Send, Response: Send> {
    service: Arc<Service<Request, Response>>,
    given: ToGive<Response>,
}

impl<Request: Send, Response: Send> OpenRequest<Request, Response> {
    pub(super) fn answer(self, response: Response) {
        self.given.give(&self.service.figures, response);
    }

    /// Sends this error to the client instead of an answer.
    pub(super) fn refuse(self, error: AnswerError) {
        self.given.answerer.refuse(error);
    }
}

impl<Response> ToGive<Response> {
    fn give(self, figures: &Figures, response: Response) {
        let at = figures.now();
        figures.answer(self.sent, at);
        let number = self.told.map_or(0, |told| told.tell(&response));
        self.answerer.answer(Given { response, at, number });
    }
}

/// Takes a request, if anybody waits for the answer.
#[inline]
fn open<Request, Response>(
    figures: &Figures,
    question: Taken<'_, Question<Request, Response>>,
) -> Option<(Request, ToGive<Response>)> {
    let Question { request, number, sent, answerer, spent, told } = question.into_inner();
    drop(spent);
    figures.take();
    if !answerer.is_wanted() {
        figures.abandon();
        return None;
    }
    Some((request, ToGive { answerer, number, sent, told }))
}

/// Answers a request, if anybody waits for the answer.
fn answer<Request, Response>(
    figures: &Figures,
    question: Taken<'_, Question<Request, Response>>,
    arrived: &mut Option<Arrived>,
    handle: &mut impl FnMut(&Request) -> Response,
) {
    let Some((request, given)) = open(figures, question) else { return };
    *arrived = Some(Arrived { number: given.number, sent: given.sent });
    let response = handle(&request);
    given.give(figures, response);
}

/// A server on a thread of its own. Dropping it ends the service when the present request is
/// answered; clients whose requests wait are notified.
///
/// ```
/// use hemiola_bus::Bus;
/// use hemiola_realtime::ThreadSettings;
///
/// let bus = Bus::new();
/// let running = bus.server("now", 4)?.spawn(ThreadSettings::new("now"), |(): &()| std::time::Instant::now())?;
/// for denial in running.report().denials() {
///     eprintln!("{denial}"); // once, at start-up
/// }
/// assert!(bus.services()[0].is_served);
/// drop(running);
/// assert!(bus.services().is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RunningServer {
    report: ThreadReport,
    stop: Box<dyn Stop>,
    thread: Option<JoinHandle<()>>,
}

impl RunningServer {
    /// Returns what the system granted to the thread.
    pub fn report(&self) -> &ThreadReport {
        &self.report
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            // A panic has been printed where it happened, and cannot be returned here.
            drop_contained(thread.join());
        }
    }
}
