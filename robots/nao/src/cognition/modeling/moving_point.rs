//! A Kalman filter for a point that moves on the ground, seen from a moving robot.

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
    fn a_resting_point_stays_where_it_is_on_the_field_when_the_robot_turns() {
        let mut point = MovingPoint::new(Vec2::X, Mat2::from_diagonal(Vec2::new(4.0, 1.0)), 0.5);
        point.carry(&OdometryStep { step: Pose2::new(0.0, 0.0, std::f32::consts::FRAC_PI_2) });
        assert!(point.position.abs_diff_eq(Vec2::NEG_Y, 1e-6));
        assert!((point.deviation() - 2.0).abs() < 1e-5);
        let across = point.distance_squared(Vec2::new(1.0, -1.0), Mat2::ZERO);
        assert!((across - 1.0).abs() < 1e-4, "the certain direction has turned along: {across}");
    }
}
