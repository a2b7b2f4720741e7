//! A simulated world, for playing without a recording or a real robot.
//!
//! It is deterministic for a seed and closes the loop: the robot moves by its own joints, and sees
//! and hears the results. It depends on the robot and the field, but not on the modules.
//!
//! - [`World`] is advanced at the body's rate and provides the measurements of the body's sensors.
//! - [`arena::Arena`] is the same for several robots, with ball and goals by a rigid body engine.
//! - [`SimulatedWorld`] is the snapshot of either that the slower sensors use, wherever they run:
//! - [`camera`] renders the images of a camera, [`microphone`] the sound of a microphone.
//!
//! Simplifications: there are no forces but weight. One sole is planted, and the rest of the robot
//! follows by its joints; it can rock on the edge of its soles, tip over, lie, and get up without a
//! proper motion for that. Walking into something slides the feet. Other robots are scenery that
//! the ball bounces off, except in an arena. Cameras have neither lens distortion nor rolling
//! shutter nor motion blur.

#[cfg(feature = "game")]
pub mod arena;
pub(crate) mod ball;
mod body;
pub mod camera;
pub mod microphone;
mod others;
mod random;
mod scenario;
mod seat;
mod sensors;
mod servo;
mod sources;
mod support;
pub mod truth_comparison;
mod world;

pub use others::{OtherRobot, Team};
pub use random::Random;
pub use scenario::{Scenario, standing_positions};
pub use seat::{Frame, NothingNew, Seat, Sensed, Shutter};
pub use sources::{BODY_RATE, SimulatedBody, SimulatedCameras, SimulatedMicrophone, SimulationParameters};
pub use world::{SimulatedWorld, World};

#[cfg(test)]
mod tests;
