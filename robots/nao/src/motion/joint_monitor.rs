//! The health of the joints, for information only: people decide what to do about a weak joint.

use hemiola::prelude::*;

use crate::representations::motion::JointHealth;
use crate::representations::sensing::{JointAngles, JointRequest};
use crate::robot::JOINTS;

/// Parameters of [`JointMonitor`].
#[derive(Parameters)]
pub struct JointMonitorParameters {
    /// The time over which the tracking error is averaged.
    #[parameter(default = 2.0, range = 0.1..=60.0, unit = "s")]
    averaging_time: f32,
    /// The error that heats a motor to its maximum temperature at full stiffness.
    #[parameter(default = 0.1, range = 0.01..=1.0, unit = "rad")]
    straining_error: f32,
    /// The time constant with which a motor warms up and cools down.
    #[parameter(default = 60.0, range = 1.0..=600.0, unit = "s")]
    thermal_time: f32,
}

/// Compares the positions of the joints with the requests.
///
/// A position controlled motor draws a current in proportion to its error, and heats with the
/// current's square; it cools in proportion to its temperature. The measured position is the
/// response to a request of some runs before, so that a healthy moving joint shows some error as
/// well.
#[derive(Module)]
pub struct JointMonitor {
    #[parameters]
    parameters: JointMonitorParameters,
    square_error: [f32; JOINTS],
    heat: [f32; JOINTS],
}

#[module]
impl JointMonitor {
    #[update]
    pub(super) fn joint_health(
        &mut self,
        joints: &JointAngles,
        request: Previous<JointRequest>,
        clock: &Clock,
        health: &mut JointHealth,
        debug: &Debug,
    ) {
        let dt = clock.step_seconds();
        let averaging = 1.0 - (-dt / self.parameters.averaging_time).exp();
        let warming = 1.0 - (-dt / self.parameters.thermal_time).exp();
        for index in 0..JOINTS {
            let stiffness = request.stiffness[index];
            // A limp joint has no requested position.
            let error = if stiffness > 0.0 { request.positions[index] - joints.positions[index] } else { 0.0 };
            if !error.is_finite() {
                continue;
            }
            self.square_error[index] += (error * error - self.square_error[index]) * averaging;
            let current = stiffness * error / self.parameters.straining_error;
            self.heat[index] += ((current * current).min(1.0) - self.heat[index]) * warming;
        }
        health.tracking_error = self.square_error.map(f32::sqrt);
        health.heat = self.heat;
        let weakest = (0..JOINTS).max_by(|a, b| self.square_error[*a].total_cmp(&self.square_error[*b]));
        health.weakest = weakest.unwrap_or(0) as u32;
        debug.plot("joints.largest_error", health.tracking_error[health.weakest as usize]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::robot::Joint;
    use std::time::Duration;

    fn run(module: &mut JointMonitor, error: f32, seconds: f32) -> JointHealth {
        let mut request = JointRequest { stiffness: [1.0; JOINTS], ..Default::default() };
        request.positions[Joint::LeftKneePitch.index()] = error;
        request.positions[Joint::HeadYaw.index()] = 1.0;
        request.stiffness[Joint::HeadYaw.index()] = 0.0;
        let clock = Clock::new(Time::ZERO, Duration::from_millis(12), 0);
        let mut health = JointHealth::default();
        for _ in 0..(seconds / 0.012) as u32 {
            module.joint_health(
                &JointAngles::default(),
                Previous::new(&request),
                &clock,
                &mut health,
                &Debug::default(),
            );
        }
        health
    }

    #[test]
    fn a_knee_that_does_not_follow_is_found_and_warms_up() {
        let mut module = JointMonitor::create(JointMonitorParameters::default());
        let knee = Joint::LeftKneePitch.index();
        let strained = run(&mut module, 0.2, 60.0);
        assert_eq!(strained.weakest as usize, knee);
        assert!((strained.tracking_error[knee] - 0.2).abs() < 1e-3, "{strained:?}");
        assert!((0.6..0.7).contains(&strained.heat[knee]), "{strained:?}");
        assert_eq!(strained.heat[Joint::HeadYaw.index()], 0.0);
        let rested = run(&mut module, 0.0, 60.0);
        assert!(rested.heat[knee] < 0.3 && rested.tracking_error[knee] < 1e-3, "{rested:?}");
    }
}
