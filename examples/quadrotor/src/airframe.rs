//! The airframe with propellers and sensors. **It is simulated: replace this file with drivers.**

use hemiola::prelude::*;

use crate::representations::{Inertial, Position, Thrusts};

/// The mass, in kilograms.
pub const MASS: f64 = 1.0;
/// The distance from the centre to the line through two propellers, in metres.
pub const ARM: f64 = 0.12;
/// The moment of inertia around the roll axis and the pitch axis, in kg m².
pub const INERTIA: f64 = 0.01;
/// The acceleration due to gravity, in m/s².
pub const GRAVITY: f64 = 9.81;

#[derive(Parameters)]
struct AirframeParameters {
    /// The torque of gusts.
    #[parameter(default = 0.02, range = 0.0..=0.2, unit = "Nm")]
    gusts: f64,
}

/// A rigid body with four propellers, and its sensors.
#[derive(Source)]
struct Airframe {
    #[parameters]
    parameters: AirframeParameters,
    propellers: [f64; 4],
    inertial: Inertial,
    position: Position,
}

#[source]
impl Airframe {
    #[sample(rate = 1000.0)]
    fn sample(&mut self, clock: &Clock, thrusts: &Thrusts, inertial: &mut Inertial, position: &mut Position) {
        let seconds = clock.step().as_secs_f64();
        for (propeller, wanted) in self.propellers.iter_mut().zip(thrusts.newtons) {
            *propeller += (wanted.clamp(0.0, STRONGEST) - *propeller) * (seconds / TIME_CONSTANT).min(1.0);
        }
        self.turn(clock.now().seconds(), seconds);
        self.fly(seconds);
        inertial.clone_from(&self.inertial);
        position.clone_from(&self.position);
    }

    fn turn(&mut self, now: f64, seconds: f64) {
        let [front_left, front_right, rear_right, rear_left] = self.propellers;
        let torques = [
            ARM * (front_left + rear_left - front_right - rear_right) + self.parameters.gusts * (3.0 * now).sin(),
            ARM * (rear_left + rear_right - front_left - front_right) + self.parameters.gusts * (2.3 * now).cos(),
        ];
        for (axis, torque) in torques.into_iter().enumerate() {
            self.inertial.rates[axis] += torque / INERTIA * seconds;
            self.inertial.angles[axis] += self.inertial.rates[axis] * seconds;
        }
    }

    fn fly(&mut self, seconds: f64) {
        let [roll, pitch] = self.inertial.angles;
        let pull = self.propellers.iter().sum::<f64>() / MASS;
        let accelerations = [pull * pitch.sin(), pull * roll.sin(), pull * roll.cos() * pitch.cos() - GRAVITY];
        let Position { at, velocity } = &mut self.position;
        for axis in 0..3 {
            velocity[axis] += accelerations[axis] * seconds;
            at[axis] += velocity[axis] * seconds;
        }
        if at[2] < 0.0 {
            at[2] = 0.0;
            *velocity = [0.0; 3]; // it stands on the ground
            self.inertial = Inertial::default();
        }
    }
}

/// The maximum thrust of a propeller, in newtons.
const STRONGEST: f64 = 6.0;
/// The time constant with which a propeller follows its command, in seconds.
const TIME_CONSTANT: f64 = 0.02;
