//! What the rover's modules exchange: plain data. Lengths are in metres, angles in radians,
//! counter-clockwise.

use hemiola::prelude::*;

/// What wheels and gyroscope say of the last hundredth of a second.
#[derive(Representation, Clone, Default)]
pub struct WheelsAndGyro {
    /// How fast the left wheel rolled, in m/s.
    pub left: f64,
    /// How fast the right wheel rolled, in m/s.
    pub right: f64,
    /// How fast the rover turned, in rad/s: with a bias that nobody knows.
    pub turn_rate: f64,
}

/// Where the rover believes to be, and where it looks.
#[derive(Representation, Clone, Default)]
pub struct Pose {
    pub x: f64,
    pub y: f64,
    pub heading: f64,
}

/// What the lidar sees: the distance of the next thing in each direction, beginning behind the
/// rover.
#[derive(Representation, Clone, Default)]
pub struct Scan {
    /// Infinity where nothing is near.
    pub ranges: Vec<f32>,
}

/// How far the rover has come.
#[derive(Representation, Clone, Default)]
pub struct Navigation {
    pub reached: u64,
    pub goal: [f64; 2],
}

/// How the rover shall move now. Name and fields are those of ROS 2, so that its tools know what
/// this is in a log, and `[ros2]` can send it.
#[derive(Representation, Clone, Default)]
#[data(name = "geometry_msgs/Twist")]
pub struct Twist {
    /// In m/s: `x` is forwards.
    pub linear: Vector3,
    /// In rad/s: around `z` to the left.
    pub angular: Vector3,
}

#[derive(Data, Clone, Default)]
#[data(name = "geometry_msgs/Vector3")]
pub struct Vector3 {
    pub x: f64,
    pub y: f64,
    pub z: f64,
}
