//! Other poses that explain what is seen, from anywhere on the field.

use std::f32::consts::FRAC_PI_2;

use glam::Vec2;
use hemiola::prelude::*;

use super::super::random::Random;
use super::features::{self, Features};
use crate::field::is_carpet;
use crate::geometry::{Pose2, normalize_angle};
use crate::representations::perception::{LandmarkPercept, LinePercept};

/// The maximum number of alternatives.
const MOST: usize = 10;
/// The number of poses that are proposed in a run.
const PROPOSALS: usize = 8;
/// The number of poses near an alternative that are tried in a run.
const TRIALS: usize = 3;
/// The deviation of these, in metres and radians.
const REACH: (f32, f32) = (0.05, 0.03);
/// The length of the shortest line by which a pose is proposed, in metres.
const SHORTEST_LINE: f32 = 0.4;
/// The distance and the turn within which two poses are the same.
const SAME: (f32, f32) = (0.5, 0.5);
/// The share of the largest cost by which a proposal must fit better than the robot's pose.
const LEAD: f32 = 0.1;
/// The most that one run counts for and against an alternative: images that follow each other share
/// their errors.
const MOST_GAIN: (f32, f32) = (1.0, 2.0);
/// The part of the evidence that is believed to be by chance, in each run.
const DRIFT: f32 = 0.1;

/// The half of the field in which the robot is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    /// The robot's own half, by the rules.
    Own,
    /// Nobody says which one.
    Unknown,
}

/// Poses that compete with the one that the particles follow.
///
/// Each is proposed by one landmark and one line of an image, which determine it up to the
/// symmetries of the field (sensor resetting; Lenser, Veloso: Sensor Resetting Localization for
/// Poorly Modelled Mobile Robots, 2000), moves by the odometry, and is adjusted to what is seen.
/// Whether it is right is decided by a sequential test: the cumulative sum of how much better it
/// explains the images than the particles do (Page: Continuous Inspection Schemes, 1954). So a
/// robot that is lost finds itself anywhere, and one false landmark moves no robot that is not.
#[derive(Data, Clone, Debug)]
pub struct Alternatives {
    random: Random,
    poses: Vec<Alternative>,
}

#[derive(Data, Clone, Copy, Debug, Default)]
struct Alternative {
    pose: Pose2,
    /// The evidence for this pose, as a logarithm of likelihoods.
    advantage: f32,
}

impl Alternatives {
    /// Creates a store without poses, for random numbers of their own.
    pub fn new(seed: u64) -> Self {
        Self { random: Random::new(!seed), poses: Vec::with_capacity(MOST) }
    }

    /// Forgets all poses.
    pub fn clear(&mut self) {
        self.poses.clear();
    }

    /// Moves all poses by the odometry.
    pub fn move_on(&mut self, step: &Pose2) {
        for alternative in &mut self.poses {
            alternative.pose = alternative.pose * *step;
        }
    }

    /// Compares all poses, and new ones, with the robot's pose, which explains what is seen with
    /// the given cost. Returns one that is better by `threshold`.
    pub fn challenge(
        &mut self,
        lines: &LinePercept,
        landmarks: &LandmarkPercept,
        features: &Features,
        (robot, half): ((Pose2, f32), Half),
        threshold: f32,
    ) -> Option<Pose2> {
        let (pose, cost) = robot;
        for index in 0..self.poses.len() {
            let alternative = self.poses[index];
            let (adjusted, own_cost) = self.adjust(alternative.pose, features);
            let gain = (cost - own_cost).clamp(-MOST_GAIN.1, MOST_GAIN.0) - DRIFT;
            self.poses[index] = Alternative { pose: adjusted, advantage: alternative.advantage + gain };
        }
        self.poses.retain(|alternative| alternative.advantage > 0.0 && !is_same(&alternative.pose, &pose));
        self.propose(lines, landmarks, features, (robot, half));
        let best = self.poses.iter().max_by(|one, other| one.advantage.total_cmp(&other.advantage))?;
        (best.advantage > threshold).then_some(best.pose)
    }

    /// Proposes poses by what is seen, and keeps the best one if it may be right.
    fn propose(
        &mut self,
        lines: &LinePercept,
        landmarks: &LandmarkPercept,
        features: &Features,
        ((robot, cost), half): ((Pose2, f32), Half),
    ) {
        if lines.lines.is_empty() || landmarks.landmarks.is_empty() {
            return;
        }
        let mut best: Option<(Pose2, f32)> = None;
        for _ in 0..PROPOSALS {
            let line = lines.lines[self.random.index(lines.lines.len())];
            let seen = landmarks.landmarks[self.random.index(landmarks.landmarks.len())];
            let places = features::places(seen.kind);
            let place = places[self.random.index(places.len())];
            let along = line.to - line.from;
            if along.length() < SHORTEST_LINE {
                continue;
            }
            // All lines are along x or y. Of two headings that the field cannot tell apart, the one
            // that is nearer to the robot's is right, if it is not lost entirely, and nobody knows
            // better.
            let turn = normalize_angle(robot.rotation + along.to_angle());
            let quarter = (turn / FRAC_PI_2).floor() + if self.random.index(2) == 0 { 0.0 } else { 1.0 };
            let rotation = normalize_angle(quarter * FRAC_PI_2 - along.to_angle());
            let pose = Pose2 { rotation, translation: place - Vec2::from_angle(rotation).rotate(seen.position) };
            let pose = if half == Half::Own && pose.translation.x > 0.0 { pose.mirrored() } else { pose };
            let own_cost = features.cost(&pose);
            if is_carpet(pose.translation) && best.is_none_or(|(_, best)| own_cost < best) {
                best = Some((pose, own_cost));
            }
        }
        let Some((pose, _)) = best else { return };
        let (pose, own_cost) = self.adjust(pose, features);
        let lead = cost - own_cost - LEAD * features.largest_cost();
        let is_new = !is_same(&pose, &robot) && self.poses.iter().all(|known| !is_same(&known.pose, &pose));
        if lead > 0.0 && is_new {
            let advantage = lead.min(MOST_GAIN.0);
            if self.poses.len() < MOST {
                self.poses.push(Alternative { pose, advantage });
            } else if let Some(worst) =
                self.poses.iter_mut().min_by(|one, other| one.advantage.total_cmp(&other.advantage))
                && worst.advantage < advantage
            {
                *worst = Alternative { pose, advantage };
            }
        }
    }

    /// Returns the best of a pose and some near it, with its cost.
    fn adjust(&mut self, pose: Pose2, features: &Features) -> (Pose2, f32) {
        let mut best = (pose, features.cost(&pose));
        for _ in 0..TRIALS {
            let way = Vec2::new(self.random.normal(), self.random.normal()) * REACH.0;
            let trial = pose * Pose2 { rotation: REACH.1 * self.random.normal(), translation: way };
            let cost = features.cost(&trial);
            if cost < best.1 {
                best = (trial, cost);
            }
        }
        best
    }
}

fn is_same(one: &Pose2, other: &Pose2) -> bool {
    let turn = normalize_angle(one.rotation - other.rotation).abs();
    one.translation.distance_squared(other.translation) < SAME.0 * SAME.0 && turn < SAME.1
}
