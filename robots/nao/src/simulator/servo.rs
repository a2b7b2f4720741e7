//! The joints' servos, which follow requests with a delay, at limited speed, and within the joints'
//! limits.

use crate::representations::sensing::JointRequest;
use crate::robot::{JOINTS, Joint};

/// The time constant with which a servo approaches its target, in seconds.
const TIME_CONSTANT: f32 = 0.015;
/// The maximum speed of head, arms and pitching leg joints in rad/s, without load, from the data
/// sheet.
const FAST: f32 = 6.4;
/// The maximum speed of joints with the larger gear ratio, in rad/s.
const SLOW: f32 = 4.16;

/// The motors of all joints: a delay of one step, a first order lag, and limits on speed and
/// position.
///
/// Stiffness scales the speed. A limp joint stays where it is: its gears hold it.
#[derive(Clone, Debug)]
pub struct Servos {
    positions: [f32; JOINTS],
    velocities: [f32; JOINTS],
    /// The request of the previous step, which is followed now.
    pending: JointRequest,
}

impl Servos {
    /// Creates servos at rest.
    #[must_use]
    pub fn new(positions: &[f32; JOINTS]) -> Self {
        Self {
            positions: *positions,
            velocities: [0.0; JOINTS],
            pending: JointRequest { positions: *positions, stiffness: [0.0; JOINTS] },
        }
    }

    /// Advances by `dt` seconds. Requests that are not finite are ignored, joint by joint.
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

    /// Returns the positions of the joints, in radians.
    #[must_use]
    pub fn positions(&self) -> &[f32; JOINTS] {
        &self.positions
    }

    /// Returns the speed of all joints together, in rad/s, which determines their noise.
    #[must_use]
    pub fn activity(&self) -> f32 {
        self.velocities.iter().map(|velocity| velocity.abs()).sum()
    }

    /// Returns the request that the servos follow: that of the previous step.
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
