//! Other people's rovers as sources of this one's sensors.
//!
//! Logs of ROS 2 need nothing here: `[replay.Imu]` in `overlays/husky.toml` says which topic a
//! representation comes from. What is a text of its own, such as CARMEN's, needs a reader.

mod base;
mod carmen;
mod source;

pub use base::ReplayedBase;
pub use carmen::{CarmenLog, CarmenScan};
pub use source::RecordedCarmen;
