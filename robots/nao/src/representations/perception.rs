//! The percepts of the cameras. Positions are on the ground, relative to the robot: x forward, y
//! left, in metres.

use glam::Vec2;
use hemiola::prelude::*;

/// The ball, if it is seen.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct BallPercept {
    /// The best candidate of both cameras.
    pub ball: Option<SeenBall>,
}

/// A ball in an image.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct SeenBall {
    /// The point at which the ball touches the ground.
    pub position: Vec2,
    /// The confidence of the classifier, from 0 to 1.
    pub score: f32,
}

/// Pieces of field lines.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct LinePercept {
    /// The pieces from both cameras; those that continue each other are joined.
    pub lines: Vec<SeenLine>,
}

/// A straight piece of a field line.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct SeenLine {
    /// One end.
    pub from: Vec2,
    /// The other end.
    pub to: Vec2,
}

/// The crossings of field lines, and penalty marks.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct LandmarkPercept {
    /// The landmarks from both cameras.
    pub landmarks: Vec<SeenLandmark>,
}

/// A landmark of the field.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct SeenLandmark {
    /// The shape of the landmark.
    pub kind: LandmarkShape,
    /// The position of the landmark.
    pub position: Vec2,
}

/// The shape of a landmark.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LandmarkShape {
    /// Two lines cross.
    #[default]
    Cross,
    /// A line ends on another.
    Tee,
    /// Two lines end in a corner.
    Corner,
    /// A penalty mark or the centre mark.
    Mark,
    /// The middle of the centre circle.
    CenterCircle,
    /// The foot of a goal post.
    GoalPost,
}

/// The objects that stand on the field, except the ball.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct ObstaclePercept {
    /// The objects, nearest first; the position of each is where it touches the ground.
    pub obstacles: Vec<SeenObstacle>,
}

/// An object that stands on the field.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct SeenObstacle {
    /// The middle of its foot.
    pub position: Vec2,
    /// Half of the object's width, in metres.
    pub radius: f32,
}
