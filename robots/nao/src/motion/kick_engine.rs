//! The path of a kicking foot.

use glam::Vec3;
use hemiola::prelude::*;

use super::posture::minimum_jerk;
use crate::geometry::Pose3;
use crate::representations::motion::{KickSwing, StepPlan, SwingKind};

/// Parameters of [`KickEngine`].
#[derive(Parameters)]
pub struct KickEngineParameters {
    /// The distance by which the foot is drawn back behind the standing one.
    #[parameter(default = 0.06, range = 0.0..=0.1, unit = "m")]
    back: f32,
    /// The distance by which the foot shoots beyond the standing one.
    #[parameter(default = 0.13, range = 0.0..=0.16, unit = "m")]
    reach: f32,
    /// The height to which the foot is lifted.
    #[parameter(default = 0.03, range = 0.005..=0.06, unit = "m")]
    lift: f32,
    /// The share of the kick's duration in which the foot is drawn back.
    #[parameter(default = 0.42, range = 0.1..=0.6)]
    draw_back: f32,
    /// The share of the kick's duration in which the foot shoots forward.
    #[parameter(default = 0.2, range = 0.05..=0.4)]
    shoot: f32,
}

/// Draws the foot back, shoots it forward, sets it down: three smooth motions in succession, at one
/// height.
#[derive(Module)]
pub struct KickEngine {
    #[parameters]
    parameters: KickEngineParameters,
}

#[module]
impl KickEngine {
    #[update]
    pub(super) fn kick_swing(&self, plan: &StepPlan, kick: &mut KickSwing) {
        let Some(swing) = plan.now.swing.filter(|swing| swing.kind == SwingKind::Kick) else { return };
        let progress = (plan.frame + 1) as f32 / plan.now.frames as f32;
        let standing = plan.now.feet[swing.foot.other().index()];
        let from = standing.relative(plan.now.feet[swing.foot.index()].translation);
        let to = standing.relative(swing.target.translation);

        let Self { parameters: KickEngineParameters { back, reach, lift, draw_back, shoot } } = self;
        let shot = draw_back + shoot;
        let part = |begin: f32, end: f32| minimum_jerk((progress - begin) / (end - begin));
        let x = from.x
            + (-back - from.x) * part(0.0, *draw_back)
            + (reach + back) * part(*draw_back, shot)
            + (to.x - reach) * part(shot, 1.0);
        let y = from.y + (to.y - from.y) * part(shot, 1.0);
        let z = lift * (part(0.0, 0.6 * draw_back) - part(shot + 0.4 * (1.0 - shot), 1.0));
        let direction = plan.now.feet[swing.foot.index()].rotation;
        let turned = crate::geometry::normalize_angle(swing.target.rotation - direction) * part(shot, 1.0);
        let sole = Pose3::new(glam::Quat::from_rotation_z(direction + turned - standing.rotation), Vec3::new(x, y, z));
        kick.sole = Some(Pose3::above(&standing, 0.0) * sole);
    }
}

#[cfg(test)]
mod tests {
    use super::super::posture::{FRAME, neutral_feet};
    use super::*;
    use crate::geometry::Pose2;
    use crate::representations::motion::{Foot, GaitPhase, Swing};

    fn way(kind: SwingKind) -> Vec<Option<Pose3>> {
        let module = KickEngine::create(KickEngineParameters::default());
        let swing = Some(Swing { foot: Foot::Left, target: Pose2::new(0.03, 0.05, 0.0), kind });
        let now = GaitPhase { frames: 44, feet: neutral_feet(), swing };
        let sole = |frame| {
            let mut kick = KickSwing::default();
            module.kick_swing(&StepPlan { now, frame, ..Default::default() }, &mut kick);
            kick.sole
        };
        (0..44).map(sole).collect()
    }

    #[test]
    fn a_kick_draws_back_shoots_forward_and_lands_flat_on_its_target() {
        let way: Vec<Vec3> = way(SwingKind::Kick).into_iter().map(|sole| sole.unwrap().translation).collect();
        let smallest = way.iter().map(|place| place.x).fold(f32::MAX, f32::min);
        let largest = way.iter().map(|place| place.x).fold(f32::MIN, f32::max);
        assert!(smallest < -0.055 && largest > 0.125, "{smallest} {largest}");
        let fastest = way.windows(2).map(|pair| (pair[1].x - pair[0].x) / FRAME).fold(f32::MIN, f32::max);
        assert!(fastest > 1.5, "{fastest} m/s");
        assert!(way[43].abs_diff_eq(Vec3::new(0.03, 0.05, 0.0), 1e-5), "{}", way[43]);
    }

    #[test]
    fn nothing_is_kicked_in_a_step() {
        assert!(way(SwingKind::Step).iter().all(Option::is_none));
    }
}
