//! The robot's beliefs about the world.

use glam::Vec2;
use hemiola::prelude::*;

use crate::geometry::Pose2;

/// The motion of the robot since the previous run, by odometry.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct OdometryStep {
    /// The robot now, relative to the robot then.
    pub step: Pose2,
}

impl OdometryStep {
    /// Returns the current position of a resting point that was at `point` relative to the robot in
    /// the previous run.
    #[must_use]
    pub fn carry(&self, point: Vec2) -> Vec2 {
        self.step.relative(point)
    }
}

/// The ground that the cameras see.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct FieldOfView {
    /// Of the camera in the forehead; `None` when it sees no ground.
    pub upper: Option<GroundArea>,
    /// Of the camera in the mouth; `None` when it sees no ground.
    pub lower: Option<GroundArea>,
}

impl FieldOfView {
    /// Returns whether a camera sees a point of the ground, relative to the robot, at least
    /// `margin` metres away from the edges of its view.
    #[must_use]
    pub fn shows(&self, point: Vec2, margin: f32) -> bool {
        [&self.upper, &self.lower].into_iter().flatten().any(|area| area.depth(point) >= margin)
    }
}

/// A convex area of the ground, relative to the robot.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct GroundArea {
    /// Counter-clockwise.
    pub corners: [Vec2; 4],
}

impl GroundArea {
    /// Returns the distance of `point` from the nearest edge, in metres; negative outside.
    #[must_use]
    pub fn depth(&self, point: Vec2) -> f32 {
        let edges = (0..4).map(|index| (self.corners[index], self.corners[(index + 1) % 4]));
        edges.map(|(from, to)| (to - from).normalize_or_zero().perp_dot(point - from)).fold(f32::MAX, f32::min)
    }
}

/// The pose of the robot on the field: x towards the opponent's goal, origin in the centre.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct RobotPose {
    /// The pose.
    pub pose: Pose2,
    /// How well what is seen fits, from 0 to 1.
    pub quality: f32,
}

/// The possible poses, by the self-locator.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct PoseParticles {
    /// Drawn from the distribution of the robot's pose.
    pub particles: Vec<PoseParticle>,
    /// How well what was seen lately fits on average, from 0 to 1.
    pub fit: f32,
}

/// A possible pose of the robot.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct PoseParticle {
    /// On the field.
    pub pose: Pose2,
    /// How probable it is; all of them sum up to 1.
    pub weight: f32,
}

/// The poses around which many particles are, most probable first.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct PoseClusters {
    /// At most four.
    pub clusters: Vec<PoseCluster>,
}

/// Particles that are close to each other.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct PoseCluster {
    /// Their weighted mean.
    pub pose: Pose2,
    /// Their share of all weight.
    pub weight: f32,
}

/// The position and velocity of the ball.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct BallModel {
    /// Relative to the robot, in metre; `None` before it was first seen and some time after it was
    /// last seen.
    pub position: Option<Vec2>,
    /// Relative to the ground, in the robot's directions, in m/s.
    pub velocity: Vec2,
    /// When it was last seen.
    pub last_seen: Option<Time>,
}

/// All hypotheses that the ball filter tracks, to see its alternatives.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct BallHypotheses {
    /// At most eight, in no order.
    pub hypotheses: Vec<BallHypothesis>,
}

/// Something that could be the ball.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct BallHypothesis {
    /// Relative to the robot, in metre.
    pub position: Vec2,
    /// In m/s.
    pub velocity: Vec2,
    /// Standard deviation of the position, in metre: the larger half axis.
    pub deviation: f32,
    /// How sure it is that there is a ball, from 0 to 1.
    pub existence: f32,
}

/// The predicted path of the ball.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct BallPrediction {
    /// Relative to the robot: the ball in steps of [`BallPrediction::STEP`] seconds from now on,
    /// until it rests. Empty without a ball.
    pub path: Vec<Vec2>,
    /// Where it comes to rest, relative to the robot.
    pub rest: Option<Vec2>,
    /// How long it rolls yet, in seconds.
    pub time_to_rest: f32,
    /// When it crosses the line through both of the robot's shoulders: y of the place and seconds
    /// from now.
    pub passing: Option<(f32, f32)>,
}

impl BallPrediction {
    /// The time between points of the path, in seconds.
    pub const STEP: f32 = 0.1;
}

/// The obstacles around the robot.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct ObstacleModel {
    /// Nearest first.
    pub obstacles: Vec<Obstacle>,
}

/// An object to walk around.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct Obstacle {
    /// Its middle, relative to the robot.
    pub position: Vec2,
    /// In m/s, in the robot's directions.
    pub velocity: Vec2,
    /// In metre.
    pub radius: f32,
    /// How sure it is that it is still there, from 0 to 1.
    pub confidence: f32,
}

/// The ball on the field, with its past positions.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct FieldBall {
    /// Where it is; `None` when nobody knows.
    pub position: Option<Vec2>,
    /// Where it will come to rest, stopped at the boards.
    pub rest: Option<Vec2>,
    /// In m/s.
    pub velocity: Vec2,
    /// Where it was when it was last known.
    pub last_position: Option<Vec2>,
    /// Seconds since a camera last saw it; infinite before.
    pub unseen_for: f32,
}

/// Everything that behaviour needs, in field coordinates.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct WorldModel {
    /// Where the robot is.
    pub robot: Pose2,
    /// How sure that is, from 0 to 1.
    pub robot_quality: f32,
    /// The ball, when its place is known.
    pub ball: Option<WorldBall>,
    /// Where the ball was when it was last known.
    pub last_ball: Option<Vec2>,
    /// Robots and goal posts, nearest first.
    pub obstacles: Vec<WorldObstacle>,
}

/// The ball in the world.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct WorldBall {
    /// Where it is.
    pub position: Vec2,
    /// In m/s.
    pub velocity: Vec2,
    /// Where it will come to rest.
    pub rest: Vec2,
    /// Relative to the robot: more precise than what the robot's pose allows.
    pub relative: Vec2,
    /// Seconds since a camera last saw it.
    pub unseen_for: f32,
}

/// An object on the field to walk around.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct WorldObstacle {
    /// Its middle.
    pub position: Vec2,
    /// In metre.
    pub radius: f32,
}

/// The belief about where the ball is, and where to search for it.
#[derive(Representation, Clone, Debug, PartialEq)]
pub struct SearchMap {
    /// How probable it is that the ball is in a cell; rows along x from our right corner on. They
    /// sum up to 1.
    pub belief: Vec<f32>,
    /// Where looking promises most, on the field.
    pub target: Vec2,
    /// Share of the cells that were seen in the last ten seconds.
    pub coverage: f32,
}

impl SearchMap {
    /// The length of a cell's sides, in metres.
    pub const CELL: f32 = 0.5;
    /// The number of cells along x.
    pub const COLUMNS: usize = 18;
    /// The number of cells along y.
    pub const ROWS: usize = 12;

    /// Returns the centre of a cell.
    #[must_use]
    pub fn center(index: usize) -> Vec2 {
        let (column, row) = (index % Self::COLUMNS, index / Self::COLUMNS);
        let half = Vec2::new(Self::COLUMNS as f32, Self::ROWS as f32) / 2.0;
        (Vec2::new(column as f32 + 0.5, row as f32 + 0.5) - half) * Self::CELL
    }
}

impl Default for SearchMap {
    fn default() -> Self {
        Self { belief: Vec::new(), target: Vec2::ZERO, coverage: 0.0 }
    }
}
