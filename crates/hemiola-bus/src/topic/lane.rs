//! A ring from one publisher to one queue.
//!
//! # Protocol
//! Two counters that only grow: `tail` belongs to the publisher; the messages within `head .. tail` are in the ring.
//!
//! | who | step | ordering |
//! |---|---|---|
//! | publisher | reads `head`; full if `tail - head` is the capacity | acquire: the cell was read |
//! | publisher | fills the cell, then advances `tail` | release: the receiver sees cell and message |
//! | receiver | reads `tail`; empty if it equals `head` | acquire |
//! | receiver | reads cells, then advances `head` | release: the cells may be filled again |
//!
//! Each side keeps its last sight of the other's counter, and looks again only when the ring seems full or empty.
//!
//! With [`WhenFull::DropOldest`] the publisher, too, advances `head`, to take the oldest message out of a full ring. So both advance it by
//! compare-and-exchange: who succeeds owns the messages in between. What the receiver read from a cell counts only then, for as long as
//! `head` has not moved the publisher has not filled the cell again. The publisher tries once: if it fails, the receiver has made room.

use super::hub::Inlet;
use super::pool::{Held, Reservation, Slot};
use super::room::Room;
use crate::signal::Signal;
use crate::sync::{AtomicPtr, AtomicU64, Line, Ordering};
use hemiola_realtime::MonotonicTime;

/// What becomes of a message for which a queue has no room.
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
    /// The oldest message in the queue makes room. For who wants to know what is.
    DropOldest,
    /// The message does not get into the queue. For who wants to know how it began.
    DropNewest,
    /// As [`DropNewest`](Self::DropNewest), but a publisher that asks, off the real-time threads, waits for room
    /// ([`Publisher::publish_waiting`](crate::Publisher::publish_waiting)). For who wants to know all.
    Wait,
}

pub(crate) struct Lane<T> {
    cells: Box<[AtomicPtr<Slot<T>>]>,
    capacity: u64,
    when_full: WhenFull,
    signal: Signal,
    /// The sequence of the first message that is to come through.
    first: u64,
    room: Room,
    sending: Line<Sending>,
    receiving: Line<Receiving>,
    _reservation: Reservation<T>,
}

/// Written by the publisher.
struct Sending {
    tail: AtomicU64,
    seen_head: AtomicU64,
    dropped: AtomicU64,
}

/// Written by the receiver; `head` with [`WhenFull::DropOldest`] by the publisher, too.
struct Receiving {
    head: AtomicU64,
    seen_tail: AtomicU64,
    deepest: AtomicU64,
}

impl<T> Lane<T> {
    /// A lane that begins with a message that is known to its publisher, or empty. The reservation is for what the lane and the receiver hold.
    pub(crate) fn new(inlet: &Inlet<T>, last: Option<Held<T>>, reservation: Reservation<T>) -> Self {
        let capacity = inlet.capacity;
        let lane = Self {
            cells: (0..capacity.next_power_of_two()).map(|_| AtomicPtr::default()).collect(),
            capacity: capacity as u64,
            when_full: inlet.when_full,
            signal: inlet.signal.clone(),
            first: last.as_ref().map_or(0, |message| message.envelope().sequence + 1),
            room: Room::default(),
            sending: Line(Sending {
                tail: AtomicU64::new(0),
                seen_head: AtomicU64::new(0),
                dropped: AtomicU64::new(0),
            }),
            receiving: Line(Receiving {
                head: AtomicU64::new(0),
                seen_tail: AtomicU64::new(0),
                deepest: AtomicU64::new(0),
            }),
            _reservation: reservation,
        };
        if let Some(message) = last {
            lane.append(0, message);
        }
        lane
    }

    /// Whether the message is to come through. One that was there when the lane was made may be on its way at the same time.
    pub(crate) fn wants(&self, sequence: u64) -> bool {
        sequence >= self.first
    }

    /// Appends a message, and signals it. What finds no room comes back: the message, or the oldest one. Only for the publisher. Wait-free.
    #[inline]
    pub(crate) fn push(&self, message: Held<T>) -> Option<Held<T>> {
        let tail = self.sending.tail.load(Ordering::Relaxed);
        let mut oldest = None;
        if tail.wrapping_sub(self.sending.seen_head.load(Ordering::Relaxed)) == self.capacity {
            match self.make_room(tail) {
                Ok(taken_out) => oldest = taken_out,
                Err(Full) => return Some(message),
            }
        }
        self.append(tail, message);
        self.signal.raise();
        oldest
    }

    #[inline]
    fn append(&self, tail: u64, message: Held<T>) {
        self.cell(tail).store(message.into_raw(), Ordering::Relaxed);
        self.sending.tail.store(tail.wrapping_add(1), Ordering::Release);
    }

    /// Looks again whether the lane is full, and does what its policy asks for.
    fn make_room(&self, tail: u64) -> Result<Option<Held<T>>, Full> {
        let Sending { seen_head, dropped, .. } = &*self.sending;
        let head = self.receiving.head.load(Ordering::Acquire);
        seen_head.store(head, Ordering::Relaxed);
        if tail.wrapping_sub(head) < self.capacity {
            return Ok(None);
        }
        if self.when_full != WhenFull::DropOldest {
            dropped.store(dropped.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
            return Err(Full);
        }
        let next = head.wrapping_add(1);
        // Acquire on both ways: if the receiver was faster, it has read the cell that will be filled.
        match self.receiving.head.compare_exchange(head, next, Ordering::Acquire, Ordering::Acquire) {
            Ok(_) => {
                seen_head.store(next, Ordering::Relaxed);
                dropped.store(dropped.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
                // SAFETY: who advances `head` owns what is in the cell.
                Ok(Some(unsafe { Held::from_raw(self.cell(head).load(Ordering::Relaxed)) }))
            }
            Err(head) => {
                seen_head.store(head, Ordering::Relaxed);
                Ok(None)
            }
        }
    }

    /// Waits for room. It stays, for nobody else fills the lane. Only for the publisher.
    pub(crate) fn wait_for_room(&self, deadline: MonotonicTime) -> bool {
        self.room.wait(|| self.has_room(), deadline)
    }

    /// Whether there is room, or the policy is not to wait for it. Only for the publisher.
    #[inline]
    pub(crate) fn has_room(&self) -> bool {
        let used = |head| self.sending.tail.load(Ordering::Relaxed).wrapping_sub(head);
        if self.when_full != WhenFull::Wait || used(self.sending.seen_head.load(Ordering::Relaxed)) < self.capacity {
            return true;
        }
        let head = self.receiving.head.load(Ordering::Acquire);
        self.sending.seen_head.store(head, Ordering::Relaxed);
        used(head) < self.capacity
    }

    /// Takes the oldest message. Only for the receiver. Lock-free: looks again only if the publisher took one out meanwhile.
    #[inline]
    pub(crate) fn pop(&self) -> Option<Held<T>> {
        loop {
            let head = self.receiving.head.load(Ordering::Relaxed);
            if self.available(head) == 0 {
                return None;
            }
            let slot = self.cell(head).load(Ordering::Relaxed);
            if self.advance_head(head, 1) {
                // SAFETY: who advances `head` owns what is in the cell.
                return Some(unsafe { Held::from_raw(slot) });
            }
        }
    }

    /// Takes the oldest messages, as many as there are and fit without `into` growing. Only for the receiver. Lock-free.
    pub(crate) fn pop_many(&self, into: &mut Vec<Held<T>>, limit: usize) {
        loop {
            let head = self.receiving.head.load(Ordering::Relaxed);
            let count = self.look_at_tail(head).min(limit as u64);
            if count == 0 {
                return;
            }
            let cells = (0..count).map(|place| self.cell(head.wrapping_add(place)).load(Ordering::Relaxed));
            // SAFETY: who advances `head` owns what is in the cells; if that is not us, they are forgotten.
            into.extend(cells.map(|slot| unsafe { Held::from_raw(slot) }));
            if self.advance_head(head, count) {
                return;
            }
            into.drain(into.len() - count as usize..).for_each(std::mem::forget);
        }
    }

    /// How many messages went through, were dropped, wait, and waited at most. For whoever asks.
    pub(crate) fn counts(&self) -> Counts {
        let head = self.receiving.head.load(Ordering::Relaxed);
        let dropped = self.sending.dropped.load(Ordering::Relaxed);
        let depth = distance(head, self.sending.tail.load(Ordering::Relaxed)).min(self.capacity);
        let deepest =
            if dropped > 0 { self.capacity } else { self.receiving.deepest.load(Ordering::Relaxed).max(depth) };
        let taken_out = if self.when_full == WhenFull::DropOldest { dropped } else { 0 };
        Counts { delivered: head.saturating_sub(taken_out), dropped, depth, deepest }
    }

    /// Whether there is a message. Only for the receiver.
    pub(crate) fn has_message(&self) -> bool {
        self.available(self.receiving.head.load(Ordering::Relaxed)) > 0
    }

    /// How many messages there are, as far as the receiver knows; it looks again before it says none.
    #[inline]
    fn available(&self, head: u64) -> u64 {
        match distance(head, self.receiving.seen_tail.load(Ordering::Relaxed)) {
            0 => self.look_at_tail(head),
            available => available,
        }
    }

    fn look_at_tail(&self, head: u64) -> u64 {
        let Receiving { seen_tail, deepest, .. } = &*self.receiving;
        let tail = self.sending.tail.load(Ordering::Acquire);
        seen_tail.store(tail, Ordering::Relaxed);
        let depth = distance(head, tail);
        if depth > deepest.load(Ordering::Relaxed) {
            deepest.store(depth, Ordering::Relaxed);
        }
        depth
    }

    /// Whether the receiver has become the owner of `count` messages from `head` on.
    #[inline]
    fn advance_head(&self, head: u64, count: u64) -> bool {
        let next = head.wrapping_add(count);
        if self.when_full == WhenFull::DropOldest {
            return self.receiving.head.compare_exchange(head, next, Ordering::Release, Ordering::Relaxed).is_ok();
        }
        self.receiving.head.store(next, Ordering::Release);
        if self.when_full == WhenFull::Wait && self.room.is_awaited() {
            self.tell_of_room(next);
        }
        true
    }

    /// Wakes a publisher that waits, as soon as half of the lane is free: then it fills that half before it has to sleep again.
    #[cold]
    fn tell_of_room(&self, head: u64) {
        if distance(head, self.sending.tail.load(Ordering::Relaxed)) <= self.capacity / 2 {
            self.room.tell();
        }
    }

    #[inline]
    fn cell(&self, number: u64) -> &AtomicPtr<Slot<T>> {
        &self.cells[number as usize & (self.cells.len() - 1)]
    }
}

impl<T> Drop for Lane<T> {
    /// Lets go what a publisher put in while the receiver left.
    fn drop(&mut self) {
        while self.pop().is_some() {}
    }
}

/// What went through a lane.
pub(crate) struct Counts {
    pub(crate) delivered: u64,
    pub(crate) dropped: u64,
    pub(crate) depth: u64,
    pub(crate) deepest: u64,
}

struct Full;

/// From `head` to a `tail` that was seen some time ago: the publisher may have moved `head` past it.
#[inline]
fn distance(head: u64, tail: u64) -> u64 {
    (tail.wrapping_sub(head) as i64).max(0) as u64
}
