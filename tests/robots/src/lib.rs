//! Robots for tests: one fixture for all tests that record, replay, change and compare.
#![forbid(unsafe_code)]
#![allow(missing_docs, reason = "what its modules compute does not matter, only that they compute it again")]

pub mod logs;
pub mod plain;
pub mod walker;
