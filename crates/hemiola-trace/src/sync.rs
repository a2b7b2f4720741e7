//! The atomics of the rings, in one place so that `--cfg loom` replaces them by those of the model
//! checker.
//!
//! Those of the standard library are aliases instead of re-exports, because `disallowed_types`
//! (`clippy.toml`) sees through re-exports.
#![expect(clippy::disallowed_types, reason = "the one place where atomics are chosen: the processor's, or loom's")]
#![expect(clippy::disallowed_methods, reason = "as above: fences")]

#[cfg(loom)]
pub(crate) use loom::sync::{
    Arc,
    atomic::{AtomicBool, AtomicU64, fence},
};
#[cfg(not(loom))]
pub(crate) use std::sync::Arc;
pub(crate) use std::sync::atomic::Ordering;

#[cfg(not(loom))]
pub(crate) type AtomicBool = std::sync::atomic::AtomicBool;
#[cfg(not(loom))]
pub(crate) type AtomicU64 = std::sync::atomic::AtomicU64;

#[cfg(not(loom))]
#[inline(always)]
pub(crate) fn fence(ordering: Ordering) {
    std::sync::atomic::fence(ordering);
}
