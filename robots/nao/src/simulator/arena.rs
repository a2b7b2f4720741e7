//! Several robots on one field: each has its own body, servos and sensors, and all share the ball.
//!
//! A rigid body engine moves the ball, among goals, boards, and the limbs of all robots. Robots
//! walk as in [`World`](super::World), by their own joints on a planted sole: they are stronger
//! than the ball. Where two robots meet, or a robot meets a post, their feet slide until they are
//! apart, and a hard push tips them.
//!
//! Simplifications: the ball passes through thighs, arms and head; robots meet each other as
//! upright cylinders, also where they lie.

use std::fmt;

use glam::{Quat, Vec2, Vec3};
use hemiola::prelude::*;

use self::physics::Physics;
use super::SimulatedWorld;
use super::body::{Body, Posture};
use super::others::{OtherRobot, Team};
use super::random::Random;
use super::scenario::standing_positions;
use super::sensors::Sensors;
use super::servo::Servos;
use super::world::legs;
use crate::field::{BALL_RADIUS, BORDER, GOAL_WIDTH, LENGTH, LINE_WIDTH, POST_RADIUS, POSTS, WIDTH};
use crate::geometry::{Pose2, Pose3};
use crate::representations::sensing::{FootPressure, GroundTruth, ImuSample, JointAngles, JointRequest};
use crate::robot::JOINTS;
use crate::robot::kinematics::Links;

mod physics;
#[cfg(test)]
mod tests;

/// The number of rounds in which overlaps are resolved: one that ends may begin another.
const ROUNDS: usize = 8;
/// The speed of an encounter in m/s up to which robots only slide.
const SHOVE_SPEED: f32 = 0.25;
/// The time after a shove within which a fall is due to it, in seconds.
const SHOVE_TIME: f64 = 2.0;
/// The factor by which the robot that ran into the other one was faster.
const FASTER: f32 = 2.0;
/// The rate at which the phase of a walking robot's stride changes, in rad per metre.
const STRIDE: f32 = 60.0;
/// The number of random streams of a robot: one for its body, one for its sensors.
const STREAMS: u64 = 2;

/// The team of a robot in an [`Arena`], which is displayed by its colour.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TeamSide {
    /// The team that plays towards positive x.
    #[default]
    Home,
    /// The team that plays towards negative x.
    Away,
}

/// A robot at the beginning of a game.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The team of the robot.
    pub side: TeamSide,
    /// The number on its shirt, from 1.
    pub number: u8,
    /// The pose in the team's own frame, where the own goal is at negative x.
    pub pose: Pose2,
}

/// A robot that ran into another one, which fell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Push {
    /// The robot that ran into the other one.
    pub by: usize,
    /// The robot that fell.
    pub pushed: usize,
}

/// Robots and a ball on one field. The same seed and the same requests give the same bits.
pub struct Arena {
    time: f64,
    robots: Vec<Robot>,
    physics: Physics,
    goals: [u32; 2],
    in_goal: bool,
    last_touch: Option<usize>,
    /// The times at which the referee has whistled, in seconds, in order.
    whistles: Vec<f32>,
    pushes: Vec<Push>,
}

struct Robot {
    side: TeamSide,
    number: u8,
    random: Random,
    servos: Servos,
    body: Body,
    sensors: Sensors,
    stride: f32,
    falls: u32,
    exposure_phase: f32,
    /// The robot that ran into this one last, and when.
    shoved: Option<(usize, f64)>,
}

impl Arena {
    /// Creates a field with robots that stand, and the ball on the centre mark. The seed varies
    /// their grip and the errors of their sensors.
    #[must_use]
    pub fn new(seed: u64, entries: &[Entry]) -> Self {
        let mut physics = Physics::new();
        let robots: Vec<Robot> = (1..).zip(entries).map(|(stream, entry)| Robot::new(seed, stream, entry)).collect();
        for robot in &robots {
            physics.add_robot(&robot.body.torso(), &Links::new(robot.servos.positions()));
        }
        Self {
            time: 0.0,
            robots,
            physics,
            goals: [0; 2],
            in_goal: false,
            last_touch: None,
            whistles: Vec::new(),
            pushes: Vec::new(),
        }
    }

    /// Moves on by `dt` seconds while the joints of each robot follow its request.
    ///
    /// # Panics
    /// If `dt` is not positive, or if there is not one request for each robot.
    pub fn step(&mut self, dt: f32, requests: &[JointRequest]) {
        assert!(dt > 0.0, "a step of {dt} seconds is not positive; give a positive time");
        assert_eq!(requests.len(), self.robots.len(), "each robot needs one request");
        self.time += f64::from(dt);
        let before: Vec<Vec2> = self.robots.iter().map(Robot::place).collect();
        for (index, (robot, request)) in self.robots.iter_mut().zip(requests).enumerate() {
            let has_fallen = robot.step(dt, request);
            let by = robot.shoved.filter(|(_, at)| has_fallen && self.time - at < SHOVE_TIME);
            self.pushes.extend(by.map(|(by, _)| Push { by, pushed: index }));
        }
        self.shove(dt, &before);
        self.keep_apart();
        for (index, (robot, before)) in self.robots.iter_mut().zip(before).enumerate() {
            robot.stride += STRIDE * robot.place().distance(before);
            robot.sensors.observe(dt, robot.body.torso());
            self.physics.move_robot(index, &robot.body.torso(), &Links::new(robot.servos.positions()));
        }
        self.physics.step(dt);
        self.last_touch = self.physics.touching_robot().or(self.last_touch);
        self.count_goal();
    }

    /// Measures with a robot's sensors. Every call draws new noise, so call it once per step.
    ///
    /// # Panics
    /// If there is no such robot.
    pub fn sense(&mut self, robot: usize, imu: &mut ImuSample, joints: &mut JointAngles, feet: &mut FootPressure) {
        let robot = &mut self.robots[robot];
        robot.sensors.sense(&robot.body, &robot.servos, imu, joints, feet);
    }

    /// Takes a snapshot for a robot's cameras and microphones, in the frame of its team.
    ///
    /// # Panics
    /// If there is no such robot.
    pub fn snapshot(&self, robot: usize, snapshot: &mut SimulatedWorld) {
        let own = &self.robots[robot];
        let time = self.time();
        snapshot.time = time;
        snapshot.torso = own.side.frame() * own.body.torso();
        snapshot.joints = *own.servos.positions();
        snapshot.ball = own.side.turn(self.ball());
        snapshot.ball_rotation = own.side.frame().rotation * self.physics.ball_rotation();
        snapshot.others.clear();
        let others = self.robots.iter().enumerate().filter(|(index, _)| *index != robot);
        snapshot.others.extend(others.map(|(_, other)| other.seen_by(own.side)));
        snapshot.exposure = 0.16 * (0.31 * time + own.exposure_phase).sin();
        snapshot.activity = own.servos.activity();
        snapshot.whistles.clone_from(&self.whistles);
        snapshot.is_over = false;
    }

    /// Returns the truth as a robot's team sees it, for scores and tests. `scored_at` stays empty.
    ///
    /// # Panics
    /// If there is no such robot.
    pub fn ground_truth(&self, robot: usize, truth: &mut GroundTruth) {
        let own = &self.robots[robot];
        let torso = own.side.frame() * own.body.torso();
        truth.time = self.time();
        truth.robot = torso.on_ground();
        truth.torso_height = torso.translation.z;
        truth.torso_rotation = torso.rotation;
        truth.fallen = own.body.posture() != Posture::Upright;
        truth.ball = own.side.turn(self.ball());
        truth.ball_velocity = own.side.turn(self.physics.ball_velocity().truncate());
        truth.score = self.goals(own.side);
        truth.scored_at = None;
        truth.goals_against = self.goals(own.side.other());
        truth.others.clear();
        let others = self.robots.iter().enumerate().filter(|(index, _)| *index != robot);
        truth.others.extend(others.map(|(_, other)| own.side.turn(other.place())));
    }

    /// Puts the ball at rest somewhere, as a referee would, in metres and in the frame of the home
    /// team.
    pub fn place_ball(&mut self, place: Vec2) {
        self.physics.place_ball(place, Vec3::ZERO);
        self.in_goal = false;
    }

    /// Puts a robot upright somewhere, as a referee would, in the frame of its team.
    ///
    /// # Panics
    /// If there is no such robot.
    pub fn place_robot(&mut self, index: usize, pose: &Pose2) {
        let robot = &mut self.robots[index];
        robot.body = Body::new(&robot.side.pose(pose), robot.servos.positions(), &mut robot.random);
        robot.sensors.carry(robot.body.torso());
        robot.shoved = None;
        self.physics.place_robot(index, &robot.body.torso(), &Links::new(robot.servos.positions()));
    }

    /// Lets the referee whistle, which all robots can hear.
    pub fn whistle(&mut self) {
        self.whistles.push(self.time());
    }

    /// Returns the simulated time since the start, in seconds.
    #[must_use]
    pub fn time(&self) -> f32 {
        self.time as f32
    }

    /// Returns where the ball is above the field, in metres and in the frame of the home team.
    #[must_use]
    pub fn ball(&self) -> Vec2 {
        self.physics.ball().truncate()
    }

    /// Returns the number of goals of a team.
    #[must_use]
    pub fn goals(&self, side: TeamSide) -> u32 {
        self.goals[side as usize]
    }

    /// Returns the number of robots.
    #[must_use]
    pub fn len(&self) -> usize {
        self.robots.len()
    }

    /// Returns whether there is no robot.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.robots.is_empty()
    }

    /// Returns the robots that were pushed over so far, in the order of their falls.
    #[must_use]
    pub fn pushes(&self) -> &[Push] {
        &self.pushes
    }

    /// Returns whether a robot falls, lies, or gets up.
    ///
    /// # Panics
    /// If there is no such robot.
    #[must_use]
    pub fn is_fallen(&self, robot: usize) -> bool {
        self.robots[robot].body.posture() != Posture::Upright
    }

    /// Returns how often a robot has fallen.
    ///
    /// # Panics
    /// If there is no such robot.
    #[must_use]
    pub fn falls(&self, robot: usize) -> u32 {
        self.robots[robot].falls
    }

    /// Returns the team of a robot and its number.
    ///
    /// # Panics
    /// If there is no such robot.
    #[must_use]
    pub fn shirt(&self, robot: usize) -> (TeamSide, u8) {
        let Robot { side, number, .. } = self.robots[robot];
        (side, number)
    }

    /// Returns where a robot is and where its torso looks, in the frame of the home team.
    ///
    /// # Panics
    /// If there is no such robot.
    #[must_use]
    pub fn pose(&self, robot: usize) -> Pose2 {
        self.robots[robot].body.torso().on_ground()
    }

    /// Returns a robot's torso in the frame of the home team.
    ///
    /// # Panics
    /// If there is no such robot.
    #[must_use]
    pub fn torso(&self, robot: usize) -> Pose3 {
        self.robots[robot].body.torso()
    }

    /// Returns the positions of a robot's joints, in radians.
    ///
    /// # Panics
    /// If there is no such robot.
    #[must_use]
    pub fn joints(&self, robot: usize) -> &[f32; JOINTS] {
        self.robots[robot].servos.positions()
    }

    /// Returns whether a robot lies or falls.
    ///
    /// # Panics
    /// If there is no such robot.
    #[must_use]
    pub fn is_down(&self, robot: usize) -> bool {
        self.robots[robot].body.posture() != Posture::Upright
    }

    /// Returns the centre of the ball and the rotation of its pattern, in the frame of the home
    /// team.
    #[must_use]
    pub fn ball_pose(&self) -> Pose3 {
        Pose3::new(self.physics.ball_rotation(), self.physics.ball())
    }

    /// Returns whether a robot touches the ball.
    #[must_use]
    pub fn is_touched(&self) -> bool {
        self.physics.touching_robot().is_some()
    }

    /// Returns the robot that touched the ball last.
    #[must_use]
    pub fn last_touch(&self) -> Option<usize> {
        self.last_touch
    }

    /// Hits a robot, with a velocity in m/s in the frame of the home team.
    #[cfg(test)]
    pub(crate) fn hit(&mut self, robot: usize, velocity: Vec2) {
        self.robots[robot].body.shove(velocity);
    }

    /// Lets a robot be pushed over by another one.
    #[cfg(test)]
    pub(crate) fn push_over(&mut self, push: Push) {
        self.hit(push.pushed, Vec2::X);
        self.robots[push.pushed].shoved = Some((push.by, self.time));
    }

    /// Tips robots that run into each other faster than they can bear.
    fn shove(&mut self, dt: f32, before: &[Vec2]) {
        for second in 1..self.robots.len() {
            for first in 0..second {
                let apart = self.robots[first].place() - self.robots[second].place();
                if apart.length() >= 2.0 * OtherRobot::RADIUS {
                    continue;
                }
                let normal = apart.normalize_or(Vec2::X);
                let approach = (before[first] - before[second] - apart).dot(normal) / dt;
                let push = normal * (approach - SHOVE_SPEED).max(0.0) / 2.0;
                self.robots[first].body.shove(push);
                self.robots[second].body.shove(-push);
                if push == Vec2::ZERO {
                    continue;
                }
                let speed = |robot: usize, towards: Vec2| (self.robots[robot].place() - before[robot]).dot(towards);
                match runner(speed(first, -normal), speed(second, normal)) {
                    Some(Runner::First) => self.robots[second].shoved = Some((first, self.time)),
                    Some(Runner::Second) => self.robots[first].shoved = Some((second, self.time)),
                    None => {}
                }
            }
        }
    }

    /// Slides robots out of each other and out of posts, and back from the boards.
    fn keep_apart(&mut self) {
        let boards = Vec2::new(LENGTH, WIDTH) / 2.0 + Vec2::splat(BORDER - OtherRobot::RADIUS);
        for _ in 0..ROUNDS {
            for second in 1..self.robots.len() {
                for first in 0..second {
                    let (one, other) = (self.robots[first].place(), self.robots[second].place());
                    let way = way_apart(one, other, 2.0 * OtherRobot::RADIUS) / 2.0;
                    self.robots[first].body.slide(way);
                    self.robots[second].body.slide(-way);
                }
            }
            for robot in &mut self.robots {
                for post in POSTS {
                    let way = way_apart(robot.place(), post, OtherRobot::RADIUS + POST_RADIUS);
                    robot.body.slide(way);
                }
                let place = robot.place();
                robot.body.slide(place.clamp(-boards, boards) - place);
            }
        }
    }

    /// Counts a goal once the whole ball has crossed the line, once per visit.
    fn count_goal(&mut self) {
        let ball = self.ball();
        let behind_line = ball.x.abs() > LENGTH / 2.0 + LINE_WIDTH / 2.0 + BALL_RADIUS;
        let was_in_goal = self.in_goal;
        self.in_goal = behind_line && ball.y.abs() < GOAL_WIDTH / 2.0;
        if self.in_goal && !was_in_goal {
            let side = if ball.x > 0.0 { TeamSide::Home } else { TeamSide::Away };
            self.goals[side as usize] += 1;
        }
    }
}

impl Robot {
    fn new(seed: u64, stream: u64, entry: &Entry) -> Self {
        let mut random = Random::for_purpose(seed, STREAMS * stream);
        let positions = standing_positions();
        let body = Body::new(&entry.side.pose(&entry.pose), &positions, &mut random);
        Self {
            side: entry.side,
            number: entry.number,
            servos: Servos::new(&positions),
            sensors: Sensors::new(Random::for_purpose(seed, STREAMS * stream + 1), body.torso()),
            exposure_phase: random.uniform(0.0..std::f32::consts::TAU),
            stride: 0.0,
            falls: 0,
            shoved: None,
            random,
            body,
        }
    }

    /// Moves on; returns whether the robot begins to fall.
    fn step(&mut self, dt: f32, request: &JointRequest) -> bool {
        let was_upright = self.body.posture() == Posture::Upright;
        self.servos.step(dt, request);
        let legs = legs(self.servos.pending());
        self.body.step(dt, self.servos.positions(), legs, &mut self.random);
        let has_fallen = was_upright && self.body.posture() != Posture::Upright;
        self.falls += u32::from(has_fallen);
        has_fallen
    }

    fn place(&self) -> Vec2 {
        self.body.torso().translation.truncate()
    }

    fn seen_by(&self, side: TeamSide) -> OtherRobot {
        let team = if self.side == side { Team::Own } else { Team::Opponent };
        OtherRobot { team, pose: side.pose(&self.body.torso().on_ground()), stride: self.stride }
    }
}

impl TeamSide {
    /// Returns the other team.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Home => Self::Away,
            Self::Away => Self::Home,
        }
    }

    /// Returns the home team's frame in this team's, which is also the inverse: half a turn.
    fn frame(self) -> Pose3 {
        match self {
            Self::Home => Pose3::IDENTITY,
            Self::Away => Pose3::from_rotation(Quat::from_xyzw(0.0, 0.0, 1.0, 0.0)),
        }
    }

    /// Returns a vector of the home team's frame in this team's, or the other way round.
    pub(crate) fn turn(self, vector: Vec2) -> Vec2 {
        match self {
            Self::Home => vector,
            Self::Away => -vector,
        }
    }

    /// Returns a pose of the home team's frame in this team's, or the other way round.
    pub(crate) fn pose(self, pose: &Pose2) -> Pose2 {
        match self {
            Self::Home => *pose,
            Self::Away => Pose2::new(0.0, 0.0, std::f32::consts::PI) * *pose,
        }
    }
}

impl fmt::Display for TeamSide {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Home => "blue",
            Self::Away => "red",
        })
    }
}

/// The one of two robots that ran into the other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Runner {
    First,
    Second,
}

/// Returns who ran into the other one, by their speeds towards each other; `None` if both did.
fn runner(first: f32, second: f32) -> Option<Runner> {
    if first > FASTER * second {
        Some(Runner::First)
    } else if second > FASTER * first {
        Some(Runner::Second)
    } else {
        None
    }
}

/// Returns the way that `place` has to go to be `distance` away from `obstacle`; zero if it is.
fn way_apart(place: Vec2, obstacle: Vec2, distance: f32) -> Vec2 {
    let apart = place - obstacle;
    apart.normalize_or(Vec2::X) * (distance - apart.length()).max(0.0)
}
