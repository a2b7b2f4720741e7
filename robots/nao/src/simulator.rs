//! The world that the robot plays in when no recording and no real robot is at hand.
//!
//! Deterministic from a seed and closed: the robot moves by its own joints, and sees and hears what
//! follows from that. Knows the robot and the field, but none of the modules.
//!
//! - [`World`] is moved on at the body's rate and gives what the body's sensors measure.
//! - [`SimulatedWorld`] is the snapshot of it that the slower sensors work on, wherever they run:
//! - [`camera`] renders what a camera sees of it, [`microphone`] what one hears.
//!
//! What is simplified: there are no forces but weight. One sole is planted, the rest of the robot
//! follows by its joints; it can rock on the edge of its soles, tip over, lie, and get up without a
//! proper motion for that. Walking into something slides the feet. Other robots are scenery that
//! the ball bounces off. Cameras have neither lens distortion nor rolling shutter nor motion blur.

mod ball;
mod body;
pub mod camera;
pub mod microphone;
mod others;
mod random;
mod scenario;
mod sensors;
mod servo;
mod sources;
mod support;
pub mod truth_comparison;
mod world;

pub use others::{OtherRobot, Team};
pub use random::Random;
pub use scenario::{Scenario, standing_positions};
pub use sources::{BODY_RATE, SimulatedBody, SimulatedCameras, SimulatedMicrophone, SimulationParameters};
pub use world::{SimulatedWorld, World};

#[cfg(test)]
mod tests;
