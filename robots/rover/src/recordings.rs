//! Recordings of other rovers as sources of sensor data.
//!
//! Logs of ROS 2 need no code here: `[replay.Imu]` in `overlays/husky.toml` names the topic of a
//! representation. A format of its own, such as CARMEN's, needs a reader.

mod base;
mod carmen;
mod source;

pub use base::ReplayedBase;
pub use carmen::{CarmenLog, CarmenScan};
pub use source::RecordedCarmen;
