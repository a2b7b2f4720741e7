//! Statistics of what passes through the bus.

use crate::sync::{AtomicU64, Ordering};
use crate::when_full::WhenFull;
use hemiola_realtime::MonotonicTime;
use hemiola_trace::{Distribution, Summary, TickScale, Ticks};

/// The state of a topic at one moment.
///
/// ```
/// use hemiola_bus::{Bus, WhenFull};
///
/// let bus = Bus::new();
/// let topic = bus.topic::<f32>("battery")?;
/// let _queue = topic.queue(2, WhenFull::DropOldest);
/// let before = topic.report();
/// let mut publisher = topic.publisher();
/// (0..5).for_each(|_| publisher.publish(0.9));
///
/// let [battery] = &bus.topics()[..] else { panic!("one topic") };
/// assert_eq!((battery.name.as_str(), battery.type_name, battery.published), ("battery", "f32", 5));
/// assert_eq!((battery.subscribers[0].depth, battery.subscribers[0].dropped), (2, 3));
/// assert!(battery.rate_since(&before) > 5.0);
/// # Ok::<(), hemiola_bus::BusError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct TopicReport {
    /// The name of the topic.
    pub name: String,
    /// The type of its messages, as Rust names it.
    pub type_name: &'static str,
    /// The time at which the report was made.
    pub at: MonotonicTime,
    /// The number of publishers.
    pub publishers: usize,
    /// The number of messages that were published, also by publishers that have left.
    pub published: u64,
    /// The number of messages that found no room in a queue, also in queues that are gone. A
    /// message that is dropped from two counts twice.
    pub dropped: u64,
    /// The queues, then the receivers of the newest message, each in the order in which they
    /// joined.
    pub subscribers: Vec<SubscriberReport>,
}

impl TopicReport {
    /// Returns the messages per second since an earlier report of the same topic; zero if no time
    /// has passed.
    pub fn rate_since(&self, earlier: &TopicReport) -> f64 {
        per_second((earlier.at, earlier.published), (self.at, self.published))
    }
}

/// The state of a receiver of a topic at one moment.
///
/// ```
/// use hemiola_bus::{Bus, Receives, WhenFull};
///
/// let topic = Bus::with_timing().topic::<f32>("battery")?;
/// let mut queue = topic.queue(8, WhenFull::DropNewest);
/// topic.publisher().publish(0.9);
/// queue.receive();
/// let report = &topic.report().subscribers[0];
/// assert_eq!(report.receives, Receives::All { capacity: 8, when_full: WhenFull::DropNewest });
/// assert_eq!((report.delivered, report.depth, report.deepest), (1, 0, 1));
/// assert_eq!(report.latency.unwrap().count, 1);
/// # Ok::<(), hemiola_bus::BusError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct SubscriberReport {
    /// The messages that the receiver asked for.
    pub receives: Receives,
    /// The number of messages that the receiver received.
    pub delivered: u64,
    /// The number of messages that found no room in its queue; or, for a receiver of the newest
    /// message, that were replaced before they were received.
    pub dropped: u64,
    /// The number of messages that wait to be received.
    pub depth: u64,
    /// The largest number of waiting messages that the receiver ever found; the capacity of its
    /// queue for one publisher if a message was ever dropped.
    pub deepest: u64,
    /// The time from publishing to receiving, in nanoseconds, to some 6 %; only on a bus that
    /// [measures time](crate::Bus::with_timing).
    pub latency: Option<Summary>,
}

/// The messages that a receiver asks for.
///
/// ```
/// use hemiola_bus::{Bus, Receives};
///
/// let topic = Bus::new().topic::<f32>("battery")?;
/// let _battery = topic.latest();
/// assert_eq!(topic.report().subscribers[0].receives, Receives::Newest);
/// # Ok::<(), hemiola_bus::BusError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Receives {
    /// All messages, in order.
    All {
        /// The number of messages of each publisher that its queue can keep.
        capacity: usize,
        /// The policy for messages that find no room.
        when_full: WhenFull,
    },
    /// The newest message.
    Newest,
}

/// Returns how fast a figure grew from one moment to another; zero if no time has passed.
pub(crate) fn per_second(earlier: (MonotonicTime, u64), later: (MonotonicTime, u64)) -> f64 {
    let seconds = (later.0 - earlier.0).as_secs_f64();
    if seconds > 0.0 { later.1.saturating_sub(earlier.1) as f64 / seconds } else { 0.0 }
}

/// The number of calls or events of which one is timed: reading the clock on both sides takes
/// longer than to send and run one.
pub(crate) const TIMED_ONE_OF: u64 = 16;

/// A histogram of durations in steps of 1/16, filled by one thread that does not allocate.
pub(crate) struct Latencies {
    scale: TickScale,
    counts: Box<[AtomicU64]>,
}

/// The number of steps per power of two.
const STEPS: u64 = 16;

impl Latencies {
    pub(crate) fn new(scale: TickScale) -> Self {
        Self { scale, counts: (0..=step_of(u64::MAX)).map(|_| AtomicU64::new(0)).collect() }
    }

    /// Counts a duration. Only for the receiver.
    #[inline]
    pub(crate) fn record(&self, published: Ticks, received: Ticks) {
        let count = &self.counts[step_of(received.since(published))];
        count.store(count.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
    }

    pub(crate) fn summary(&self) -> Summary {
        let mut distribution = Distribution::new();
        for (step, count) in self.counts.iter().enumerate() {
            let nanoseconds = self.scale.nanoseconds_between(Ticks(0), Ticks(ticks_at(step)));
            let count = u32::try_from(count.load(Ordering::Relaxed)).unwrap_or(u32::MAX);
            distribution.record_many(nanoseconds, count);
        }
        distribution.summary()
    }
}

/// Returns the step of a duration: exact below [`STEPS`], then that many steps up to twice as much,
/// and so on.
fn step_of(ticks: u64) -> usize {
    let doublings = (ticks | (STEPS - 1)).ilog2() + 1 - STEPS.ilog2();
    match doublings {
        0 => ticks as usize,
        doublings => (u64::from(doublings) * STEPS + (ticks >> (doublings - 1)) - STEPS) as usize,
    }
}

/// Returns the middle of a step.
fn ticks_at(step: usize) -> u64 {
    let step = step as u64;
    match (step / STEPS).saturating_sub(1) {
        0 => step,
        shift => ((step % STEPS + STEPS) << shift) + (1 << (shift - 1)),
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn latencies_are_counted_to_six_percent() {
        for ticks in (0..100_000).chain((20..64).map(|power| (1 << power) + 12_345)) {
            let back = ticks_at(step_of(ticks));
            assert!(back.abs_diff(ticks) as f64 <= ticks as f64 / 16.0, "{ticks} became {back}");
        }
        assert!(step_of(u64::MAX) < 1000);
    }
}
