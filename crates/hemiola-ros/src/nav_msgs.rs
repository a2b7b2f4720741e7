//! The positions where a robot is, was, and could go.

use super::geometry_msgs::{Pose, PoseStamped, PoseWithCovariance, TwistWithCovariance};
use super::std_msgs::Header;
use hemiola::prelude::*;

/// An estimate of a robot's position and velocity.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "nav_msgs/Odometry")]
pub struct Odometry {
    /// When, and the frame of the pose.
    pub header: Header,
    /// The frame of the velocity.
    pub child_frame_id: String,
    /// The place.
    pub pose: PoseWithCovariance,
    /// The velocity.
    pub twist: TwistWithCovariance,
}

/// A sequence of poses.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "nav_msgs/Path")]
pub struct Path {
    /// When, and in which frame.
    pub header: Header,
    /// The poses.
    pub poses: Vec<PoseStamped>,
}

/// The resolution, size and origin of a map.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "nav_msgs/MapMetaData")]
pub struct MapMetaData {
    /// When it was loaded.
    pub map_load_time: Time,
    /// Metres per cell.
    pub resolution: f32,
    /// Cells.
    pub width: u32,
    /// Cells.
    pub height: u32,
    /// Of the cell (0, 0).
    pub origin: Pose,
}

/// A map of obstacles.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "nav_msgs/OccupancyGrid")]
pub struct OccupancyGrid {
    /// When, and in which frame.
    pub header: Header,
    /// How it lies.
    pub info: MapMetaData,
    /// Row by row: 0 free to 100 occupied, -1 unknown.
    pub data: Vec<i8>,
}
