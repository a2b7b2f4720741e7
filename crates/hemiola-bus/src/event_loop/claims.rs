//! The numbers that producers have claimed, and those that are published.
//!
//! # Protocol
//! With one producer, `published` counts the events: the producer claims the next by being the only
//! one.
//!
//! With many, `claimed` counts the claimed numbers; a producer claims the next by compare and
//! exchange, within the room that the slowest consumer leaves, so that a claim is never too far
//! ahead. Each slot has a mark: whether it was published last in an even or an odd round. Marks are
//! published in any order; consumers stop at the first that is not of the round.
//!
//! The mark of a small event lies beside it, so that only one line goes from the producer to the
//! consumer, for which the producer's next claim waits on some processors (x86). The marks of large
//! events lie apart from them, because consumers look at the next mark again and again while its
//! event is written.
//!
//! A claim cannot be undone: a producer that panics marks its numbers as void, and consumers skip
//! them.

use super::ring::Slot;
use crate::circle::Circle;
use crate::sync::{AtomicU8, AtomicU64, Line, Ordering};

/// The content of a claimed number when it is published.
#[derive(Clone, Copy, PartialEq)]
pub enum Content {
    /// The number holds an event.
    Event,
    /// The number holds nothing: the producer panicked while it wrote.
    Void,
}

/// The way in which producers claim and publish. Only [`OneProducer`] and [`ManyProducers`]
/// implement this.
pub trait Claims: Send + Sync + 'static {
    /// The mark that lies beside each event.
    type Mark: Default + Send + Sync;

    /// Claims the next `count` numbers, if they are below what `room` allows for the first of them.
    /// Returns the first.
    fn claim(&self, count: u64, room: impl FnMut(u64) -> bool) -> Option<u64>;
    /// Publishes claimed numbers.
    fn publish<E>(&self, slots: &Slots<E, Self>, first: u64, count: u64, content: Content);
    /// Returns the number, at most `limit`, up to which everything from `from` on is published.
    fn published<E>(&self, slots: &Slots<E, Self>, from: u64, limit: u64) -> u64;
    /// Returns whether a published number holds nothing.
    fn is_void<E>(&self, slots: &Slots<E, Self>, number: u64) -> bool;
    /// Returns how many numbers are claimed.
    fn claimed(&self) -> u64;
}

/// The slots of a ring whose producers claim in that way.
pub type Slots<E, C> = Circle<Slot<E, <C as Claims>::Mark>>;

/// Marks an [`EventLoop`](super::EventLoop) that has one producer.
///
/// ```
/// use hemiola_bus::{EventLoop, OneProducer, Producer};
///
/// struct Camera { frames: Producer<u64, OneProducer> }
/// let mut camera = Camera { frames: EventLoop::for_one_producer(8).producer() };
/// ```
pub struct OneProducer {
    published: Line<AtomicU64>,
}

/// Marks an [`EventLoop`](super::EventLoop) that may have many producers.
///
/// ```
/// use hemiola_bus::{EventLoop, ManyProducers, Producer};
///
/// struct Module { events: Producer<u64, ManyProducers> } // which is what Producer<u64> means
/// let first = Module { events: EventLoop::new(8).producer() };
/// let second = Module { events: first.events.clone() };
/// ```
pub struct ManyProducers {
    claimed: Line<AtomicU64>,
    /// The marks of events that are not small.
    apart: Circle<AtomicU8>,
}

impl OneProducer {
    pub(super) fn new() -> Self {
        OneProducer { published: Line(AtomicU64::new(0)) }
    }
}

impl Claims for OneProducer {
    type Mark = ();

    #[inline]
    fn claim(&self, _: u64, mut room: impl FnMut(u64) -> bool) -> Option<u64> {
        // Relaxed: only the one producer writes it.
        let first = self.published.0.load(Ordering::Relaxed);
        room(first).then_some(first)
    }

    #[inline]
    fn publish<E>(&self, _: &Slots<E, Self>, first: u64, count: u64, content: Content) {
        // Void numbers are claimed again.
        if content == Content::Event {
            self.published.0.store(first + count, Ordering::Release);
        }
    }

    #[inline]
    fn published<E>(&self, _: &Slots<E, Self>, _: u64, limit: u64) -> u64 {
        self.published.0.load(Ordering::Acquire).min(limit)
    }

    #[inline]
    fn is_void<E>(&self, _: &Slots<E, Self>, _: u64) -> bool {
        false
    }

    fn claimed(&self) -> u64 {
        self.published.0.load(Ordering::Relaxed)
    }
}

const ROUND: u8 = 1;
const VOID: u8 = 2;

impl ManyProducers {
    /// Creates the claims of a ring of that many events.
    pub(super) fn of<E>(capacity: usize) -> Self {
        let apart = if is_small::<E>() { 0 } else { capacity };
        ManyProducers { claimed: Line(AtomicU64::new(0)), apart: Circle::new(apart, AtomicU8::default) }
    }

    /// Returns the mark of a number.
    #[inline]
    fn mark<'a, E>(&'a self, slots: &'a Slots<E, Self>, number: u64) -> &'a AtomicU8 {
        if const { is_small::<E>() } { &slots.at(number).mark } else { self.apart.at(number) }
    }
}

/// Returns whether an event and its mark fit into a line.
const fn is_small<E>() -> bool {
    size_of::<E>() < 64
}

/// Returns the mark of the number's round: 1 in the first, then 0, and so on.
#[inline]
fn round<E>(slots: &Slots<E, ManyProducers>, number: u64) -> u8 {
    // The number of slots is a power of two.
    if number & slots.len() as u64 == 0 { ROUND } else { 0 }
}

impl Claims for ManyProducers {
    type Mark = AtomicU8;

    #[inline]
    fn claim(&self, count: u64, mut room: impl FnMut(u64) -> bool) -> Option<u64> {
        // Relaxed: it only hands out numbers. What is in the slots travels with the marks and the
        // cursors.
        let mut first = self.claimed.0.load(Ordering::Relaxed);
        while room(first) {
            match self.claimed.0.compare_exchange_weak(first, first + count, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Some(first),
                Err(now) => first = now,
            }
        }
        None
    }

    #[inline]
    fn publish<E>(&self, slots: &Slots<E, Self>, first: u64, count: u64, content: Content) {
        let void = if content == Content::Void { VOID } else { 0 };
        for number in first..first + count {
            self.mark(slots, number).store(round(slots, number) | void, Ordering::Release);
        }
    }

    #[inline]
    fn published<E>(&self, slots: &Slots<E, Self>, from: u64, limit: u64) -> u64 {
        let mark = |number| self.mark(slots, number).load(Ordering::Acquire);
        let is_published = |&number: &u64| mark(number) & ROUND == round(slots, number);
        (from..limit).find(|number| !is_published(number)).unwrap_or(limit)
    }

    #[inline]
    fn is_void<E>(&self, slots: &Slots<E, Self>, number: u64) -> bool {
        // Relaxed: it was seen as published before.
        self.mark(slots, number).load(Ordering::Relaxed) & VOID != 0
    }

    fn claimed(&self) -> u64 {
        self.claimed.0.load(Ordering::Relaxed)
    }
}
