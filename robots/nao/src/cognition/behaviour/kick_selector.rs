//! The decision to kick.

use hemiola::prelude::*;

use crate::geometry::normalize_angle;
use crate::representations::behaviour::{Approach, ApproachStage, BallTarget, KickDecision, KickFoot, Play, PlayKind};
use crate::representations::modeling::{WorldBall, WorldModel};

/// Kicks when the ball lies in front of the foot and the robot faces the target.
///
/// A kick takes some steps: the decision holds until the ball is gone or the kick takes too long.
#[derive(Module)]
pub struct KickSelector {
    #[parameters]
    parameters: KickSelectorParameters,
    kick: Option<(KickFoot, Time)>,
    ended: Option<Time>,
}

/// Parameters of [`KickSelector`].
#[derive(Parameters)]
pub struct KickSelectorParameters {
    /// The distance by which the ball may be farther ahead than planned.
    #[parameter(default = 0.035, range = 0.0..=0.2, unit = "m")]
    farther: f32,
    /// The distance by which the ball may be nearer than planned.
    #[parameter(default = 0.05, range = 0.0..=0.2, unit = "m")]
    nearer: f32,
    /// The distance by which the ball may be to the side of the foot.
    #[parameter(default = 0.025, range = 0.0..=0.2, unit = "m")]
    aside: f32,
    /// The maximum speed of a ball that is kicked.
    #[parameter(default = 0.25, range = 0.0..=2.0, unit = "m/s")]
    speed: f32,
    /// The maximum duration of a kick, including the steps to stop before it.
    #[parameter(default = 2.5, range = 0.1..=5.0, unit = "s")]
    longest: f32,
    /// The distance from which on the ball is gone.
    #[parameter(default = 0.4, range = 0.1..=2.0, unit = "m")]
    gone: f32,
    /// The pause between kicks.
    #[parameter(default = 0.5, range = 0.0..=5.0, unit = "s")]
    pause: f32,
}

#[module]
impl KickSelector {
    #[update]
    pub(crate) fn kick(
        &mut self,
        world: &WorldModel,
        target: &BallTarget,
        approach: &Approach,
        clock: &Clock,
        decision: &mut KickDecision,
    ) {
        let now = clock.now();
        if let Some((foot, since)) = self.kick {
            let is_gone = world.ball.is_none_or(|ball| ball.relative.length() > self.parameters.gone);
            if is_gone || now.since(since).as_secs_f32() > self.parameters.longest {
                self.kick = None;
                self.ended = Some(now);
            } else {
                decision.foot = Some(foot);
            }
            return;
        }
        let is_pausing = self.ended.is_some_and(|ended| now.since(ended).as_secs_f32() < self.parameters.pause);
        let Some((ball, play)) = world.ball.zip(target.play) else { return };
        if !is_pausing && self.is_ready(world, &ball, &play, approach) {
            self.kick = Some((approach.foot, now));
            decision.foot = Some(approach.foot);
        }
    }

    fn is_ready(&self, world: &WorldModel, ball: &WorldBall, play: &Play, approach: &Approach) -> bool {
        let parameters = &self.parameters;
        let Some(target) = approach.target else { return false };
        let off = ball.relative - approach.ball_place;
        let turned = normalize_angle(world.robot.rotation - target.rotation);
        play.kind == PlayKind::Kick
            && approach.stage == ApproachStage::Close
            && (-parameters.nearer..=parameters.farther).contains(&off.x)
            && off.y.abs() <= parameters.aside
            && turned.abs() <= play.tolerance
            && ball.velocity.length() <= parameters.speed
            && ball.unseen_for < 0.7
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use glam::Vec2;

    use super::*;
    use crate::geometry::Pose2;

    fn decide(selector: &mut KickSelector, seconds: f64, ball: Vec2, direction: f32) -> Option<KickFoot> {
        let world = WorldModel { ball: Some(WorldBall { relative: ball, ..Default::default() }), ..Default::default() };
        let play = Play { direction, tolerance: 0.15, ..Default::default() };
        let approach = Approach {
            stage: ApproachStage::Close,
            target: Some(Pose2 { rotation: direction, ..Default::default() }),
            foot: KickFoot::Right,
            ball_place: Vec2::new(0.19, -0.05),
            ..Default::default()
        };
        let mut decision = KickDecision::default();
        let clock = Clock::new(Time::from_seconds(seconds), Duration::ZERO, 0);
        selector.kick(&world, &BallTarget { play: Some(play) }, &approach, &clock, &mut decision);
        decision.foot
    }

    #[test]
    fn a_kick_needs_the_ball_before_the_foot_and_the_right_direction() {
        let fresh = || KickSelector::create(KickSelectorParameters::default());
        let here = Vec2::new(0.18, -0.06);
        assert_eq!(decide(&mut fresh(), 0.0, here, 0.1), Some(KickFoot::Right));
        assert_eq!(decide(&mut fresh(), 0.0, here, 0.3), None, "turned away");
        assert_eq!(decide(&mut fresh(), 0.0, Vec2::new(0.18, 0.05), 0.1), None, "before the other foot");
        assert_eq!(decide(&mut fresh(), 0.0, Vec2::new(0.3, -0.05), 0.1), None, "too far");
    }

    #[test]
    fn a_kick_lasts_until_the_ball_is_gone_and_is_given_up_if_it_is_not() {
        let mut selector = KickSelector::create(KickSelectorParameters::default());
        let here = Vec2::new(0.19, -0.05);
        assert!(decide(&mut selector, 0.0, here, 0.0).is_some());
        assert!(decide(&mut selector, 0.5, Vec2::new(0.25, -0.1), 1.0).is_some(), "it is on its way");
        assert!(decide(&mut selector, 0.6, Vec2::new(0.5, 0.0), 0.0).is_none(), "gone");
        assert!(decide(&mut selector, 0.8, here, 0.0).is_none(), "pause");
        assert!(decide(&mut selector, 1.2, here, 0.0).is_some());
        assert!(decide(&mut selector, 4.0, here, 0.0).is_none(), "too long");
    }
}
