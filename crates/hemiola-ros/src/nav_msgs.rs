//! The positions where a robot is, was, and could go.

use super::geometry_msgs::{Pose, PoseStamped, PoseWithCovariance, TwistWithCovariance};
use super::std_msgs::Header;
use hemiola::prelude::*;

/// An estimate of a robot's position and velocity.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "nav_msgs/Odometry")]
pub struct Odometry {
    /// The time stamp, and the frame of the pose.
    pub header: Header,
    /// The frame of the velocity.
    pub child_frame_id: String,
    /// The pose.
    pub pose: PoseWithCovariance,
    /// The velocity.
    pub twist: TwistWithCovariance,
}

/// A sequence of poses.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "nav_msgs/Path")]
pub struct Path {
    /// The time stamp and the frame.
    pub header: Header,
    /// The poses.
    pub poses: Vec<PoseStamped>,
}

/// The resolution, size and origin of a map.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "nav_msgs/MapMetaData")]
pub struct MapMetaData {
    /// The time at which the map was loaded.
    pub map_load_time: Time,
    /// The size of a cell, in metres.
    pub resolution: f32,
    /// The number of cells per row.
    pub width: u32,
    /// The number of rows.
    pub height: u32,
    /// The pose of the cell (0, 0).
    pub origin: Pose,
}

/// A map of obstacles.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "nav_msgs/OccupancyGrid")]
pub struct OccupancyGrid {
    /// The time stamp and the frame.
    pub header: Header,
    /// The resolution, size and origin of the map.
    pub info: MapMetaData,
    /// The occupancy of the cells, row by row, from 0 (free) to 100 (occupied); -1 where it is
    /// unknown.
    pub data: Vec<i8>,
}
