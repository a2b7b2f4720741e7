//! The listings of the book that are not part of another crate. Each is compiled as a user would
//! write it, and has tests. This crate must never be needed by another one.
//!
//! | file | chapter |
//! |---|---|
//! | `odometer` | your first robot |
//! | `range_finder` | a driver |
//! | `arm`, `window` | modules |
//! | `answers` | tests |
//! | `bumper`, `server`, `untyped`, `scans` | messages, services, callbacks |
//! | `wall_follower` | coming from ROS 2 |
//! | `upright` | coming from B-Human or Nao Devils |
//! | `recipes` | cookbook |
#![forbid(unsafe_code)]
#![allow(missing_docs, reason = "the book explains its listings")]

mod answers;
pub mod arm;
pub mod bumper;
pub mod images;
pub mod odometer;
pub mod range_finder;
pub mod recipes;
pub mod scans;
pub mod server;
pub mod untyped;
pub mod upright;
pub mod wall_follower;
pub mod window;
