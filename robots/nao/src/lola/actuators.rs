use glam::Vec3;
use hemiola::prelude::*;

use super::LolaError;
use super::connection::command;
use super::wire::ActuatorFrame;
use crate::motion::minimum_jerk;
use crate::representations::body::{BodyLine, LightRequest, LineSocket, PowerPhase, PowerState};
use crate::representations::sensing::JointRequest;
use crate::robot::{JOINTS, Joint};

/// Writes the requests for joints and lights to the body, over the connection from which the state
/// of this run came.
///
/// The joints become limp when the robot enters its safe state; if the cycle goes on, they get
/// power again for the way down, within the same 12 ms. They become limp however the robot ends,
/// also in the middle of that way.
#[derive(Module)]
pub struct LolaActuators {
    #[stateless]
    line: LineSocket,
}

#[module]
impl LolaActuators {
    #[update]
    pub(super) fn send(
        &mut self,
        line: &BodyLine,
        power: &PowerState,
        request: &JointRequest,
        lights: &LightRequest,
        _: &SafeState,
    ) -> Result<(), LolaError> {
        self.line.0.clone_from(&line.socket.0);
        let frame = with_lights(joints(power, request), lights);
        self.line.0.as_ref().map_or(Ok(()), |line| command(line, &frame))
    }

    #[safe_state]
    fn soften(&mut self) -> Result<(), LolaError> {
        let limp = ActuatorFrame { stiffness: Some([0.0; JOINTS]), ..ActuatorFrame::default() };
        self.line.0.as_ref().map_or(Ok(()), |line| command(line, &limp))
    }
}

/// A robot that ends in its safe state has called `soften` before, and may have got power since.
impl Drop for LolaActuators {
    fn drop(&mut self) {
        _ = self.soften();
    }
}

/// Returns positions and stiffness: those that are requested, as far as there is power.
fn joints(power: &PowerState, request: &JointRequest) -> ActuatorFrame {
    let part = minimum_jerk(power.progress);
    let has_power = power.phase != PowerPhase::Off;
    let mut position = power.from;
    let mut stiffness = [0.0; JOINTS];
    for joint in Joint::ALL {
        let index = joint.index();
        let (wanted, strength) = (request.positions[index], request.stiffness[index]);
        if has_power && wanted.is_finite() && strength.is_finite() {
            position[index] += (wanted - position[index]) * part;
            stiffness[index] = strength.clamp(0.0, 1.0);
        }
    }
    ActuatorFrame { position: Some(position), stiffness: Some(stiffness), ..ActuatorFrame::default() }
}

fn with_lights(frame: ActuatorFrame, lights: &LightRequest) -> ActuatorFrame {
    ActuatorFrame {
        chest: Some(lights.chest.to_array()),
        left_eye: Some(planes(&lights.left_eye)),
        right_eye: Some(planes(&lights.right_eye)),
        left_ear: Some(lights.left_ear),
        right_ear: Some(lights.right_ear),
        skull: Some(lights.skull),
        left_foot: Some(lights.left_foot.to_array()),
        right_foot: Some(lights.right_foot.to_array()),
        ..frame
    }
}

/// Returns all red parts, then all green ones, then all blue ones.
fn planes(colors: &[Vec3; 8]) -> [f32; 24] {
    std::array::from_fn(|index| colors[index % 8][index / 8])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> JointRequest {
        JointRequest { positions: [1.0; JOINTS], stiffness: [0.8; JOINTS] }
    }

    #[test]
    fn without_power_joints_are_limp_and_with_it_they_go_to_where_they_are_requested() {
        let power = |phase, progress| PowerState { phase, progress, from: [0.0; JOINTS] };
        let sent = |phase, progress| {
            let frame = joints(&power(phase, progress), &request());
            (frame.position.unwrap()[3], frame.stiffness.unwrap()[3])
        };
        assert_eq!(sent(PowerPhase::Off, 0.0), (0.0, 0.0));
        assert_eq!(sent(PowerPhase::Rising, 0.0), (0.0, 0.8));
        assert_eq!(sent(PowerPhase::Rising, 0.5), (0.5, 0.8));
        assert_eq!(sent(PowerPhase::On, 1.0), (1.0, 0.8));
    }

    #[test]
    fn a_joint_with_a_senseless_request_is_limp() {
        let mut request = request();
        request.positions[4] = f32::NAN;
        request.stiffness[5] = f32::INFINITY;
        request.stiffness[6] = 7.0;
        let power = PowerState { phase: PowerPhase::On, progress: 1.0, from: [0.0; JOINTS] };
        let stiffness = joints(&power, &request).stiffness.unwrap();
        assert_eq!(stiffness[3..8], [0.8, 0.0, 0.0, 1.0, 0.8]);
    }

    #[test]
    fn eyes_are_sent_color_by_color() {
        let mut eye = [Vec3::ZERO; 8];
        eye[1] = Vec3::new(0.1, 0.2, 0.3);
        let sent = planes(&eye);
        assert_eq!((sent[1], sent[9], sent[17]), (0.1, 0.2, 0.3));
        assert_eq!(sent.iter().filter(|light| **light > 0.0).count(), 3);
    }
}
