//! The NAO V6: its joints, its dimensions, and how the two give poses. Knows nothing of modules or
//! of the simulator.

pub mod dimensions;
pub mod joints;
pub mod kinematics;

pub use joints::{JOINTS, Joint, Side};
