//! The sending end of a topic.

use super::Message;
use super::hub::{Hub, Outlet};
use super::pool::{Claimed, Slots};
use super::receivers::Receivers;
use super::seat::Seat;
use crate::sync::{Ordering, fence};
use hemiola_model::module::Place;
use hemiola_realtime::monotonic_now;
use hemiola_trace::Ticks;
use std::fmt;
use std::mem::needs_drop;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;

/// Publishes to a topic. Never waits, allocates or locks, whatever the receivers do.
///
/// If a link sends the topic, a thread that shares time may write a small message to the socket
/// instead of waking the links' thread, which is a system call as well; it does not wait for that,
/// either. The message is serialized on that thread then: hold no lock while publishing that
/// `Data::write` of the message takes. A real-time thread never does this, and neither does a
/// thread that [refuses errands](hemiola_realtime::refuse_errands).
///
/// Every publisher has slots and lanes of its own, so that publishers do not disturb each other.
/// Their messages are received in the order in which each published them.
///
/// A slot keeps its message, and the memory that this owns, until it is used for another one or the
/// topic is gone. It can be reused when every receiver has released it: a queue of capacity n keeps
/// up to n messages that wait, and has released those before the last n that it received. What a
/// receiver had when it was dropped comes back with the next message that is published, or when the
/// publisher is dropped.
///
/// ```
/// use hemiola_bus::{Bus, WhenFull};
///
/// let topic = Bus::new().topic("odometry")?;
/// let mut odometry = topic.queue(8, WhenFull::DropOldest);
/// let mut publisher = topic.publisher();
/// std::thread::spawn(move || publisher.publish([0.1, 0.0, 0.0])).join().unwrap();
/// assert_eq!(odometry.receive().as_deref(), Some(&[0.1, 0.0, 0.0])); // a message outlives its publisher
/// # Ok::<(), hemiola_bus::BusError>(())
/// ```
pub struct Publisher<T: Message> {
    receivers: Receivers<T>,
    slots: Slots<T>,
    measures_time: bool,
    /// The place in the topic. It is the last field, to be left when the others are gone.
    membership: Membership<T>,
}

impl<T: Message> Publisher<T> {
    pub(crate) fn join(hub: Arc<Hub<T>>, seat: Seat) -> Self {
        let outlet = hub.join_publisher(seat);
        Self {
            receivers: Receivers::new(&outlet),
            slots: Slots::new(outlet.pool.clone()),
            measures_time: hub.measures_time(),
            membership: Membership { hub, outlet },
        }
    }

    /// Publishes a message: moves it into a slot, where all receivers read it (but those that [get
    /// copies](crate::Topic::queue_of_copies)).
    ///
    /// The older message in the slot is dropped. If messages own memory, use [`loan`](Self::loan)
    /// instead and reuse that memory.
    #[inline]
    pub fn publish(&mut self, value: T) {
        // A type that needs a drop is not `Copy`.
        if needs_drop::<T>() || !self.copy_to_sole(&value) {
            let mut loan = self.loan();
            *loan = value;
            loan.publish();
        }
    }

    /// Copies a message to the only receiver, if that is all that there is to do, and returns
    /// whether it has. All of this is inlined, so that the message is in a register until it is in
    /// the lane.
    #[inline(always)]
    fn copy_to_sole(&mut self, value: &T) -> bool {
        // Most publishers need not look any further. Who is new here is found by the other way.
        if self.receivers.sole().is_none() {
            return false;
        }
        self.refresh();
        let outlet = &self.membership.outlet;
        let sequence = outlet.published.load(Ordering::Relaxed);
        let copied = !outlet.keeps_last() && self.receivers.sole().is_some_and(|lane| lane.push_copy(value, sequence));
        if copied {
            outlet.published.store(sequence + 1, Ordering::Relaxed);
        }
        copied
    }

    /// Lends a message to be filled in place. Its content is an older message, or the default:
    /// overwrite everything that matters.
    ///
    /// ```
    /// use hemiola_bus::{Bus, WhenFull};
    ///
    /// let topic = Bus::new().topic::<Vec<u8>>("image")?;
    /// let mut images = topic.queue(2, WhenFull::DropOldest);
    /// let mut publisher = topic.publisher();
    /// let mut image = publisher.loan();
    /// image.resize(640 * 480, 128); // the memory stays with the slot
    /// image.publish();
    /// assert_eq!(images.receive().unwrap().len(), 640 * 480);
    /// # Ok::<(), hemiola_bus::BusError>(())
    /// ```
    #[inline]
    pub fn loan(&mut self) -> Loan<'_, T> {
        let slot = self.slots.claim();
        Loan { publisher: self, slot }
    }

    /// Publishes a message as soon as every queue with [`WhenFull::Wait`](crate::WhenFull::Wait)
    /// has room. Not for real-time threads.
    ///
    /// ```
    /// use hemiola_bus::{Bus, WhenFull};
    /// use std::time::Duration;
    ///
    /// let topic = Bus::new().topic("line of a log")?;
    /// let mut lines = topic.queue(1, WhenFull::Wait);
    /// let mut publisher = topic.publisher();
    /// assert_eq!(publisher.publish_waiting("first", Duration::ZERO), Ok(()));
    /// assert_eq!(publisher.publish_waiting("second", Duration::from_millis(1)), Err("second"));
    /// assert_eq!(lines.receive().as_deref(), Some(&"first"));
    /// # Ok::<(), hemiola_bus::BusError>(())
    /// ```
    ///
    /// # Errors
    /// Fails if there was no room within `timeout`; the message is returned.
    pub fn publish_waiting(&mut self, value: T, timeout: Duration) -> Result<(), T> {
        if !self.wait_for_room(timeout) {
            return Err(value);
        }
        self.publish(value);
        Ok(())
    }

    /// Waits until every queue with [`WhenFull::Wait`](crate::WhenFull::Wait) has room for one
    /// message of this publisher, `timeout` at most, and returns whether there is. Not for
    /// real-time threads.
    #[inline]
    pub fn wait_for_room(&mut self, timeout: Duration) -> bool {
        self.refresh();
        self.receivers.lanes().iter().all(|lane| lane.has_room()) || self.sleep_for_room(timeout)
    }

    #[cold]
    fn sleep_for_room(&self, timeout: Duration) -> bool {
        let deadline = monotonic_now() + timeout;
        self.receivers.lanes().iter().all(|lane| lane.wait_for_room(deadline))
    }

    /// Returns whether anybody receives what is published now.
    pub(crate) fn is_received(&mut self) -> bool {
        self.refresh();
        !self.receivers.lanes().is_empty() || !self.receivers.words().is_empty()
    }

    /// Returns its place in the topic.
    pub(crate) fn place(&self) -> Place {
        self.membership.outlet.place()
    }

    /// Returns the number of the next message.
    pub(crate) fn published(&self) -> u64 {
        self.membership.outlet.published.load(Ordering::Relaxed)
    }

    /// Gives the next message that number.
    pub(crate) fn continue_at(&mut self, number: u64) {
        self.membership.outlet.published.store(number, Ordering::Relaxed);
    }

    /// Updates the list of receivers.
    #[inline]
    fn refresh(&mut self) {
        // The order matters: slots are made before a receiver gets a lane.
        if self.receivers.refresh() {
            self.slots.refresh();
        }
    }

    #[inline(always)]
    fn send(&mut self, mut slot: Claimed<T>) {
        let published = &self.membership.outlet.published;
        let sequence = published.load(Ordering::Relaxed);
        let envelope = slot.envelope_mut();
        envelope.header.sequence = sequence;
        if self.measures_time {
            envelope.header.published = Ticks::now();
        }
        published.store(sequence + 1, Ordering::Relaxed);
        if self.membership.outlet.keeps_last() {
            return self.send_and_keep(slot);
        }
        self.refresh();
        let (lanes, words) = (self.receivers.lanes(), self.receivers.words());
        let message = slot.complete(lanes.len(), words.len());
        for lane in lanes {
            lane.push(&message);
        }
        for word in words {
            if let Some(old) = word.put(message.hold()) {
                self.slots.reuse(old);
            }
        }
    }

    /// Keeps the message first, then updates the list of receivers, so that a receiver that joins
    /// meanwhile gets it in one way or the other, or in both.
    #[cold]
    fn send_and_keep(&mut self, slot: Claimed<T>) {
        let sequence = slot.envelope().header.sequence;
        // Those who join will share it, however many they are.
        let message = slot.complete(usize::MAX, usize::MAX);
        drop(self.membership.outlet.last.replace(message.hold()));
        // This pairs with the fence in the hub: at least one of the two sees what the other did.
        fence(Ordering::SeqCst);
        self.refresh();
        // A slot may have been added for the message that is kept.
        self.slots.refresh();
        self.receivers.lanes().iter().filter(|lane| lane.wants(sequence)).for_each(|lane| lane.push(&message));
        self.receivers.words().iter().for_each(|word| drop(word.put(message.hold())));
    }
}

#[cfg(all(test, loom))]
impl<T: Message> Publisher<T> {
    /// Returns how many slots somebody refers to.
    pub(crate) fn slots_in_use(&self) -> usize {
        self.membership.outlet.pool.in_use()
    }
}

/// A publisher's place in a topic.
struct Membership<T: Message> {
    hub: Arc<Hub<T>>,
    outlet: Arc<Outlet<T>>,
}

impl<T: Message> Drop for Membership<T> {
    fn drop(&mut self) {
        self.hub.leave_publisher(&self.outlet);
    }
}

impl<T: Message> fmt::Debug for Publisher<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Publisher").field("topic", &self.membership.hub.name()).finish_non_exhaustive()
    }
}

/// A message that is being filled in place. If it is dropped, it is not published.
///
/// ```
/// use hemiola_bus::{Bus, WhenFull};
///
/// let topic = Bus::new().topic::<[f32; 3]>("position")?;
/// let mut positions = topic.queue(8, WhenFull::DropOldest);
/// let mut publisher = topic.publisher();
/// publisher.loan()[0] = 7.0; // on second thoughts, no
/// let mut position = publisher.loan();
/// *position = [1.0, 2.0, 0.0];
/// position.publish();
/// assert_eq!(positions.batch(8).len(), 1);
/// # Ok::<(), hemiola_bus::BusError>(())
/// ```
#[must_use = "it is only published by `publish`"]
pub struct Loan<'a, T: Message> {
    publisher: &'a mut Publisher<T>,
    slot: Claimed<T>,
}

impl<T: Message> Loan<'_, T> {
    /// Publishes the message.
    #[inline]
    pub fn publish(self) {
        self.publisher.send(self.slot);
    }
}

impl<T: Message> Deref for Loan<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.slot.envelope().value
    }
}

impl<T: Message> DerefMut for Loan<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.slot.envelope_mut().value
    }
}

impl<T: Message + fmt::Debug> fmt::Debug for Loan<'_, T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("Loan").field(&**self).finish()
    }
}
