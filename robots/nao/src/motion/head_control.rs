//! The motion of the head to the requested direction.

use hemiola::prelude::*;

use crate::representations::behaviour::HeadRequest;
use crate::representations::motion::HeadTargets;
use crate::robot::Joint;

/// Parameters of [`HeadControl`].
#[derive(Parameters)]
pub struct HeadControlParameters {
    /// The maximum angular velocity of either joint: a faster one blurs the image.
    #[parameter(default = 2.5, range = 0.1..=6.0, unit = "rad/s")]
    fastest: f32,
    /// The maximum angular acceleration of either joint.
    #[parameter(default = 20.0, range = 1.0..=200.0, unit = "rad/s²")]
    acceleration: f32,
    /// The yaw beyond which the chin would touch the shoulder if the head looked down.
    #[parameter(default = 0.9, range = 0.0..=2.0, unit = "rad")]
    free_yaw: f32,
    /// The maximum pitch of the head when it looks over a shoulder.
    #[parameter(default = 0.2, range = -0.6..=0.5, unit = "rad")]
    pitch_over_shoulder: f32,
}

/// Moves both joints to the request as fast as their limits allow, and brakes in time.
#[derive(Module)]
pub struct HeadControl {
    #[parameters]
    parameters: HeadControlParameters,
    yaw: Axis,
    pitch: Axis,
}

#[module]
impl HeadControl {
    #[update]
    pub(super) fn head_targets(&mut self, request: &HeadRequest, clock: &Clock, head: &mut HeadTargets) {
        let dt = clock.step_seconds();
        let yaw = Joint::HeadYaw.clamp(request.yaw);
        self.yaw.approach(yaw, dt, &self.parameters);

        let over_shoulder = (self.yaw.position.abs() - self.parameters.free_yaw).max(0.0);
        let (_, lowest) = Joint::HeadPitch.limits();
        let lowest = (lowest - over_shoulder).max(self.parameters.pitch_over_shoulder.min(lowest));
        self.pitch.approach(Joint::HeadPitch.clamp(request.pitch).min(lowest), dt, &self.parameters);
        head.yaw = self.yaw.position;
        head.pitch = self.pitch.position;
    }
}

/// One joint and its motion.
#[derive(Data, Clone, Copy, Debug, Default)]
struct Axis {
    position: f32,
    velocity: f32,
}

impl Axis {
    /// Moves towards `target` with limited velocity and acceleration; does not move for a target
    /// that is not finite.
    fn approach(&mut self, target: f32, dt: f32, limits: &HeadControlParameters) {
        let way = if target.is_finite() { target - self.position } else { 0.0 };
        if dt <= 0.0 {
            return;
        }
        // From this speed it can still brake within the distance that is left; the last bit takes
        // one run.
        let braking = (2.0 * limits.acceleration * way.abs()).sqrt().min(way.abs() / dt);
        let wanted = braking.min(limits.fastest).copysign(way);
        let change = limits.acceleration * dt;
        self.velocity += (wanted - self.velocity).clamp(-change, change);
        self.position += self.velocity * dt;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    const CLOCK: Clock = Clock::new(Time::ZERO, Duration::from_millis(12), 0);

    fn run(module: &mut HeadControl, yaw: f32, pitch: f32, runs: u32) -> Vec<HeadTargets> {
        let head = |_| {
            let mut head = HeadTargets::default();
            module.head_targets(&HeadRequest { yaw, pitch }, &CLOCK, &mut head);
            head
        };
        (0..runs).map(head).collect()
    }

    #[test]
    fn the_head_arrives_without_haste_or_overshoot() {
        let mut module = HeadControl::create(HeadControlParameters::default());
        let way = run(&mut module, 0.8, -0.3, 80);
        for pair in way.windows(2) {
            assert!((pair[1].yaw - pair[0].yaw).abs() <= 2.5 * 0.012 + 1e-6);
        }
        assert!(way.iter().all(|head| head.yaw < 0.83), "{way:?}");
        let last = way.last().unwrap();
        assert!((last.yaw - 0.8).abs() < 1e-3 && (last.pitch + 0.3).abs() < 1e-3, "{last:?}");
    }

    #[test]
    fn over_the_shoulder_it_does_not_look_down_and_nonsense_moves_nothing() {
        let mut module = HeadControl::create(HeadControlParameters::default());
        let over = run(&mut module, 9.0, 9.0, 200).pop().unwrap();
        assert!((over.yaw - 119.5_f32.to_radians()).abs() < 1e-3 && over.pitch < 0.21, "{over:?}");
        let still = run(&mut module, f32::NAN, f32::NAN, 50).pop().unwrap();
        assert!((still.yaw - over.yaw).abs() < 0.02 && still.pitch.is_finite(), "{still:?}");
    }
}
