//! The sending end of a topic.

use super::Message;
use super::hub::{Hub, Outlet};
use super::lane::Lane;
use super::latest::Word;
use super::pool::{Claimed, Slots};
use crate::roster::RosterReader;
use crate::sync::{Ordering, fence};
use hemiola_realtime::monotonic_now;
use hemiola_trace::Ticks;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::time::Duration;

/// Publishes to a topic. Never waits, allocates or locks, whatever the receivers do.
///
/// Every publisher has slots and lanes of its own, so that publishers do not disturb each other. Their messages are received in the order in
/// which each published them.
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
    hub: Arc<Hub<T>>,
    outlet: Arc<Outlet<T>>,
    lanes: RosterReader<Lane<T>>,
    words: RosterReader<Word<T>>,
    slots: Slots<T>,
}

impl<T: Message> Publisher<T> {
    pub(crate) fn join(hub: Arc<Hub<T>>) -> Self {
        let outlet = hub.join_publisher();
        Self {
            lanes: outlet.lanes.reader(),
            words: outlet.words.reader(),
            slots: Slots::new(outlet.pool.clone()),
            hub,
            outlet,
        }
    }

    /// Publishes a message: moves it into a slot, where all receivers read it.
    ///
    /// The older message in the slot is dropped. If messages own memory, [`loan`](Self::loan) instead and reuse it.
    #[inline]
    pub fn publish(&mut self, value: T) {
        let mut loan = self.loan();
        *loan = value;
        loan.publish();
    }

    /// A message to be filled in place. What is in it is an older message, or the default: overwrite all that matters.
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

    /// Publishes a message as soon as every queue with [`WhenFull::Wait`](crate::WhenFull::Wait) has room. Not for real-time threads.
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
    /// There was no room within `timeout`; the message comes back.
    pub fn publish_waiting(&mut self, value: T, timeout: Duration) -> Result<(), T> {
        if !self.wait_for_room(timeout) {
            return Err(value);
        }
        self.publish(value);
        Ok(())
    }

    /// Waits until every queue with [`WhenFull::Wait`](crate::WhenFull::Wait) has room for one message of this publisher, `timeout` at
    /// most; tells whether there is. Not for real-time threads.
    pub fn wait_for_room(&mut self, timeout: Duration) -> bool {
        self.refresh();
        let mut deadline = None;
        self.lanes.with_entries(|lanes| {
            lanes.iter().all(|lane| {
                lane.has_room() || lane.wait_for_room(*deadline.get_or_insert_with(|| monotonic_now() + timeout))
            })
        })
    }

    /// Sees who has joined and left.
    #[inline]
    fn refresh(&mut self) {
        // In this order: slots are made before a receiver gets a lane.
        if self.lanes.refresh() | self.words.refresh() {
            self.slots.refresh();
        }
    }

    #[inline]
    fn send(&mut self, mut slot: Claimed<T>) {
        let published = &self.outlet.published;
        let sequence = published.load(Ordering::Relaxed);
        let envelope = slot.envelope_mut();
        envelope.sequence = sequence;
        envelope.published = if self.hub.measures_time() { Ticks::now() } else { Ticks::default() };
        published.store(sequence + 1, Ordering::Relaxed);
        if self.outlet.keeps_last() {
            return self.send_and_keep(slot);
        }
        self.refresh();
        self.lanes.with_entries(|lanes| {
            self.words.with_entries(|words| {
                let mut messages = slot.share(lanes.len() + words.len());
                for (lane, message) in lanes.iter().zip(&mut messages) {
                    drop(lane.push(message));
                }
                for (word, message) in words.iter().zip(&mut messages) {
                    drop(word.put(message));
                }
            });
        });
    }

    /// First keeps the message, then looks who is there, so that who joins meanwhile gets it in one way or the other, or in both.
    #[cold]
    fn send_and_keep(&mut self, slot: Claimed<T>) {
        let sequence = slot.envelope().sequence;
        let message = slot.share_one();
        drop(self.outlet.last.replace(message.share()));
        // With the one in the hub: at least one of the two sees what the other did.
        fence(Ordering::SeqCst);
        self.refresh();
        // For the one that is kept.
        self.slots.refresh();
        self.lanes.with_entries(|lanes| {
            lanes.iter().filter(|lane| lane.wants(sequence)).for_each(|lane| drop(lane.push(message.share())));
        });
        self.words.with_entries(|words| words.iter().for_each(|word| drop(word.put(message.share()))));
    }
}

impl<T: Message> Drop for Publisher<T> {
    fn drop(&mut self) {
        self.hub.leave_publisher(&self.outlet);
    }
}

impl<T: Message> fmt::Debug for Publisher<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Publisher").field("topic", &self.hub.name()).finish_non_exhaustive()
    }
}

/// A message that is being filled in place. Dropped, it is not published.
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
