use hemiola::prelude::*;

use crate::representations::{Pose, WheelsAndGyro};
use crate::world::TRACK;

#[derive(Parameters)]
struct OdometryParameters {
    /// The pose at which the rover starts: x, y, heading.
    #[parameter(default = [0.0; 3])]
    start: [f64; 3],
    /// The standard deviation of the difference between wheels and gyroscope.
    #[parameter(default = 0.05, range = 0.001..=1.0, unit = "rad/s")]
    noise: f64,
    /// The rate at which the bias of the gyroscope wanders.
    #[parameter(default = 0.001, range = 0.0..=0.1, unit = "rad/s per √s")]
    wander: f64,
}

/// Computes the pose of the rover: its distance from the wheels, its rotation from the gyroscope.
/// A Kalman filter estimates the bias of the gyroscope from the difference between the two.
#[derive(Module)]
struct Odometry {
    #[parameters]
    parameters: OdometryParameters,
    bias: Option<Estimate>,
}

/// The estimated bias, in rad/s, and the variance of its error.
#[derive(Data, Clone, Copy, Default)]
struct Estimate {
    mean: f64,
    variance: f64,
}

#[module]
impl Odometry {
    #[update]
    fn pose(
        &mut self,
        measured: &WheelsAndGyro,
        last: Previous<Pose>,
        clock: &Clock,
        pose: &mut Pose,
    ) {
        let [x, y, heading] = match self.bias {
            Some(_) => [last.x, last.y, last.heading],
            None => self.parameters.start,
        };
        let seconds = f64::from(clock.step_seconds());
        let WheelsAndGyro {
            left,
            right,
            turn_rate,
        } = *measured;
        let turn = (turn_rate - self.bias(turn_rate - (right - left) / TRACK, seconds)) * seconds;
        let forward = (left + right) / 2.0 * seconds;
        let (sin, cos) = (heading + turn / 2.0).sin_cos();
        *pose = Pose {
            x: x + forward * cos,
            y: y + forward * sin,
            heading: heading + turn,
        };
    }
}

impl Odometry {
    /// Updates the estimate with a difference between gyroscope and wheels, and returns the bias.
    /// A wheel that slips says nothing about the gyroscope: outliers are ignored.
    fn bias(&mut self, difference: f64, seconds: f64) -> f64 {
        const UNKNOWN: Estimate = Estimate {
            mean: 0.0,
            variance: 0.1 * 0.1,
        };
        let OdometryParameters { noise, wander, .. } = self.parameters;
        let Estimate { mean, variance } = self.bias.unwrap_or(UNKNOWN);
        let predicted = variance + wander * wander * seconds;
        let (error, spread) = (difference - mean, predicted + noise * noise);
        let gain = if error * error < 9.0 * spread {
            predicted / spread
        } else {
            0.0
        };
        let estimate = Estimate {
            mean: mean + gain * error,
            variance: predicted * (1.0 - gain),
        };
        self.bias = Some(estimate);
        estimate.mean
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// Runs the filter for some hundredths of a second and returns the last pose.
    fn after(steps: u64, measured: impl Fn(u64) -> WheelsAndGyro) -> Pose {
        let parameters = OdometryParameters {
            start: [0.0; 3],
            noise: 0.05,
            wander: 0.001,
        };
        let mut odometry = Odometry {
            parameters,
            bias: None,
        };
        let mut last = Pose::default();
        for step in 0..steps {
            let clock = Clock::new(
                Time::from_seconds(step as f64 / 100.0),
                Duration::from_millis(10),
                step,
            );
            let mut pose = Pose::default();
            odometry.pose(&measured(step), Previous::new(&last), &clock, &mut pose);
            last = pose;
        }
        last
    }

    #[test]
    fn a_gyroscope_with_a_bias_does_not_turn_a_rover_that_drives_straight_on() {
        let pose = after(6000, |_| WheelsAndGyro {
            left: 0.5,
            right: 0.5,
            turn_rate: 0.02,
        });
        assert!(pose.heading.abs() < 0.02, "{}", pose.heading); // instead of 1.2
        assert!((pose.x - 30.0).abs() < 0.1, "{}", pose.x);
    }

    #[test]
    fn a_wheel_that_slips_does_not_turn_it_either() {
        let slips = |step| if step % 500 == 400 { 2.0 } else { 0.5 };
        let pose = after(3000, |step| WheelsAndGyro {
            left: 0.5,
            right: slips(step),
            turn_rate: 0.0,
        });
        assert!(pose.heading.abs() < 0.02, "{}", pose.heading);
    }
}
