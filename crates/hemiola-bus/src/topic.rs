//! Messages to any number of receivers, in one address space, without copying (but to those that
//! ask for it).
//!
//! | file | what |
//! |---|---|
//! | `publisher` | fills a slot, and puts a reference to it into the lane of every receiver |
//! | `receivers` | the receivers of a publisher, and what happens to those that leave |
//! | `queue` | receives all messages, in order; `sample`: what it hands out |
//! | `latest` | receives the newest message; `newest`: the place from which it takes that |
//! | `pool` | the slots of a publisher, with counted references |
//! | `lane`, `cell` | a ring from one publisher to one queue; a place for one message |
//! | `references`, `copies` | what is in a lane: references to messages, or copies of them |
//! | `ledger` | how a publisher recovers the references that went through a lane |
//! | `room` | how a publisher that may wait learns of room in a lane |
//! | `seat` | the place of a publisher: in a cycle, in a source, or elsewhere |
//! | `hub` | the publishers and receivers that have joined, and what connects them |

mod cell;
mod copies;
mod hub;
mod lane;
mod latest;
mod ledger;
mod newest;
mod pool;
mod publisher;
mod queue;
mod receivers;
mod references;
mod room;
mod sample;
mod seat;

#[cfg(test)]
mod tests;

pub(crate) use hub::Hub;
pub use latest::Latest;
pub use publisher::{Loan, Publisher};
pub use queue::Queue;
pub use sample::{Batch, BatchIter, Sample};
pub(crate) use seat::Seat;

use crate::signal::Signal;
use crate::statistics::TopicReport;
use crate::when_full::WhenFull;
use copies::IsCopy;
use hemiola_realtime::Wakeup;
use std::fmt;
use std::sync::Arc;

/// The types that can be published: all types that threads can share and that have a default (slots
/// are made before the first message).
pub trait Message: Default + Send + Sync + 'static {}

impl<T: Default + Send + Sync + 'static> Message for T {}

/// A topic: every receiver receives what any publisher publishes. It exists while there is a handle
/// to it, a publisher or a receiver.
///
/// ```
/// use hemiola_bus::{Bus, Topic, WhenFull};
///
/// #[derive(Default)]
/// struct Pose { x: f32, y: f32 }
///
/// let bus = Bus::new();
/// let topic: Topic<Pose> = bus.topic("pose")?;
/// let mut queue = topic.queue(16, WhenFull::DropOldest);
/// let mut latest = topic.latest();
///
/// let mut publisher = topic.publisher();
/// publisher.publish(Pose { x: 1.0, y: 0.0 });
/// publisher.publish(Pose { x: 1.1, y: 0.1 });
///
/// while let Some(pose) = queue.receive() {
///     assert!(pose.x >= 1.0); // both
/// }
/// assert_eq!(latest.get().unwrap().y, 0.1); // the newest
/// # Ok::<(), hemiola_bus::BusError>(())
/// ```
pub struct Topic<T: Message>(Arc<Hub<T>>);

impl<T: Message> Topic<T> {
    pub(crate) fn new(hub: Arc<Hub<T>>) -> Self {
        Self(hub)
    }

    /// Returns the name of the topic.
    pub fn name(&self) -> &str {
        self.0.name()
    }

    /// Returns a number that identifies this topic, for as long as it exists.
    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    /// Creates a publisher.
    pub fn publisher(&self) -> Publisher<T> {
        self.publisher_at(Seat::Outside)
    }

    /// Creates a publisher that has a place of that kind.
    pub(crate) fn publisher_at(&self, seat: Seat) -> Publisher<T> {
        Publisher::join(self.0.clone(), seat)
    }

    /// Creates a receiver of all messages from now on, which keeps up to `capacity` of each
    /// publisher until they are received.
    ///
    /// Each publisher makes twice as many slots for the receiver: as many as it can keep, and as
    /// many as it can hold at once.
    ///
    /// # Panics
    /// Panics if the capacity is zero.
    pub fn queue(&self, capacity: usize, when_full: WhenFull) -> Queue<T> {
        self.queue_with_signal(capacity, when_full, Arc::new(Wakeup::new()).into())
    }

    /// Creates a [`queue`](Self::queue), a receiver of all messages, that is notified by `signal`.
    ///
    /// # Panics
    /// Panics if the capacity is zero.
    pub fn queue_with_signal(&self, capacity: usize, when_full: WhenFull, signal: Signal) -> Queue<T> {
        Queue::join(self.0.clone(), capacity, when_full, signal, None)
    }

    /// Creates a receiver of the newest message.
    pub fn latest(&self) -> Latest<T> {
        self.latest_with_signal(Signal::Nothing)
    }

    /// Creates a receiver of the newest message that is notified by `signal`.
    pub fn latest_with_signal(&self, signal: Signal) -> Latest<T> {
        Latest::join(self.0.clone(), signal)
    }

    /// Keeps the last message of each publisher, from now on, for receivers that join later: it is
    /// the first that they receive. This is for messages that are published rarely and stay valid,
    /// such as a map. Costs a publisher some 20 ns per message.
    ///
    /// ```
    /// use hemiola_bus::{Bus, WhenFull};
    ///
    /// let topic = Bus::new().topic("field")?;
    /// topic.keep_last();
    /// topic.publisher().publish([9.0, 6.0]);
    /// assert_eq!(topic.queue(1, WhenFull::DropOldest).receive().as_deref(), Some(&[9.0, 6.0]));
    /// assert_eq!(topic.latest().get().as_deref(), Some(&[9.0, 6.0]));
    /// # Ok::<(), hemiola_bus::BusError>(())
    /// ```
    pub fn keep_last(&self) {
        self.0.keep_last();
    }

    /// Returns the publishers and receivers that have joined, and the counts of what was published,
    /// received and dropped so far. Not for real-time threads.
    pub fn report(&self) -> TopicReport {
        self.0.report()
    }
}

impl<T: Message + Copy> Topic<T> {
    /// Creates a [`queue`](Self::queue) into which messages are copied, instead of references to
    /// them: for small messages at a high rate from one core to another, such as the samples of a
    /// sensor. It behaves as any other queue, and is notified by `signal`.
    ///
    /// The publisher is at its best if this is the topic's only receiver, and one that polls:
    /// [`Signal::Nothing`]. A queue that drops the oldest message gets references even so, because
    /// copies cannot be taken back; and so does every queue of a topic that [keeps its last
    /// message](Self::keep_last).
    ///
    /// ```
    /// use hemiola_bus::{Bus, Signal, WhenFull};
    ///
    /// let topic = Bus::new().topic("rotation rate")?;
    /// let mut rates = topic.queue_of_copies(64, WhenFull::DropNewest, Signal::Nothing);
    /// let mut gyroscope = topic.publisher();
    /// (1..=3).for_each(|number| gyroscope.publish(number as f32 / 10.0));
    /// assert_eq!(rates.batch(64).iter().map(|rate| *rate).collect::<Vec<_>>(), [0.1, 0.2, 0.3]);
    /// # Ok::<(), hemiola_bus::BusError>(())
    /// ```
    ///
    /// # Panics
    /// Panics if the capacity is zero.
    pub fn queue_of_copies(&self, capacity: usize, when_full: WhenFull, signal: Signal) -> Queue<T> {
        Queue::join(self.0.clone(), capacity, when_full, signal, Some(IsCopy::new()))
    }
}

impl<T: Message> Clone for Topic<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T: Message> fmt::Debug for Topic<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Topic").field(&self.name()).finish()
    }
}
