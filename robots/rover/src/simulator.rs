//! A simulated world for the rover: walls, a body on two wheels, and a lidar. The same seed and the
//! same commands give the same bits.
//!
//! Simplifications: the world is flat, the robot is a disc, and a scan is taken in an instant.

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
