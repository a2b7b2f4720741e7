//! Statistics of what passes through an event loop.

use super::claims::Claims;
use super::ring::{Cursor, NEVER, Ring};
use crate::statistics::per_second;
use hemiola_realtime::{MonotonicTime, monotonic_now};
use hemiola_trace::Summary;

/// The state of an event loop at one moment, as [`Bus::event_loops`](crate::Bus::event_loops) lists
/// it.
///
/// ```
/// use hemiola_bus::{Bus, EventLoop, WaitStrategy};
///
/// let bus = Bus::with_timing();
/// let mut events = EventLoop::<u32>::new(4);
/// let mut referee = events.consumer(WaitStrategy::Park);
/// let mut log = events.consumer(WaitStrategy::Park);
/// let mut producer = events.producer();
/// bus.list_event_loop("game", &producer);
/// for goal in 1..=5 {
///     producer.publish(|event| *event = goal).ok();
/// }
/// referee.poll(|_| ());
///
/// let [game] = &bus.event_loops()[..] else { panic!("one event loop") };
/// assert_eq!((game.name.as_str(), game.capacity, game.published, game.refused), ("game", 4, 4, 1));
/// assert_eq!(game.consumers.iter().map(|consumer| (consumer.depth, consumer.deepest)).collect::<Vec<_>>(), [(0, 4), (4, 0)]);
/// assert_eq!(game.consumers[0].latency.unwrap().count, 1); // the first of sixteen
/// # drop(log);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventLoopReport {
    /// The name by which the event loop is listed.
    pub name: String,
    /// The time at which the report was made.
    pub at: MonotonicTime,
    /// The number of events for which its ring has room.
    pub capacity: u64,
    /// The number of producers.
    pub producers: usize,
    /// The number of events that were published or are being written.
    pub published: u64,
    /// The number of events that found no room.
    pub refused: u64,
    /// The consumers that have not left, in the order in which they joined.
    pub consumers: Vec<ConsumerReport>,
}

/// The state of a consumer of an event loop at one moment.
///
/// See [`EventLoopReport`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConsumerReport {
    /// The number of events that wait for the consumer.
    pub depth: u64,
    /// The largest number of waiting events that it ever found.
    pub deepest: u64,
    /// The time from publishing an event to handling it, in nanoseconds, to some 6 %; only of event
    /// loops that are listed on a bus that [measures time](crate::Bus::with_timing). Of each
    /// sixteen events, the first is measured: reading the clock takes longer than to publish and
    /// handle one.
    pub latency: Option<Summary>,
}

impl EventLoopReport {
    /// Returns the events per second since an earlier report of the same event loop; zero if no
    /// time has passed.
    pub fn rate_since(&self, earlier: &EventLoopReport) -> f64 {
        per_second((earlier.at, earlier.published), (self.at, self.published))
    }
}

impl<E, C: Claims> Ring<E, C> {
    pub(super) fn report<'c>(&self, name: &str, cursors: impl Iterator<Item = &'c Cursor>) -> EventLoopReport {
        let published = self.claims.claimed();
        let cursors = cursors.map(|cursor| (cursor, cursor.get())).filter(|(_, done)| *done != NEVER);
        let consumers = cursors.map(|(cursor, done)| ConsumerReport {
            // The consumer may be done with more by now.
            depth: published.saturating_sub(done),
            deepest: cursor.deepest(),
            latency: cursor.latency(),
        });
        EventLoopReport {
            name: name.to_owned(),
            at: monotonic_now(),
            capacity: self.capacity(),
            producers: self.producers(),
            published,
            refused: self.refused(),
            consumers: consumers.collect(),
        }
    }
}
