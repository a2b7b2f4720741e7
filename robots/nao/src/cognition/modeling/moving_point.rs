//! A Kalman filter for a point that moves on the ground, seen from a moving robot.

use std::f32::consts::TAU;

use glam::{Mat2, Vec2};
use hemiola::prelude::*;

use crate::representations::modeling::OdometryStep;

/// The estimated position and velocity relative to the robot, with their covariance in three
/// blocks.
///
/// The model is constant velocity driven by white acceleration (Bar-Shalom, Li, Kirubarajan:
/// Estimation with Applications to Tracking and Navigation, 2001, chapter 6.2); only the position
/// is measured. A step takes some tens of nanoseconds.
#[derive(Data, Clone, Copy, Debug)]
pub struct MovingPoint {
    /// The position, in metres.
    pub position: Vec2,
    /// The velocity relative to the ground, in m/s.
    pub velocity: Vec2,
    position_covariance: Mat2,
    /// The cross-covariance; rows belong to the position, columns to the velocity.
    cross_covariance: Mat2,
    velocity_covariance: Mat2,
}

impl MovingPoint {
    /// Creates a point that was first seen at `position`; its speed is about `speed` m/s or less.
    pub fn new(position: Vec2, covariance: Mat2, speed: f32) -> Self {
        Self {
            position,
            velocity: Vec2::ZERO,
            position_covariance: covariance,
            cross_covariance: Mat2::ZERO,
            velocity_covariance: Mat2::from_diagonal(Vec2::splat(speed * speed)),
        }
    }

    /// Transforms the point after the robot has moved.
    pub fn carry(&mut self, odometry: &OdometryStep) {
        let turn = Mat2::from_angle(-odometry.step.rotation);
        let turned = |covariance: Mat2| turn * covariance * turn.transpose();
        self.position = odometry.carry(self.position);
        self.velocity = turn * self.velocity;
        self.position_covariance = turned(self.position_covariance);
        self.cross_covariance = turned(self.cross_covariance);
        self.velocity_covariance = turned(self.velocity_covariance);
    }

    /// Predicts the point. It rolls with a deceleration in m/s², and `noise` is the variance that
    /// its velocity gains per second, in m²/s³.
    pub fn predict(&mut self, seconds: f32, deceleration: f32, noise: f32) {
        let (position, velocity) = roll(self.position, self.velocity, seconds, deceleration);
        (self.position, self.velocity) = (position, velocity);
        let noise = |power: f32| Mat2::from_diagonal(Vec2::splat(noise * power));
        self.position_covariance += (self.cross_covariance + self.cross_covariance.transpose()) * seconds
            + self.velocity_covariance * (seconds * seconds)
            + noise(seconds.powi(3) / 3.0);
        self.cross_covariance += self.velocity_covariance * seconds + noise(seconds * seconds / 2.0);
        self.velocity_covariance += noise(seconds);
    }

    /// Adds a variance in m² to the position in all directions.
    pub fn blur(&mut self, variance: f32) {
        self.position_covariance += Mat2::from_diagonal(Vec2::splat(variance));
    }

    /// Lets the point rest: its velocity is zero without any doubt.
    pub fn stop(&mut self) {
        self.velocity = Vec2::ZERO;
        self.cross_covariance = Mat2::ZERO;
        self.velocity_covariance = Mat2::ZERO;
    }

    /// Adds a variance in m²/s² to the velocity in all directions.
    pub fn strike(&mut self, variance: f32) {
        self.velocity_covariance += Mat2::from_diagonal(Vec2::splat(variance));
    }

    /// Returns the point with the mean and the covariance of a mixture of points; the weights sum
    /// up to 1.
    pub fn mixture<const COUNT: usize>(parts: &[(f32, Self); COUNT]) -> Self {
        let position: Vec2 = parts.iter().map(|(weight, part)| *weight * part.position).sum();
        let velocity: Vec2 = parts.iter().map(|(weight, part)| *weight * part.velocity).sum();
        let mut mixed = Self {
            position,
            velocity,
            position_covariance: Mat2::ZERO,
            cross_covariance: Mat2::ZERO,
            velocity_covariance: Mat2::ZERO,
        };
        for (weight, part) in parts {
            let (off, faster) = (part.position - position, part.velocity - velocity);
            mixed.position_covariance += (part.position_covariance + product(off, off)) * *weight;
            mixed.cross_covariance += (part.cross_covariance + product(off, faster)) * *weight;
            mixed.velocity_covariance += (part.velocity_covariance + product(faster, faster)) * *weight;
        }
        mixed
    }

    /// Updates the estimate with a sighting at `position`.
    pub fn observe(&mut self, position: Vec2, covariance: Mat2) {
        let innovation = position - self.position;
        let precision = (self.position_covariance + covariance).inverse();
        let position_gain = self.position_covariance * precision;
        let velocity_gain = self.cross_covariance.transpose() * precision;
        self.position += position_gain * innovation;
        self.velocity += velocity_gain * innovation;
        self.velocity_covariance -= velocity_gain * self.cross_covariance;
        self.cross_covariance -= position_gain * self.cross_covariance;
        self.position_covariance -= position_gain * self.position_covariance;
        // Rounding must not make a covariance asymmetric over thousands of steps.
        self.position_covariance = symmetric(self.position_covariance);
        self.velocity_covariance = symmetric(self.velocity_covariance);
    }

    /// Returns the squared Mahalanobis distance of a sighting: about 2 on average if it is of this
    /// point.
    pub fn distance_squared(&self, position: Vec2, covariance: Mat2) -> f32 {
        let innovation = position - self.position;
        innovation.dot((self.position_covariance + covariance).inverse() * innovation)
    }

    /// Returns the probability density of a sighting at `position`, in 1/m².
    pub fn likelihood(&self, position: Vec2, covariance: Mat2) -> f32 {
        let spread = (self.position_covariance + covariance).determinant().max(f32::MIN_POSITIVE);
        (-0.5 * self.distance_squared(position, covariance)).exp() / (TAU * spread.sqrt())
    }

    /// Returns the covariance of the position, in m².
    pub fn covariance(&self) -> [[f32; 2]; 2] {
        self.position_covariance.to_cols_array_2d()
    }

    /// Returns the standard deviation of the position in its least certain direction, in metres.
    pub fn deviation(&self) -> f32 {
        let [[a, b], [_, d]] = self.position_covariance.to_cols_array_2d();
        let largest = (a + d) / 2.0 + ((a - d) / 2.0).hypot(b);
        largest.max(0.0).sqrt()
    }
}

/// Returns a ball after `seconds`: friction reduces its speed at a constant rate until it rests.
pub fn roll(position: Vec2, velocity: Vec2, seconds: f32, deceleration: f32) -> (Vec2, Vec2) {
    let speed = velocity.length();
    if speed <= f32::EPSILON {
        return (position, Vec2::ZERO);
    }
    let rolling = if deceleration > 0.0 { seconds.min(speed / deceleration) } else { seconds };
    let slower = speed - deceleration * rolling;
    let direction = velocity / speed;
    (position + direction * ((speed + slower) / 2.0 * rolling), direction * slower.max(0.0))
}

/// Returns the outer product of two vectors.
fn product(rows: Vec2, columns: Vec2) -> Mat2 {
    Mat2::from_cols(rows * columns.x, rows * columns.y)
}

fn symmetric(matrix: Mat2) -> Mat2 {
    (matrix + matrix.transpose()) * 0.5
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Pose2;

    #[test]
    fn a_ball_rolls_no_further_than_its_energy_lets_it() {
        let (position, velocity) = roll(Vec2::ZERO, Vec2::new(0.0, 1.2), 10.0, 0.6);
        assert!(position.abs_diff_eq(Vec2::new(0.0, 1.2), 1e-5), "v²/2a");
        assert_eq!(velocity, Vec2::ZERO);
        let (position, _) = roll(Vec2::ZERO, Vec2::X, 2.0, 0.0);
        assert_eq!(position, Vec2::new(2.0, 0.0));
    }

    #[test]
    fn a_steady_velocity_is_learned_from_places_alone() {
        let noise = Mat2::from_diagonal(Vec2::splat(1e-4));
        let mut point = MovingPoint::new(Vec2::ZERO, noise, 1.0);
        for step in 1..=30_u8 {
            point.predict(0.033, 0.0, 0.01);
            point.observe(Vec2::new(0.3, -0.2) * 0.033 * f32::from(step), noise);
        }
        assert!(point.velocity.abs_diff_eq(Vec2::new(0.3, -0.2), 0.01), "{point:?}");
        assert!(point.deviation() < 0.01);
    }

    #[test]
    fn a_mixture_has_the_mean_and_the_spread_of_its_parts() {
        let noise = Mat2::from_diagonal(Vec2::new(0.04, 0.01));
        let at = |x: f32, velocity: Vec2| {
            let mut point = MovingPoint::new(Vec2::new(x, 0.0), noise, 0.0);
            point.velocity = velocity;
            point
        };
        let mixed = MovingPoint::mixture(&[(0.25, at(0.0, Vec2::ZERO)), (0.75, at(1.0, Vec2::new(2.0, 4.0)))]);
        assert!(mixed.position.abs_diff_eq(Vec2::new(0.75, 0.0), 1e-6));
        assert!(mixed.velocity.abs_diff_eq(Vec2::new(1.5, 3.0), 1e-6));
        // The variance of a coin with a quarter and three quarters is 3/16.
        assert!(mixed.position_covariance.abs_diff_eq(Mat2::from_diagonal(Vec2::new(0.04 + 0.1875, 0.01)), 1e-6));
        let expected = Mat2::from_cols(Vec2::new(2.0, 0.0), Vec2::new(4.0, 0.0)) * 0.1875;
        assert!(mixed.cross_covariance.abs_diff_eq(expected, 1e-6), "rows belong to the position: {mixed:?}");
        mixed.velocity_covariance.to_cols_array().into_iter().zip([4.0, 8.0, 8.0, 16.0]).for_each(
            |(found, expected)| {
                assert!((found - 0.1875 * expected).abs() < 1e-5, "{mixed:?}");
            },
        );
    }

    #[test]
    fn the_densities_of_all_sightings_sum_up_to_one() {
        let point = MovingPoint::new(Vec2::X, Mat2::from_cols(Vec2::new(0.05, 0.02), Vec2::new(0.02, 0.03)), 0.0);
        let noise = Mat2::from_diagonal(Vec2::new(0.01, 0.02));
        const CELL: f32 = 0.05;
        let cells = || (-40_i16..=40).map(|index| f32::from(index) * CELL);
        let places = cells().flat_map(|x| cells().map(move |y| Vec2::new(1.0 + x, y)));
        let sum: f32 = places.map(|place| point.likelihood(place, noise) * CELL * CELL).sum();
        assert!((sum - 1.0).abs() < 1e-3, "{sum}");
    }

    #[test]
    fn a_resting_point_stays_where_it_is_on_the_field_when_the_robot_turns() {
        let mut point = MovingPoint::new(Vec2::X, Mat2::from_diagonal(Vec2::new(4.0, 1.0)), 0.5);
        point.carry(&OdometryStep { step: Pose2::new(0.0, 0.0, std::f32::consts::FRAC_PI_2) });
        assert!(point.position.abs_diff_eq(Vec2::NEG_Y, 1e-6));
        assert!((point.deviation() - 2.0).abs() < 1e-5);
        let across = point.distance_squared(Vec2::new(1.0, -1.0), Mat2::ZERO);
        assert!((across - 1.0).abs() < 1e-4, "the certain direction has turned along: {across}");
    }
}
