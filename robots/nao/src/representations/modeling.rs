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
    /// The ground that the camera in the forehead sees; `None` when it sees none.
    pub upper: Option<GroundArea>,
    /// The ground that the camera in the mouth sees; `None` when it sees none.
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
    /// The corners, counter-clockwise.
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
    /// The degree to which percepts agree with the pose, from 0 to 1.
    pub quality: f32,
}

/// The possible poses, by the self-locator.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct PoseParticles {
    /// The particles, which are drawn from the distribution of the robot's pose.
    pub particles: Vec<PoseParticle>,
    /// The average degree to which recent percepts agree with the particles, from 0 to 1.
    pub fit: f32,
}

/// A possible pose of the robot.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct PoseParticle {
    /// The pose on the field.
    pub pose: Pose2,
    /// The probability of the pose; the weights of all particles sum up to 1.
    pub weight: f32,
}

/// The poses around which many particles are, most probable first.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct PoseClusters {
    /// The clusters, at most four.
    pub clusters: Vec<PoseCluster>,
}

/// Particles that are close to each other.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct PoseCluster {
    /// The weighted mean of the particles.
    pub pose: Pose2,
    /// The share that the particles have of all weight.
    pub weight: f32,
}

/// The place of the robot as far as the rules of the game tell it.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct PlaceByRules {
    /// The kind of place to which the robot was carried last.
    pub carried: CarriedTo,
    /// The number of times that it was carried somewhere.
    pub times: u32,
    /// True while robots that play stand in their own half.
    pub in_own_half: bool,
}

/// A kind of place to which people carry a robot.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CarriedTo {
    /// Nowhere: it walks by itself.
    #[default]
    Nowhere,
    /// A touch line of its own half, before a half begins.
    Entry,
    /// A touch line, level with the penalty mark of its own half, after a penalty.
    Return,
}

/// The verdict on whether the robot believes to be at the mirror image of its place, where the
/// field looks the same.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct MirrorVerdict {
    /// The number of times that the pose was found to be the mirror image of the true one.
    pub mirrored: u32,
    /// The evidence for it since the last time: the balance of sightings of mates, in seconds.
    pub evidence: f32,
}

/// The position and velocity of the ball.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct BallModel {
    /// The position relative to the robot, in metres; `None` before the ball was first seen and
    /// some time after it was last seen.
    pub position: Option<Vec2>,
    /// The velocity relative to the ground, in the robot's directions, in m/s.
    pub velocity: Vec2,
    /// The time at which the ball was last seen.
    pub last_seen: Option<Time>,
}

/// All hypotheses that the ball filter tracks, to see its alternatives.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct BallHypotheses {
    /// The hypotheses, at most eight, in no order.
    pub hypotheses: Vec<BallHypothesis>,
}

/// Something that could be the ball.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct BallHypothesis {
    /// The position relative to the robot, in metres.
    pub position: Vec2,
    /// The velocity, in m/s.
    pub velocity: Vec2,
    /// The standard deviation of the position, in metres: the larger half axis.
    pub deviation: f32,
    /// The confidence that there is a ball, from 0 to 1.
    pub existence: f32,
}

/// The predicted path of the ball.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct BallPrediction {
    /// The positions of the ball relative to the robot, in steps of [`BallPrediction::STEP`]
    /// seconds from now on, until it rests. Empty without a ball.
    pub path: Vec<Vec2>,
    /// The position at which the ball comes to rest, relative to the robot.
    pub rest: Option<Vec2>,
    /// The time until the ball comes to rest, in seconds.
    pub time_to_rest: f32,
    /// The crossing of the line through both of the robot's shoulders: y of the point, and the time
    /// until then in seconds.
    pub passing: Option<(f32, f32)>,
}

impl BallPrediction {
    /// The time between points of the path, in seconds.
    pub const STEP: f32 = 0.1;
}

/// The obstacles around the robot.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct ObstacleModel {
    /// The obstacles, nearest first.
    pub obstacles: Vec<Obstacle>,
}

/// An object to walk around.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct Obstacle {
    /// The centre, relative to the robot.
    pub position: Vec2,
    /// The velocity, in the robot's directions, in m/s.
    pub velocity: Vec2,
    /// The radius, in metres.
    pub radius: f32,
    /// The confidence that the obstacle is still there, from 0 to 1.
    pub confidence: f32,
}

/// The ball on the field, with its past positions.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct FieldBall {
    /// The position of the ball; `None` when it is not known.
    pub position: Option<Vec2>,
    /// The position at which the ball will come to rest, which is limited by the boards.
    pub rest: Option<Vec2>,
    /// The velocity, in m/s.
    pub velocity: Vec2,
    /// The last known position of the ball.
    pub last_position: Option<Vec2>,
    /// The time since a camera last saw the ball, in seconds; infinite before.
    pub unseen_for: f32,
}

/// Everything that behaviour needs, in field coordinates.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct WorldModel {
    /// The pose of the robot.
    pub robot: Pose2,
    /// The quality of the robot's pose, from 0 to 1.
    pub robot_quality: f32,
    /// The ball, when its position is known.
    pub ball: Option<WorldBall>,
    /// The last known position of the ball.
    pub last_ball: Option<Vec2>,
    /// The robots and goal posts, nearest first.
    pub obstacles: Vec<WorldObstacle>,
}

/// The ball in the world.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct WorldBall {
    /// The position of the ball.
    pub position: Vec2,
    /// The velocity, in m/s.
    pub velocity: Vec2,
    /// The position at which the ball will come to rest.
    pub rest: Vec2,
    /// The position relative to the robot, which is more precise than the robot's pose allows on
    /// the field.
    pub relative: Vec2,
    /// The time since a camera last saw the ball, in seconds.
    pub unseen_for: f32,
}

/// An object on the field to walk around.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct WorldObstacle {
    /// The centre of the object.
    pub position: Vec2,
    /// The radius, in metres.
    pub radius: f32,
}

/// The belief about where the ball is, and where to search for it.
#[derive(Representation, Clone, Debug, PartialEq)]
pub struct SearchMap {
    /// The probability that the ball is in each of the cells, in rows along x from our right corner
    /// on. The sum is 1.
    pub belief: Vec<f32>,
    /// The point on the field where looking promises most.
    pub target: Vec2,
    /// The share of the cells that were seen in the last ten seconds.
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
