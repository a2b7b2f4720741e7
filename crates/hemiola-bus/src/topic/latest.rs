//! The receiving end of a topic that gets the newest message.

use super::Message;
use super::hub::Hub;
use super::newest::Newest;
use super::pool::{Held, Pool, Received, Reservation};
use super::sample::Sample;
use crate::signal::Signal;
use crate::statistics::{Latencies, Receives, SubscriberReport};
use crate::sync::{self, AtomicBool, AtomicU64, Mutex, MutexGuard, Ordering};
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
    /// The message in front, as it is handed out.
    received: Option<Received<T>>,
}

impl<T: Message> Latest<T> {
    pub(crate) fn join(hub: Arc<Hub<T>>, signal: Signal) -> Self {
        let word = sync::Arc::new(Word::new(signal, hub.latencies()));
        hub.join_latest(&word);
        Self { hub, word, front: None, received: None }
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
        self.received.as_ref().map(Sample::new)
    }

    #[inline]
    fn refresh(&mut self) -> bool {
        let Word { newest, taken, latencies, .. } = &*self.word;
        if !newest.take(&mut self.front) {
            return false;
        }
        self.received = self.front.as_ref().map(Held::received);
        taken.store(taken.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        if let (Some(latencies), Some(message)) = (latencies, &self.front) {
            latencies.record(message.envelope().header.published, Ticks::now());
        }
        true
    }
}

impl<T: Message> Drop for Latest<T> {
    fn drop(&mut self) {
        // The messages are released as long as the topic keeps the pools alive.
        self.front = None;
        self.hub.leave_latest(&self.word);
        self.word.newest.clear();
    }
}

impl<T: Message> fmt::Debug for Latest<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Latest").field("topic", &self.hub.name()).finish_non_exhaustive()
    }
}

/// Carries the newest message to one receiver: all publishers swap theirs in, the receiver takes it
/// out and gives back the one that it had.
pub(crate) struct Word<T> {
    pub(crate) newest: Newest<T>,
    pub(crate) signal: Signal,
    /// Set when the receiver is gone.
    closed: AtomicBool,
    taken: AtomicU64,
    latencies: Option<Latencies>,
    /// The shares of all publishers.
    shares: Mutex<Vec<sync::Arc<Share<T>>>>,
}

/// The share of a publisher in a word.
struct Share<T> {
    /// The number of messages that this publisher replaced before they were received. Only it
    /// writes this: a counter of all publishers would be one more line that they share.
    replaced: AtomicU64,
    /// The reserved slots, for what is in the word and what the receiver holds.
    _reservation: Reservation<T>,
}

/// The end of a word through which a publisher writes.
pub(crate) struct WordWriter<T> {
    pub(crate) word: sync::Arc<Word<T>>,
    share: sync::Arc<Share<T>>,
}

/// The number of messages that a receiver of the newest may hold: one in the word, one in front.
const RESERVED: usize = 2;

impl<T> WordWriter<T> {
    /// Replaces the message, and signals the new one. Returns the one that was there: one that
    /// nobody took, or that the receiver had before. Only for the publisher. Wait-free.
    #[inline]
    pub(crate) fn put(&self, message: Held<T>) -> Option<Held<T>> {
        let (old, was_new) = self.word.newest.put(message);
        if was_new {
            let replaced = &self.share.replaced;
            replaced.store(replaced.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
        }
        self.word.signal.raise();
        old
    }
}

impl<T> Word<T> {
    pub(crate) fn new(signal: Signal, latencies: Option<Latencies>) -> Self {
        Self {
            newest: Newest::new(),
            signal,
            closed: AtomicBool::new(false),
            taken: AtomicU64::new(0),
            latencies,
            shares: Mutex::new(Vec::new()),
        }
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
            self.newest.clear();
        }
    }

    pub(crate) fn report(&self) -> SubscriberReport {
        let (depth, delivered) = (self.newest.is_new().into(), self.taken.load(Ordering::Relaxed));
        SubscriberReport {
            receives: Receives::Newest,
            delivered,
            dropped: self.shares().iter().map(|share| share.replaced.load(Ordering::Relaxed)).sum(),
            depth,
            deepest: depth.max(delivered.min(1)),
            latency: self.latencies.as_ref().map(Latencies::summary),
        }
    }

    fn shares(&self) -> MutexGuard<'_, Vec<sync::Arc<Share<T>>>> {
        self.shares.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Default> WordWriter<T> {
    /// Creates the end of a word for another publisher, and reserves slots in its pool. Must be
    /// called before the publisher learns of the word.
    pub(crate) fn new(word: &sync::Arc<Word<T>>, pool: &Arc<Pool<T>>) -> Self {
        let reservation = Reservation::new(pool, RESERVED);
        let share = sync::Arc::new(Share { replaced: AtomicU64::new(0), _reservation: reservation });
        word.shares().push(share.clone());
        Self { word: word.clone(), share }
    }
}
