//! All atomics of this crate, so that a model checker can take their place.

#[cfg(not(loom))]
pub use std::sync::{
    Mutex,
    atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence},
};

#[cfg(loom)]
pub use loom::{
    cell::UnsafeCell,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence},
    },
};

/// Reads a word in the one order of all sequentially consistent accesses. Every change of such a word is one of them, so this is
/// its newest value in that order.
///
/// Loom has no such loads, it takes them for acquiring ones and finds dead-locks that cannot be. A change that changes nothing
/// reads the newest value as well.
pub fn look(word: &AtomicU64) -> u64 {
    if cfg!(loom) { word.fetch_or(0, Ordering::SeqCst) } else { word.load(Ordering::SeqCst) }
}

/// Lets other threads go on: where somebody waits whose clock stands still.
#[cfg(not(loom))]
pub use std::thread::yield_now;

#[cfg(loom)]
pub use loom::thread::yield_now;
