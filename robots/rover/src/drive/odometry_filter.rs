//! The odometry of the robot, estimated from its wheels and its gyroscope.

use hemiola::prelude::*;
use hemiola_ros::nav_msgs::Odometry;
use hemiola_ros::sensor_msgs::Imu;

use super::TRACK;
use super::kalman_filter::{Belief, Matrix, N};
use crate::geometry::{Pose2, normalize_angle};
use crate::representations::{BASE, ODOM, OdomToBase, WheelSpeeds};

/// Parameters of [`OdometryFilter`].
#[derive(Parameters)]
pub struct OdometryFilterParameters {
    /// The variance of the distance that a wheel moves the robot, per metre that it rolls.
    #[parameter(default = 4e-5, range = 0.0..=1.0, unit = "m")]
    wheel_noise: f64,
    /// The resolution of an encoder: without it, a wheel that creeps would be assumed to stand
    /// still with certainty.
    #[parameter(default = 2e-5, range = 1e-6..=0.1, unit = "m")]
    encoder_step: f64,
    /// The standard deviation of a sample of the gyroscope.
    #[parameter(default = 0.005, range = 1e-6..=1.0, unit = "rad/s")]
    gyro_noise: f64,
    /// The standard deviation of the gyroscope's bias when the robot is switched on.
    #[parameter(default = 0.01, range = 0.0..=1.0, unit = "rad/s")]
    gyro_bias: f64,
    /// The rate at which the bias may change.
    #[parameter(default = 1e-5, range = 0.0..=0.1, unit = "rad/s/√s")]
    gyro_drift: f64,
}

/// An extended Kalman filter of the robot's pose, the gyroscope's bias, and the motion of the last
/// step: the wheels predict the motion, the gyroscope corrects it, and the pose follows from it.
///
/// With the motion among its variables, the filter accounts for the error of a wheel in the pose,
/// too: this is the odometry motion model of Probabilistic Robotics (section 5.4) with an
/// additional measurement.
#[derive(Module)]
pub struct OdometryFilter {
    #[parameters]
    parameters: OdometryFilterParameters,
    belief: Option<Belief>,
}

const X: usize = 0;
const Y: usize = 1;
const HEADING: usize = 2;
/// The bias of the gyroscope, in rad/s.
const BIAS: usize = 3;
/// The distance that the robot moved in this step, in metres.
const WAY: usize = 4;
/// The angle that the robot turned in this step, in radians.
const TURN: usize = 5;

#[module]
impl OdometryFilter {
    #[update]
    pub(crate) fn odometry(
        &mut self,
        wheels: &WheelSpeeds,
        imu: &Imu,
        clock: &Clock,
        debug: &Debug,
        odometry: &mut Odometry,
        transform: &mut OdomToBase,
    ) {
        let seconds = clock.step().as_secs_f64();
        let belief = self.belief.get_or_insert_with(|| at_start(&self.parameters));
        if seconds > 0.0 {
            predict(belief, &self.parameters, wheels, seconds);
            compare(belief, &self.parameters, imu.angular_velocity.z, seconds);
            advance(belief);
            odometry.twist.twist.linear.x = belief.mean[WAY] / seconds;
            odometry.twist.twist.angular.z = belief.mean[TURN] / seconds;
        }
        let pose = Pose2::new(belief.mean[X], belief.mean[Y], belief.mean[HEADING]);
        odometry.header.stamp = clock.now();
        odometry.header.frame_id.push_str(ODOM);
        odometry.child_frame_id.push_str(BASE);
        odometry.pose.pose = pose.to_message();
        // ROS orders x, y, z and the rotations about them.
        for (row, place) in [(X, 0), (Y, 1), (HEADING, 5)] {
            for (column, other_place) in [(X, 0), (Y, 1), (HEADING, 5)] {
                odometry.pose.covariance[6 * place + other_place] = belief.covariance[row][column];
            }
        }
        let branch = &mut transform.tf.transforms[0];
        branch.header.stamp = clock.now();
        branch.transform = pose.to_transform();
        debug.plot("odometry.gyro bias [rad/s]", belief.mean[BIAS]);
        debug.plot("odometry.speed [m/s]", odometry.twist.twist.linear.x);
        debug.plot("odometry.turn rate [rad/s]", odometry.twist.twist.angular.z);
    }
}

fn at_start(parameters: &OdometryFilterParameters) -> Belief {
    let mut belief = Belief::default();
    belief.covariance[BIAS][BIAS] = parameters.gyro_bias.powi(2);
    belief
}

/// Predicts the motion from the wheels, with the uncertainty of each.
fn predict(belief: &mut Belief, parameters: &OdometryFilterParameters, wheels: &WheelSpeeds, seconds: f64) {
    let (way, turn) = (wheels.linear * seconds, wheels.angular * seconds);
    let [left, right] = [way - turn * TRACK / 2.0, way + turn * TRACK / 2.0];
    // Each of two readings is off by up to half a step.
    let reading = parameters.encoder_step.powi(2) / 6.0;
    let [left, right] = [left, right].map(|rolled: f64| parameters.wheel_noise * rolled.abs() + reading);
    belief.forget(WAY, way);
    belief.forget(TURN, turn);
    let covariance = &mut belief.covariance;
    covariance[WAY][WAY] = (left + right) / 4.0;
    covariance[TURN][TURN] = (left + right) / TRACK.powi(2);
    covariance[WAY][TURN] = (right - left) / (2.0 * TRACK);
    covariance[TURN][WAY] = covariance[WAY][TURN];
    covariance[BIAS][BIAS] += parameters.gyro_drift.powi(2) * seconds;
}

/// Corrects the turn with the gyroscope, and the bias of the gyroscope with the wheels.
fn compare(belief: &mut Belief, parameters: &OdometryFilterParameters, turn_rate: f64, seconds: f64) {
    let mut gradient = [0.0; N];
    gradient[BIAS] = 1.0;
    gradient[TURN] = 1.0 / seconds;
    let expected = belief.mean[BIAS] + belief.mean[TURN] / seconds;
    belief.correct(&gradient, turn_rate - expected, parameters.gyro_noise.powi(2));
}

/// Moves the pose along an arc, that is, in the direction at the middle of the turn.
fn advance(belief: &mut Belief) {
    let [x, y, heading, bias, way, turn] = belief.mean;
    let (sine, cosine) = (heading + turn / 2.0).sin_cos();
    let mut jacobian: Matrix = std::array::from_fn(|row| std::array::from_fn(|column| f64::from(row == column)));
    jacobian[X][HEADING] = -way * sine;
    jacobian[X][WAY] = cosine;
    jacobian[X][TURN] = -way * sine / 2.0;
    jacobian[Y][HEADING] = way * cosine;
    jacobian[Y][WAY] = sine;
    jacobian[Y][TURN] = way * cosine / 2.0;
    jacobian[HEADING][TURN] = 1.0;
    let moved = [x + way * cosine, y + way * sine, normalize_angle(heading + turn), bias, way, turn];
    belief.step(moved, &jacobian);
}

#[cfg(test)]
mod tests;
