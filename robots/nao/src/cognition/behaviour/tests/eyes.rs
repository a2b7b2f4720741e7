//! The percepts of an ideal pitch, with gaps, noise and mistakes, and drifting odometry.

use std::f32::consts::TAU;

use glam::{Quat, Vec2};
use hemiola::prelude::*;

use super::mind::Senses;
use super::pitch::{Conditions, Pitch};
use crate::cognition::modeling::ground_viewer::GroundViewer;
use crate::cognition::modeling::random::Random;
use crate::cognition::modeling::sighting;
use crate::field::{CENTER_CIRCLE_RADIUS, LANDMARKS, LINES, LandmarkKind, POSTS};
use crate::geometry::Pose2;
use crate::representations::behaviour::HeadRequest;
use crate::representations::events::WhistleHeard;
use crate::representations::modeling::{FieldOfView, GroundArea};
use crate::representations::motion::TorsoPose;
use crate::representations::perception::{LandmarkShape, SeenBall, SeenLandmark, SeenLine, SeenObstacle};
use crate::robot::Joint;

/// The maximum speed of neck joints, in rad/s.
const NECK_SPEED: f32 = 3.0;
/// The standard deviation of a single object's direction, in radians.
const THING_NOISE: f32 = 0.004;

/// The simulated senses of the robot.
pub struct Eyes {
    pub senses: Senses,
    random: Random,
    viewer: GroundViewer,
    view: FieldOfView,
    /// The errors of odometry: a share of the distance, and turn per metre.
    drift: (f32, f32),
    conditions: Conditions,
    /// Constant error of the camera's pitch and yaw.
    bias: Vec2,
    /// Error of the camera's pitch and yaw in this image.
    camera: Vec2,
}

impl Eyes {
    pub fn new(seed: u64, conditions: Conditions) -> Self {
        let mut random = Random::new(seed ^ 0x5eed);
        let bias = conditions.camera_bias;
        let torso = TorsoPose { attitude: Quat::IDENTITY, height: 0.32 };
        Self {
            drift: (random.uniform(-0.06, 0.06), random.uniform(-0.1, 0.1)),
            senses: Senses { torso, ..Default::default() },
            viewer: GroundViewer::create(Default::default()),
            view: FieldOfView::default(),
            conditions,
            bias: Vec2::new(random.uniform(-bias, bias), random.uniform(-bias, bias)),
            camera: Vec2::ZERO,
            random,
        }
    }

    /// Perceives the pitch after the robot has moved by `step`.
    pub fn look(&mut self, pitch: &Pitch, step: &Pose2, head: &HeadRequest, seconds: f32) {
        self.turn_head(head, seconds);
        self.feel(step);
        let sway = Vec2::new((TAU * 1.9 * pitch.time).sin(), (TAU * 0.95 * pitch.time).sin());
        let noise = Vec2::new(self.random.normal(), self.random.normal());
        self.camera = self.bias + 0.01 * sway + self.conditions.camera_noise * noise;
        self.see_lines(&pitch.robot);
        self.see_landmarks(&pitch.robot);
        self.see_ball(&pitch.robot.relative(pitch.ball));
        self.see_obstacles(pitch);
        // A whistle is detected with a delay.
        let whistle = pitch.goal_time.map_or(1.0, |goal| goal + 0.3);
        if pitch.time >= whistle + 0.2 {
            self.senses.whistle = Some(WhistleHeard { began: Time::from_seconds(f64::from(whistle)) });
        }
    }

    fn turn_head(&mut self, head: &HeadRequest, seconds: f32) {
        for (joint, wanted) in [(Joint::HeadYaw, head.yaw), (Joint::HeadPitch, head.pitch)] {
            let position = &mut self.senses.joints.positions[joint.index()];
            *position += (wanted - *position).clamp(-NECK_SPEED * seconds, NECK_SPEED * seconds);
        }
        self.view = FieldOfView::default();
        self.viewer.field_of_view(&self.senses.joints, &self.senses.torso, &mut self.view);
    }

    fn feel(&mut self, step: &Pose2) {
        let way = step.translation * (1.0 + self.drift.0 + 0.05 * self.random.normal());
        let turn = step.rotation * (1.0 + 0.03 * self.random.normal()) + self.drift.1 * step.translation.length();
        self.senses.odometry.pose = self.senses.odometry.pose * Pose2 { rotation: turn, translation: way };
    }

    fn happens(&mut self, probability: f32) -> bool {
        self.random.uniform(0.0, 1.0) < probability
    }

    /// Returns the apparent position of an object at `place` (relative to the robot).
    fn seen_at(&mut self, place: Vec2) -> Vec2 {
        let (along, across) = sighting::deviations(place.length(), 1.0);
        let error = self.camera + THING_NOISE * Vec2::new(self.random.normal(), self.random.normal());
        let direction = place.normalize_or(Vec2::X);
        place + direction * (along * error.x).max(-0.7 * place.length()) + direction.perp() * (across * error.y)
    }

    fn see_lines(&mut self, robot: &Pose2) {
        self.senses.lines.lines.clear();
        let chords = (0..16_u8).map(|index| {
            let point = |index: u8| Vec2::from_angle(f32::from(index) / 16.0 * TAU) * CENTER_CIRCLE_RADIUS;
            (point(index), point(index + 1))
        });
        let lines = LINES.iter().map(|line| (line.from, line.to)).chain(chords);
        for (from, to) in lines {
            for area in [self.view.upper, self.view.lower].into_iter().flatten() {
                let Some((from, to)) = clipped(robot.relative(from), robot.relative(to), &area) else { continue };
                if from.distance(to) > 0.2 && self.happens(0.6) {
                    let cut = |from: Vec2, to: Vec2, part: f32| from.lerp(to, part);
                    let (start, end) = (self.random.uniform(0.0, 0.3), self.random.uniform(0.7, 1.0));
                    let (from, to) = (cut(from, to, start), cut(from, to, end));
                    let line = SeenLine { from: self.seen_at(from), to: self.seen_at(to) };
                    self.senses.lines.lines.push(line);
                }
            }
        }
        if self.happens(0.05) {
            let from = self.anywhere();
            let to = from + Vec2::from_angle(self.random.uniform(0.0, TAU)) * 0.4;
            self.senses.lines.lines.push(SeenLine { from, to });
        }
    }

    fn see_landmarks(&mut self, robot: &Pose2) {
        self.senses.landmarks.landmarks.clear();
        let shape = |kind| match kind {
            LandmarkKind::L => LandmarkShape::Corner,
            LandmarkKind::T => LandmarkShape::Tee,
            LandmarkKind::X => LandmarkShape::Cross,
            LandmarkKind::PenaltyMark => LandmarkShape::Mark,
        };
        let crossings = LANDMARKS.iter().map(|landmark| (shape(landmark.kind), landmark.pose.translation));
        let posts = POSTS.iter().map(|post| (LandmarkShape::GoalPost, *post));
        for (kind, place) in crossings.chain(posts).chain([(LandmarkShape::CenterCircle, Vec2::ZERO)]) {
            let place = robot.relative(place);
            if self.view.shows(place, 0.1) && place.length() < 3.0 && self.happens(0.4) {
                let position = self.seen_at(place);
                self.senses.landmarks.landmarks.push(SeenLandmark { kind, position });
            }
        }
        if self.happens(0.04) {
            let kinds = [LandmarkShape::Corner, LandmarkShape::Tee, LandmarkShape::Mark, LandmarkShape::Cross];
            let kind = kinds[self.random.index(kinds.len())];
            let position = self.anywhere();
            self.senses.landmarks.landmarks.push(SeenLandmark { kind, position });
        }
    }

    fn see_ball(&mut self, place: &Vec2) {
        self.senses.ball.ball = None;
        let probability = if place.length() < 2.0 { 0.85 } else { 0.5 };
        if self.view.shows(*place, 0.02) && self.happens(probability) {
            let position = self.seen_at(*place);
            self.senses.ball.ball = Some(SeenBall { position, score: self.random.uniform(0.6, 1.0) });
        } else if self.happens(0.04) {
            let position = self.anywhere();
            self.senses.ball.ball = Some(SeenBall { position, score: self.random.uniform(0.4, 0.8) });
        }
    }

    fn see_obstacles(&mut self, pitch: &Pitch) {
        self.senses.obstacles.obstacles.clear();
        for place in pitch.others().chain(POSTS) {
            let place = pitch.robot.relative(place);
            if self.view.shows(place, 0.0) && self.happens(0.7) {
                let position = self.seen_at(place);
                self.senses.obstacles.obstacles.push(SeenObstacle { position, radius: self.random.uniform(0.1, 0.17) });
            }
        }
    }

    /// Returns a place in view for an object that does not exist.
    fn anywhere(&mut self) -> Vec2 {
        let yaw = self.senses.joints.positions[Joint::HeadYaw.index()] + self.random.uniform(-0.4, 0.4);
        Vec2::from_angle(yaw) * self.random.uniform(0.4, 3.5)
    }
}

/// Returns the part of a segment within a convex area (Cyrus, Beck 1978).
fn clipped(from: Vec2, to: Vec2, area: &GroundArea) -> Option<(Vec2, Vec2)> {
    let (mut enter, mut leave) = (0.0_f32, 1.0_f32);
    for index in 0..4 {
        let corner = area.corners[index];
        let edge = area.corners[(index + 1) % 4] - corner;
        let (inside, outside) = (edge.perp_dot(from - corner), edge.perp_dot(to - corner));
        let crossing = inside / (inside - outside);
        match (inside >= 0.0, outside >= 0.0) {
            (false, false) => return None,
            (false, true) => enter = enter.max(crossing),
            (true, false) => leave = leave.min(crossing),
            (true, true) => {}
        }
    }
    (enter < leave).then(|| (from.lerp(to, enter), from.lerp(to, leave)))
}
