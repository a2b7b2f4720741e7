//! The legs' joints for given soles and centre of mass.

use glam::{Quat, Vec2};
use hemiola::prelude::*;

use super::posture::TORSO_HEIGHT;
use crate::geometry::Pose3;
use crate::representations::motion::{CenterOfMassTarget, FootTargets, LegTargets};
use crate::representations::sensing::JointRequest;
use crate::robot::kinematics::{LegAngles, Links};
use crate::robot::{Joint, Side};

/// The number of iterations that correct the centre of mass: each leaves about a third of the
/// error.
const CORRECTIONS: usize = 4;

/// Moves the centre of mass to its target by moving the torso, which is kept upright at constant
/// height.
///
/// The centre of mass within the body depends on the legs, and these depend on the torso; so torso
/// and legs are corrected in turn. Arms and head count as they were last requested.
#[derive(Module)]
pub struct LegInverseKinematics {}

#[module]
impl LegInverseKinematics {
    #[update]
    pub(super) fn leg_targets(
        &self,
        feet: &FootTargets,
        center: &CenterOfMassTarget,
        last: Previous<JointRequest>,
        legs: &mut LegTargets,
    ) {
        let mut positions = last.positions;
        let heading = Quat::from_rotation_z(feet.torso_yaw);
        for _ in 0..CORRECTIONS {
            let offset: Vec2 = (heading * Links::new(&positions).center_of_mass()).truncate();
            let torso = Pose3::new(heading, (center.position - offset).extend(TORSO_HEIGHT));
            let [left, right] = feet.soles.map(|sole| torso.inverse() * sole);
            for (side, angles) in Side::BOTH.into_iter().zip(LegAngles::reaching_both(&left, &right)) {
                angles.write(side, &mut positions);
            }
        }
        legs.angles = Side::BOTH.map(|side| Joint::leg(side).map(|joint| joint.clamp(positions[joint.index()])));
    }
}

#[cfg(test)]
mod tests {
    use super::super::posture::{neutral_feet, standing};
    use super::*;
    use glam::Vec3;

    #[test]
    fn soles_and_centre_of_mass_are_where_they_shall_be() {
        let mut soles = neutral_feet().map(|foot| Pose3::above(&foot, 0.0));
        soles[1].translation += Vec3::new(0.05, 0.0, 0.02);
        let center = CenterOfMassTarget { position: Vec2::new(0.03, 0.015), ..Default::default() };
        let mut legs = LegTargets::default();
        let last = JointRequest { positions: standing(TORSO_HEIGHT), ..Default::default() };
        let feet = FootTargets { soles, torso_yaw: 0.0 };
        LegInverseKinematics::create(()).leg_targets(&feet, &center, Previous::new(&last), &mut legs);

        let mut positions = last.positions;
        for side in Side::BOTH {
            for (joint, angle) in Joint::leg(side).into_iter().zip(legs.angles[side as usize]) {
                positions[joint.index()] = angle;
            }
        }
        let links = Links::new(&positions);
        let torso = soles[0] * links.sole(Side::Left).inverse();
        let reached = torso.transform(links.center_of_mass()).truncate();
        assert!(reached.abs_diff_eq(center.position, 5e-4), "{reached}");
        let other = torso * links.sole(Side::Right);
        assert!(other.translation.abs_diff_eq(soles[1].translation, 1e-4), "{other:?}");
        assert!((torso.translation.z - TORSO_HEIGHT).abs() < 1e-4);
    }
}
