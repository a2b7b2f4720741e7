//! Percepts, prepared for comparison with the field from many poses.

use glam::Vec2;

use super::super::field_map::FieldMap;
use super::super::sighting;
use crate::field::{CENTER_CIRCLE_RADIUS, LANDMARKS, LENGTH, LandmarkKind, PENALTY_MARK_DISTANCE, POSTS, is_carpet};
use crate::geometry::Pose2;
use crate::representations::perception::{LandmarkPercept, LandmarkShape, LinePercept};

/// The number of points per piece of a line.
const POINTS: usize = 5;
/// The distance beyond which lines are too inexact to help, in metres.
const LINE_RANGE: f32 = 4.5;
/// The maximum cost of a feature, in squared standard deviations: it may be a false one.
const LIMIT: f32 = 9.0;
/// The weight of evidence: the errors within one image are not independent of each other (they
/// share the camera's pose), and neither are those of successive images.
const TRUST: f32 = 0.2;
/// The weight of a landmark, in pieces of lines.
const LANDMARK_WORTH: f32 = 2.0;
/// The error that painting and measuring add, in metres.
const FLOOR: f32 = 0.05;

/// The uncertainty of sightings.
pub struct Noise {
    /// The standard deviation of the camera's direction, in radians.
    pub angle: f32,
}

/// Lines and landmarks of one run.
#[derive(Debug, Default)]
pub struct Features {
    map: FieldMap,
    lines: Vec<LineFeature>,
    landmarks: Vec<LandmarkFeature>,
    largest_cost: f32,
}

#[derive(Clone, Copy, Debug)]
struct LineFeature {
    points: [Vec2; POINTS],
    /// The inverse of the variance of each point.
    precision: [f32; POINTS],
    direction: Vec2,
    worth: f32,
}

#[derive(Clone, Copy, Debug)]
struct LandmarkFeature {
    kind: LandmarkShape,
    position: Vec2,
    /// A unit vector to the landmark.
    direction: Vec2,
    /// The inverse of the variance along and across the line of sight.
    precision: (f32, f32),
}

impl Features {
    /// Collects the percepts. Allocates only if there are more than ever before.
    pub fn collect(&mut self, lines: &LinePercept, landmarks: &LandmarkPercept, noise: &Noise) {
        self.lines.clear();
        self.lines.extend(lines.lines.iter().filter_map(|line| LineFeature::new(line.from, line.to, noise)));
        self.landmarks.clear();
        self.landmarks.extend(landmarks.landmarks.iter().map(|landmark| {
            let (along, across) = sighting::deviations(landmark.position.length(), noise.angle);
            let precision = |deviation: f32| 1.0 / (FLOOR * FLOOR + deviation * deviation);
            LandmarkFeature {
                kind: landmark.kind,
                position: landmark.position,
                direction: landmark.position.normalize_or(Vec2::X),
                precision: (precision(along), precision(across)),
            }
        }));
        let worth =
            self.lines.iter().map(|line| line.worth).sum::<f32>() + LANDMARK_WORTH * self.landmarks.len() as f32;
        self.largest_cost = TRUST * LIMIT * worth;
    }

    /// Returns whether nothing was seen.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.landmarks.is_empty()
    }

    /// Returns the cost of a pose from which nothing fits.
    pub fn largest_cost(&self) -> f32 {
        self.largest_cost
    }

    /// Returns the negative logarithm of the likelihood of all features from `pose`, up to a
    /// constant: 0 is a perfect fit. A robot never stands beyond the carpet, whatever fits.
    pub fn cost(&self, pose: &Pose2) -> f32 {
        if !is_carpet(pose.translation) {
            return self.largest_cost + TRUST * LIMIT;
        }
        let turn = Vec2::from_angle(pose.rotation);
        let lines: f32 = self.lines.iter().map(|line| line.worth * line.cost(pose, turn, &self.map)).sum();
        let landmarks: f32 = self.landmarks.iter().map(|landmark| landmark.cost(pose, turn)).sum();
        TRUST * (lines + LANDMARK_WORTH * landmarks)
    }
}

impl LineFeature {
    fn new(from: Vec2, to: Vec2, noise: &Noise) -> Option<Self> {
        let nearest = from.length().min(to.length());
        let length = from.distance(to);
        if nearest > LINE_RANGE || length < 0.1 {
            return None;
        }
        let points = std::array::from_fn(|index| from.lerp(to, (index as f32 + 0.5) / POINTS as f32));
        let direction = (to - from) / length;
        let precision = points.map(|point: Vec2| {
            let (along, across) = sighting::deviations(point.length(), noise.angle);
            // Only the error across the line matters.
            let sight = point.normalize_or(Vec2::X);
            let (along, across) = (along * sight.perp_dot(direction), across * sight.dot(direction));
            1.0 / (FLOOR * FLOOR + along * along + across * across)
        });
        Some(Self { points, precision, direction, worth: (length / 0.5).clamp(0.4, 2.0) })
    }

    fn cost(&self, pose: &Pose2, turn: Vec2, map: &FieldMap) -> f32 {
        let direction = turn.rotate(self.direction);
        let cost = self.points.iter().zip(self.precision).map(|(point, precision)| {
            let distance = map.distance(pose.translation + turn.rotate(*point), direction);
            (distance * distance * precision).min(LIMIT)
        });
        cost.sum::<f32>() / POINTS as f32
    }
}

impl LandmarkFeature {
    fn cost(&self, pose: &Pose2, turn: Vec2) -> f32 {
        let seen = pose.translation + turn.rotate(self.position);
        let sight = turn.rotate(self.direction);
        let cost = places(self.kind).iter().map(|place| {
            let error = *place - seen;
            let (along, across) = (error.dot(sight), error.perp_dot(sight));
            along * along * self.precision.0 + across * across * self.precision.1
        });
        cost.fold(LIMIT, f32::min)
    }
}

/// Returns the positions of a kind of landmark on the field.
pub fn places(kind: LandmarkShape) -> &'static [Vec2] {
    match kind {
        LandmarkShape::Cross => &CROSSES,
        LandmarkShape::Tee => &TEES,
        LandmarkShape::Corner => &CORNERS,
        LandmarkShape::Mark => &SPOTS,
        LandmarkShape::CenterCircle => &[Vec2::ZERO],
        LandmarkShape::GoalPost => &POSTS,
    }
}

static CROSSES: [Vec2; 2] = [Vec2::new(0.0, CENTER_CIRCLE_RADIUS), Vec2::new(0.0, -CENTER_CIRCLE_RADIUS)];
static TEES: [Vec2; 10] = select(LandmarkKind::T);
static CORNERS: [Vec2; 12] = select(LandmarkKind::L);
static SPOTS: [Vec2; 3] = {
    let x = LENGTH / 2.0 - PENALTY_MARK_DISTANCE;
    [Vec2::new(x, 0.0), Vec2::new(-x, 0.0), Vec2::ZERO]
};

const fn select<const COUNT: usize>(kind: LandmarkKind) -> [Vec2; COUNT] {
    let mut places = [Vec2::ZERO; COUNT];
    let (mut index, mut count) = (0, 0);
    while index < LANDMARKS.len() {
        if LANDMARKS[index].kind as u8 == kind as u8 {
            places[count] = LANDMARKS[index].pose.translation;
            count += 1;
        }
        index += 1;
    }
    assert!(count == COUNT);
    places
}
