//! A cart that drives from waypoint to waypoint.
//!
//! | file | contents | set up in |
//! |---|---|---|
//! | `representations` | the data that modules exchange | |
//! | `board` | wheels and motors, **simulated**: replace this file with your driver | `[source.Wheels]` |
//! | `motion` | odometry, the pilot and the motor commands, at 100 Hz | `[cycle.motion]` |
//! | `planning` | the goal to drive to next, at 10 Hz | `[cycle.planning]` |
//! | `logbook` | a callback outside the cycles, which notes the waypoints reached | `main.rs` |
//!
//! To add a module, write a struct with `#[derive(Module)]` and an `impl` block with `#[module]` in
//! a new file below `motion` or `planning`, and declare the file in `motion.rs` or `planning.rs`.
//! There is nothing else to register: Hemiola finds the module, and runs it as soon as its inputs
//! are available.
#![forbid(unsafe_code)]

pub mod board;
pub mod logbook;
pub mod motion;
pub mod planning;
pub mod representations;
