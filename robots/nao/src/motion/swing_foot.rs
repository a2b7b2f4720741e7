//! The targets of the soles.

use glam::Vec3;
use hemiola::prelude::*;

use super::posture::minimum_jerk;
use crate::geometry::{Pose2, Pose3, normalize_angle};
use crate::representations::motion::{Foot, FootTargets, KickSwing, StepPlan, Swing};

/// Parameters of [`SwingFoot`].
#[derive(Parameters)]
pub struct SwingFootParameters {
    /// The height to which a swinging foot is lifted.
    #[parameter(default = 0.022, range = 0.005..=0.06, unit = "m")]
    lift: f32,
    /// The number of runs at either end of a step in which both feet stay on the ground.
    #[parameter(default = 2, range = 0..=6)]
    double_support: u32,
}

/// Moves the swinging foot from where it stood to where it lands: level all the way, fast in the
/// middle, and with zero speed at both ends. The torso turns with it, always halfway between the
/// feet.
#[derive(Module)]
pub struct SwingFoot {
    #[parameters]
    parameters: SwingFootParameters,
}

#[module]
impl SwingFoot {
    #[update]
    pub(super) fn foot_targets(&self, plan: &StepPlan, kick: &KickSwing, targets: &mut FootTargets) {
        targets.soles = plan.now.feet.map(|foot| Pose3::above(&foot, 0.0));
        let mut feet = plan.now.feet;
        if let Some(swing) = plan.now.swing {
            let from = plan.now.feet[swing.foot.index()];
            targets.soles[swing.foot.index()] = kick.sole.unwrap_or_else(|| self.on_the_way(plan, &from, &swing));
            feet[swing.foot.index()] = targets.soles[swing.foot.index()].on_ground();
        }
        let [left, right] = [Foot::Left, Foot::Right].map(|foot| feet[foot.index()].rotation);
        targets.torso_yaw = right + normalize_angle(left - right) / 2.0;
    }

    fn on_the_way(&self, plan: &StepPlan, from: &Pose2, swing: &Swing) -> Pose3 {
        let planted = self.parameters.double_support as f32;
        let frames = (plan.now.frames as f32 - 2.0 * planted).max(1.0);
        let progress = (((plan.frame + 1) as f32 - planted) / frames).clamp(0.0, 1.0);
        let part = minimum_jerk(progress);
        let ground = Pose2 {
            rotation: from.rotation + part * normalize_angle(swing.target.rotation - from.rotation),
            translation: from.translation.lerp(swing.target.translation, part),
        };
        let mut sole = Pose3::above(&ground, 0.0);
        sole.translation += Vec3::Z * (self.parameters.lift * arch(progress));
        sole
    }
}

/// Returns a curve up to 1 and down to 0 again, with zero speed at both ends.
fn arch(progress: f32) -> f32 {
    let half = progress * (1.0 - progress);
    16.0 * half * half
}

#[cfg(test)]
mod tests {
    use super::super::posture::neutral_feet;
    use super::*;
    use crate::representations::motion::{GaitPhase, SwingKind};

    fn targets(frame: u32, kick: &KickSwing) -> FootTargets {
        let module = SwingFoot::create(SwingFootParameters::default());
        let swing = Some(Swing { foot: Foot::Right, target: Pose2::new(0.06, -0.05, 0.2), kind: SwingKind::Step });
        let now = GaitPhase { frames: 21, feet: neutral_feet(), swing };
        let mut targets = FootTargets::default();
        module.foot_targets(&StepPlan { now, frame, ..Default::default() }, kick, &mut targets);
        targets
    }

    #[test]
    fn a_foot_rises_travels_and_lands_while_the_other_stays() {
        let way: Vec<_> = (0..21).map(|frame| targets(frame, &KickSwing::default())).collect();
        assert!(way.iter().all(|targets| targets.soles[0].translation == Vec3::new(0.0, 0.05, 0.0)));
        let height = |frame: usize| way[frame].soles[1].translation.z;
        assert!(height(0) == 0.0 && height(1) == 0.0 && height(20) == 0.0 && height(9) > 0.02);
        let landed = way[20].soles[1];
        assert!(landed.translation.abs_diff_eq(Vec3::new(0.06, -0.05, 0.0), 1e-6));
        assert!((landed.rotation * Vec3::Z).z > 0.99999);
        assert!((way[20].torso_yaw - 0.1).abs() < 1e-5 && way[0].torso_yaw.abs() < 1e-5);
    }

    #[test]
    fn a_kick_takes_the_place_of_the_step() {
        let sole = Pose3::from_translation(Vec3::new(0.1, -0.05, 0.03));
        assert_eq!(targets(10, &KickSwing { sole: Some(sole) }).soles[1], sole);
    }
}
