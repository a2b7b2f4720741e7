//! The atomics of the contestants' shared parts. They are aliases and not re-exports, because
//! `disallowed_types` (`clippy.toml`) sees through re-exports.
#![expect(clippy::disallowed_types, reason = "the one place of this crate where atomics are chosen")]

pub(crate) use std::sync::atomic::Ordering;

pub(crate) type AtomicBool = std::sync::atomic::AtomicBool;
pub(crate) type AtomicI64 = std::sync::atomic::AtomicI64;
pub(crate) type AtomicU64 = std::sync::atomic::AtomicU64;
