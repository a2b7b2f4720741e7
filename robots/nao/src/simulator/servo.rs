//! The joints' servos: they follow what is requested late, at limited speed, and within the joints'
//! limits.

use crate::representations::sensing::JointRequest;
use crate::robot::{JOINTS, Joint};

/// How quickly a servo closes what is left of the way to its target, in seconds.
const TIME_CONSTANT: f32 = 0.015;
/// Fastest motion of head, arms and pitching leg joints in rad/s, as the data sheet gives it
/// without load.
const FAST: f32 = 6.4;
/// Fastest motion of joints with the larger gear ratio, in rad/s.
const SLOW: f32 = 4.16;

/// The motors of all joints: a delay of one step, a first order lag, and limits on speed and
/// position.
///
/// Stiffness scales the speed. A limp joint stays where it is: its gears hold it.
#[derive(Clone, Debug)]
pub struct Servos {
    positions: [f32; JOINTS],
    velocities: [f32; JOINTS],
    /// What was requested one step ago and is acted on now.
    pending: JointRequest,
}

impl Servos {
    /// Servos at rest.
    #[must_use]
    pub fn new(positions: &[f32; JOINTS]) -> Self {
        Self {
            positions: *positions,
            velocities: [0.0; JOINTS],
            pending: JointRequest { positions: *positions, stiffness: [0.0; JOINTS] },
        }
    }

    /// Moves on by `dt` seconds. Requests that are not finite are ignored, joint by joint.
    pub fn step(&mut self, dt: f32, request: &JointRequest) {
        let approach = 1.0 - (-dt / TIME_CONSTANT).exp();
        for joint in Joint::ALL {
            let index = joint.index();
            let fastest = fastest(joint) * self.pending.stiffness[index].clamp(0.0, 1.0) * dt;
            let position = self.positions[index];
            let way = (joint.clamp(self.pending.positions[index]) - position) * approach;
            self.positions[index] = position + way.clamp(-fastest, fastest);
            self.velocities[index] = (self.positions[index] - position) / dt;

            if request.positions[index].is_finite() && request.stiffness[index].is_finite() {
                self.pending.positions[index] = request.positions[index];
                self.pending.stiffness[index] = request.stiffness[index];
            }
        }
    }

    /// Where the joints are, in radian.
    #[must_use]
    pub fn positions(&self) -> &[f32; JOINTS] {
        &self.positions
    }

    /// How fast all joints move together, in rad/s: what one hears of them.
    #[must_use]
    pub fn activity(&self) -> f32 {
        self.velocities.iter().map(|velocity| velocity.abs()).sum()
    }

    /// What the servos act on: the request of the previous step.
    #[must_use]
    pub fn pending(&self) -> &JointRequest {
        &self.pending
    }
}

fn fastest(joint: Joint) -> f32 {
    match joint {
        Joint::HipYawPitch
        | Joint::LeftHipRoll
        | Joint::RightHipRoll
        | Joint::LeftAnkleRoll
        | Joint::RightAnkleRoll => SLOW,
        _ => FAST,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DT: f32 = 0.012;

    fn request(position: f32, stiffness: f32) -> JointRequest {
        JointRequest { positions: [position; JOINTS], stiffness: [stiffness; JOINTS] }
    }

    #[test]
    fn a_stiff_joint_arrives_and_stops_at_its_limit() {
        let mut servos = Servos::new(&[0.0; JOINTS]);
        for _ in 0..100 {
            servos.step(DT, &request(0.3, 1.0));
        }
        assert!((servos.positions()[Joint::HeadPitch.index()] - 0.3).abs() < 1e-4);
        assert!(servos.activity() < 0.01);
        for _ in 0..200 {
            servos.step(DT, &request(9.0, 1.0));
        }
        let (_, largest) = Joint::LeftKneePitch.limits();
        assert!((servos.positions()[Joint::LeftKneePitch.index()] - largest).abs() < 1e-4);
    }

    #[test]
    fn no_joint_exceeds_its_speed_or_acts_before_the_delay() {
        let mut servos = Servos::new(&[0.0; JOINTS]);
        servos.step(DT, &request(-0.5, 1.0));
        assert_eq!(servos.positions(), &[0.0; JOINTS]);
        servos.step(DT, &request(-0.5, 1.0));
        let moved = servos.positions()[Joint::HeadPitch.index()];
        assert!((-FAST * DT * 1.0001..0.0).contains(&moved), "{moved}");
        let moved = servos.positions()[Joint::HipYawPitch.index()];
        assert!((-SLOW * DT * 1.0001..0.0).contains(&moved), "{moved}");
    }

    #[test]
    fn a_limp_joint_and_a_joint_with_a_senseless_request_stay() {
        let mut servos = Servos::new(&[0.1; JOINTS]);
        for senseless in
            [request(0.5, 0.0), request(f32::NAN, 1.0), request(f32::INFINITY, 1.0), request(0.5, f32::NAN)]
        {
            servos.step(DT, &senseless);
            servos.step(DT, &senseless);
            assert_eq!(servos.positions(), &[0.1; JOINTS]);
        }
    }
}
