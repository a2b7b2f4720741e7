//! Numbers, tables and pictures for people: one look wherever Hemiola prints or draws.
//!
//! This crate is a leaf: it depends on nothing, knows nothing about robots, and does no I/O. All
//! figures for people are formatted here, so that two commands never show the same thing in two
//! ways.
//!
//! ```
//! use std::time::Duration;
//! use hemiola_words::{Column, Columns, bytes, counted, duration, svg};
//!
//! assert_eq!(duration(Duration::from_micros(12_345)), "12.3 ms");
//! assert_eq!(bytes(1_566_822), "1.57 MB");
//! assert_eq!(counted(16_806, "message"), "16,806 messages");
//! let table = Columns::new([Column::left(0), Column::right(10)]).table([["ball", "3.2 ms"], ["walk", "90 ns"]]);
//! assert_eq!(table, "ball    3.2 ms\nwalk     90 ns\n");
//! assert_eq!(svg::escape("<Ball>"), "&lt;Ball&gt;");
//! ```

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

mod columns;
mod number;
pub mod svg;

pub use columns::{Column, Columns, fitted};
pub use number::{bytes, counted, duration, grouped, nanoseconds, number, trimmed};
