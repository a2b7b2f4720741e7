//! A cart that drives from waypoint to waypoint.
//!
//! | file | what | in |
//! |---|---|---|
//! | `representations` | what the modules exchange | |
//! | `board` | wheels and motors, **simulated**: replace this file by your driver | `[source.Wheels]` |
//! | `motion` | where the cart is, how it drives, what its motors get: 100 Hz | `[cycle.motion]` |
//! | `planning` | where it drives next: 10 Hz | `[cycle.planning]` |
//! | `logbook` | a callback beside the cycles, which writes down what happened | `main.rs` |
//!
//! Another module is a structure with `#[derive(Module)]` and an `impl` with `#[module]`, in a file
//! below `motion` or `planning`. Nobody else has to know of it: it is found, and runs when what it
//! reads is there.
#![forbid(unsafe_code)]

pub mod board;
pub mod logbook;
pub mod motion;
pub mod planning;
pub mod representations;
