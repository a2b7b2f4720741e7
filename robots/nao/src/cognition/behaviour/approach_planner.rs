//! The pose from which to play the ball.

use glam::Vec2;
use hemiola::prelude::*;

use crate::field::{GOAL_WIDTH, LENGTH};
use crate::geometry::{Pose2, normalize_angle};
use crate::representations::behaviour::{Approach, ApproachStage, BallTarget, KickFoot, PlayKind};
use crate::representations::modeling::{WorldBall, WorldModel};

/// Leads the robot behind the ball first, then straight to it, then through it when it dribbles.
///
/// The stage changes when the robot is in the funnel behind the ball; the funnel for leaving it is
/// wider than that for entering.
#[derive(Module)]
pub struct ApproachPlanner {
    #[parameters]
    parameters: ApproachPlannerParameters,
    stage: ApproachStage,
    foot: KickFoot,
}

/// Parameters of [`ApproachPlanner`].
#[derive(Parameters)]
pub struct ApproachPlannerParameters {
    /// The distance of the ball ahead of the robot's centre when it is kicked.
    #[parameter(default = 0.19, range = 0.1..=0.4, unit = "m")]
    ball_distance: f32,
    /// The distance of the ball to the side of the robot's centre when it is kicked.
    #[parameter(default = 0.06, range = 0.0..=0.15, unit = "m")]
    ball_side: f32,
    /// The angle by which a kick deviates to the side of the standing foot; the robot aims to the
    /// other side to compensate.
    #[parameter(default = 0.045, range = -0.5..=0.5, unit = "rad")]
    deviation: f32,
    /// The distance behind the ball at which the last straight piece begins.
    #[parameter(default = 0.38, range = 0.2..=1.0, unit = "m")]
    stand_off: f32,
    /// The distance to keep from the ball on the way there.
    #[parameter(default = 0.28, range = 0.1..=1.0, unit = "m")]
    clearance: f32,
    /// Half the opening angle of the funnel behind the ball.
    #[parameter(default = 0.45, range = 0.1..=1.5, unit = "rad")]
    funnel: f32,
    /// The maximum angle between the robot and the ball's direction in the funnel.
    #[parameter(default = 0.6, range = 0.1..=1.5, unit = "rad")]
    turned: f32,
    /// The distance beyond the ball at which a dribble aims.
    #[parameter(default = 0.4, range = 0.1..=2.0, unit = "m")]
    push: f32,
}

#[module]
impl ApproachPlanner {
    #[update]
    pub(crate) fn approach(&mut self, world: &WorldModel, target: &BallTarget, debug: &Debug, approach: &mut Approach) {
        let Some((ball, play)) = world.ball.zip(target.play).filter(|(ball, _)| !is_in_goal(ball.position)) else {
            self.stage = ApproachStage::Around;
            return;
        };
        self.choose_stage(&Seen::new(&world.robot, &ball, play.direction), play.kind);
        let parameters = &self.parameters;
        let sign = match self.foot {
            KickFoot::Left => 1.0,
            KickFoot::Right => -1.0,
        };
        let side = sign * parameters.ball_side;
        let heading = match play.kind {
            PlayKind::Kick => normalize_angle(play.direction + sign * parameters.deviation),
            PlayKind::Dribble => play.direction,
        };
        approach.ball_place = Vec2::new(parameters.ball_distance, side);
        approach.foot = self.foot;
        approach.stage = self.stage;
        // The target of the robot's centre, relative to the ball with x in its direction.
        let place = match self.stage {
            ApproachStage::Around => Vec2::new(-parameters.stand_off, -side),
            ApproachStage::Close => -approach.ball_place,
            ApproachStage::Push => Vec2::new(parameters.push, -side),
        };
        approach.clearance = if self.stage == ApproachStage::Around { parameters.clearance } else { 0.0 };
        let ball = Pose2 { rotation: heading, translation: ball.rest };
        let target = Pose2 { rotation: heading, translation: ball.transform(place) };
        approach.target = Some(target);
        debug.draw("field/approach", |canvas| {
            canvas.circle(target.translation, 0.1, Color::GREEN);
            canvas.arrow(target.translation, target.transform(Vec2::new(0.2, 0.0)), Color::GREEN);
        });
    }

    fn choose_stage(&mut self, seen: &Seen, kind: PlayKind) {
        let parameters = &self.parameters;
        let wider = if self.stage == ApproachStage::Around { 1.0 } else { 1.6 };
        // The funnel's tip is at the ball, and half of its end is as wide as both feet.
        let half_width = (-seen.robot.x * parameters.funnel.tan()).max(2.0 * parameters.ball_side);
        let is_behind = seen.robot.x < -0.1
            && seen.robot.x > -2.0 * wider * parameters.stand_off
            && seen.robot.y.abs() < half_width * wider
            && seen.turned.abs() < parameters.turned * wider;
        if !is_behind {
            self.stage = ApproachStage::Around;
            self.foot = if seen.robot.y > 0.0 { KickFoot::Right } else { KickFoot::Left };
            return;
        }
        let is_lined_up = (seen.robot.y.abs() - parameters.ball_side).abs() < 0.04
            && seen.turned.abs() < 0.25
            && seen.robot.x > -parameters.stand_off;
        let goes_on = self.stage == ApproachStage::Push;
        self.stage = match kind {
            PlayKind::Dribble if goes_on || is_lined_up => ApproachStage::Push,
            _ => ApproachStage::Close,
        };
    }
}

/// The robot relative to the ball, in a frame along the ball's direction.
struct Seen {
    robot: Vec2,
    /// The angle between the robot and the ball's direction.
    turned: f32,
}

impl Seen {
    fn new(robot: &Pose2, ball: &WorldBall, direction: f32) -> Self {
        let ball = Pose2 { rotation: direction, translation: ball.rest };
        Self { robot: ball.relative(robot.translation), turned: normalize_angle(robot.rotation - direction) }
    }
}

/// Returns whether the ball is so deep in the goal that no error of the robot's pose can explain
/// it.
fn is_in_goal(ball: Vec2) -> bool {
    ball.x > LENGTH / 2.0 + 0.3 && ball.y.abs() < GOAL_WIDTH / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::representations::behaviour::Play;

    fn plan(planner: &mut ApproachPlanner, robot: Pose2, kind: PlayKind) -> Approach {
        let ball = WorldBall { position: Vec2::X, rest: Vec2::X, ..Default::default() };
        let world = WorldModel { robot, ball: Some(ball), ..Default::default() };
        let play = Play { kind, direction: 0.0, tolerance: 0.2, end: Vec2::new(3.0, 0.0) };
        let mut approach = Approach::default();
        planner.approach(&world, &BallTarget { play: Some(play) }, &Debug::default(), &mut approach);
        approach
    }

    fn planner() -> ApproachPlanner {
        ApproachPlanner::create(ApproachPlannerParameters::default())
    }

    #[test]
    fn a_robot_beyond_the_ball_walks_around_it_first() {
        let approach = plan(&mut planner(), Pose2::new(2.0, 0.3, 3.0), PlayKind::Kick);
        assert_eq!(approach.stage, ApproachStage::Around);
        assert!(approach.target.unwrap().translation.x < 0.7 && approach.clearance > 0.2, "{approach:?}");
    }

    #[test]
    fn a_robot_behind_the_ball_brings_it_in_front_of_the_nearer_foot() {
        for (y, foot) in [(0.05, KickFoot::Right), (-0.05, KickFoot::Left)] {
            let mut planner = planner();
            plan(&mut planner, Pose2::new(0.0, y, 0.0), PlayKind::Kick);
            let approach = plan(&mut planner, Pose2::new(0.6, y, 0.1), PlayKind::Kick);
            assert_eq!((approach.stage, approach.foot), (ApproachStage::Close, foot));
            let there = approach.target.unwrap();
            assert!(there.relative(Vec2::X).abs_diff_eq(approach.ball_place, 1e-6));
            assert!(there.translation.y * y > 0.0, "the target is on the robot's side: {there:?}");
        }
    }

    #[test]
    fn a_dribble_goes_through_the_ball() {
        let approach = plan(&mut planner(), Pose2::new(0.75, -0.05, 0.0), PlayKind::Dribble);
        assert_eq!(approach.stage, ApproachStage::Push);
        assert!(approach.target.unwrap().translation.x > 1.2);
    }
}
