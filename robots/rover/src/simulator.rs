//! The world that the rover drives in when no recording and no real robot is at hand: walls, a body
//! on two wheels, and a lidar. The same seed and the same commands give the same bits.
//!
//! What is simplified: everything is flat, the robot is a disc, a scan is taken in one moment.

mod body;
mod random;
mod sources;
pub mod truth;
pub mod walls;

pub use body::{Body, BodyParameters};
pub use random::Random;
pub use sources::{LidarParameters, SimulatedBody, SimulatedLidar, SimulatedWorld};

#[cfg(test)]
mod tests;
