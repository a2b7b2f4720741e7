//! Statistics of what passes through a service.

use std::any::type_name;

use hemiola_realtime::{MonotonicTime, monotonic_now};
use hemiola_trace::{Summary, TickScale, Ticks};

use super::Service;
use crate::statistics::{Latencies, per_second};
use crate::sync::{AtomicU64, Ordering};

/// The state of a service at one moment, as [`Bus::services`](crate::Bus::services) lists it.
///
/// ```
/// use hemiola_bus::Bus;
///
/// let bus = Bus::with_timing();
/// let mut calibrate = bus.client::<f32, bool>("calibrate")?;
/// let before = &bus.services()[0];
/// assert_eq!((before.name.as_str(), before.signature, before.is_served), ("calibrate", "fn(f32) -> bool", false));
///
/// let mut server = bus.server("calibrate", 8)?;
/// let answers = [0.5, 0.75].map(|angle| calibrate.call_async(angle));
/// server.run(1, |angle: &f32| *angle < 0.6);
/// let report = &bus.services()[0];
/// assert_eq!((report.requests, report.answered, report.depth, report.deepest), (2, 1, 1, 2));
/// assert_eq!(report.latency.map(|latency| latency.count), Some(1));
/// assert!(report.rate_since(before) > 2.0);
/// # drop(answers);
/// # Ok::<(), hemiola_bus::BusError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ServiceReport {
    /// The name by which the service is found.
    pub name: String,
    /// The types of its requests and answers, as a function's.
    pub signature: &'static str,
    /// The time at which the report was made.
    pub at: MonotonicTime,
    /// Set if the service has a server now.
    pub is_served: bool,
    /// The number of clients, asking or not.
    pub clients: usize,
    /// The number of requests that were sent.
    pub requests: u64,
    /// The number of requests that were returned unsent because their client's lane was full or
    /// nobody served.
    pub refused: u64,
    /// The number of requests that were answered.
    pub answered: u64,
    /// The number of requests that were left unanswered because their clients had given up.
    pub abandoned: u64,
    /// The number of requests that made the handler panic.
    pub panics: u64,
    /// The number of requests that wait.
    pub depth: u64,
    /// The largest number of waiting requests that the server ever found.
    pub deepest: u64,
    /// The time from sending a request to its answer, in nanoseconds, to some 6 %; only on a bus
    /// that [measures time](crate::Bus::with_timing).
    pub latency: Option<Summary>,
}

impl ServiceReport {
    /// Returns the requests per second since an earlier report of the same service; zero if no time
    /// has passed.
    pub fn rate_since(&self, earlier: &ServiceReport) -> f64 {
        per_second((earlier.at, earlier.requests), (self.at, self.requests))
    }
}

/// The counts of a service: the clients count requests, the server everything else.
pub(super) struct Figures {
    numbered: AtomicU64,
    refused: AtomicU64,
    taken: AtomicU64,
    answered: AtomicU64,
    abandoned: AtomicU64,
    panics: AtomicU64,
    deepest: AtomicU64,
    latencies: Option<Latencies>,
}

impl Figures {
    pub(super) fn new(scale: Option<TickScale>) -> Self {
        let [numbered, refused, taken, answered, abandoned, panics, deepest] = Default::default();
        let latencies = scale.map(Latencies::new);
        Self { numbered, refused, taken, answered, abandoned, panics, deepest, latencies }
    }

    /// Returns the present time, if that is measured, otherwise zero.
    #[inline]
    pub(super) fn now(&self) -> Ticks {
        if self.latencies.is_some() { Ticks::now() } else { Ticks(0) }
    }

    /// Returns the number of a request that is about to be sent.
    pub(super) fn number(&self) -> u64 {
        self.numbered.fetch_add(1, Ordering::Relaxed)
    }

    /// Counts a request that has a number and was not sent.
    pub(super) fn refuse(&self) {
        self.refused.fetch_add(1, Ordering::Relaxed);
    }

    /// Records how many requests the server finds.
    pub(super) fn look(&self) {
        let depth = self.depth();
        if depth > self.deepest.load(Ordering::Relaxed) {
            self.deepest.store(depth, Ordering::Relaxed);
        }
    }

    pub(super) fn take(&self) {
        add(&self.taken);
    }

    pub(super) fn answer(&self, sent: Ticks, answered: Ticks) {
        add(&self.answered);
        if let Some(latencies) = &self.latencies {
            latencies.record(sent, answered);
        }
    }

    pub(super) fn abandon(&self) {
        add(&self.abandoned);
    }

    pub(super) fn panic(&self) {
        add(&self.panics);
    }

    /// Counts the requests that an earlier server left behind as taken, because nobody takes them
    /// any more.
    pub(super) fn forget_waiting(&self) {
        self.taken.store(self.sent(), Ordering::Relaxed);
    }

    pub(super) fn abandoned(&self) -> u64 {
        self.abandoned.load(Ordering::Relaxed)
    }

    /// Returns how many requests wait for the server.
    pub(super) fn depth(&self) -> u64 {
        self.sent().saturating_sub(self.taken.load(Ordering::Relaxed))
    }

    /// Returns how many requests were sent; for a moment, also those that are refused in the end.
    fn sent(&self) -> u64 {
        let refused = self.refused.load(Ordering::Relaxed);
        self.numbered.load(Ordering::Relaxed).saturating_sub(refused)
    }
}

/// Adds one to a figure that only the server writes.
fn add(figure: &AtomicU64) {
    figure.store(figure.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
}

impl<Request: Send, Response: Send> Service<Request, Response> {
    pub(super) fn report(&self) -> ServiceReport {
        let (is_served, clients) = {
            let ends = self.ends();
            (ends.is_served(), ends.clients.iter().filter(|client| client.is_read()).count())
        };
        let figures = &self.figures;
        let [refused, answered, panics, deepest] =
            [&figures.refused, &figures.answered, &figures.panics, &figures.deepest]
                .map(|figure| figure.load(Ordering::Relaxed));
        ServiceReport {
            name: self.name.clone(),
            signature: type_name::<fn(Request) -> Response>(),
            at: monotonic_now(),
            is_served,
            clients,
            requests: figures.sent(),
            refused,
            answered,
            abandoned: figures.abandoned(),
            panics,
            depth: if is_served { figures.depth() } else { 0 },
            deepest,
            latency: figures.latencies.as_ref().map(Latencies::summary),
        }
    }
}
