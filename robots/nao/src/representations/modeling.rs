//! What the robot believes about the world.

use glam::Vec2;
use hemiola::prelude::*;

use crate::geometry::Pose2;

/// Where the robot is on the field: x towards the opponent's goal, origin in the centre.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct RobotPose {
    /// The pose.
    pub pose: Pose2,
    /// How well what is seen fits, from 0 to 1.
    pub quality: f32,
}

/// Where the ball is.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct BallModel {
    /// Relative to the robot, in metre; `None` before it was first seen and some time after it was last seen.
    pub position: Option<Vec2>,
    /// Relative to the ground, in the robot's directions, in m/s.
    pub velocity: Vec2,
    /// When it was last seen.
    pub last_seen: Option<Time>,
}
