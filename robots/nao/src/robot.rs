//! The NAO V6: its joints, its dimensions, and its kinematics. Independent of modules and of the
//! simulator.

pub mod dimensions;
pub mod joints;
pub mod kinematics;

pub use joints::{JOINTS, Joint, Side};
