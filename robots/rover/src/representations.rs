//! The data that modules exchange. Where ROS 2 has a message for it, that message is the
//! representation:
//! `LaserScan` (`/scan`), `Imu` (`/imu`), `Odometry` (`/odom`), `OccupancyGrid` (`/map`), `Path`
//! (`/plan`), `Twist` (`/cmd_vel`) and `TFMessage` (`/tf`). Frames are those of REP-105: `map` →
//! `odom` → `base_link`.
//!
//! This file defines data for which ROS 2 has no message, and messages of which the robot has more
//! than one, so that each needs a name of its own.

use hemiola::prelude::*;
use hemiola_ros::geometry_msgs::{PoseStamped, PoseWithCovarianceStamped, Transform, TransformStamped};
use hemiola_ros::std_msgs::Header;
use hemiola_ros::tf2_msgs::TFMessage;

use crate::geometry::Pose2;

/// The fixed frame, in which the robot's pose may jump.
pub const MAP: &str = "map";
/// The frame in which the robot's pose never jumps, but drifts.
pub const ODOM: &str = "odom";
/// The frame of the robot, centred between its wheels, where the lidar is as well.
pub const BASE: &str = "base_link";

/// The velocity of the body by the encoders of its wheels, as motor controllers report it.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct WheelSpeeds {
    /// Forwards, in m/s.
    pub linear: f64,
    /// Counter-clockwise, in rad/s.
    pub angular: f64,
}

/// The commanded speeds of the wheels, in m/s.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct MotorCommand {
    /// The left wheel.
    pub left: f64,
    /// The right wheel.
    pub right: f64,
}

/// The pose of the robot on the map: `/pose`.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(transparent)]
pub struct MapPose {
    /// The robot in the frame `map`.
    pub pose: PoseWithCovarianceStamped,
}

impl MapPose {
    /// Returns the mean, in the plane.
    #[must_use]
    pub fn mean(&self) -> Pose2 {
        Pose2::from(&self.pose.pose.pose)
    }
}

/// The match of the last scan with the map.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct ScanMatch {
    /// The quality, from 0, as for a random scan, to 1, with all points on walls.
    pub quality: f64,
    /// The correction that the scan made to the pose that odometry predicted.
    pub correction: Pose2,
    /// The number of scans that did not fit; for these the prediction was used.
    pub rejected: u32,
}

/// The pose of the frame `odom` in `map`.
#[derive(Representation, Clone, Debug, PartialEq)]
#[data(transparent)]
pub struct MapToOdom {
    /// The transform, as the only branch of a tree.
    pub tf: TFMessage,
}

/// The pose of the frame `base_link` in `odom`.
#[derive(Representation, Clone, Debug, PartialEq)]
#[data(transparent)]
pub struct OdomToBase {
    /// The transform, as the only branch of a tree.
    pub tf: TFMessage,
}

/// The default has its branch, so that no run has to create it.
impl Default for MapToOdom {
    fn default() -> Self {
        Self { tf: branch(MAP, ODOM) }
    }
}

/// The default has its branch, so that no run has to create it.
impl Default for OdomToBase {
    fn default() -> Self {
        Self { tf: branch(ODOM, BASE) }
    }
}

fn branch(parent: &str, child: &str) -> TFMessage {
    let header = Header { stamp: Time::ZERO, frame_id: parent.to_owned() };
    TFMessage {
        transforms: vec![TransformStamped {
            header,
            child_frame_id: child.to_owned(),
            transform: Transform::default(),
        }],
    }
}

/// The cost of nearby obstacles, for each cell of the map.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct Costmap {
    /// Row by row as in the map: 255 where the robot would touch something, 0 far from everything.
    pub costs: Vec<u8>,
}

/// The request to drive to a pose: the message `/goal_pose` of RViz, and the goal of
/// `NavigateToPose`.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(transparent)]
pub struct GoalPose {
    /// The pose, in the frame `map`.
    pub pose: PoseStamped,
}

impl GoalPose {
    /// Creates the goal at `pose` in the frame `map`.
    #[must_use]
    pub fn on_map(pose: Pose2, stamp: Time) -> Self {
        let header = Header { stamp, frame_id: MAP.to_owned() };
        Self { pose: PoseStamped { header, pose: pose.to_message() } }
    }
}

/// The message with the outcome of a goal; also the result of `NavigateToPose`.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct NavigationResult {
    /// The number of the goal, from 1.
    pub goal: u32,
    /// The outcome.
    pub outcome: Outcome,
    /// The time that it took, in seconds.
    pub seconds: f64,
}

/// The outcome of a goal.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Outcome {
    /// The robot has reached the goal.
    #[default]
    Reached,
    /// Another goal arrived before the robot reached this one.
    Replaced,
    /// No path was found for too long.
    Unreachable,
    /// The robot made no progress for too long.
    Stuck,
    /// The sender of the goal canceled it.
    Canceled,
}

/// The progress of the robot; also the feedback of `NavigateToPose`.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct Navigation {
    /// The goal, if there is one.
    pub goal: Option<Pose2>,
    /// The number of the newest goal, from 1; 0 before there was any.
    pub number: u32,
    /// The time for which the newest goal has been pursued, in seconds.
    pub seconds: f64,
    /// The length of the path that is left, as far as it was planned.
    pub remaining: f64,
    /// The number of goals that were reached so far.
    pub reached: u32,
    /// The number of goals that were given up so far.
    pub failed: u32,
}
