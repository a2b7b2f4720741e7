//! All atomics of this crate, so that a model checker can take their place.

#[cfg(not(loom))]
pub use std::{
    cell::UnsafeCell,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence},
    },
};

#[cfg(loom)]
pub use loom::{
    cell::UnsafeCell,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence},
    },
};

/// The closure-based access that loom's cell offers, for the standard one.
pub trait CellAccess<T> {
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
pub use std::hint::spin_loop;
#[cfg(not(loom))]
pub use std::sync::{Mutex, MutexGuard};

#[cfg(loom)]
pub use loom::hint::spin_loop;

#[cfg(loom)]
pub use loom::sync::{Mutex, MutexGuard};

/// A cache line of its own (two, for processors fetch them in pairs), so that two sides do not
/// disturb each other.
#[repr(align(128))]
pub struct Line<T>(pub T);

impl<T> std::ops::Deref for Line<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

/// Tries all interleavings in which threads are preempted at most so often (most errors need two).
#[cfg(all(test, loom))]
pub fn model(preemptions: usize, check: impl Fn() + Send + Sync + 'static) {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(preemptions);
    model.check(check);
}
