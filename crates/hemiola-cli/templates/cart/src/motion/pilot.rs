use std::f64::consts::PI;

use hemiola::prelude::*;

use crate::representations::{Drive, Goal, Pose};

/// The values that can be tuned, in `[module.Pilot]` of robot.toml, or while the robot runs: with
/// `cargo run -- parameters set Pilot.speed 0.3`, or in the page.
#[derive(Parameters)]
struct PilotParameters {
    /// The maximum speed of the cart.
    #[parameter(default = 0.5, range = 0.0..=1.0, unit = "m/s")]
    speed: f64,
    /// The turn rate towards the goal, per radian of heading error.
    #[parameter(default = 3.0, range = 0.0..=10.0, unit = "1/s")]
    turning: f64,
    /// The maximum acceleration.
    #[parameter(default = 1.0, range = 0.1..=10.0, unit = "m/s²")]
    acceleration: f64,
}

/// Drives to the goal: turns towards it, and drives faster the more directly it faces it.
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
            return; // `drive` starts as its default: the cart stands still
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

/// The distance from the goal at which the cart has arrived, in metres.
const ARRIVED: f64 = 0.01;
/// The maximum turn rate, in radians per second.
const FASTEST_TURN: f64 = 2.0;
