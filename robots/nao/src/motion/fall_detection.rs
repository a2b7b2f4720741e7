//! The detection of whether the robot stands, falls, lies or gets up.

use glam::Vec3;
use hemiola::prelude::*;

use crate::representations::events::Fell;
use crate::representations::motion::{CalibratedImu, FallState, GetUpTargets, Orientation, Uprightness};

/// Parameters of [`FallDetection`].
#[derive(Parameters)]
pub struct FallDetectionParameters {
    /// The inclination from which the robot cannot recover.
    #[parameter(default = 0.6, range = 0.2..=1.5, unit = "rad")]
    falling: f32,
    /// The time by which the inclination is predicted, with the current angular velocity.
    #[parameter(default = 0.1, range = 0.0..=0.5, unit = "s")]
    look_ahead: f32,
    /// The inclination below which the robot is upright.
    #[parameter(default = 0.3, range = 0.1..=1.0, unit = "rad")]
    upright: f32,
    /// The angular velocity below which the robot no longer falls.
    #[parameter(default = 0.3, range = 0.05..=3.0, unit = "rad/s")]
    still: f32,
    /// The time for which a state must be observed before it is assumed, except for falling, which
    /// is assumed at once.
    #[parameter(default = 0.3, range = 0.0..=5.0, unit = "s")]
    patience: f32,
}

/// Detects falls by the inclination of the torso and its change.
///
/// Upright → falling when the inclination is about to pass the point of no return; falling → fallen
/// when the robot lies still, or → upright when it has recovered; fallen → getting up when that
/// motion rises; → upright when it stands.
#[derive(Module)]
pub struct FallDetection {
    #[parameters]
    parameters: FallDetectionParameters,
    state: Uprightness,
    /// The time for which what is seen has indicated another state, in seconds.
    seen_for: f32,
}

#[module]
impl FallDetection {
    #[update]
    pub(super) fn fall_state(
        &mut self,
        orientation: &Orientation,
        imu: &CalibratedImu,
        get_up: Previous<GetUpTargets>,
        clock: &Clock,
        fell: &mut Publisher<Fell>,
        fall: &mut FallState,
    ) {
        let upright = orientation.inclination < self.parameters.upright;
        let still = imu.angular_velocity.length() < self.parameters.still;
        let ahead = orientation.inclination + tipping_velocity(orientation, imu) * self.parameters.look_ahead;
        let seen = match self.state {
            Uprightness::Upright if ahead > self.parameters.falling => {
                self.seen_for = self.parameters.patience;
                Uprightness::Falling
            }
            Uprightness::Falling if still && !upright => Uprightness::Fallen,
            Uprightness::Fallen if get_up.rising => Uprightness::GettingUp,
            Uprightness::GettingUp if !get_up.rising => Uprightness::Fallen,
            Uprightness::Falling | Uprightness::Fallen | Uprightness::GettingUp if upright && still => {
                Uprightness::Upright
            }
            state => state,
        };
        self.seen_for = if seen == self.state { 0.0 } else { self.seen_for + clock.step_seconds() };
        if self.seen_for >= self.parameters.patience {
            if seen == Uprightness::Falling {
                fell.publish(Fell { at: clock.now(), inclination: orientation.inclination });
            }
            self.state = seen;
            self.seen_for = 0.0;
        }
        fall.state = self.state;
    }
}

/// Returns the rate at which the inclination grows, in rad/s.
fn tipping_velocity(orientation: &Orientation, imu: &CalibratedImu) -> f32 {
    let up = orientation.attitude.inverse() * Vec3::Z;
    // The torso's z axis moves by ω × z, relative to the direction in which it already leans.
    let leaning = -(up - Vec3::Z * up.z).normalize_or_zero();
    imu.angular_velocity.cross(Vec3::Z).dot(leaning)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Quat;
    use std::time::Duration;

    fn run(module: &mut FallDetection, pitch: f32, rate: f32, rising: bool, runs: u32) -> Uprightness {
        let orientation = Orientation { attitude: Quat::from_rotation_y(pitch), inclination: pitch.abs() };
        let imu = CalibratedImu { angular_velocity: Vec3::Y * rate, ..Default::default() };
        let get_up = GetUpTargets { rising, ..Default::default() };
        let clock = Clock::new(Time::ZERO, Duration::from_millis(12), 0);
        let mut fall = FallState::default();
        for _ in 0..runs {
            module.fall_state(
                &orientation,
                &imu,
                Previous::new(&get_up),
                &clock,
                &mut Publisher::to_nobody(),
                &mut fall,
            );
        }
        fall.state
    }

    #[test]
    fn a_fall_is_seen_at_once_and_gone_through_to_the_end() {
        let mut module = FallDetection::create(FallDetectionParameters::default());
        assert_eq!(run(&mut module, 0.2, 0.5, false, 50), Uprightness::Upright);
        assert_eq!(run(&mut module, 0.4, 3.0, false, 1), Uprightness::Falling);
        assert_eq!(run(&mut module, 1.5, 0.0, false, 50), Uprightness::Fallen);
        assert_eq!(run(&mut module, 1.5, 0.0, true, 50), Uprightness::GettingUp);
        assert_eq!(run(&mut module, 0.1, 0.0, true, 10), Uprightness::GettingUp);
        assert_eq!(run(&mut module, 0.1, 0.0, true, 40), Uprightness::Upright);
    }

    #[test]
    fn swinging_back_is_no_fall() {
        let mut module = FallDetection::create(FallDetectionParameters::default());
        assert_eq!(run(&mut module, 0.5, -4.0, false, 10), Uprightness::Upright);
        assert_eq!(run(&mut module, -0.5, 4.0, false, 10), Uprightness::Upright);
        assert_eq!(run(&mut module, -0.5, -4.0, false, 1), Uprightness::Falling);
    }
}
