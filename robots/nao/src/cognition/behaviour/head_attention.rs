//! The choice of what to look at.

use std::f32::consts::TAU;

use glam::Vec2;
use hemiola::prelude::*;

use crate::representations::behaviour::{
    Activity, Attention, BallSearch, BehaviorState, Focus, HeadRequest, SearchStage,
};
use crate::representations::modeling::WorldModel;
use crate::representations::motion::TorsoPose;
use crate::robot::Joint;
use crate::robot::dimensions::{LOWER_CAMERA_PITCH, NECK_OFFSET_Z, UPPER_CAMERA_OFFSET};

/// Keeps the ball in sight when it is near, swings to both sides of it for landmarks when it is
/// far, and searches when it is lost.
///
/// The cameras together see from the horizon to the toes: the pitch only matters for what lies
/// right in front of the feet.
#[derive(Module)]
pub struct HeadAttention {
    #[parameters]
    parameters: HeadAttentionParameters,
}

/// Parameters of [`HeadAttention`].
#[derive(Parameters)]
pub struct HeadAttentionParameters {
    /// The distance within which the ball gets all attention.
    #[parameter(default = 0.9, range = 0.0..=10.0, unit = "m")]
    near: f32,
    /// The time without a sighting after which the ball gets all attention.
    #[parameter(default = 0.8, range = 0.0..=10.0, unit = "s")]
    doubt: f32,
    /// The angle to each side of the ball in which landmarks are searched.
    #[parameter(default = 0.7, range = 0.0..=2.0, unit = "rad")]
    swing: f32,
    /// The angle to each side in which a lost ball is searched.
    #[parameter(default = 1.2, range = 0.0..=2.0, unit = "rad")]
    sweep: f32,
    /// The time from one side to the other and back.
    #[parameter(default = 3.5, range = 0.5..=20.0, unit = "s")]
    period: f32,
}

#[module]
impl HeadAttention {
    /// The head need not wait for the decision what to do: the previous one is good enough to
    /// decide whether to look away.
    #[update]
    pub(crate) fn attention(&self, world: &WorldModel, behavior: Previous<BehaviorState>, attention: &mut Attention) {
        attention.focus = match (&world.ball, behavior.activity) {
            (_, Activity::IsDown | Activity::Penalised) => Focus::Ahead,
            (None, _) => Focus::Search,
            (Some(_), Activity::Kicks | Activity::Dribbles) => Focus::Ball,
            (Some(ball), _) => {
                let may_look_away = ball.relative.length() > self.parameters.near;
                if may_look_away && ball.unseen_for < self.parameters.doubt { Focus::Landmarks } else { Focus::Ball }
            }
        };
    }

    #[update]
    pub(crate) fn head_request(
        &self,
        attention: &Attention,
        world: &WorldModel,
        search: &BallSearch,
        torso: &TorsoPose,
        clock: &Clock,
        request: &mut HeadRequest,
    ) {
        let swing = (clock.now().seconds() * f64::from(TAU / self.parameters.period)).sin() as f32;
        let ball = world.ball.map_or(Vec2::X, |ball| ball.relative);
        let (yaw, target) = match attention.focus {
            Focus::Ahead => (0.0, Vec2::X),
            Focus::Ball => (ball.to_angle(), ball),
            Focus::Landmarks => (ball.to_angle() + self.parameters.swing * swing, ball),
            Focus::Search => {
                let target = world.robot.relative(search.look_at);
                let ahead = if search.stage == SearchStage::Look { 0.0 } else { target.to_angle().clamp(-1.0, 1.0) };
                (ahead + self.parameters.sweep * swing, target)
            }
        };
        let height = torso.height + NECK_OFFSET_Z + UPPER_CAMERA_OFFSET.z;
        // A little above the centre of the lower image, so that the upper camera sees as much of
        // the field as possible.
        let down = height.atan2(target.length()) - (LOWER_CAMERA_PITCH - 0.1);
        request.yaw = Joint::HeadYaw.clamp(yaw);
        request.pitch = Joint::HeadPitch.clamp(down.max(0.0));
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::representations::modeling::WorldBall;

    fn look(ball: Option<Vec2>, seconds: f64) -> (Focus, HeadRequest) {
        let attention = HeadAttention::create(HeadAttentionParameters::default());
        let ball = ball.map(|relative| WorldBall { relative, ..Default::default() });
        let world = WorldModel { ball, ..Default::default() };
        let (mut focus, mut request) = (Attention::default(), HeadRequest::default());
        attention.attention(&world, Previous::new(&BehaviorState::default()), &mut focus);
        let clock = Clock::new(Time::from_seconds(seconds), Duration::ZERO, 0);
        let search = BallSearch { stage: SearchStage::Look, ..Default::default() };
        attention.head_request(&focus, &world, &search, &TorsoPose::default(), &clock, &mut request);
        (focus.focus, request)
    }

    #[test]
    fn a_near_ball_is_looked_at_and_the_head_bows_for_one_at_the_feet() {
        let (focus, request) = look(Some(Vec2::new(0.4, 0.4)), 1.0);
        assert_eq!(focus, Focus::Ball);
        assert!((request.yaw - std::f32::consts::FRAC_PI_4).abs() < 1e-6);
        let (_, close) = look(Some(Vec2::new(0.19, 0.05)), 1.0);
        assert!(close.pitch > request.pitch && close.pitch <= Joint::HeadPitch.limits().1, "{close:?}");
    }

    #[test]
    fn a_far_ball_leaves_time_for_landmarks_on_both_sides() {
        let yaws = (0..40).map(|step| look(Some(Vec2::new(3.0, 0.0)), f64::from(step) * 0.1).1.yaw);
        let (least, most) = yaws.fold((0.0_f32, 0.0_f32), |(least, most), yaw| (least.min(yaw), most.max(yaw)));
        assert!(least < -0.6 && most > 0.6, "{least} {most}");
    }

    #[test]
    fn a_lost_ball_is_searched_within_the_neck_s_limits() {
        for step in 0..40_u8 {
            let (focus, request) = look(None, f64::from(step) * 0.1);
            assert_eq!(focus, Focus::Search);
            assert_eq!(Joint::HeadYaw.clamp(request.yaw), request.yaw);
        }
    }
}
