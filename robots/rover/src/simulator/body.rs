//! A body on two driven wheels, with encoders and a gyroscope.

use hemiola::prelude::*;

use super::Random;
use super::walls::{Wall, distance};
use crate::drive::TRACK;
use crate::geometry::Pose2;
use crate::representations::{MotorCommand, WheelSpeeds};

/// The radius of the robot, in metres.
pub const RADIUS: f64 = 0.18;
/// The resolution of an encoder, in metres that its wheel rolls.
const TICK: f64 = 0.000_02;
/// The time constant with which motors follow their commands, in seconds.
const MOTOR_LAG: f64 = 0.05;

/// The simulated world and the errors of the body.
#[derive(Parameters, Clone, Debug)]
pub struct BodyParameters {
    /// The seed of all random numbers.
    #[parameter(default = 1)]
    pub seed: u64,
    /// The walls, each from x, y to x, y.
    #[parameter(default = Vec::new(), unit = "m")]
    pub walls: Vec<Wall>,
    /// The pose at which the robot starts: x, y in m and its heading in rad.
    #[parameter(default = [0.0; 3])]
    pub start: [f64; 3],
    /// The variance of the distance that a wheel moves the body, per metre that it rolls.
    #[parameter(default = 1e-5, range = 0.0..=0.1, unit = "m")]
    pub wheel_noise: f64,
    /// The number of times that a wheel slips, per metre.
    #[parameter(default = 0.2, range = 0.0..=10.0, unit = "1/m")]
    pub slips: f64,
    /// The maximum distance of a slip.
    #[parameter(default = 0.02, range = 0.0..=1.0, unit = "m")]
    pub slip: f64,
    /// The standard deviation of a sample of the gyroscope.
    #[parameter(default = 0.005, range = 0.0..=1.0, unit = "rad/s")]
    pub gyro_noise: f64,
    /// The standard deviation of the gyroscope's bias at the start.
    #[parameter(default = 0.01, range = 0.0..=1.0, unit = "rad/s")]
    pub gyro_bias: f64,
    /// The age of a command beyond which the motors stop.
    #[parameter(default = 0.2, range = 0.02..=10.0, unit = "s")]
    pub command_timeout: f64,
}

/// A body that moves through the world as its wheels turn.
#[derive(Clone, Debug)]
pub struct Body {
    parameters: BodyParameters,
    random: Random,
    pose: Pose2,
    wheels: [Wheel; 2],
    gyro_bias: f64,
    turn_rate: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Wheel {
    speed: f64,
    /// The distance rolled since the start, in metres.
    rolled: f64,
    /// The distance that the encoder counted in the last step, in metres.
    counted: f64,
    /// The rest of the current slip, in metres.
    slipping: f64,
}

impl Body {
    /// Creates the body at its start.
    #[must_use]
    pub fn new(parameters: BodyParameters) -> Self {
        let mut random = Random::new(parameters.seed, 1);
        let gyro_bias = parameters.gyro_bias * random.normal();
        let [x, y, heading] = parameters.start;
        let pose = Pose2::new(x, y, heading);
        Self { parameters, random, pose, wheels: Default::default(), gyro_bias, turn_rate: 0.0 }
    }

    /// Returns its true pose.
    #[must_use]
    pub fn pose(&self) -> Pose2 {
        self.pose
    }

    /// Returns the walls of its world.
    #[must_use]
    pub fn walls(&self) -> &[Wall] {
        &self.parameters.walls
    }

    /// Moves for `seconds`.
    pub fn step(&mut self, command: &MotorCommand, seconds: f64) {
        let left = self.roll(0, command.left, seconds);
        let right = self.roll(1, command.right, seconds);
        let turn = (right - left) / TRACK;
        let moved = self.pose * Pose2::new(0.0, 0.0, turn / 2.0) * Pose2::new((left + right) / 2.0, 0.0, turn / 2.0);
        self.turn_rate = turn / seconds;
        let room = |pose: Pose2| distance(&self.parameters.walls, pose.position());
        // The wheels spin when they drive against a wall, but not when they drive away from it.
        let is_blocked = room(moved) < RADIUS && room(moved) < room(self.pose);
        self.pose = if is_blocked { Pose2 { heading: moved.heading, ..self.pose } } else { moved };
    }

    /// Returns the speeds by the encoders in the last step, which took `seconds`.
    #[must_use]
    pub fn wheel_speeds(&self, seconds: f64) -> WheelSpeeds {
        let [left, right] = self.wheels.map(|wheel| wheel.counted / seconds);
        WheelSpeeds { linear: (left + right) / 2.0, angular: (right - left) / TRACK }
    }

    /// Returns the turn rate by the gyroscope in the last step, in rad/s.
    pub fn gyroscope(&mut self) -> f64 {
        self.turn_rate + self.gyro_bias + self.parameters.gyro_noise * self.random.normal()
    }

    /// Turns a wheel, and returns the distance that this moves the body.
    fn roll(&mut self, side: usize, command: f64, seconds: f64) -> f64 {
        let (parameters, random, wheel) = (&self.parameters, &mut self.random, &mut self.wheels[side]);
        wheel.speed += (command - wheel.speed) * (seconds / (MOTOR_LAG + seconds));
        let rolled = wheel.speed * seconds;
        let before = (wheel.rolled / TICK).round();
        wheel.rolled += rolled;
        wheel.counted = ((wheel.rolled / TICK).round() - before) * TICK;
        if random.uniform() < parameters.slips * rolled.abs() {
            wheel.slipping += parameters.slip * random.uniform();
        }
        let lost = wheel.slipping.min(rolled.abs());
        wheel.slipping -= lost;
        rolled - lost.copysign(rolled) + (parameters.wheel_noise * rolled.abs()).sqrt() * random.normal()
    }
}
