//! The atomics of the bench. They are aliases and not re-exports, because `disallowed_types`
//! (`clippy.toml`) sees through re-exports.
#![expect(clippy::disallowed_types, reason = "the one place of this crate where atomics are chosen")]

pub use std::sync::atomic::Ordering;

pub type AtomicBool = std::sync::atomic::AtomicBool;
pub type AtomicU32 = std::sync::atomic::AtomicU32;
pub type AtomicU64 = std::sync::atomic::AtomicU64;
pub type AtomicUsize = std::sync::atomic::AtomicUsize;
