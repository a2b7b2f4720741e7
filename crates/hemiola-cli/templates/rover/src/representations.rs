//! The data that the rover's modules exchange. Lengths are in metres, angles in radians,
//! counter-clockwise.

use hemiola::prelude::*;

/// The measurements of wheels and gyroscope over the last hundredth of a second.
#[derive(Representation, Clone, Default)]
pub struct WheelsAndGyro {
    /// The speed of the left wheel, in m/s.
    pub left: f64,
    /// The speed of the right wheel, in m/s.
    pub right: f64,
    /// The turn rate of the rover, in rad/s, with an unknown bias.
    pub turn_rate: f64,
}

/// The estimated position and heading of the rover.
#[derive(Representation, Clone, Default)]
pub struct Pose {
    pub x: f64,
    pub y: f64,
    pub heading: f64,
}

/// A scan of the lidar: the distance to the nearest object in each direction, counter-clockwise
/// from behind the rover.
#[derive(Representation, Clone, Default)]
pub struct Scan {
    /// The distances; infinity where nothing is in reach.
    pub ranges: Vec<f32>,
}

/// The number of goals that were reached, and the current goal.
#[derive(Representation, Clone, Default)]
pub struct Navigation {
    pub reached: u64,
    pub goal: [f64; 2],
}

/// The event of reaching a goal. It is a message: subscribers receive every one of them.
#[derive(Representation, Clone, Default)]
pub struct GoalReached {
    /// The number of the goal, from 1.
    pub number: u64,
    pub place: [f64; 2],
}

/// The commanded velocity of the rover. Name and fields are those of ROS 2, so that its tools
/// recognise it in a log, and `[ros2]` can publish it.
#[derive(Representation, Clone, Default)]
#[data(name = "geometry_msgs/Twist")]
pub struct Twist {
    /// The linear velocity in m/s; `x` points forwards.
    pub linear: Vector3,
    /// The angular velocity in rad/s; around `z` is to the left.
    pub angular: Vector3,
}

#[derive(Data, Clone, Default)]
#[data(name = "geometry_msgs/Vector3")]
pub struct Vector3 {
    pub x: f64,
    pub y: f64,
    pub z: f64,
}
