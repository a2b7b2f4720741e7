//! Positions and motions: metres, radians, seconds; x forwards, y to the left, z upwards (REP-103).

use super::std_msgs::Header;
use hemiola::prelude::*;

/// A vector in space.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "geometry_msgs/Vector3")]
pub struct Vector3 {
    /// The component forwards.
    pub x: f64,
    /// The component to the left.
    pub y: f64,
    /// The component upwards.
    pub z: f64,
}

/// A point, in metres.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "geometry_msgs/Point")]
pub struct Point {
    /// The coordinate forwards.
    pub x: f64,
    /// The coordinate to the left.
    pub y: f64,
    /// The coordinate upwards.
    pub z: f64,
}

/// A point, in metres, of single precision to save space.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "geometry_msgs/Point32")]
pub struct Point32 {
    /// The coordinate forwards.
    pub x: f32,
    /// The coordinate to the left.
    pub y: f32,
    /// The coordinate upwards.
    pub z: f32,
}

/// An orientation; all four components are zero if there is none.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "geometry_msgs/Quaternion")]
pub struct Quaternion {
    /// The x component of the imaginary part, which lies along the axis.
    pub x: f64,
    /// The y component of the imaginary part.
    pub y: f64,
    /// The z component of the imaginary part.
    pub z: f64,
    /// The real part.
    pub w: f64,
}

/// A position and an orientation.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "geometry_msgs/Pose")]
pub struct Pose {
    /// The position.
    pub position: Point,
    /// The orientation.
    pub orientation: Quaternion,
}

/// A pose with a time stamp and a frame.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "geometry_msgs/PoseStamped")]
pub struct PoseStamped {
    /// The time stamp and the frame.
    pub header: Header,
    /// The pose.
    pub pose: Pose,
}

/// Poses with a time stamp and a frame.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "geometry_msgs/PoseArray")]
pub struct PoseArray {
    /// The time stamp and the frame.
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
    /// The covariance of x, y, z and the rotations about them, row by row.
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
    /// The time stamp and the frame.
    pub header: Header,
    /// The pose, with its uncertainty.
    pub pose: PoseWithCovariance,
}

/// The transform from one frame to another.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "geometry_msgs/Transform")]
pub struct Transform {
    /// The translation, which is applied after the rotation.
    pub translation: Vector3,
    /// The rotation.
    pub rotation: Quaternion,
}

/// The position and orientation of a frame in another one.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "geometry_msgs/TransformStamped")]
pub struct TransformStamped {
    /// The time stamp and the parent frame.
    pub header: Header,
    /// The child frame, whose position and orientation this is.
    pub child_frame_id: String,
    /// The transform from the child frame to the parent frame.
    pub transform: Transform,
}

/// A velocity: linear and angular.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "geometry_msgs/Twist")]
pub struct Twist {
    /// The linear velocity, in m/s.
    pub linear: Vector3,
    /// The angular velocity, in rad/s.
    pub angular: Vector3,
}

/// A velocity with a time stamp and a frame.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "geometry_msgs/TwistStamped")]
pub struct TwistStamped {
    /// The time stamp and the frame.
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
    /// The covariance of x, y, z and the rotations about them, row by row.
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
    /// The linear acceleration, in m/s².
    pub linear: Vector3,
    /// The angular acceleration, in rad/s².
    pub angular: Vector3,
}

/// A force and a torque.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "geometry_msgs/Wrench")]
pub struct Wrench {
    /// The force, in N.
    pub force: Vector3,
    /// The torque, in N m.
    pub torque: Vector3,
}

/// A wrench with a time stamp and a frame.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
#[data(name = "geometry_msgs/WrenchStamped")]
pub struct WrenchStamped {
    /// The time stamp and the frame.
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
    /// The time stamp and the frame.
    pub header: Header,
    /// The polygon.
    pub polygon: Polygon,
}
