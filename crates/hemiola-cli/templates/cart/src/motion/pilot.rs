use std::f64::consts::PI;

use hemiola::prelude::*;

use crate::representations::{Drive, Goal, Pose};

/// What can be tuned, in `[module.Pilot]` of robot.toml, or on the robot that runs:
/// `cargo run -- parameters set Pilot.speed 0.3`, or in the page.
#[derive(Parameters)]
struct PilotParameters {
    /// How fast the cart drives at most.
    #[parameter(default = 0.5, range = 0.0..=1.0, unit = "m/s")]
    speed: f64,
    /// How fast it turns towards the goal, for each radian that it looks past it.
    #[parameter(default = 3.0, range = 0.0..=10.0, unit = "1/s")]
    turning: f64,
    /// How fast it may change its speed.
    #[parameter(default = 1.0, range = 0.1..=10.0, unit = "m/s²")]
    acceleration: f64,
}

/// Drives to the goal: turns towards it, and drives the faster the better it looks there.
#[derive(Module)]
struct Pilot {
    #[parameters]
    parameters: PilotParameters,
}

#[module]
impl Pilot {
    #[update]
    fn drive(
        &self,
        pose: &Pose,
        goal: &Goal,
        last: Previous<Drive>,
        clock: &Clock,
        drive: &mut Drive,
    ) {
        let (x, y) = (goal.x - pose.x, goal.y - pose.y);
        let distance = x.hypot(y);
        if distance < ARRIVED {
            return; // `drive` begins as its default: the cart stands still
        }
        let past = (y.atan2(x) - pose.heading + PI).rem_euclid(2.0 * PI) - PI;
        let speed = distance.min(self.parameters.speed) * past.cos().max(0.0);
        let change = self.parameters.acceleration * f64::from(clock.step_seconds());
        let before = last.metres_per_second;
        drive.metres_per_second = speed.clamp(before - change, before + change);
        let turn = self.parameters.turning * past;
        drive.radians_per_second = turn.clamp(-FASTEST_TURN, FASTEST_TURN);
    }
}

/// So near to its goal the cart is there, in metres.
const ARRIVED: f64 = 0.01;
/// The cart does not turn faster, in radians per second.
const FASTEST_TURN: f64 = 2.0;
