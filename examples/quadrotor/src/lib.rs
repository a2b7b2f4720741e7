//! A quadrotor that flies from waypoint to waypoint: three control loops, each a cycle of its own.
//!
//! | file | what | in |
//! |---|---|---|
//! | `representations` | what the loops exchange | |
//! | `airframe` | the world, **simulated**: replace this file by drivers | `[source.Airframe]` |
//! | `rates` | how fast it turns: 1 kHz | `[cycle.rates]` |
//! | `attitude` | how it is inclined: 250 Hz | `[cycle.attitude]` |
//! | `guidance` | where it flies: 50 Hz | `[cycle.guidance]` |
#![forbid(unsafe_code)]

pub mod airframe;
pub mod attitude;
pub mod guidance;
pub mod rates;
pub mod representations;
