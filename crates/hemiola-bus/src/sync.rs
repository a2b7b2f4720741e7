//! All atomics of this crate, so that a model checker can take their place.
//!
//! Those of the standard library are aliases and not re-exports, because `disallowed_types`
//! (`clippy.toml`) sees through re-exports.
#![expect(clippy::disallowed_types, reason = "the one place where atomics are chosen: the processor's, or loom's")]
#![expect(clippy::disallowed_methods, reason = "as above: fences")]

pub(crate) use std::sync::atomic::Ordering;
#[cfg(not(loom))]
pub(crate) use std::{cell::UnsafeCell, sync::Arc};

#[cfg(loom)]
pub(crate) use loom::{
    cell::UnsafeCell,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, fence},
    },
};

#[cfg(not(loom))]
pub(crate) type AtomicBool = std::sync::atomic::AtomicBool;
#[cfg(not(loom))]
pub(crate) type AtomicI64 = std::sync::atomic::AtomicI64;
#[cfg(not(loom))]
pub(crate) type AtomicPtr<T> = std::sync::atomic::AtomicPtr<T>;
#[cfg(not(loom))]
pub(crate) type AtomicU8 = std::sync::atomic::AtomicU8;
#[cfg(not(loom))]
pub(crate) type AtomicU32 = std::sync::atomic::AtomicU32;
#[cfg(not(loom))]
pub(crate) type AtomicU64 = std::sync::atomic::AtomicU64;
#[cfg(not(loom))]
pub(crate) type AtomicUsize = std::sync::atomic::AtomicUsize;

#[cfg(not(loom))]
#[inline(always)]
pub(crate) fn fence(ordering: Ordering) {
    std::sync::atomic::fence(ordering);
}

/// The closure-based access that loom's cell offers, for the standard one.
pub(crate) trait CellAccess<T> {
    /// Calls `look` with a pointer for reading.
    fn look<R>(&self, look: impl FnOnce(*const T) -> R) -> R;
    /// Calls `change` with a pointer for writing.
    fn change<R>(&self, change: impl FnOnce(*mut T) -> R) -> R;
}

impl<T> CellAccess<T> for UnsafeCell<T> {
    #[cfg(not(loom))]
    fn look<R>(&self, look: impl FnOnce(*const T) -> R) -> R {
        look(self.get())
    }

    #[cfg(not(loom))]
    fn change<R>(&self, change: impl FnOnce(*mut T) -> R) -> R {
        change(self.get())
    }

    #[cfg(loom)]
    fn look<R>(&self, look: impl FnOnce(*const T) -> R) -> R {
        self.with(look)
    }

    #[cfg(loom)]
    fn change<R>(&self, change: impl FnOnce(*mut T) -> R) -> R {
        self.with_mut(change)
    }
}

#[cfg(not(loom))]
pub(crate) use std::hint::spin_loop;
#[cfg(not(loom))]
pub(crate) use std::sync::{Mutex, MutexGuard};

#[cfg(loom)]
pub(crate) use loom::hint::spin_loop;

#[cfg(loom)]
pub(crate) use loom::sync::{Mutex, MutexGuard};

/// A cache line of its own (two, because processors fetch them in pairs), so that two sides do not
/// disturb each other.
#[repr(align(128))]
pub(crate) struct Line<T>(pub(crate) T);

impl<T> std::ops::Deref for Line<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// Tries all interleavings with at most that many preemptions (most errors need two).
#[cfg(all(test, loom))]
pub(crate) fn model(preemptions: usize, check: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions);
    model.check(check);
}
