//! The receiving end of a topic that gets the newest message.

use super::Message;
use super::cell::MessageCell;
use super::hub::Hub;
use super::pool::{Held, Pool, Reservation};
use super::sample::Sample;
use crate::signal::Signal;
use crate::statistics::{Latencies, Receives, SubscriberReport};
use crate::sync::{self, AtomicBool, AtomicU64, Mutex, Ordering};
use hemiola_trace::Ticks;
use std::fmt;
use std::sync::{Arc, PoisonError};

/// Receives the newest message of a topic, whoever published it; those in between are skipped.
///
/// ```
/// use hemiola_bus::Bus;
///
/// let topic = Bus::new().topic("battery")?;
/// let mut battery = topic.latest();
/// let mut publisher = topic.publisher();
/// assert!(battery.get().is_none());
///
/// publisher.publish(0.9);
/// publisher.publish(0.8);
/// assert_eq!(battery.get().as_deref(), Some(&0.8));
/// assert_eq!(battery.get().as_deref(), Some(&0.8)); // it stays
/// assert!(battery.take().is_none()); // but it is not new
/// # Ok::<(), hemiola_bus::BusError>(())
/// ```
pub struct Latest<T: Message> {
    hub: Arc<Hub<T>>,
    word: sync::Arc<Word<T>>,
    front: Option<Held<T>>,
}

impl<T: Message> Latest<T> {
    pub(crate) fn join(hub: Arc<Hub<T>>, signal: Signal) -> Self {
        let word = sync::Arc::new(Word::new(signal, hub.latencies()));
        hub.join_latest(&word);
        Self { hub, word, front: None }
    }

    /// Returns the newest message ever seen; `None` before the first. Wait-free.
    #[inline]
    pub fn get(&mut self) -> Option<Sample<'_, T>> {
        self.refresh();
        self.front()
    }

    /// Returns the newest message, if there is one that was not seen yet. Wait-free.
    #[inline]
    pub fn take(&mut self) -> Option<Sample<'_, T>> {
        if self.refresh() { self.front() } else { None }
    }

    #[inline]
    fn front(&self) -> Option<Sample<'_, T>> {
        self.front.as_ref().map(|message| Sample::new(message.envelope()))
    }

    #[inline]
    fn refresh(&mut self) -> bool {
        let Word { newest, taken, latencies, .. } = &*self.word;
        if !newest.is_set() {
            return false;
        }
        // The old message is released first, because a slot is reserved for one in the cell and for
        // one in front, and none for a third.
        self.front = None;
        self.front = newest.take();
        taken.store(taken.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        if let (Some(latencies), Some(message)) = (latencies, &self.front) {
            latencies.record(message.envelope().published, Ticks::now());
        }
        true
    }
}

impl<T: Message> Drop for Latest<T> {
    fn drop(&mut self) {
        // The messages are released as long as the topic keeps the pools alive.
        self.front = None;
        self.hub.leave_latest(&self.word);
        self.word.newest.take();
    }
}

impl<T: Message> fmt::Debug for Latest<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Latest").field("topic", &self.hub.name()).finish_non_exhaustive()
    }
}

/// Carries the newest message to one receiver: all publishers swap theirs in, the receiver takes it
/// out.
pub(crate) struct Word<T> {
    pub(crate) newest: MessageCell<T>,
    pub(crate) signal: Signal,
    /// Set when the receiver is gone.
    closed: AtomicBool,
    replaced: AtomicU64,
    taken: AtomicU64,
    latencies: Option<Latencies>,
    /// The reserved slots in the pool of each publisher, for what is in the cell and what the
    /// receiver holds.
    reservations: Mutex<Vec<Reservation<T>>>,
}

/// The number of messages that a receiver of the newest may hold: one in the cell, one in front.
const RESERVED: usize = 2;

impl<T> Word<T> {
    pub(crate) fn new(signal: Signal, latencies: Option<Latencies>) -> Self {
        Self {
            newest: MessageCell::new(),
            signal,
            closed: AtomicBool::new(false),
            replaced: AtomicU64::new(0),
            taken: AtomicU64::new(0),
            latencies,
            reservations: Mutex::new(Vec::new()),
        }
    }

    /// Replaces the message, and signals the new one. The old one is returned if nobody took it.
    /// Wait-free.
    #[inline]
    pub(crate) fn put(&self, message: Held<T>) -> Option<Held<T>> {
        let old = self.newest.replace(message);
        if old.is_some() {
            self.replaced.fetch_add(1, Ordering::Relaxed);
        }
        self.signal.raise();
        old
    }

    /// Marks the word as one whose receiver has left.
    pub(crate) fn close(&self) {
        // Relaxed, as where it is read: a publisher only reads it when it gets a list without this
        // receiver.
        self.closed.store(true, Ordering::Relaxed);
    }

    /// Takes out a message that came after the receiver had left. Only for a publisher that has
    /// seen the list change.
    pub(crate) fn clear_if_closed(&self) {
        if self.closed.load(Ordering::Relaxed) {
            drop(self.newest.take());
        }
    }

    pub(crate) fn report(&self) -> SubscriberReport {
        let (depth, delivered) = (self.newest.is_set().into(), self.taken.load(Ordering::Relaxed));
        SubscriberReport {
            receives: Receives::Newest,
            delivered,
            dropped: self.replaced.load(Ordering::Relaxed),
            depth,
            deepest: depth.max(delivered.min(1)),
            latency: self.latencies.as_ref().map(Latencies::summary),
        }
    }
}

impl<T: Default> Word<T> {
    /// Reserves slots of another publisher for its messages. Must be called before the publisher
    /// learns of the word.
    pub(crate) fn reserve(&self, pool: &Arc<Pool<T>>) {
        let reservation = Reservation::new(pool, RESERVED);
        self.reservations.lock().unwrap_or_else(PoisonError::into_inner).push(reservation);
    }
}
