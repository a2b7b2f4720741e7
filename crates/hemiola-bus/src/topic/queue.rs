//! The receiving end of a topic that gets all messages, in order.

use super::Message;
use super::copies::IsCopy;
use super::hub::{Hub, Inlet};
use super::lane::Lane;
use super::pool::Received;
use super::sample::{Batch, Sample};
use crate::roster::RosterReader;
use crate::signal::Signal;
use crate::sync;
use crate::when_full::WhenFull;
use hemiola_model::module::{self, Place};
use hemiola_realtime::{Reason, monotonic_now};
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

/// Receives the messages of a topic, those of each publisher in order; publishers take turns. (The
/// callbacks of an executor get messages in the order of arrival, whoever published them.)
///
/// ```
/// use hemiola_bus::{Bus, WhenFull};
/// use std::time::Duration;
///
/// let topic = Bus::new().topic("whistle")?;
/// let mut whistles = topic.queue(16, WhenFull::DropOldest);
/// let referee = std::thread::spawn({
///     let mut publisher = topic.publisher();
///     move || publisher.publish(0.8_f32)
/// });
/// assert!(whistles.wait(Duration::from_secs(10)));
/// while let Some(confidence) = whistles.receive() {
///     assert_eq!(*confidence, 0.8);
/// }
/// # referee.join().unwrap();
/// # Ok::<(), hemiola_bus::BusError>(())
/// ```
pub struct Queue<T: Message> {
    hub: Arc<Hub<T>>,
    inlet: Arc<Inlet<T>>,
    lanes: RosterReader<Lane<T>>,
    /// The index of the publisher whose turn it is.
    turn: usize,
    /// The messages that were received last: one message, or a batch, which never grows.
    held: Option<Received<T>>,
    batch: Vec<Received<T>>,
}

impl<T: Message> Queue<T> {
    pub(crate) fn join(
        hub: Arc<Hub<T>>,
        capacity: usize,
        when_full: WhenFull,
        signal: Signal,
        is_copy: Option<IsCopy<T>>,
    ) -> Self {
        assert!(capacity > 0, "a queue has room for at least one message");
        // This comes first: a capacity for which there is no memory ends here, before anything is
        // computed with it.
        let batch = Vec::with_capacity(capacity);
        let inlet = Arc::new(Inlet::new(capacity, when_full, signal, is_copy, hub.latencies()));
        hub.join_queue(&inlet);
        let lanes = inlet.lanes.reader();
        Self { hub, inlet, lanes, turn: 0, held: None, batch }
    }

    /// Receives the oldest message of the publisher whose turn it is; `None` if there is none.
    /// Releases what was received before.
    #[inline]
    pub fn receive(&mut self) -> Option<Sample<'_, T>> {
        self.reception().into_next()
    }

    /// Begins to receive several messages one by one.
    #[inline]
    pub(crate) fn reception(&mut self) -> Reception<'_, T> {
        self.refresh();
        let Self { inlet, lanes, turn, held, .. } = self;
        Reception { inlet, lanes: lanes.entries(), turn, held }
    }

    /// Receives all messages that are there, but at most `limit` and the queue's capacity. Releases
    /// what was received before.
    #[inline]
    pub fn batch(&mut self, limit: usize) -> Batch<'_, T> {
        self.refresh();
        let Self { inlet, lanes, turn, batch, .. } = self;
        let limit = limit.min(inlet.capacity);
        let lanes = lanes.entries();
        for _ in lanes {
            lanes[*turn].pop_many(batch, limit - batch.len());
            if batch.len() == limit {
                break;
            }
            *turn = if *turn + 1 == lanes.len() { 0 } else { *turn + 1 };
        }
        self.inlet.record_latencies(batch);
        Batch::new(batch)
    }

    /// Receives these messages of each publisher, in this order, as a replay does. Those of cycles
    /// are the next ones; of others, the ones before the first are dropped. Returns whether all
    /// were there.
    pub(crate) fn batch_again(&mut self, wanted: &[module::Inlet]) -> bool {
        self.refresh();
        let Self { inlet, lanes, batch, .. } = self;
        let lanes = lanes.entries();
        let mut are_there = true;
        for (index, &module::Inlet { place, first, count }) in wanted.iter().enumerate() {
            let before = batch.len();
            let limit = (inlet.capacity - before).min(count as usize);
            // What was taken of a lane counts as released as soon as more is taken.
            let is_first = wanted[..index].iter().all(|other| other.place != place);
            let is_right = |message: &Received<T>| match place {
                Place::Cycle(_) => true,
                Place::Source(_) | Place::Outside(_) => message.header().sequence == first,
            };
            match lanes.iter().find(|lane| lane.has_again(place)).filter(|_| is_first) {
                Some(lane) if matches!(place, Place::Cycle(_)) => lane.pop_many(batch, limit),
                Some(lane) => lane.pop_from(first, batch, limit),
                None => {}
            }
            let taken = &batch[before..];
            are_there &= taken.len() == count as usize && taken.first().is_none_or(is_right);
        }
        self.inlet.record_latencies(batch);
        are_there
    }

    #[inline]
    fn let_go(&mut self) {
        self.held = None;
        self.batch.clear();
    }

    /// Updates the list of publishers. What was received is released first, because what came
    /// through a lane is dropped with it.
    #[inline]
    fn refresh(&mut self) {
        self.let_go();
        if self.lanes.refresh() && self.turn >= self.lanes.entries().len() {
            self.turn = 0;
        }
    }

    /// Returns how many messages wait to be received.
    pub(crate) fn waiting(&mut self) -> usize {
        self.refresh();
        self.lanes.entries().iter().map(|lane| lane.counts().depth as usize).sum()
    }

    /// Returns how many messages found no room.
    pub(crate) fn dropped(&mut self) -> u64 {
        self.lanes.refresh();
        self.lanes.entries().iter().map(|lane| lane.counts().dropped).sum()
    }

    /// Returns the batch that was received last, if nothing was received after it.
    pub(crate) fn last_batch(&self) -> Batch<'_, T> {
        Batch::new(&self.batch)
    }

    /// Returns when the next message arrived at the executor that receives it; `None` if there is
    /// none.
    pub(crate) fn next_arrival(&mut self) -> Option<u64> {
        self.refresh();
        self.lanes.entries().iter().filter_map(|lane| lane.next_arrival()).min()
    }

    /// Returns whether there is a message. Releases what was received before.
    #[inline]
    pub fn has_messages(&mut self) -> bool {
        self.refresh();
        has_any(self.lanes.entries())
    }

    /// Sleeps until there is a message, `timeout` at most, and returns whether there is. For
    /// threads that may wait.
    ///
    /// A queue whose signal is not a [`Signal::Wakeup`] does not sleep, because nobody would wake
    /// it.
    pub fn wait(&mut self, timeout: Duration) -> bool {
        let Signal::Wakeup(wakeup) = self.inlet.signal.clone() else {
            return self.has_messages();
        };
        let deadline = monotonic_now() + timeout;
        loop {
            let seen = wakeup.generation();
            if self.has_messages() {
                return true;
            }
            if wakeup.wait(seen, Some(deadline)) == Reason::TimedOut {
                return self.has_messages();
            }
        }
    }
}

/// Receives from the publishers that were there when it was made.
pub(crate) struct Reception<'q, T> {
    inlet: &'q Inlet<T>,
    lanes: &'q [sync::Arc<Lane<T>>],
    turn: &'q mut usize,
    held: &'q mut Option<Received<T>>,
}

impl<'q, T> Reception<'q, T> {
    /// Receives the oldest message of the publisher whose turn it is, or of the next one that has
    /// any. Releases what was received before.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<Sample<'_, T>> {
        let Self { inlet, lanes, turn, held } = self;
        Reception { inlet, lanes, turn, held }.into_next()
    }

    #[inline(always)]
    fn into_next(self) -> Option<Sample<'q, T>> {
        let Self { inlet, lanes, turn, held } = self;
        if lanes.len() > 1 && inlet.signal.executor().is_some() {
            *turn = oldest(lanes).unwrap_or(*turn);
        }
        *held = lanes.iter().find_map(|_| {
            let message = lanes[*turn].pop();
            *turn = if *turn + 1 == lanes.len() { 0 } else { *turn + 1 };
            message
        });
        let message = held.as_ref()?;
        inlet.record_latencies(std::slice::from_ref(message));
        Some(Sample::new(message))
    }

    /// Returns whether there are more messages.
    #[inline]
    pub(crate) fn has_more(&self) -> bool {
        has_any(self.lanes)
    }
}

/// Returns the index of the lane whose next message arrived first at the executor that receives
/// them.
fn oldest<T>(lanes: &[sync::Arc<Lane<T>>]) -> Option<usize> {
    let arrivals = lanes.iter().enumerate().filter_map(|(place, lane)| Some((lane.next_arrival()?, place)));
    arrivals.min().map(|(_, place)| place)
}

#[inline]
fn has_any<T>(lanes: &[sync::Arc<Lane<T>>]) -> bool {
    lanes.iter().any(|lane| lane.has_message())
}

impl<T: Message> Drop for Queue<T> {
    fn drop(&mut self) {
        // The messages are released as long as the topic keeps the pools alive.
        self.let_go();
        self.hub.leave_queue(&self.inlet);
    }
}

impl<T: Message> fmt::Debug for Queue<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Queue")
            .field("topic", &self.hub.name())
            .field("capacity", &self.inlet.capacity)
            .field("when_full", &self.inlet.when_full)
            .finish_non_exhaustive()
    }
}
