//! A place for one value, shared by the store that fills it and everybody who holds the value.
//!
//! # Protocol
//! A slot counts who refers to it: its store once, and each [`Held`].
//!
//! | who | step | ordering |
//! |---|---|---|
//! | store | reads the count; one means that it is alone | acquire: all who held the value have stopped reading it |
//! | store | writes the value | nobody else can begin to hold it: that takes the store's consent or a hold |
//! | store | holds the value for somebody: adds one | relaxed: the hand-over to the holder carries the value |
//! | holder | subtracts one | release: what it read was read before |
//! | the last one to refer to it | frees it | acquire: all others have let go |
//!
//! So a value that anybody holds stays as it is and where it is, whatever becomes of its store, of the programs that read it and
//! of the channel that it came by. That is the invariant behind the `unsafe` blocks here.

use std::cell::UnsafeCell;
use std::ptr::NonNull;

use hemiola_model::module::cell::View;
use hemiola_model::{AnyRepresentation, Time};

use crate::containment::quietly;
use crate::sync::{AtomicU32, Ordering, fence};

struct Shared {
    /// Whoever refers to it.
    references: AtomicU32,
    value: UnsafeCell<AnyRepresentation>,
}

/// The store's end of a slot.
pub struct Slot(NonNull<Shared>);

/// A value that stays as it is, where it is, until this is dropped.
pub struct Held {
    shared: NonNull<Shared>,
    /// When the newest sample was taken that it derives from.
    pub stamp: Time,
    /// Its provider failed in the latest run.
    pub stale: bool,
}

// SAFETY: values are Send and Sync, and the count orders writing and reading.
unsafe impl Send for Slot {}
// SAFETY: as above; a shared slot only counts.
unsafe impl Sync for Slot {}
// SAFETY: as above.
unsafe impl Send for Held {}
// SAFETY: as above.
unsafe impl Sync for Held {}

impl Slot {
    pub fn new(value: AnyRepresentation) -> Self {
        let shared = Shared { references: AtomicU32::new(1), value: UnsafeCell::new(value) };
        Self(NonNull::from(Box::leak(Box::new(shared))))
    }

    /// Whether nobody holds the value.
    #[inline]
    pub fn is_free(&self) -> bool {
        self.shared().references.load(Ordering::Acquire) == 1
    }

    /// The value, to be changed.
    ///
    /// # Safety
    /// The slot is free, and nobody holds or looks at its value as long as the reference lives.
    #[expect(clippy::mut_from_ref, reason = "the caller promises exclusive use")]
    #[inline]
    pub unsafe fn value_mut(&self) -> &mut AnyRepresentation {
        // SAFETY: promised by the caller.
        unsafe { &mut *self.shared().value.get() }
    }

    /// The value.
    ///
    /// # Safety
    /// It is not changed as long as the reference lives.
    #[inline]
    pub unsafe fn value(&self) -> &AnyRepresentation {
        // SAFETY: promised by the caller.
        unsafe { &*self.shared().value.get() }
    }

    /// Holds the value.
    ///
    /// # Safety
    /// Nobody changes it at present, and the provider comes to know of the hold before it looks for a free slot.
    #[inline]
    pub unsafe fn hold(&self, stamp: Time, stale: bool) -> Held {
        self.shared().references.fetch_add(1, Ordering::Relaxed);
        Held { shared: self.0, stamp, stale }
    }

    #[inline]
    fn shared(&self) -> &Shared {
        // SAFETY: it refers to it.
        unsafe { self.0.as_ref() }
    }
}

impl Held {
    /// A value that belongs to nobody else.
    pub fn new(value: AnyRepresentation) -> Self {
        let slot = std::mem::ManuallyDrop::new(Slot::new(value));
        // The slot's reference is this one.
        Self { shared: slot.0, stamp: Time::ZERO, stale: false }
    }

    /// The value.
    #[inline]
    pub fn value(&self) -> &AnyRepresentation {
        // SAFETY: it is held, so nobody changes it.
        unsafe { &*self.shared.as_ref().value.get() }
    }

    /// As updates see it.
    #[inline]
    pub fn view(&self) -> View {
        View { value: self.value().as_ptr(), stamp: self.stamp, stale: self.stale }
    }
}

impl Clone for Held {
    fn clone(&self) -> Self {
        // SAFETY: it refers to it.
        unsafe { self.shared.as_ref() }.references.fetch_add(1, Ordering::Relaxed);
        Self { ..*self }
    }
}

impl std::fmt::Debug for Held {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Held({})", self.value().descriptor().name())
    }
}

impl Drop for Held {
    #[inline]
    fn drop(&mut self) {
        // SAFETY: it refers to it, once, and does so no longer.
        unsafe { release(self.shared) }
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        // SAFETY: as above.
        unsafe { release(self.0) }
    }
}

/// # Safety
/// The caller refers to it, and does so no longer.
#[inline]
unsafe fn release(shared: NonNull<Shared>) {
    // SAFETY: promised by the caller.
    if unsafe { shared.as_ref() }.references.fetch_sub(1, Ordering::Release) == 1 {
        // SAFETY: nobody refers to it any more.
        unsafe { free(shared) }
    }
}

/// Off the real-time threads: a store lives longer than the cycles that read from it.
///
/// # Safety
/// Nobody refers to it.
#[cold]
unsafe fn free(shared: NonNull<Shared>) {
    fence(Ordering::Acquire);
    // SAFETY: promised by the caller; it was made by `Slot::new`.
    let shared = unsafe { Box::from_raw(shared.as_ptr()) };
    _ = quietly(|| drop(shared));
}
