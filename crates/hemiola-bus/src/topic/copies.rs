//! The content of a lane into which messages are copied.
//!
//! A small message is not shared by reference where a queue asks for that: copying it costs less
//! than the way to a slot and back.
//!
//! # Protocol
//! Message `number` lies in place `number` of a ring of at least two times the lane's capacity; the
//! lane's `head` and `tail` say whose a place is. The receiver reads messages where they lie:
//!
//! - it holds at most `capacity` messages, the last ones before `head`, and has released all others
//!   before it moved `head` there (release);
//! - the publisher writes message `number` only when it has seen (acquire) a `head` that is less
//!   than `capacity` behind, and so writes over a message that is more than `capacity` behind that
//!   `head`: one that is released.
//!
//! This needs a `head` that only the receiver moves, which is why a lane that drops the oldest
//! message carries references.
//!
//! Stores are what limits a publisher whose receiver polls: those behind the store of `tail` wait
//! until its line has come back. So there are as few as possible. A message's number in the topic
//! is kept as its distance from that in the lane, which rarely changes, and is stored only then.
#![expect(unsafe_code, reason = "messages are written and read in place, as the protocol above says")]

use super::pool::{Envelope, Header};
use crate::circle::Circle;
use crate::sync::{AtomicU64, CellAccess, Ordering, UnsafeCell};
use hemiola_model::module::Place;
use hemiola_trace::Ticks;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

pub(crate) struct Copies<T> {
    /// The values of the messages. They are `Copy`, or these would not be here.
    values: Circle<UnsafeCell<MaybeUninit<T>>>,
    /// The place of their publisher.
    place: Place,
    /// The distances from the messages' numbers in the lane to those in the topic. The places of
    /// these and of the stamps follow the same protocol, so that all accesses can be relaxed.
    distances: Circle<AtomicU64>,
    /// The times of publication, if the bus measures time.
    stamps: Option<Circle<AtomicU64>>,
}

// SAFETY: by the protocol, writing is exclusive (T: Send) and reading shared (T: Sync).
unsafe impl<T: Send + Sync> Sync for Copies<T> {}

impl<T> Copies<T> {
    /// Creates the content of a lane of that capacity, whose publisher has that place.
    pub(crate) fn new(_: IsCopy<T>, capacity: usize, place: Place, measures_time: bool) -> Self {
        let places = capacity.checked_mul(2).expect("a capacity is less than half of all numbers");
        Self {
            values: Circle::new(places, || UnsafeCell::new(MaybeUninit::uninit())),
            place,
            distances: Circle::new(places, AtomicU64::default),
            stamps: measures_time.then(|| Circle::new(places, AtomicU64::default)),
        }
    }

    /// Writes a message.
    ///
    /// # Safety
    /// The caller is the publisher, message `number` is the next one, and fits into the lane.
    #[inline(always)]
    pub(crate) unsafe fn write(&self, number: u64, message: &Envelope<T>) {
        let Envelope { header: Header { sequence, published, .. }, value, .. } = message;
        if !self.is_noted(number, *sequence) {
            self.distances.at(number).store(sequence.wrapping_sub(number), Ordering::Relaxed);
        }
        if let Some(stamps) = &self.stamps {
            stamps.at(number).store(published.0, Ordering::Relaxed);
        }
        // SAFETY: as above.
        unsafe { self.write_value(number, value) };
    }

    /// Writes the value of a message, of which nothing else needs to be written.
    ///
    /// # Safety
    /// The conditions of [`write`](Self::write) hold.
    #[inline(always)]
    pub(crate) unsafe fn write_value(&self, number: u64, value: &T) {
        let value: *const T = value;
        // SAFETY: nobody reads the place, see the protocol; and a `Copy` value can be copied.
        self.values.at(number).change(|place| unsafe { value.copy_to_nonoverlapping(place.cast(), 1) });
    }

    /// Returns whether message `number` is noted already as the one with that number in the topic.
    /// Only for the publisher.
    #[inline(always)]
    pub(crate) fn is_noted(&self, number: u64, sequence: u64) -> bool {
        self.distances.at(number).load(Ordering::Relaxed) == sequence.wrapping_sub(number)
    }

    pub(crate) fn has_stamps(&self) -> bool {
        self.stamps.is_some()
    }

    /// Returns message `number`.
    ///
    /// # Safety
    /// The caller is the receiver, the message is in the lane, or was taken out of it and is not
    /// released yet.
    #[inline(always)]
    pub(crate) unsafe fn value(&self, number: u64) -> &T {
        // SAFETY: see the protocol.
        self.values.at(number).look(|value| unsafe { (*value).assume_init_ref() })
    }

    /// Returns the metadata of a message that is not released yet.
    pub(crate) fn header(&self, number: u64) -> Header {
        let stamp = self.stamps.as_ref().map(|stamps| Ticks(stamps.at(number).load(Ordering::Relaxed)));
        Header {
            place: self.place,
            sequence: number.wrapping_add(self.distances.at(number).load(Ordering::Relaxed)),
            published: stamp.unwrap_or_default(),
        }
    }
}

/// The proof that a type is `Copy`, for code that does not know more of it than that it is a
/// message. It is not enough that a type needs no drop: what is in a mutex could be taken out of
/// every copy.
pub(crate) struct IsCopy<T>(PhantomData<fn() -> T>);

impl<T: Copy> IsCopy<T> {
    pub(crate) fn new() -> Self {
        Self(PhantomData)
    }
}

impl<T> Clone for IsCopy<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for IsCopy<T> {}
