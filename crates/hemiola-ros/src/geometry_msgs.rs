//! Positions and motions: metres, radians, seconds; x forwards, y to the left, z upwards (REP-103).

use super::std_msgs::Header;
use hemiola::prelude::*;

/// A vector in space.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "geometry_msgs/Vector3")]
pub struct Vector3 {
    /// Forwards.
    pub x: f64,
    /// To the left.
    pub y: f64,
    /// Upwards.
    pub z: f64,
}

/// A point, in metres.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "geometry_msgs/Point")]
pub struct Point {
    /// Forwards.
    pub x: f64,
    /// To the left.
    pub y: f64,
    /// Upwards.
    pub z: f64,
}

/// A point, in metres, of single precision to save space.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "geometry_msgs/Point32")]
pub struct Point32 {
    /// Forwards.
    pub x: f32,
    /// To the left.
    pub y: f32,
    /// Upwards.
    pub z: f32,
}

/// An orientation; all four components are zero if there is none.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "geometry_msgs/Quaternion")]
pub struct Quaternion {
    /// Of the axis.
    pub x: f64,
    /// Of the axis.
    pub y: f64,
    /// Of the axis.
    pub z: f64,
    /// The real part.
    pub w: f64,
}

/// A position and an orientation.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "geometry_msgs/Pose")]
pub struct Pose {
    /// The place.
    pub position: Point,
    /// The orientation.
    pub orientation: Quaternion,
}

/// A pose with a time stamp and a frame.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "geometry_msgs/PoseStamped")]
pub struct PoseStamped {
    /// When, and in which frame.
    pub header: Header,
    /// The pose.
    pub pose: Pose,
}

/// Poses with a time stamp and a frame.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "geometry_msgs/PoseArray")]
pub struct PoseArray {
    /// When, and in which frame.
    pub header: Header,
    /// The poses.
    pub poses: Vec<Pose>,
}

/// A pose with uncertainty.
#[derive(Representation, Clone, Debug, PartialEq)]
#[data(name = "geometry_msgs/PoseWithCovariance")]
pub struct PoseWithCovariance {
    /// The mean.
    pub pose: Pose,
    /// Row by row, of x, y, z and the rotations about them.
    pub covariance: [f64; 36],
}

/// The covariance is all zeros.
impl Default for PoseWithCovariance {
    fn default() -> Self {
        Self { pose: Default::default(), covariance: [0.0; 36] }
    }
}

/// A pose with uncertainty, a time stamp and a frame.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "geometry_msgs/PoseWithCovarianceStamped")]
pub struct PoseWithCovarianceStamped {
    /// When, and in which frame.
    pub header: Header,
    /// The pose.
    pub pose: PoseWithCovariance,
}

/// The transform from one frame to another.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "geometry_msgs/Transform")]
pub struct Transform {
    /// First the rotation, then this.
    pub translation: Vector3,
    /// The rotation.
    pub rotation: Quaternion,
}

/// The position and orientation of a frame in another one.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "geometry_msgs/TransformStamped")]
pub struct TransformStamped {
    /// When, and the parent frame.
    pub header: Header,
    /// The frame that is placed.
    pub child_frame_id: String,
    /// From the child to the parent.
    pub transform: Transform,
}

/// A velocity: linear and angular.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "geometry_msgs/Twist")]
pub struct Twist {
    /// In m/s.
    pub linear: Vector3,
    /// In rad/s.
    pub angular: Vector3,
}

/// A velocity with a time stamp and a frame.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "geometry_msgs/TwistStamped")]
pub struct TwistStamped {
    /// When, and in which frame.
    pub header: Header,
    /// The velocity.
    pub twist: Twist,
}

/// A velocity with uncertainty.
#[derive(Representation, Clone, Debug, PartialEq)]
#[data(name = "geometry_msgs/TwistWithCovariance")]
pub struct TwistWithCovariance {
    /// The mean.
    pub twist: Twist,
    /// Row by row, of x, y, z and the rotations about them.
    pub covariance: [f64; 36],
}

/// The covariance is all zeros.
impl Default for TwistWithCovariance {
    fn default() -> Self {
        Self { twist: Default::default(), covariance: [0.0; 36] }
    }
}

/// An acceleration: linear and angular.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "geometry_msgs/Accel")]
pub struct Accel {
    /// In m/s².
    pub linear: Vector3,
    /// In rad/s².
    pub angular: Vector3,
}

/// A force and a torque.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "geometry_msgs/Wrench")]
pub struct Wrench {
    /// In N.
    pub force: Vector3,
    /// In N m.
    pub torque: Vector3,
}

/// A wrench with a time stamp and a frame.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "geometry_msgs/WrenchStamped")]
pub struct WrenchStamped {
    /// When, and in which frame.
    pub header: Header,
    /// The wrench.
    pub wrench: Wrench,
}

/// A polygon, whose last corner is joined to the first.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "geometry_msgs/Polygon")]
pub struct Polygon {
    /// The corners.
    pub points: Vec<Point32>,
}

/// A polygon with a time stamp and a frame.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "geometry_msgs/PolygonStamped")]
pub struct PolygonStamped {
    /// When, and in which frame.
    pub header: Header,
    /// The polygon.
    pub polygon: Polygon,
}
