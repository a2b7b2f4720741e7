//! The configuration of the body by its joints.

use hemiola::prelude::*;

use crate::representations::motion::BodyModel;
use crate::representations::sensing::JointAngles;
use crate::robot::Side;
use crate::robot::kinematics::Links;

/// Computes the forward kinematics of the measured joint positions.
#[derive(Module)]
pub struct RobotModel {}

#[module]
impl RobotModel {
    #[update]
    pub(super) fn body_model(&self, joints: &JointAngles, body: &mut BodyModel) {
        let links = Links::new(&joints.positions);
        body.soles = Side::BOTH.map(|side| links.sole(side));
        body.center_of_mass = links.center_of_mass();
    }
}

#[cfg(test)]
mod tests {
    use super::super::posture::{TORSO_HEIGHT, standing};
    use super::*;

    #[test]
    fn a_standing_body_has_its_soles_below_and_its_weight_above_the_hips() {
        let mut body = BodyModel::default();
        RobotModel::create(()).body_model(&JointAngles { positions: standing(TORSO_HEIGHT) }, &mut body);
        assert!(body.soles.iter().all(|sole| (sole.translation.z + TORSO_HEIGHT).abs() < 1e-4), "{body:?}");
        assert!((-0.085..0.05).contains(&body.center_of_mass.z), "{body:?}");
    }
}
