//! The NAO V6 itself: `LoLA`, the program of its maker that has the servos and sensors, and offers
//! them at the socket `/tmp/robocup`.
//!
//! Every 12 ms it sends the state of the body. What comes back before the next one moves the joints
//! with that one. It is switched on by the overlay `lola`:
//!
//! | part | contents |
//! |---|---|
//! | [`Lola`] | source of the body's state, and trigger of the motion cycle |
//! | [`PowerSwitch`] | decides whether the joints have power: not until the chest button is pressed |
//! | [`LolaActuators`] | writes joints and lights, within the cycle |
//! | [`StatusLights`] | shows the state of the power and the battery |
//! | [`TrialWalk`] | stands in for cognition while there are no cameras |
//! | [`simulator`] | offers the same socket, with the simulated body behind it |
//! | [`wire`], [`connection`] | what goes over the socket, and how it is read |
//!
//! Connection: a silence, the end of the peer and bytes that are no state end a connection; the
//! next one is tried at once, and then every 100 ms. All are counted in the
//! [`LineReport`](crate::representations::body::LineReport).
//!
//! Power: the joints go limp when the robot enters its safe state without being able to crouch,
//! and however it ends; if the process dies, the guard's `soften-joints` does it.

mod actuators;
pub mod connection;
mod error;
mod lights;
mod power;
pub mod simulator;
mod source;
mod trial_walk;
pub mod wire;

pub use actuators::LolaActuators;
pub use error::LolaError;
pub use lights::StatusLights;
pub use power::{PowerSwitch, PowerSwitchParameters};
pub use source::{Lola, LolaParameters};
pub use trial_walk::{TrialWalk, TrialWalkParameters};

#[cfg(test)]
mod tests;
