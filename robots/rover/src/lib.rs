//! A small rover on Hemiola: two driven wheels, a gyroscope and a lidar, in a simulated flat or on
//! recordings of other rovers. Its values are the messages of ROS 2.
//!
//! | folder | contents |
//! |---|---|
//! | `representations` | the data that modules exchange |
//! | `drive` | the cycle `drive`, 100 Hz: odometry, and the commands for the motors |
//! | `navigation` | the cycle `navigation`, 10 Hz: from scans to a map, a pose, a path and a velocity |
//! | `simulator` | the world, the body and the lidar, and the errors of the robot's estimates |
//! | `recordings` | recordings of other rovers as sources |
#![forbid(unsafe_code)]

pub mod drive;
mod error;
pub mod geometry;
pub mod navigation;
pub mod recordings;
pub mod representations;
pub mod simulator;

pub use error::{LineFault, RoverError};
