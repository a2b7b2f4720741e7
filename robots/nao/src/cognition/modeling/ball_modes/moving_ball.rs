//! A ball that rests, rolls or is struck, and nobody says which.

use glam::{Mat2, Vec2};

use hemiola::prelude::*;

use super::super::moving_point::MovingPoint;
use crate::representations::modeling::OdometryStep;

/// The number of kinds of motion: it rests, rolls, or is struck.
const MODES: usize = 3;
const RESTS: usize = 0;
const ROLLS: usize = 1;
const STRUCK: usize = 2;

/// The time that a strike takes, in seconds.
const STRIKE_TIME: f32 = 0.04;
/// The share of strikes after which the ball rests: it was touched, or caught between feet.
const STRIKES_TO_REST: f32 = 0.2;
/// The minimum probability of a kind of motion, so that none is ever ruled out.
const LEAST_PROBABILITY: f32 = 1e-4;
/// The probability that a ball rests that was never seen before.
const USUALLY_RESTS: f32 = 0.7;

/// The ball by each kind of motion, with the probability of each.
#[derive(Data, Clone, Copy, Debug)]
pub struct MovingBall {
    points: [MovingPoint; MODES],
    probabilities: [f32; MODES],
}

/// The properties of the ground on which balls roll.
#[derive(Clone, Copy, Debug)]
pub struct Surface {
    /// The deceleration of a rolling ball, in m/s².
    pub deceleration: f32,
    /// The variance per second that the position of a resting ball gains, in m²/s.
    pub creep: f32,
    /// The variance per second that the velocity of a rolling ball gains, in m²/s³.
    pub unevenness: f32,
    /// The variance that the velocity of a ball gains by a strike, in m²/s².
    pub strike_variance: f32,
    /// The mean time for which a ball rolls, in seconds.
    pub rolling_time: f32,
}

impl MovingBall {
    /// Creates a ball that was first seen at `position`.
    pub fn new(position: Vec2, covariance: Mat2, surface: &Surface) -> Self {
        let at = |variance: f32| MovingPoint::new(position, covariance, variance.sqrt());
        let rolls = 1.0 - USUALLY_RESTS - LEAST_PROBABILITY;
        Self {
            points: [at(0.0), at(surface.strike_variance), at(surface.strike_variance)],
            probabilities: [USUALLY_RESTS, rolls, LEAST_PROBABILITY],
        }
    }

    /// Creates a ball of which a velocity is known, too.
    pub fn moving(position: Vec2, covariance: Mat2, velocity: Vec2, surface: &Surface) -> Self {
        let mut ball = Self::new(position, covariance, surface);
        ball.points[ROLLS].velocity = velocity;
        ball.points[STRUCK].velocity = velocity;
        ball
    }

    /// Transforms the ball after the robot has moved; `error` is the share of its way and turn by
    /// which odometry is wrong.
    pub fn carry(&mut self, odometry: &OdometryStep, error: f32) {
        let turned = odometry.step.rotation * self.position().length();
        let off = error * (odometry.step.translation.length() + turned.abs());
        for point in &mut self.points {
            point.carry(odometry);
            point.blur(off * off);
        }
    }

    /// Predicts the ball, which is struck so many times a second.
    pub fn predict(&mut self, seconds: f32, surface: &Surface, strikes: f32) {
        let transitions = transitions(seconds, surface, strikes);
        let before = *self;
        for (mode, point) in self.points.iter_mut().enumerate() {
            let shares: [f32; MODES] = std::array::from_fn(|from| before.probabilities[from] * transitions[from][mode]);
            let probability: f32 = shares.iter().sum();
            self.probabilities[mode] = probability;
            // After a long time without a run, a strike is over for certain, and none of another
            // kind may have become one.
            if probability > 0.0 {
                *point = MovingPoint::mixture(&std::array::from_fn::<_, MODES, _>(|from| {
                    (shares[from] / probability, before.points[from])
                }));
            }
        }
        self.normalize();
        let [rests, rolls, struck] = &mut self.points;
        rests.stop();
        rests.blur(surface.creep * seconds);
        rolls.predict(seconds, surface.deceleration, surface.unevenness);
        struck.strike(surface.strike_variance);
        struck.predict(seconds, surface.deceleration, surface.unevenness);
    }

    /// Updates the ball with a sighting that is of a ball with the probability `certainty`; false
    /// ones have a density, `clutter`, in 1/m². Returns the probability that it is of this ball.
    pub fn observe(&mut self, position: Vec2, covariance: Mat2, certainty: f32, clutter: f32) -> f32 {
        let mut of_ball = 0.0;
        for (point, probability) in self.points.iter_mut().zip(&mut self.probabilities) {
            let (is_it, is_not) = (certainty * point.likelihood(position, covariance), (1.0 - certainty) * clutter);
            let all = (is_it + is_not).max(f32::MIN_POSITIVE);
            let mut updated = *point;
            updated.observe(position, covariance);
            *point = MovingPoint::mixture(&[(is_it / all, updated), (1.0 - is_it / all, *point)]);
            of_ball += *probability * is_it;
            *probability *= all;
        }
        let all: f32 = self.probabilities.iter().sum();
        self.normalize();
        of_ball / all.max(f32::MIN_POSITIVE)
    }

    /// Returns the position, in metres.
    pub fn position(&self) -> Vec2 {
        self.each().map(|(probability, point)| probability * point.position).sum()
    }

    /// Returns the velocity, in m/s.
    pub fn velocity(&self) -> Vec2 {
        self.each().map(|(probability, point)| probability * point.velocity).sum()
    }

    /// Returns the ball with the uncertainty of all kinds of motion.
    pub fn combined(&self) -> MovingPoint {
        MovingPoint::mixture(&std::array::from_fn::<_, MODES, _>(|mode| (self.probabilities[mode], self.points[mode])))
    }

    /// Returns the ball by its most probable kind of motion.
    pub fn likeliest(&self) -> &MovingPoint {
        let best = (0..MODES).max_by(|a, b| self.probabilities[*a].total_cmp(&self.probabilities[*b]));
        &self.points[best.unwrap_or(RESTS)]
    }

    /// Returns the probabilities that it rests, that it rolls, and that it is struck.
    pub fn probabilities(&self) -> [f32; MODES] {
        self.probabilities
    }

    fn each(&self) -> impl Iterator<Item = (f32, &MovingPoint)> {
        self.probabilities.iter().copied().zip(&self.points)
    }

    /// Scales the probabilities so that they sum up to 1.
    fn normalize(&mut self) {
        let sum = self.probabilities.iter().sum::<f32>().max(f32::MIN_POSITIVE);
        self.probabilities
            .iter_mut()
            .for_each(|probability| *probability = (*probability / sum).max(LEAST_PROBABILITY));
        let sum: f32 = self.probabilities.iter().sum();
        self.probabilities.iter_mut().for_each(|probability| *probability /= sum);
    }
}

/// Returns the probabilities of changes from one kind of motion, by rows, to another within some
/// seconds.
fn transitions(seconds: f32, surface: &Surface, strikes: f32) -> [[f32; MODES]; MODES] {
    let within = |frequency: f32| 1.0 - (-seconds * frequency).exp();
    let (struck, over) = (within(strikes), within(1.0 / STRIKE_TIME));
    let stops = within(1.0 / surface.rolling_time) * (1.0 - struck);
    let mut transitions = [[0.0; MODES]; MODES];
    transitions[RESTS] = [1.0 - struck, 0.0, struck];
    transitions[ROLLS] = [stops, 1.0 - stops - struck, struck];
    transitions[STRUCK] = [over * STRIKES_TO_REST, over * (1.0 - STRIKES_TO_REST), 1.0 - over];
    transitions
}
