//! The requests for all joints.

use hemiola::prelude::*;

use super::posture::{minimum_jerk, standing};
use crate::representations::motion::{ArmTargets, BalanceCorrection, GetUpTargets, HeadTargets, LegTargets};
use crate::representations::sensing::{JointAngles, JointRequest};
use crate::robot::{JOINTS, Joint, Side};

/// The height of the torso above the soles when the power is switched off, in metres: low enough
/// for a safe fall.
const CROUCHING_HEIGHT: f32 = 0.23;

/// Parameters of [`JointCombiner`].
#[derive(Parameters)]
pub struct JointCombinerParameters {
    /// The stiffness of the legs in the walk.
    #[parameter(default = 1.0, range = 0.5..=1.0)]
    leg_stiffness: f32,
    /// The stiffness of the arms in the walk.
    #[parameter(default = 0.6, range = 0.0..=1.0)]
    arm_stiffness: f32,
    /// The stiffness of the head.
    #[parameter(default = 0.8, range = 0.0..=1.0)]
    head_stiffness: f32,
    /// The duration of a transition from one motion to another.
    #[parameter(default = 0.6, range = 0.05..=5.0, unit = "s")]
    transition: f32,
    /// The time for the walk to come to a stop in the safe state.
    #[parameter(default = 1.5, range = 0.0..=5.0, unit = "s")]
    halt: f32,
    /// The duration of crouching after that.
    #[parameter(default = 2.0, range = 0.5..=10.0, unit = "s")]
    crouch: f32,
    /// The duration of switching off the power after that.
    #[parameter(default = 1.5, range = 0.1..=10.0, unit = "s")]
    power_off: f32,
    /// The maximum requested speed of a joint.
    #[parameter(default = 7.0, range = 1.0..=10.0, unit = "rad/s")]
    fastest: f32,
}

/// Selects the motion of the joints, with smooth transitions from one motion to the next, and keeps
/// all joints within their limits.
///
/// Falling and getting up override the walk (of which standing is a part), and the safe state
/// overrides both: then the walk may come to a stop, the robot crouches, and when it is down, its
/// stiffness decreases slowly to zero. The first request starts from the current positions.
#[derive(Module)]
pub struct JointCombiner {
    #[parameters]
    parameters: JointCombinerParameters,
    motion: Motion,
    /// The positions of the last request; `None` before the first run.
    last: Option<[f32; JOINTS]>,
    /// The positions that were requested when the motion began.
    from: [f32; JOINTS],
    /// The time since the motion began, in seconds.
    time: f32,
    /// The time since the safe state was entered, in seconds.
    safe_for: f32,
}

/// The motion that moves the joints.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
enum Motion {
    #[default]
    Walk,
    GetUp,
    Crouch,
}

#[module]
impl JointCombiner {
    #[update]
    #[expect(clippy::too_many_arguments, reason = "this is where everything comes together")]
    pub(super) fn joint_request(
        &mut self,
        legs: &LegTargets,
        arms: &ArmTargets,
        head: &HeadTargets,
        balance: &BalanceCorrection,
        get_up: &GetUpTargets,
        measured: &JointAngles,
        clock: &Clock,
        safe_state: &SafeState,
        request: &mut JointRequest,
    ) {
        self.safe_for = if safe_state.is_active() { self.safe_for + clock.step_seconds() } else { 0.0 };
        let motion = match (safe_state.is_active(), get_up.active) {
            (true, true) => Motion::Crouch,
            (true, false) if self.safe_for > self.parameters.halt => Motion::Crouch,
            (false, true) => Motion::GetUp,
            (_, false) => Motion::Walk,
        };
        let last = self.last.unwrap_or(measured.positions);
        if motion != self.motion || self.last.is_none() {
            (self.motion, self.from, self.time) = (motion, last, 0.0);
        }
        self.time += clock.step_seconds();
        let (target, stiffness) = match motion {
            Motion::Walk => (self.walking(legs, arms, head, balance), self.walking_stiffness()),
            Motion::GetUp => (get_up.positions, [get_up.stiffness; JOINTS]),
            Motion::Crouch => (standing(CROUCHING_HEIGHT), [self.fading_stiffness(); JOINTS]),
        };
        let transition = if motion == Motion::Crouch { self.parameters.crouch } else { self.parameters.transition };
        let part = minimum_jerk(self.time / transition);
        let largest_step = self.parameters.fastest * clock.step_seconds();
        for joint in Joint::ALL {
            let index = joint.index();
            let position = self.from[index] + (target[index] - self.from[index]) * part;
            let step = (joint.clamp(position) - last[index]).clamp(-largest_step, largest_step);
            request.positions[index] = if step.is_finite() { last[index] + step } else { last[index] };
        }
        request.stiffness = stiffness;
        self.last = Some(request.positions);
    }

    fn walking(
        &self,
        legs: &LegTargets,
        arms: &ArmTargets,
        head: &HeadTargets,
        balance: &BalanceCorrection,
    ) -> [f32; JOINTS] {
        let mut positions = [0.0; JOINTS];
        positions[Joint::HeadYaw.index()] = head.yaw;
        positions[Joint::HeadPitch.index()] = head.pitch;
        for side in Side::BOTH {
            for (joint, angle) in Joint::arm(side).into_iter().zip(arms.angles[side as usize]) {
                positions[joint.index()] = angle;
            }
            let correction = [0.0, 0.0, balance.hip_pitch, 0.0, balance.ankle_pitch, balance.ankle_roll];
            let leg = Joint::leg(side).into_iter().zip(legs.angles[side as usize]).zip(correction);
            for ((joint, angle), correction) in leg {
                positions[joint.index()] = angle + correction;
            }
        }
        positions
    }

    fn walking_stiffness(&self) -> [f32; JOINTS] {
        Joint::ALL.map(|joint| match joint {
            Joint::HeadYaw | Joint::HeadPitch => self.parameters.head_stiffness,
            Joint::LeftHand | Joint::RightHand => 0.0,
            joint if Side::BOTH.iter().any(|side| Joint::leg(*side).contains(&joint)) => self.parameters.leg_stiffness,
            _ => self.parameters.arm_stiffness,
        })
    }

    /// Returns a stiffness that is full while the robot crouches, and then decreases to zero.
    fn fading_stiffness(&self) -> f32 {
        (1.0 - (self.time - self.parameters.crouch) / self.parameters.power_off).clamp(0.0, 1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::posture::TORSO_HEIGHT;
    use super::*;
    use std::time::Duration;

    const CLOCK: Clock = Clock::new(Time::ZERO, Duration::from_millis(12), 0);

    struct Given {
        legs: LegTargets,
        get_up: GetUpTargets,
        safe_state: SafeState,
    }

    impl Given {
        fn standing() -> Self {
            let positions = standing(TORSO_HEIGHT);
            let angles = Side::BOTH.map(|side| Joint::leg(side).map(|joint| positions[joint.index()]));
            Self { legs: LegTargets { angles }, get_up: GetUpTargets::default(), safe_state: SafeState::Inactive }
        }

        fn run(&self, module: &mut JointCombiner, seconds: f32) -> Vec<JointRequest> {
            let request = |_| {
                let mut request = JointRequest::default();
                module.joint_request(
                    &self.legs,
                    &ArmTargets::default(),
                    &HeadTargets::default(),
                    &BalanceCorrection::default(),
                    &self.get_up,
                    &JointAngles { positions: standing(0.25) },
                    &CLOCK,
                    &self.safe_state,
                    &mut request,
                );
                request
            };
            (0..(seconds / 0.012) as u32).map(request).collect()
        }
    }

    #[test]
    fn the_first_request_is_near_to_where_the_joints_are_and_no_joint_ever_jumps() {
        let mut module = JointCombiner::create(JointCombinerParameters::default());
        let mut given = Given::standing();
        let mut requests = given.run(&mut module, 1.0);
        let knee = Joint::LeftKneePitch.index();
        assert!((requests[0].positions[knee] - standing(0.25)[knee]).abs() < 1e-3);
        assert!((requests.last().unwrap().positions[knee] - standing(TORSO_HEIGHT)[knee]).abs() < 1e-3);

        given.get_up = GetUpTargets { active: true, positions: [9.0; JOINTS], stiffness: 0.4, ..Default::default() };
        requests.extend(given.run(&mut module, 1.0));
        given.get_up =
            GetUpTargets { active: true, positions: [f32::NAN; JOINTS], stiffness: 0.4, ..Default::default() };
        requests.extend(given.run(&mut module, 0.2));
        for pair in requests.windows(2) {
            for joint in Joint::ALL {
                let [before, after] = [&pair[0], &pair[1]].map(|request| request.positions[joint.index()]);
                assert!(
                    (after - before).abs() <= 7.0 * 0.012 + 1e-5 && after == joint.clamp(after),
                    "{joint:?} {after}"
                );
            }
        }
        assert_eq!(requests.last().unwrap().stiffness, [0.4; JOINTS]);
    }

    #[test]
    fn in_the_safe_state_the_robot_crouches_before_it_goes_limp() {
        let mut module = JointCombiner::create(JointCombinerParameters::default());
        let mut given = Given::standing();
        given.run(&mut module, 1.0);
        given.safe_state = SafeState::Active;
        let requests = given.run(&mut module, 5.5);
        let down = &requests[(3.5 / 0.012) as usize];
        for (position, crouching) in down.positions.iter().zip(standing(CROUCHING_HEIGHT)) {
            assert!((position - crouching).abs() < 0.01);
        }
        assert!(
            down.stiffness[..20].iter().all(|stiffness| *stiffness > 0.9)
                && requests.last().unwrap().stiffness == [0.0; JOINTS]
        );
        for pair in requests.windows(2) {
            let [before, after] = [&pair[0], &pair[1]].map(|request| request.stiffness[Joint::LeftKneePitch.index()]);
            assert!(after <= before && before - after < 0.02, "{before} {after}");
        }
    }
}
