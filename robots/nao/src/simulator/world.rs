//! The simulated world: robot, ball and other robots, advanced step by step.

use glam::{Quat, Vec2};
use hemiola::prelude::*;

use super::ball::{Ball, Goal, MovingFoot};
use super::body::{Body, Legs, Posture};
use super::others::{OtherRobot, Patrol};
use super::random::Random;
use super::scenario::{Scenario, standing_positions};
use super::sensors::Sensors;
use super::servo::Servos;
use crate::field::{POST_RADIUS, POSTS};
use crate::geometry::{Pose2, Pose3};
use crate::representations::sensing::{FootPressure, GroundTruth, ImuSample, JointAngles, JointRequest};
use crate::robot::{JOINTS, Joint, Side};

/// The robot's own radius for collisions, in metres.
const ROBOT_RADIUS: f32 = 0.13;
/// The capacity for whistles, so that a step does not allocate.
const MOST_WHISTLES: usize = 32;

/// A snapshot of the world for cameras and microphones.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct SimulatedWorld {
    /// The simulated time since the start, in seconds.
    pub time: f32,
    /// The torso's frame in the field's.
    pub torso: Pose3,
    /// The joint positions in radians, without the sensors' errors.
    pub joints: [f32; JOINTS],
    /// The point at which the ball touches the field, in metres.
    pub ball: Vec2,
    /// The rotation of the ball's pattern.
    pub ball_rotation: Quat,
    /// The other robots.
    pub others: Vec<OtherRobot>,
    /// The exposure of the cameras, in stops: positive is brighter than normal, negative darker.
    pub exposure: f32,
    /// The sum of the speeds of all joints, in rad/s.
    pub activity: f32,
    /// The times at which the referee has whistled or will, in seconds, in order.
    pub whistles: Vec<f32>,
    /// True if nothing comes after this snapshot.
    pub is_over: bool,
}

/// The whole world, with the truth. The same seed and the same requests give the same bits.
#[derive(Clone, Debug)]
pub struct World {
    time: f64,
    random: Random,
    servos: Servos,
    body: Body,
    sensors: Sensors,
    ball: Ball,
    patrols: Vec<Patrol>,
    others: Vec<OtherRobot>,
    exposure_phase: f32,
    whistles: Vec<f32>,
    score: u32,
    scored_at: Option<f32>,
    goals_against: u32,
}

impl World {
    /// Creates the beginning of a scenario; the seed varies places, paths and noise.
    #[must_use]
    pub fn new(seed: u64, scenario: Scenario) -> Self {
        let mut random = Random::for_purpose(seed, 1);
        let mut beginning = scenario.begin(&mut random);
        let positions = standing_positions();
        let body = Body::new(&beginning.robot, &positions, &mut random);
        beginning.whistles.reserve(MOST_WHISTLES);
        Self {
            time: 0.0,
            exposure_phase: random.uniform(0.0..std::f32::consts::TAU),
            random,
            servos: Servos::new(&positions),
            sensors: Sensors::new(Random::for_purpose(seed, 2), body.torso()),
            body,
            ball: beginning.ball,
            others: beginning.others.iter().map(|patrol| patrol.at(0.0)).collect(),
            patrols: beginning.others,
            whistles: beginning.whistles,
            score: 0,
            scored_at: None,
            goals_against: 0,
        }
    }

    /// Moves on by `dt` seconds while the joints follow `request`. Does not allocate; takes some
    /// microseconds.
    ///
    /// # Panics
    /// If `dt` is not positive.
    pub fn step(&mut self, dt: f32, request: &JointRequest) {
        assert!(dt > 0.0, "a step of {dt} seconds is not positive; give a positive time");
        self.time += f64::from(dt);
        self.servos.step(dt, request);
        let before = Side::BOTH.map(|side| self.body.sole(side));
        let legs = legs(self.servos.pending());
        self.body.step(dt, self.servos.positions(), legs, &mut self.random);
        let feet =
            Side::BOTH.map(|side| MovingFoot { side, before: before[side as usize], after: self.body.sole(side) });

        let time = self.time as f32;
        for (other, patrol) in self.others.iter_mut().zip(&self.patrols) {
            *other = patrol.at(time);
        }
        self.keep_apart();
        let cylinders = self.others.iter().map(|other| (other.pose.translation, OtherRobot::RADIUS));
        let goal = self.ball.step(dt, &feet, cylinders);
        if goal.is_some() && self.whistles.len() < self.whistles.capacity() {
            self.whistles.push(time + 0.3);
        }
        match goal {
            Some(Goal::Scored) => {
                self.score += 1;
                self.scored_at.get_or_insert(time);
            }
            Some(Goal::Conceded) => self.goals_against += 1,
            None => {}
        }
        self.sensors.observe(dt, self.body.torso());
    }

    /// Measures with the body's sensors. Every call draws new noise, so call it once per step.
    pub fn sense(&mut self, imu: &mut ImuSample, joints: &mut JointAngles, feet: &mut FootPressure) {
        self.sensors.sense(&self.body, &self.servos, imu, joints, feet);
    }

    /// Takes a snapshot for cameras and microphones, which may read it later or on another thread.
    pub fn snapshot(&self, snapshot: &mut SimulatedWorld) {
        let time = self.time as f32;
        snapshot.time = time;
        snapshot.torso = self.body.torso();
        snapshot.joints = *self.servos.positions();
        snapshot.ball = self.ball.position();
        snapshot.ball_rotation = self.ball.rotation();
        snapshot.others.clone_from(&self.others);
        // Clouds: two slow waves of a sixth of a stop each.
        snapshot.exposure =
            0.16 * (0.31 * time + self.exposure_phase).sin() + 0.16 * (0.13 * time + 2.0 * self.exposure_phase).sin();
        snapshot.activity = self.servos.activity();
        snapshot.whistles.clone_from(&self.whistles);
        snapshot.is_over = false;
    }

    /// Returns the truth, for scores and tests.
    pub fn ground_truth(&self, truth: &mut GroundTruth) {
        let torso = self.body.torso();
        truth.time = self.time as f32;
        truth.robot = self.robot();
        truth.torso_height = torso.translation.z;
        truth.torso_rotation = torso.rotation;
        truth.fallen = self.body.posture() != Posture::Upright;
        truth.ball = self.ball.position();
        truth.ball_velocity = self.ball.velocity();
        truth.score = self.score;
        truth.scored_at = self.scored_at;
        truth.goals_against = self.goals_against;
        truth.others.clear();
        truth.others.extend(self.others.iter().map(|other| other.pose.translation));
    }

    /// Moves the ball, as a referee would, in metres.
    pub fn place_ball(&mut self, position: Vec2) {
        self.ball = Ball::new(position, Vec2::ZERO, self.ball.rotation());
    }

    /// Returns the simulated time since the start, in seconds.
    #[must_use]
    pub fn time(&self) -> f32 {
        self.time as f32
    }

    /// Returns the point of the ground below the torso, and the heading of the torso.
    #[must_use]
    pub fn robot(&self) -> Pose2 {
        self.body.torso().on_ground()
    }

    /// Returns the number of goals that the robot has scored.
    #[must_use]
    pub fn score(&self) -> u32 {
        self.score
    }

    /// Returns the number of goals in both goals.
    #[must_use]
    pub fn goals(&self) -> u32 {
        self.score + self.goals_against
    }

    /// Returns when the first of them was scored, in seconds of simulated time.
    #[must_use]
    pub fn scored_at(&self) -> Option<f32> {
        self.scored_at
    }

    /// Stops the robot when it walks into posts and robots.
    fn keep_apart(&mut self) {
        let place = self.body.torso().translation.truncate();
        let posts = POSTS.iter().map(|post| (*post, POST_RADIUS));
        let robots = self.others.iter().map(|other| (other.pose.translation, OtherRobot::RADIUS));
        let mut way = Vec2::ZERO;
        for (obstacle, radius) in posts.chain(robots) {
            let apart = place - obstacle;
            let overlap = radius + ROBOT_RADIUS - apart.length();
            if overlap > 0.0 {
                way += apart.normalize_or(Vec2::X) * overlap;
            }
        }
        if way != Vec2::ZERO {
            self.body.push(way);
        }
    }
}

/// Returns whether the legs carry the robot with the stiffness of a request.
pub(super) fn legs(request: &JointRequest) -> Legs {
    let joints = Side::BOTH.into_iter().flat_map(Joint::leg);
    if joints.map(|joint| request.stiffness[joint.index()]).all(|stiffness| stiffness > 0.5) {
        Legs::Stiff
    } else {
        Legs::Limp
    }
}
