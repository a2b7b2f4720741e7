//! Robots of the tests: one fixture for all that record, replay, change and compare.
#![forbid(unsafe_code)]
#![allow(missing_docs, reason = "what its modules compute is of no interest, only that they compute it again")]

pub mod logs;
pub mod plain;
pub mod walker;
