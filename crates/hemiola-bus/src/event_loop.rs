//! A ring of events that all consumers see in one order.
//!
//! The crate `disruptor` is as fast but cannot do three things that a robot needs: let a consumer
//! sleep without polling, go on after a producer or consumer that panicked, and return an error
//! where a producer must not wait (its clones lock, too).

mod claims;
mod consumer;
mod producer;
#[cfg_attr(loom, expect(dead_code, reason = "what is listed is held weakly, for which loom has nothing"))]
mod report;
#[cfg_attr(loom, expect(dead_code, reason = "as above"))]
mod ring;

pub(crate) use claims::Claims;
pub use claims::{ManyProducers, OneProducer};
pub use consumer::{Consumer, EventBatch};
pub use producer::{EventSlots, Producer};
pub use report::{ConsumerReport, EventLoopReport};

use crate::sync::Arc;
use ring::{Cursor, Ring};
use std::time::Duration;

/// A ring of pre-made events: producers write them in place, and every consumer sees all of them,
/// in one order.
///
/// The consumers join first, then the first producer is made. An `enum` carries several kinds of
/// events.
///
/// ```
/// use hemiola_bus::{EventLoop, WaitStrategy};
///
/// #[derive(Default)]
/// enum Event { #[default] Nothing, Whistle, Fallen { forward: bool } }
///
/// let mut events = EventLoop::new(64);
/// let mut referee = events.consumer(WaitStrategy::Park);
/// let mut log = events.consumer_after(&[&referee], WaitStrategy::Park); // sees an event when the referee is done with it
/// let mut audio = events.producer();
/// let mut motion = audio.clone();
/// audio.publish(|event| *event = Event::Whistle)?;
/// motion.publish(|event| *event = Event::Fallen { forward: true })?;
/// assert_eq!(log.poll(|_| ()), 0);
/// assert_eq!(referee.poll(|event| assert!(!matches!(event, Event::Nothing))), 2);
/// assert_eq!(log.poll(|_| ()), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Publishing never waits for consumers: if the ring is full, it returns an error and counts it.
/// Producers never wait for each other either, but consumers do: they see an event when all earlier
/// ones are written. Where a producer that is preempted while it writes must not delay the events
/// of others, use an [`Actor`](crate::Actor) or a topic, where senders have lanes of their own.
pub struct EventLoop<E, C: Claims = ManyProducers> {
    ring: Arc<Ring<E, C>>,
    cursors: Vec<Arc<Cursor>>,
}

/// The way in which a consumer waits while there is nothing to consume.
///
/// ```
/// use hemiola_bus::{EventLoop, WaitStrategy};
/// use std::time::Duration;
///
/// let mut events = EventLoop::<u64>::new(64);
/// let control = events.consumer(WaitStrategy::SpinThenPark(Duration::from_micros(50))); // for what comes often
/// let log = events.consumer(WaitStrategy::Park);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitStrategy {
    /// Polls all the time: a new event is seen within a transfer from core to core. Takes a whole
    /// core.
    Spin,
    /// Polls for so long, then sleeps.
    SpinThenPark(Duration),
    /// Sleeps at once. Waking takes microseconds, and the producer pays for it.
    Park,
}

impl<E: Default + Send + Sync + 'static> EventLoop<E> {
    /// Creates a ring of `capacity` events (or the next power of two) for any number of producers.
    ///
    /// # Panics
    /// Panics if the capacity is zero.
    pub fn new(capacity: usize) -> Self {
        Self::with_claims(capacity, ManyProducers::of::<E>(rounded(capacity)))
    }

    /// Creates a ring of `capacity` events (or the next power of two) for one producer, which is
    /// then faster.
    ///
    /// ```
    /// use hemiola_bus::{EventLoop, WaitStrategy};
    ///
    /// let mut events = EventLoop::for_one_producer(1024);
    /// let mut consumer = events.consumer(WaitStrategy::Spin);
    /// let mut producer = events.producer();
    /// for angle in [0.1, 0.2, 0.3] {
    ///     producer.publish(move |event| *event = angle)?;
    /// }
    /// let mut sum = 0.0;
    /// consumer.poll(|angle| sum += angle);
    /// assert!((sum - 0.6_f64).abs() < 1e-9);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Panics
    /// Panics if the capacity is zero.
    pub fn for_one_producer(capacity: usize) -> EventLoop<E, OneProducer> {
        EventLoop::with_claims(capacity, OneProducer::new())
    }
}

fn rounded(capacity: usize) -> usize {
    assert!(capacity > 0, "a ring has room for at least one event");
    capacity.checked_next_power_of_two().expect("a ring has room for less than half of all numbers")
}

impl<E: Default + Send + Sync + 'static, C: Claims> EventLoop<E, C> {
    fn with_claims(capacity: usize, claims: C) -> Self {
        EventLoop { ring: Arc::new(Ring::new(rounded(capacity), claims)), cursors: Vec::new() }
    }

    /// Creates a consumer that sees all events.
    pub fn consumer(&mut self, wait: WaitStrategy) -> Consumer<E, C> {
        self.consumer_after(&[], wait)
    }

    /// Creates a consumer that sees an event when all of these others are done with it.
    pub fn consumer_after(&mut self, others: &[&Consumer<E, C>], wait: WaitStrategy) -> Consumer<E, C> {
        let cursor = Arc::new(Cursor::new());
        self.cursors.push(cursor.clone());
        let after = others.iter().map(|other| other.cursor().clone()).collect();
        Consumer::new(self.ring.clone(), cursor, after, wait)
    }

    /// Returns the producer: from here on events flow, and no consumer can join.
    pub fn producer(self) -> Producer<E, C> {
        Producer::new(self.ring, Arc::new(self.cursors))
    }
}

#[cfg(test)]
mod tests;
