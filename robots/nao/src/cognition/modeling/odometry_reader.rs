//! The motion of the robot since the last run of cognition, by odometry.

use hemiola::prelude::*;

use crate::geometry::Pose2;
use crate::representations::modeling::OdometryStep;
use crate::representations::motion::Odometry;

/// Computes the difference between two values of the odometry.
#[derive(Module)]
pub struct OdometryReader {
    #[parameters]
    parameters: OdometryReaderParameters,
    last: Option<Pose2>,
}

/// Parameters of [`OdometryReader`].
#[derive(Parameters)]
pub struct OdometryReaderParameters {
    /// The distance beyond which a step is invalid: the odometry has restarted, and the robot is
    /// assumed not to have moved.
    #[parameter(default = 0.5, range = 0.05..=5.0, unit = "m")]
    longest_step: f32,
}

#[module]
impl OdometryReader {
    #[update]
    pub(crate) fn odometry_step(&mut self, odometry: &Odometry, step: &mut OdometryStep) {
        let last = self.last.replace(odometry.pose).unwrap_or(odometry.pose);
        let way = last.inverse() * odometry.pose;
        if way.translation.length() <= self.parameters.longest_step {
            step.step = way;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Vec2;

    #[test]
    fn a_step_is_seen_from_where_the_robot_was_and_a_restart_is_none() {
        let mut reader = OdometryReader::create(OdometryReaderParameters::default());
        let mut step_to = |pose: Pose2| {
            let mut step = OdometryStep::default();
            reader.odometry_step(&Odometry { pose }, &mut step);
            step
        };
        assert_eq!(step_to(Pose2::new(3.0, 1.0, std::f32::consts::FRAC_PI_2)), OdometryStep::default());
        let step = step_to(Pose2::new(3.0, 1.1, 1.7));
        assert!(step.step.translation.abs_diff_eq(Vec2::new(0.1, 0.0), 1e-6));
        assert!(step.carry(Vec2::new(0.1, 0.0)).length() < 1e-6, "the robot stands where the point was");
        assert_eq!(step_to(Pose2::default()), OdometryStep::default());
    }
}
