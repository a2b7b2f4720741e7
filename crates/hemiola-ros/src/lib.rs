//! The messages of ROS 2 that its tools can draw, as representations: whatever is recorded or sent
//! as one of them appears as an image, a scan or a robot in Foxglove, Lichtblick, PlotJuggler and
//! RViz. Fields, types and hashes are those of ROS 2 Jazzy.
//!
//! The parts of the action `NavigateToPose` are here as well ([`nav2_msgs`]), and the services
//! `SetBool`, `Trigger` and `Empty` ([`std_srvs`]).
//!
//! A type of your own can also be recorded as such a message, if its fields are the same:
//! `#[data(name = "sensor_msgs/Imu")]`.
//!
//! ```
//! use hemiola::cdr::{self, MessageSchema};
//! use hemiola::data::Data;
//! use hemiola_ros::geometry_msgs::{Point, PoseStamped};
//!
//! let mut ball = PoseStamped::default();
//! ball.header.frame_id = "field".to_owned();
//! ball.pose.position = Point { x: 1.5, y: -0.5, z: 0.05 };
//!
//! let schema = MessageSchema::of("Ball", &PoseStamped::data_type());
//! assert_eq!(schema.name, "geometry_msgs/msg/PoseStamped");
//! assert_eq!(cdr::decode::<PoseStamped>(&cdr::encode(&ball)), Ok(ball));
//! ```

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_types, clippy::disallowed_methods))]

pub mod action_msgs;
pub mod geometry_msgs;
pub mod nav2_msgs;
pub mod nav_msgs;
pub mod sensor_msgs;
pub mod std_msgs;
pub mod std_srvs;
pub mod tf2_msgs;
pub mod unique_identifier_msgs;
pub mod visualization_msgs;
