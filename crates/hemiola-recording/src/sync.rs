//! The flags between this crate's threads.
#![expect(clippy::disallowed_types, reason = "the one place where atomics are chosen")]

pub(crate) use std::sync::atomic::Ordering;

pub(crate) type AtomicBool = std::sync::atomic::AtomicBool;
