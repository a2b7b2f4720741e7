//! The speeds of both wheels for the requested velocity.

use hemiola::prelude::*;
use hemiola_ros::geometry_msgs::Twist;

use super::TRACK;
use crate::representations::MotorCommand;

/// Parameters of [`Motors`].
#[derive(Parameters)]
pub struct MotorParameters {
    /// The maximum speed.
    #[parameter(default = 0.6, range = 0.0..=3.0, unit = "m/s")]
    speed: f64,
    /// The maximum turn rate.
    #[parameter(default = 1.5, range = 0.0..=6.0, unit = "rad/s")]
    turn_rate: f64,
    /// The maximum change of the speed.
    #[parameter(default = 1.0, range = 0.1..=20.0, unit = "m/s²")]
    acceleration: f64,
    /// The maximum change of the turn rate.
    #[parameter(default = 4.0, range = 0.1..=50.0, unit = "rad/s²")]
    turn_acceleration: f64,
    /// The age of the samples behind the requested velocity beyond which the robot brakes.
    #[parameter(default = 0.5, range = 0.05..=10.0, unit = "s")]
    timeout: f64,
}

/// Follows the requested velocity within the robot's limits. In the safe state the wheels stand
/// still.
#[derive(Module)]
pub struct Motors {
    #[parameters]
    parameters: MotorParameters,
    linear: f64,
    angular: f64,
}

#[module]
impl Motors {
    #[update]
    pub(crate) fn command(
        &mut self,
        twist: Fresh<Twist>,
        clock: &Clock,
        safe_state: &SafeState,
        debug: &Debug,
        command: &mut MotorCommand,
    ) {
        if safe_state.is_active() {
            return;
        }
        let limits = &self.parameters;
        let is_old = twist.is_stale() || twist.age().as_secs_f64() > limits.timeout;
        let wanted = |velocity: f64, limit: f64| match is_old || !velocity.is_finite() {
            true => 0.0,
            false => velocity.clamp(-limit, limit),
        };
        let seconds = f64::from(clock.step_seconds());
        let (linear, angular) = (wanted(twist.linear.x, limits.speed), wanted(twist.angular.z, limits.turn_rate));
        self.linear = approach(self.linear, linear, limits.acceleration * seconds);
        self.angular = approach(self.angular, angular, limits.turn_acceleration * seconds);
        command.left = self.linear - self.angular * TRACK / 2.0;
        command.right = self.linear + self.angular * TRACK / 2.0;
        debug.plot("motors.left [m/s]", command.left);
        debug.plot("motors.right [m/s]", command.right);
    }

    /// Resets the velocity, so that the robot starts from rest when it leaves the safe state. The
    /// motors also stop without commands: see `command_timeout` of the body.
    #[safe_state]
    fn stop(&mut self) {
        (self.linear, self.angular) = (0.0, 0.0);
    }
}

fn approach(from: f64, to: f64, most: f64) -> f64 {
    from + (to - from).clamp(-most, most)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::time::Duration;

    const STEP: Duration = Duration::from_millis(10);

    fn run(motors: &mut Motors, linear: f64, angular: f64, age: Duration, state: SafeState) -> MotorCommand {
        let mut twist = Twist::default();
        (twist.linear.x, twist.angular.z) = (linear, angular);
        let now = Time::from_seconds(100.0);
        let stamp = Time::from_nanoseconds(now.nanoseconds() - age.as_nanos() as i64);
        let (clock, mut command) = (Clock::new(now, STEP, 1), MotorCommand::default());
        motors.command(Fresh::new(&twist, stamp, now), &clock, &state, &Debug::default(), &mut command);
        command
    }

    proptest! {
        #[test]
        fn wheels_stay_within_the_limits_whatever_is_wanted(
            wanted in proptest::collection::vec((proptest::num::f64::ANY, proptest::num::f64::ANY), 1..200),
        ) {
            let mut motors = Motors::create(MotorParameters::default());
            let mut last = MotorCommand::default();
            for (linear, angular) in wanted {
                let command = run(&mut motors, linear, angular, STEP, SafeState::Inactive);
                let (fastest, step) = (0.6 + 1.5 * TRACK / 2.0, 0.01 * (1.0 + 4.0 * TRACK / 2.0) + 1e-9);
                prop_assert!(command.left.abs() <= fastest && command.right.abs() <= fastest);
                prop_assert!((command.left - last.left).abs() <= step && (command.right - last.right).abs() <= step);
                last = command;
            }
        }
    }

    #[test]
    fn an_old_velocity_is_braked_and_a_new_one_followed() {
        let mut motors = Motors::create(MotorParameters::default());
        let drive = |motors: &mut Motors, age: f64| {
            (0..100).map(|_| run(motors, 0.5, 0.2, Duration::from_secs_f64(age), SafeState::Inactive)).last().unwrap()
        };
        let command = drive(&mut motors, 0.1);
        assert!((command.left - 0.47).abs() < 1e-9 && (command.right - 0.53).abs() < 1e-9, "{command:?}");
        assert_eq!(drive(&mut motors, 0.6), MotorCommand::default());
    }

    #[test]
    fn wheels_stand_in_the_safe_state_and_begin_at_rest_after_it() {
        let mut motors = Motors::create(MotorParameters::default());
        (0..100).for_each(|_| _ = run(&mut motors, 0.5, 0.0, STEP, SafeState::Inactive));
        motors.stop();
        assert_eq!(run(&mut motors, 0.5, 0.0, STEP, SafeState::Active), MotorCommand::default());
        let first = run(&mut motors, 0.5, 0.0, STEP, SafeState::Inactive);
        assert!(first.left <= 0.01 + 1e-9, "{first:?}");
    }
}
