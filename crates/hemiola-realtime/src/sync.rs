//! The atomics and locks of this crate's protocols, so that loom can replace them
//! (`RUSTFLAGS="--cfg loom"`).
//!
//! Those of the standard library are aliases and not re-exports, because `disallowed_types`
//! (`clippy.toml`) sees through re-exports.
#![expect(clippy::disallowed_types, reason = "the one place where atomics are chosen: the processor's, or loom's")]
#![cfg_attr(not(loom), expect(clippy::disallowed_methods, reason = "as above: fences"))]

#[cfg(loom)]
pub(crate) use loom::hint::spin_loop;
#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, fence};
#[cfg(loom)]
pub(crate) use loom::sync::{Condvar, Mutex, MutexGuard};

#[cfg(not(loom))]
pub(crate) use std::hint::spin_loop;
#[cfg(all(not(loom), not(target_os = "linux")))]
pub(crate) use std::sync::Condvar;
pub(crate) use std::sync::atomic::Ordering;
#[cfg(not(loom))]
pub(crate) use std::sync::{Mutex, MutexGuard};

#[cfg(not(loom))]
#[inline(always)]
pub(crate) fn fence(order: Ordering) {
    std::sync::atomic::fence(order);
}
#[cfg(not(loom))]
pub(crate) type AtomicBool = std::sync::atomic::AtomicBool;
#[cfg(not(loom))]
pub(crate) type AtomicU32 = std::sync::atomic::AtomicU32;
#[cfg(not(loom))]
pub(crate) type AtomicU64 = std::sync::atomic::AtomicU64;

/// A counter in a `static`, on which no protocol rests; loom has none that a `static` could hold.
pub(crate) type StaticAtomicU64 = std::sync::atomic::AtomicU64;
