//! A ring from one publisher to one queue.
//!
//! # Protocol
//! Two counters that only grow: `tail` belongs to the publisher; the messages within `head .. tail`
//! are in the ring. They are there as [references](super::references) or as
//! [copies](super::copies).
//!
//! | who | step | ordering |
//! |---|---|---|
//! | publisher | reads `head`; full if `tail - head` is the capacity | acquire: the receiver has read the message's place, and what it held before is released |
//! | publisher | puts a reference into its cell, with its mark, and advances `tail`, which nobody else needs to see | the cell releases: the receiver sees the message |
//! | | or copies a message into its place, and advances `tail` | release: as above |
//! | receiver | reads the cell of `head`; empty if it has the other mark | acquire |
//! | | or reads `tail`; empty if it is `head` | acquire |
//! | receiver | advances `head` | release: the place may be filled again, and what it held before is released |
//!
//! The publisher keeps the value of `head` that it read last, and reads it again only when the ring
//! seems full; how it recovers slots is described in the [`ledger`](super::ledger).
//!
//! With [`WhenFull::DropOldest`], where messages are references, the publisher, too, advances
//! `head`, to take the oldest message out of a full ring. So both advance it by
//! compare-and-exchange: who succeeds owns the messages in between. What the receiver read from a
//! cell counts only then, because as long as `head` has not moved, the publisher has not filled the
//! cell again; and that a cell is empty counts only if `head` has not moved. The publisher tries
//! once: if it fails, the receiver has made room.
#![expect(unsafe_code, reason = "a lane knows which messages may be copied and read, and when")]

use super::copies::{Copies, IsCopy};
use super::hub::Inlet;
use super::ledger::Oldest;
use super::pool::{Complete, Held, Pool, Received, Reference, Reservation};
use super::references::References;
use super::room::Room;
use crate::circle::Circle;
use crate::signal::Signal;
use crate::sync::{AtomicBool, AtomicU64, Line, Ordering};
use crate::when_full::WhenFull;
use hemiola_model::module::Place;
use hemiola_realtime::MonotonicTime;

pub(crate) struct Lane<T> {
    content: Content<T>,
    /// The arrivals of the messages in the cells at the executor that receives them, if one does.
    arrivals: Option<Circle<AtomicU64>>,
    capacity: u64,
    when_full: WhenFull,
    signal: Signal,
    /// The number of the first message that is to come through.
    first: u64,
    room: Room,
    /// Set when the receiver is done with the lane.
    closed: AtomicBool,
    sending: Line<Sending>,
    receiving: Line<Receiving>,
    /// The place of the publisher, and that for which it stands in.
    place: Place,
    stands_for: Option<Place>,
}

enum Content<T> {
    References(References<T>),
    Copies(Copies<T>),
}

/// The fields that the publisher writes.
struct Sending {
    tail: AtomicU64,
    seen_head: AtomicU64,
    dropped: AtomicU64,
}

/// The fields that the receiver writes; with [`WhenFull::DropOldest`] the publisher writes `head`,
/// too.
struct Receiving {
    head: AtomicU64,
    deepest: AtomicU64,
}

impl<T> Lane<T> {
    /// Creates a lane of references that is empty or begins with a message that is known to its
    /// publisher. Half of the reservation is for what the lane holds, half for what the receiver
    /// holds.
    pub(crate) fn new(inlet: &Inlet<T>, last: Option<Held<T>>, reservation: Reservation<T>) -> Self {
        let capacity = reservation.slots() / 2;
        let places = (reservation.pool().place, reservation.pool().stands_for);
        let references = Content::References(References::new(capacity, reservation));
        let mut lane = Self::with_content(references, inlet, capacity, places);
        lane.first = last.as_ref().map_or(0, |message| message.envelope().header.sequence + 1);
        if let (Some(message), Content::References(references)) = (last, &lane.content) {
            lane.append(references, 0, message.into_reference(), Oldest::Taken);
        }
        lane
    }

    /// Creates a lane into which messages are copied.
    ///
    /// # Panics
    /// Panics if it is to drop the oldest message: then the publisher would move the head, too.
    pub(crate) fn of_copies(is_copy: IsCopy<T>, inlet: &Inlet<T>, capacity: usize, pool: &Pool<T>) -> Self {
        assert!(inlet.when_full != WhenFull::DropOldest, "only the receiver moves the head");
        let copies = Content::Copies(Copies::new(is_copy, capacity, pool.place, inlet.measures_time()));
        Self::with_content(copies, inlet, capacity, (pool.place, pool.stands_for))
    }

    fn with_content(
        content: Content<T>,
        inlet: &Inlet<T>,
        capacity: usize,
        (place, stands_for): (Place, Option<Place>),
    ) -> Self {
        Self {
            content,
            arrivals: inlet.signal.executor().map(|_| Circle::new(capacity, AtomicU64::default)),
            capacity: capacity as u64,
            when_full: inlet.when_full,
            signal: inlet.signal.clone(),
            first: 0,
            room: Room::default(),
            closed: AtomicBool::new(false),
            sending: Line(Sending {
                tail: AtomicU64::new(0),
                seen_head: AtomicU64::new(0),
                dropped: AtomicU64::new(0),
            }),
            receiving: Line(Receiving { head: AtomicU64::new(0), deepest: AtomicU64::new(0) }),
            place,
            stands_for,
        }
    }

    /// Returns whether a replay finds the messages of the publisher at that place here: it computes
    /// those of cycles, and for all others there are stand-ins.
    pub(crate) fn has_again(&self, place: Place) -> bool {
        match place {
            Place::Cycle(_) => self.place == place,
            Place::Source(_) | Place::Outside(_) => self.stands_for == Some(place),
        }
    }

    /// Returns whether a message is to come through. One that was there when the lane was made may
    /// be on its way at the same time.
    pub(crate) fn wants(&self, sequence: u64) -> bool {
        sequence >= self.first
    }

    /// Returns whether messages are copied into the lane, and nothing else is to be done for them.
    pub(crate) fn only_copies(&self) -> bool {
        let only_values = matches!(&self.content, Content::Copies(copies) if !copies.has_stamps());
        only_values && matches!(self.signal, Signal::Nothing)
    }

    /// Appends a copy of a message if that is all that there is to do: if this is a lane that [only
    /// copies](Self::only_copies), and there is room as far as the publisher knows. Returns whether
    /// it has. Only for the publisher. Wait-free.
    #[inline(always)]
    pub(crate) fn push_copy(&self, value: &T, sequence: u64) -> bool {
        let Content::Copies(copies) = &self.content else { return false };
        let tail = self.sending.tail.load(Ordering::Relaxed);
        let seen_head = self.sending.seen_head.load(Ordering::Relaxed);
        if tail.wrapping_sub(seen_head) == self.capacity || !copies.is_noted(tail, sequence) {
            return false;
        }
        // SAFETY: there is room for the next message, and this is its publisher.
        unsafe { copies.write_value(tail, value) };
        // Release: whoever sees the new tail sees the message.
        self.sending.tail.store(tail.wrapping_add(1), Ordering::Release);
        true
    }

    /// Appends a message, and signals it. If there is no room, either it or the oldest one is
    /// dropped. Only for the publisher. Wait-free.
    #[inline(always)]
    pub(crate) fn push(&self, message: &Complete<T>) {
        let tail = self.sending.tail.load(Ordering::Relaxed);
        if let Ok(oldest) = self.room_at(tail) {
            match &self.content {
                Content::References(references) => self.append(references, tail, message.give(), oldest),
                Content::Copies(copies) => self.append_copy(copies, tail, message),
            }
            self.signal.tell();
        }
    }

    /// Makes room for message `tail`, if there is none and the policy allows it, and returns what
    /// became of the oldest one.
    #[inline(always)]
    fn room_at(&self, tail: u64) -> Result<Oldest, Full> {
        if tail.wrapping_sub(self.sending.seen_head.load(Ordering::Relaxed)) == self.capacity {
            return self.make_room(tail);
        }
        Ok(Oldest::Taken)
    }

    #[inline(always)]
    fn append(&self, references: &References<T>, tail: u64, reference: Reference<T>, oldest: Oldest) {
        if let Some(arrivals) = &self.arrivals {
            self.note_arrival(arrivals, tail);
        }
        references.put(tail, reference, oldest, self.taken_out());
        // Relaxed: the receiver finds the message in its cell.
        self.sending.tail.store(tail.wrapping_add(1), Ordering::Relaxed);
    }

    #[inline(never)]
    fn append_copy(&self, copies: &Copies<T>, tail: u64, message: &Complete<T>) {
        if let Some(arrivals) = &self.arrivals {
            self.note_arrival(arrivals, tail);
        }
        // SAFETY: there is room for the next message, and this is its publisher.
        unsafe { copies.write(tail, message.envelope()) };
        // Release: whoever sees the new tail sees the message.
        self.sending.tail.store(tail.wrapping_add(1), Ordering::Release);
    }

    /// Notes when a message arrived. Relaxed: whoever sees the message sees this.
    #[inline(never)]
    fn note_arrival(&self, arrivals: &Circle<AtomicU64>, tail: u64) {
        if let Some(ready) = self.signal.executor() {
            arrivals.at(tail).store(ready.arrive(), Ordering::Relaxed);
        }
    }

    /// Returns when the next message arrived at the receiver's executor, if there is one. If the
    /// publisher takes that out meanwhile, it may be when the one after it arrived. Only for the
    /// receiver.
    #[inline]
    pub(crate) fn next_arrival(&self) -> Option<u64> {
        let head = self.head();
        let arrivals = self.arrivals.as_ref()?;
        self.is_there(head).then(|| arrivals.at(head).load(Ordering::Relaxed))
    }

    /// Checks again whether the lane is full, and applies its policy if it is.
    #[inline(never)]
    fn make_room(&self, tail: u64) -> Result<Oldest, Full> {
        let Sending { seen_head, dropped, .. } = &*self.sending;
        let head = self.receiving.head.load(Ordering::Acquire);
        seen_head.store(head, Ordering::Relaxed);
        if tail.wrapping_sub(head) < self.capacity {
            return Ok(Oldest::Taken);
        }
        if self.when_full != WhenFull::DropOldest {
            dropped.store(dropped.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
            return Err(Full);
        }
        let next = head.wrapping_add(1);
        // Acquire on both ways: if the receiver was faster, it has read the cell that will be
        // filled. Release: whoever sees this does not take a message for the right one because its
        // mark is two turns old.
        match self.receiving.head.compare_exchange(head, next, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => {
                seen_head.store(next, Ordering::Relaxed);
                dropped.store(dropped.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
                Ok(Oldest::TakenOut)
            }
            Err(head) => {
                seen_head.store(head, Ordering::Relaxed);
                Ok(Oldest::Taken)
            }
        }
    }

    /// Waits for room, which then remains, because nobody else fills the lane. Only for the
    /// publisher.
    pub(crate) fn wait_for_room(&self, deadline: MonotonicTime) -> bool {
        self.room.wait(|| self.has_room(), deadline)
    }

    /// Returns whether there is room, or the policy does not wait for it. Only for the publisher.
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

    /// Takes the oldest message; what was taken before counts as released. Only for the receiver.
    /// Lock-free: tries again only if the publisher took one out meanwhile.
    #[inline(always)]
    pub(crate) fn pop(&self) -> Option<Received<T>> {
        let references = match &self.content {
            Content::References(references) => references,
            Content::Copies(copies) => return self.take_copies(copies, 1)?.next(),
        };
        loop {
            let head = self.head();
            let Some(message) = references.message(head) else {
                if self.has_moved_from(head) {
                    continue;
                }
                return None;
            };
            self.look_for_depth(references, head);
            if self.advance_head(head, 1) {
                return Some(message);
            }
        }
    }

    /// Takes the oldest messages, `limit` at most; what was taken before counts as released. Only
    /// for the receiver. Lock-free.
    pub(crate) fn pop_many(&self, into: &mut Vec<Received<T>>, limit: usize) {
        let references = match &self.content {
            Content::References(references) => references,
            Content::Copies(copies) => return into.extend(self.take_copies(copies, limit).into_iter().flatten()),
        };
        let before = into.len();
        loop {
            let head = self.head();
            let numbers = (0..limit as u64).map(|place| head.wrapping_add(place));
            into.extend(numbers.map_while(|number| references.message(number)));
            let count = (into.len() - before) as u64;
            if count == 0 {
                if self.has_moved_from(head) {
                    continue;
                }
                return;
            }
            self.look_for_depth(references, head);
            if self.advance_head(head, count) {
                return;
            }
            into.truncate(before);
        }
    }

    /// Takes the oldest messages, `limit` at most, if there are any. Wait-free.
    #[inline(always)]
    fn take_copies<'a>(
        &self,
        copies: &'a Copies<T>,
        limit: usize,
    ) -> Option<impl ExactSizeIterator<Item = Received<T>> + use<'a, T>> {
        // Relaxed: only the receiver moves it.
        let head = self.receiving.head.load(Ordering::Relaxed);
        // Acquire: the messages are there.
        let waiting = self.sending.tail.load(Ordering::Acquire).wrapping_sub(head);
        let count = waiting.min(limit as u64);
        if count == 0 {
            return None;
        }
        self.note_depth(waiting);
        self.advance_head(head, count);
        // SAFETY: they are there, and whoever takes more has given these up.
        Some((0..count as usize).map(move |place| unsafe { Received::copy(copies, head.wrapping_add(place as u64)) }))
    }

    /// Takes the messages from number `first` of their publisher on, `limit` at most, and drops
    /// those before them; what was taken before counts as released. Only for the receiver.
    /// Lock-free.
    pub(crate) fn pop_from(&self, first: u64, into: &mut Vec<Received<T>>, limit: usize) {
        // Of the messages that were taken, the last ones may all be held, as many as there is room
        // for.
        let limit = limit.min(self.capacity as usize);
        while limit > 0
            && let Some(message) = self.pop()
        {
            if message.header().sequence >= first {
                into.push(message);
                return self.pop_many(into, limit - 1);
            }
        }
    }

    /// Marks the lane as one whose receiver has left. It has released all messages, and reads none
    /// of this lane any more.
    pub(crate) fn close(&self) {
        // Release: the receiver has read what it held.
        self.closed.store(true, Ordering::Release);
    }

    /// Takes back all messages that went through, if the receiver has left. Only for the publisher.
    pub(crate) fn take_back_if_closed(&self) {
        // Acquire: the receiver that closed the lane has read what it held.
        if self.closed.load(Ordering::Acquire)
            && let Content::References(references) = &self.content
        {
            references.ledger.take_back(self.sending.tail.load(Ordering::Relaxed), self.taken_out());
        }
    }

    /// Returns how many messages went through, were dropped, wait, and waited at most. For any
    /// thread.
    pub(crate) fn counts(&self) -> Counts {
        let head = self.receiving.head.load(Ordering::Relaxed);
        let dropped = self.sending.dropped.load(Ordering::Relaxed);
        let depth = distance(head, self.sending.tail.load(Ordering::Relaxed)).min(self.capacity);
        let deepest =
            if dropped > 0 { self.capacity } else { self.receiving.deepest.load(Ordering::Relaxed).max(depth) };
        Counts { delivered: head.saturating_sub(self.taken_out()), dropped, depth, deepest }
    }

    /// Returns how many messages the publisher took out.
    #[inline]
    fn taken_out(&self) -> u64 {
        if self.when_full == WhenFull::DropOldest { self.sending.dropped.load(Ordering::Relaxed) } else { 0 }
    }

    /// Returns whether there is a message. Only for the receiver.
    pub(crate) fn has_message(&self) -> bool {
        loop {
            let head = self.head();
            if self.is_there(head) {
                return true;
            }
            if !self.has_moved_from(head) {
                return false;
            }
        }
    }

    /// Returns whether message `number` is there, where `number` is `head`, or was a moment ago.
    #[inline]
    fn is_there(&self, number: u64) -> bool {
        match &self.content {
            Content::References(references) => references.message(number).is_some(),
            // Acquire: what was noted beside the message is there, too.
            Content::Copies(_) => self.sending.tail.load(Ordering::Acquire) != number,
        }
    }

    /// Records it if more messages wait than ever before. Most of the time this only reads the cell
    /// in which the next one would be. Only for the receiver.
    #[inline]
    fn look_for_depth(&self, references: &References<T>, head: u64) {
        let is_there = |depth| depth < self.capacity && references.message(head.wrapping_add(depth)).is_some();
        let before = self.receiving.deepest.load(Ordering::Relaxed);
        if is_there(before) {
            let depth = (before..).find(|depth| !is_there(*depth));
            self.note_depth(depth.unwrap_or(self.capacity));
        }
    }

    /// Records that so many messages wait, if that is more than ever before. Only for the receiver.
    #[inline]
    fn note_depth(&self, depth: u64) {
        let deepest = &self.receiving.deepest;
        if depth > deepest.load(Ordering::Relaxed) {
            deepest.store(depth, Ordering::Relaxed);
        }
    }

    /// Returns the number of the message at which the receiver goes on.
    #[inline]
    fn head(&self) -> u64 {
        // Acquire: see where the publisher advances `head`.
        self.receiving.head.load(Ordering::Acquire)
    }

    /// Returns whether the publisher took a message out since `head` was seen.
    #[inline]
    fn has_moved_from(&self, head: u64) -> bool {
        self.when_full == WhenFull::DropOldest && self.receiving.head.load(Ordering::Relaxed) != head
    }

    /// Advances `head` and returns whether the receiver has become the owner of `count` messages
    /// from there on.
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

    /// Wakes a publisher that waits, as soon as half of the lane is free: then it fills that half
    /// before it has to sleep again.
    #[cold]
    fn tell_of_room(&self, head: u64) {
        if distance(head, self.sending.tail.load(Ordering::Relaxed)) <= self.capacity / 2 {
            self.room.tell();
        }
    }
}

impl<T> Drop for Lane<T> {
    fn drop(&mut self) {
        let (tail, taken_out) = (self.sending.tail.load(Ordering::Relaxed), self.taken_out());
        if let Content::References(references) = &mut self.content {
            references.ledger.let_go(tail, taken_out);
        }
    }
}

/// The numbers of messages of a lane.
pub(crate) struct Counts {
    pub(crate) delivered: u64,
    pub(crate) dropped: u64,
    pub(crate) depth: u64,
    pub(crate) deepest: u64,
}

struct Full;

/// Returns the distance from `head` to a `tail` that was seen some time ago: the publisher may have
/// moved `head` past it.
#[inline]
fn distance(head: u64, tail: u64) -> u64 {
    (tail.wrapping_sub(head) as i64).max(0) as u64
}
