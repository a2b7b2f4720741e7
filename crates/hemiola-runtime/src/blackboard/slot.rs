//! A slot for one value, shared by the store that fills it and everybody who holds the value.
//!
//! # Protocol
//! A slot counts the references to it: its store counts once, and each [`Held`] once.
//!
//! | who | step | ordering |
//! |---|---|---|
//! | store | reads the count; one means that it is alone | acquire: everybody who held the value has stopped reading it |
//! | store | writes the value | nobody else can begin to hold it: that takes the store's consent or a hold |
//! | store | holds the value for somebody: adds one | relaxed: the hand-over to the holder carries the value |
//! | holder | subtracts one | release: what it read was read before |
//! | the last one to refer to it | frees it | acquire: all others have released it |
//!
//! So a held value stays unchanged and in place, whatever happens to its store, to the programs
//! that read it, and to the channel by which it came. That is the invariant behind the `unsafe`
//! blocks here.

#![expect(unsafe_code, reason = "slots count who refers to them; see the protocol")]

use std::cell::UnsafeCell;
use std::ptr::NonNull;

use hemiola_model::module::cell::View;
use hemiola_model::{AnyRepresentation, Time};

use crate::containment::quietly;
use crate::sync::{AtomicU32, Ordering, fence};

struct Shared {
    /// The number of references to the slot.
    references: AtomicU32,
    value: UnsafeCell<AnyRepresentation>,
}

/// A reference to a slot, which is counted as long as it lives.
struct Reference(NonNull<Shared>);

// SAFETY: values are Send and Sync; the count orders writing, reading and the end.
unsafe impl Send for Reference {}
// SAFETY: as above.
unsafe impl Sync for Reference {}

/// The store's end of a slot.
pub struct Slot(Reference);

/// A value that stays unchanged and in place until this is dropped.
#[derive(Clone)]
pub struct Held {
    reference: Reference,
    /// The time stamp of the newest sample from which the value derives.
    pub stamp: Time,
    /// Set if the value's provider failed in the latest run.
    pub stale: bool,
}

impl Slot {
    pub fn new(value: AnyRepresentation) -> Self {
        let shared = Shared { references: AtomicU32::new(1), value: UnsafeCell::new(value) };
        Self(Reference(NonNull::from(Box::leak(Box::new(shared)))))
    }

    /// Returns whether the value is not held.
    #[inline]
    pub fn is_free(&self) -> bool {
        self.0.get().references.load(Ordering::Acquire) == 1
    }

    /// Returns the value for changes.
    ///
    /// # Safety
    /// The slot is free, and nothing holds or reads its value as long as the reference lives.
    #[expect(clippy::mut_from_ref, reason = "the caller promises exclusive use")]
    #[inline]
    pub unsafe fn value_mut(&self) -> &mut AnyRepresentation {
        // SAFETY: promised by the caller.
        unsafe { &mut *self.0.get().value.get() }
    }

    /// Returns the value.
    ///
    /// # Safety
    /// The value is not changed as long as the reference lives.
    #[inline]
    pub unsafe fn value(&self) -> &AnyRepresentation {
        // SAFETY: promised by the caller.
        unsafe { &*self.0.get().value.get() }
    }

    /// Holds the value.
    ///
    /// # Safety
    /// The value is not being changed, and the provider learns of the hold before it looks for a
    /// free slot.
    #[inline]
    pub unsafe fn hold(&self, stamp: Time, stale: bool) -> Held {
        Held { reference: self.0.clone(), stamp, stale }
    }
}

impl Held {
    /// Creates a held value that belongs to no store.
    pub fn new(value: AnyRepresentation) -> Self {
        // The reference of the slot becomes this one.
        Self { reference: Slot::new(value).0, stamp: Time::ZERO, stale: false }
    }

    /// Returns the value.
    #[inline]
    pub fn value(&self) -> &AnyRepresentation {
        // SAFETY: the value is held, so nobody changes it.
        unsafe { &*self.reference.get().value.get() }
    }

    /// Returns the value as updates see it.
    #[inline]
    pub fn view(&self) -> View {
        View { value: self.value().as_ptr(), stamp: self.stamp, stale: self.stale }
    }
}

impl std::fmt::Debug for Held {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Held({})", self.value().descriptor().name())
    }
}

impl Reference {
    #[inline]
    fn get(&self) -> &Shared {
        // SAFETY: this is a reference to it, so nobody has freed it.
        unsafe { self.0.as_ref() }
    }

    /// Frees the slot. This happens off the real-time threads: a store outlives the cycles that
    /// read from it.
    #[cold]
    fn free(&mut self) {
        fence(Ordering::Acquire);
        // SAFETY: nobody else refers to it any more, and it was created by `Slot::new`.
        let shared = unsafe { Box::from_raw(self.0.as_ptr()) };
        _ = quietly(|| drop(shared));
    }
}

impl Clone for Reference {
    #[inline]
    fn clone(&self) -> Self {
        self.get().references.fetch_add(1, Ordering::Relaxed);
        Self(self.0)
    }
}

impl Drop for Reference {
    #[inline]
    fn drop(&mut self) {
        if self.get().references.fetch_sub(1, Ordering::Release) == 1 {
            self.free();
        }
    }
}
