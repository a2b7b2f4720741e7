//! The wire of `LoLA`: MessagePack maps of arrays, one after another on a stream, without any
//! header.
//!
//! Every 12 ms the body sends a [`SensorFrame`] and may be answered by an [`ActuatorFrame`]. Arrays
//! of joints have the order of [`Joint`](crate::robot::Joint). Decoding is pure and bounded: from
//! bytes to a frame, or to the reason why they are none.
//!
//! ```
//! use nao::lola::wire::{ActuatorFrame, LARGEST_FRAME, WireError};
//! use nao::robot::JOINTS;
//!
//! let limp = ActuatorFrame { stiffness: Some([0.0; JOINTS]), ..ActuatorFrame::default() };
//! let mut buffer = [0; LARGEST_FRAME];
//! let length = limp.encode(&mut buffer)?;
//! let mut received = ActuatorFrame::default();
//! assert_eq!(received.decode(&buffer[..length])?, length);
//! assert_eq!(received, limp);
//! assert_eq!(received.decode(&buffer[..length - 1]), Err(WireError::Incomplete));
//! # Ok::<(), WireError>(())
//! ```

mod actuators;
mod error;
mod reader;
mod sensors;
mod writer;

pub use actuators::ActuatorFrame;
pub use error::WireError;
pub use sensors::{BodyVersions, SensorFrame};

/// The maximum size of a frame, in bytes. Those of the V6 have 896 (sensors) and less than 800
/// (actuators).
pub const LARGEST_FRAME: usize = 4096;
/// The size of a frame of sensors of the V6, in bytes.
pub const SENSOR_FRAME: usize = 896;

#[cfg(test)]
mod tests;
