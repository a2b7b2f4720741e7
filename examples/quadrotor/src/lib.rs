//! A quadrotor that flies from waypoint to waypoint: three control loops, each a cycle of its own.
//!
//! | file | contents | set up in |
//! |---|---|---|
//! | `representations` | the data that the loops exchange | |
//! | `airframe` | the world, **simulated**: replace this file with drivers | `[source.Airframe]` |
//! | `rates` | the control of its angular rates, at 1 kHz | `[cycle.rates]` |
//! | `attitude` | the control of its attitude, at 250 Hz | `[cycle.attitude]` |
//! | `guidance` | the control of its position, at 50 Hz | `[cycle.guidance]` |
#![forbid(unsafe_code)]

pub mod airframe;
pub mod attitude;
pub mod guidance;
pub mod rates;
pub mod representations;
