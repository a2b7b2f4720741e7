//! The motion of a robot that falls, lies, or gets up.

use glam::Vec3;
use hemiola::prelude::*;

use super::posture::{TORSO_HEIGHT, hanging_arm, standing};
use crate::representations::motion::{FallState, GetUpTargets, Orientation, Uprightness};
use crate::robot::{JOINTS, Joint, Side};

/// Parameters of [`GetUp`].
#[derive(Parameters)]
pub struct GetUpParameters {
    /// The stiffness of a falling robot: its joints give way, so that gears survive.
    #[parameter(default = 0.1, range = 0.0..=1.0)]
    falling_stiffness: f32,
    /// The stiffness of a robot that gets up.
    #[parameter(default = 0.9, range = 0.5..=1.0)]
    rising_stiffness: f32,
    /// The time after which a robot that is not upright tries again.
    #[parameter(default = 9.0, range = 5.0..=60.0, unit = "s")]
    patience: f32,
}

/// Goes through some postures and holds the last one, standing, until the robot is upright.
///
/// In a fall, the legs are drawn in and the joints give way. When the robot lies, the legs are
/// drawn in below the torso and the arms press on the ground, in front of the chest or behind the
/// back; then the legs stretch and the arms return. This is the skeleton of the motion: on the real
/// robot the postures in between need measured timing; the simulated one gets up by holding a
/// standing posture.
#[derive(Module)]
pub struct GetUp {
    #[parameters]
    parameters: GetUpParameters,
    /// The time since the motion began, in seconds.
    time: f32,
    lies_on: LiesOn,
}

/// The side of the torso that points to the ground.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
enum LiesOn {
    #[default]
    Chest,
    Back,
}

/// A posture `time` seconds after the beginning of the motion.
struct Keyframe {
    time: f32,
    /// The height of the torso above the soles, in metres.
    height: f32,
    /// The arms, from 0 (hanging) to 1 (pressing on the ground).
    press: f32,
}

const LOWEST: f32 = 0.22;
const KEYFRAMES: [Keyframe; 5] = [
    Keyframe { time: 0.0, height: LOWEST, press: 0.0 },
    Keyframe { time: 0.6, height: LOWEST, press: 0.0 },
    Keyframe { time: 1.2, height: LOWEST, press: 1.0 },
    Keyframe { time: 1.8, height: 0.26, press: 0.6 },
    Keyframe { time: 2.6, height: TORSO_HEIGHT, press: 0.0 },
];
/// The keyframe from which on the torso leaves the ground.
const RISING_FROM: usize = 2;

#[module]
impl GetUp {
    #[update]
    pub(super) fn get_up_targets(
        &mut self,
        fall: &FallState,
        orientation: &Orientation,
        clock: &Clock,
        targets: &mut GetUpTargets,
    ) {
        match fall.state {
            Uprightness::Upright => {
                self.time = 0.0;
                return;
            }
            Uprightness::Falling => self.time = 0.0,
            Uprightness::Fallen | Uprightness::GettingUp => self.time += clock.step_seconds(),
        }
        if self.time == 0.0 || self.time > self.parameters.patience {
            self.time = 0.0;
            let chest_looks_down = (orientation.attitude * Vec3::X).z < 0.0;
            self.lies_on = if chest_looks_down { LiesOn::Chest } else { LiesOn::Back };
        }
        targets.active = true;
        targets.rising = self.time >= KEYFRAMES[RISING_FROM].time;
        targets.stiffness = if fall.state == Uprightness::Falling {
            self.parameters.falling_stiffness
        } else {
            self.parameters.rising_stiffness
        };
        let (height, press) = posture_at(self.time);
        targets.positions = self.positions(height, press);
    }

    fn positions(&self, height: f32, press: f32) -> [f32; JOINTS] {
        let mut positions = standing(height);
        // Arms forward and a little down press up the chest, arms behind the back press up the
        // back.
        let pressing = if self.lies_on == LiesOn::Chest { 0.3 } else { 2.0 };
        for side in Side::BOTH {
            let shoulder = Joint::arm(side)[0];
            let hanging = hanging_arm(side)[0];
            positions[shoulder.index()] = hanging + (pressing - hanging) * press;
        }
        positions
    }
}

/// Returns height and press, interpolated between the keyframes around `time`.
fn posture_at(time: f32) -> (f32, f32) {
    let next = KEYFRAMES.iter().position(|keyframe| keyframe.time > time).unwrap_or(KEYFRAMES.len());
    let (from, to) = (&KEYFRAMES[next.saturating_sub(1)], &KEYFRAMES[next.min(KEYFRAMES.len() - 1)]);
    let part = if to.time > from.time { (time - from.time) / (to.time - from.time) } else { 1.0 };
    (from.height + (to.height - from.height) * part, from.press + (to.press - from.press) * part)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::Quat;
    use std::f32::consts::FRAC_PI_2;
    use std::time::Duration;

    fn run(module: &mut GetUp, state: Uprightness, pitch: f32, seconds: f32) -> GetUpTargets {
        let orientation = Orientation { attitude: Quat::from_rotation_y(pitch), inclination: pitch.abs() };
        let clock = Clock::new(Time::ZERO, Duration::from_millis(12), 0);
        let mut targets = GetUpTargets::default();
        for _ in 0..(seconds / 0.012) as u32 {
            targets = GetUpTargets::default();
            module.get_up_targets(&FallState { state }, &orientation, &clock, &mut targets);
        }
        targets
    }

    #[test]
    fn a_falling_robot_gives_way_and_a_lying_one_ends_in_a_firm_stand() {
        let mut module = GetUp::create(GetUpParameters::default());
        assert!(!run(&mut module, Uprightness::Upright, 0.0, 1.0).active);
        let falling = run(&mut module, Uprightness::Falling, 1.0, 0.2);
        assert!(falling.active && !falling.rising && falling.stiffness < 0.5);
        assert!(!run(&mut module, Uprightness::Fallen, FRAC_PI_2, 0.5).rising);
        let standing_up = run(&mut module, Uprightness::GettingUp, FRAC_PI_2, 4.0);
        assert!(standing_up.rising && standing_up.stiffness > 0.5);
        for (reached, expected) in standing_up.positions.iter().zip(standing(TORSO_HEIGHT)) {
            assert!((reached - expected).abs() < 1e-4);
        }
    }

    #[test]
    fn the_arms_press_on_the_side_that_the_robot_lies_on() {
        let shoulder = Joint::LeftShoulderPitch.index();
        for (pitch, pressing) in [(FRAC_PI_2, 0.3), (-FRAC_PI_2, 2.0)] {
            let mut module = GetUp::create(GetUpParameters::default());
            run(&mut module, Uprightness::Falling, pitch, 0.1);
            let pressed = run(&mut module, Uprightness::Fallen, pitch, 1.21);
            assert!((pressed.positions[shoulder] - pressing).abs() < 0.05, "{pressed:?}");
        }
    }

    #[test]
    fn a_robot_that_stays_on_the_ground_tries_again() {
        let mut module = GetUp::create(GetUpParameters::default());
        assert!(run(&mut module, Uprightness::GettingUp, FRAC_PI_2, 8.0).rising);
        assert!(!run(&mut module, Uprightness::GettingUp, FRAC_PI_2, 1.5).rising);
    }
}
