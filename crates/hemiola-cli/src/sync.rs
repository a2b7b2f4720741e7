//! The atomics of the command line. They are aliases rather than re-exports, because
//! `disallowed_types` (`clippy.toml`) sees through re-exports.
#![expect(clippy::disallowed_types, reason = "the one place of this crate where atomics are chosen")]

pub(crate) use std::sync::atomic::Ordering;

pub(crate) type AtomicBool = std::sync::atomic::AtomicBool;
