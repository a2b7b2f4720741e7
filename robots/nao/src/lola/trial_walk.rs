use glam::Vec2;
use hemiola::prelude::*;

use crate::representations::behaviour::{GameState, HeadRequest, Motion, MotionRequest};
use crate::representations::body::{PowerPhase, PowerState};
use crate::representations::modeling::RobotPose;

/// Stands in for cognition on a robot without cameras: stands, and walks as its parameters say,
/// which can be changed while it does.
///
/// It knows no pose on the field, and plays no game.
#[derive(Module)]
pub struct TrialWalk {
    #[parameters]
    parameters: TrialWalkParameters,
    /// The time since the joints began to follow what is requested, in seconds.
    stands_for: f32,
}

/// Parameters of [`TrialWalk`].
#[derive(Parameters)]
pub struct TrialWalkParameters {
    /// The speed forward; without any speed the robot stands.
    #[parameter(default = 0.0, range = -0.2..=0.3, unit = "m/s")]
    pub forward: f32,
    /// The speed to the left.
    #[parameter(default = 0.0, range = -0.2..=0.2, unit = "m/s")]
    pub left: f32,
    /// The turn rate to the left.
    #[parameter(default = 0.0, range = -1.0..=1.0, unit = "rad/s")]
    pub turn: f32,
    /// The time for which the robot stands before it walks.
    #[parameter(default = 2.0, range = 0.5..=60.0, unit = "s")]
    pub wait: f32,
    /// The direction of the head to the left.
    #[parameter(default = 0.0, range = -2.0..=2.0, unit = "rad")]
    pub yaw: f32,
    /// The direction of the head downward.
    #[parameter(default = 0.3, range = -0.6..=0.5, unit = "rad")]
    pub pitch: f32,
}

#[module]
impl TrialWalk {
    #[update]
    pub(super) fn walk(
        &mut self,
        power: &PowerState,
        clock: &Clock,
        motion: &mut MotionRequest,
        head: &mut HeadRequest,
        _pose: &mut RobotPose,
        _game: &mut GameState,
    ) {
        let TrialWalkParameters { forward, left, turn, wait, yaw, pitch } = self.parameters;
        self.stands_for = if power.phase == PowerPhase::On { self.stands_for + clock.step_seconds() } else { 0.0 };
        let velocity = Vec2::new(forward, left);
        if self.stands_for >= wait && (velocity != Vec2::ZERO || turn != 0.0) {
            motion.motion = Motion::Walk { velocity, turn };
        }
        (head.yaw, head.pitch) = (yaw, pitch);
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn it_walks_only_when_the_joints_have_followed_for_a_while() {
        let parameters = TrialWalkParameters { forward: 0.1, ..Default::default() };
        let mut module = TrialWalk::create(parameters);
        let mut motion_after = |phase, seconds: f32| {
            let mut motion = MotionRequest::default();
            for run in 0..(seconds / 0.012) as u64 {
                motion = MotionRequest::default();
                let power = PowerState { phase, ..Default::default() };
                let clock = Clock::new(Time::ZERO, Duration::from_millis(12), run);
                let (mut head, mut pose, mut game) = Default::default();
                module.walk(&power, &clock, &mut motion, &mut head, &mut pose, &mut game);
            }
            motion.motion
        };
        let walking = Motion::Walk { velocity: Vec2::new(0.1, 0.0), turn: 0.0 };
        assert_eq!(motion_after(PowerPhase::Rising, 5.0), Motion::Stand);
        assert_eq!(motion_after(PowerPhase::On, 1.9), Motion::Stand);
        assert_eq!(motion_after(PowerPhase::On, 0.2), walking);
        assert_eq!(motion_after(PowerPhase::Off, 0.1), Motion::Stand);
    }
}
