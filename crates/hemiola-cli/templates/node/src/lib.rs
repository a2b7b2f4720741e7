//! A node of a ROS 2 system that drives ahead and turns away from obstacles.
//!
//! | file | contents |
//! |---|---|
//! | `avoider` | the module: a scan and odometry in, a velocity out. **Replace it by yours** |
//! | `switch` | the service that switches it on and off |
//!
//! Neither knows anything of ROS 2: robot.toml says under which names the node has its topics and
//! its service.
#![forbid(unsafe_code)]

pub mod avoider;
pub mod switch;
