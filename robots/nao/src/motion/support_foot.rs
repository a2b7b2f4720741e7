//! The foot that the robot stands on.

use hemiola::prelude::*;

use crate::representations::motion::{BodyModel, Foot, GroundContact, Orientation, SupportFoot};

/// Parameters of [`WeightShift`].
#[derive(Parameters)]
pub struct WeightShiftParameters {
    /// The share of the weight above which a foot becomes the support foot.
    #[parameter(default = 0.6, range = 0.5..=1.0)]
    takes_over: f32,
    /// The depth below the other foot at which a foot becomes the support foot without contact.
    #[parameter(default = 0.005, range = 0.0..=0.1, unit = "m")]
    depth: f32,
}

/// Determines the support foot by the weight; without any contact, it is the lower foot.
#[derive(Module)]
pub struct WeightShift {
    #[parameters]
    parameters: WeightShiftParameters,
    foot: Foot,
}

#[module]
impl WeightShift {
    #[update]
    pub(super) fn support_foot(
        &mut self,
        contact: &GroundContact,
        body: &BodyModel,
        orientation: &Orientation,
        support: &mut SupportFoot,
    ) {
        let [left, right] = contact.feet;
        let before = self.foot;
        let other = before.other();
        if left.touching || right.touching {
            let part = contact.feet[other.index()].force / (left.force + right.force);
            support.left_share = left.force / (left.force + right.force);
            if part > self.parameters.takes_over {
                self.foot = other;
            }
        } else {
            support.left_share = 0.5;
            let height = |foot: Foot| (orientation.attitude * body.soles[foot.index()].translation).z;
            if height(other) < height(before) - self.parameters.depth {
                self.foot = other;
            }
        }
        support.foot = self.foot;
        support.changed = self.foot != before;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Pose3;
    use crate::representations::motion::FootContact;
    use glam::Vec3;

    fn support(module: &mut WeightShift, forces: [f32; 2], heights: [f32; 2]) -> SupportFoot {
        let feet = forces.map(|force| FootContact { force, touching: force > 2.0, ..Default::default() });
        let soles = heights.map(|height| Pose3::from_translation(Vec3::Z * height));
        let body = BodyModel { soles, ..Default::default() };
        let mut support = SupportFoot::default();
        module.support_foot(&GroundContact { feet }, &body, &Orientation::default(), &mut support);
        support
    }

    #[test]
    fn the_foot_changes_when_most_of_the_weight_does_and_not_before() {
        let mut module = WeightShift::create(WeightShiftParameters::default());
        let level = [-0.3; 2];
        assert_eq!(support(&mut module, [25.0, 28.0], level).foot, Foot::Left);
        let right = support(&mut module, [10.0, 40.0], level);
        assert_eq!((right.foot, right.changed, right.left_share), (Foot::Right, true, 0.2));
        let still = support(&mut module, [28.0, 25.0], level);
        assert_eq!((still.foot, still.changed), (Foot::Right, false));
    }

    #[test]
    fn in_the_air_the_lower_foot_counts() {
        let mut module = WeightShift::create(WeightShiftParameters::default());
        assert_eq!(support(&mut module, [0.0; 2], [-0.28, -0.3]).foot, Foot::Right);
        assert_eq!(support(&mut module, [0.0; 2], [-0.302, -0.3]).foot, Foot::Right);
    }
}
