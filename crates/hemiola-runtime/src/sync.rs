//! All atomics of this crate, so that a model checker can replace them.
//!
//! Those of the standard library are aliases instead of re-exports, because `disallowed_types`
//! (`clippy.toml`) sees through re-exports.
#![cfg_attr(
    not(loom),
    expect(clippy::disallowed_types, reason = "the one place where atomics are chosen: the processor's, or loom's")
)]
#![cfg_attr(not(loom), expect(clippy::disallowed_methods, reason = "as above: fences"))]

#[cfg(not(loom))]
pub use std::sync::{Mutex, atomic::Ordering};

#[cfg(loom)]
pub use loom::{
    cell::UnsafeCell,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence},
    },
};

#[cfg(not(loom))]
pub type AtomicBool = std::sync::atomic::AtomicBool;
#[cfg(not(loom))]
pub type AtomicPtr<T> = std::sync::atomic::AtomicPtr<T>;
#[cfg(not(loom))]
pub type AtomicU32 = std::sync::atomic::AtomicU32;
#[cfg(not(loom))]
pub type AtomicU64 = std::sync::atomic::AtomicU64;
#[cfg(not(loom))]
pub type AtomicUsize = std::sync::atomic::AtomicUsize;

#[cfg(not(loom))]
#[inline(always)]
pub fn fence(ordering: Ordering) {
    std::sync::atomic::fence(ordering);
}

/// Reads a word in the single order of all sequentially consistent accesses. Every change of such a
/// word is one of them, so this is its newest value in that order.
///
/// Loom has no such loads: it treats them as acquiring ones and finds deadlocks that cannot occur.
/// A change that changes nothing reads the newest value as well.
pub fn look(word: &AtomicU64) -> u64 {
    if cfg!(loom) { word.fetch_or(0, Ordering::SeqCst) } else { word.load(Ordering::SeqCst) }
}

/// Lets other threads run, for a thread that waits while its clock stands still.
#[cfg(not(loom))]
pub use std::thread::yield_now;

#[cfg(loom)]
pub use loom::thread::yield_now;
