//! A small rover on Hemiola: two driven wheels, a gyroscope and a lidar, in a simulated flat or on
//! other people's recordings. Its values are the messages of ROS 2.
//!
//! | folder | what |
//! |---|---|
//! | `representations` | what modules exchange |
//! | `drive` | the cycle `drive`, 100 Hz: where the wheels have taken the robot, and how they shall turn |
//! | `navigation` | the cycle `navigation`, 10 Hz: from scans to a map, a pose, a path and a velocity |
//! | `simulator` | the world, the body and the lidar, and how wrong the robot is |
//! | `recordings` | other people's rovers as sources |
#![forbid(unsafe_code)]

pub mod drive;
mod error;
pub mod geometry;
pub mod navigation;
pub mod recordings;
pub mod representations;
pub mod simulator;

pub use error::{LineFault, RoverError};
