//! Policies for a message for which there is no room.

/// The policy for a message for which a queue has no room.
///
/// ```
/// use hemiola_bus::{Bus, WhenFull};
///
/// let topic = Bus::new().topic("count")?;
/// let mut publisher = topic.publisher();
/// let mut newest = topic.queue(2, WhenFull::DropOldest);
/// let mut oldest = topic.queue(2, WhenFull::DropNewest);
/// (1..=3).for_each(|count| publisher.publish(count));
/// assert_eq!(newest.batch(2).iter().map(|count| *count).collect::<Vec<i32>>(), [2, 3]);
/// assert_eq!(oldest.batch(2).iter().map(|count| *count).collect::<Vec<i32>>(), [1, 2]);
/// # Ok::<(), hemiola_bus::BusError>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WhenFull {
    /// Drops the oldest message in the queue to make room: for receivers that want the present
    /// state.
    DropOldest,
    /// Drops the message: for receivers that need the first messages.
    DropNewest,
    /// Drops the message; but a publisher that asks for it, outside of the real-time threads, waits
    /// for room ([`Publisher::publish_waiting`](crate::Publisher::publish_waiting)): for receivers
    /// that want all messages.
    Wait,
}
