//! The position of the ball on the field.

use glam::Vec2;
use hemiola::prelude::*;

use crate::field::{BALL_RADIUS, BORDER, LENGTH, WIDTH};
use crate::representations::modeling::{BallModel, BallPrediction, FieldBall, RobotPose};

/// Transforms the ball, which is known relative to the robot, to the field, and remembers its path.
#[derive(Module)]
pub struct FieldBallLocator {
    last_position: Option<Vec2>,
}

#[module]
impl FieldBallLocator {
    #[update]
    pub(crate) fn field_ball(
        &mut self,
        ball: &BallModel,
        prediction: &BallPrediction,
        robot: &RobotPose,
        clock: &Clock,
        debug: &Debug,
        field_ball: &mut FieldBall,
    ) {
        let seen_ago = ball.last_seen.map(|seen| clock.now().since(seen).as_secs_f32());
        field_ball.unseen_for = seen_ago.unwrap_or(f32::INFINITY);
        field_ball.position = ball.position.map(|position| within_boards(robot.pose.transform(position)));
        field_ball.rest = prediction.rest.map(|rest| within_boards(robot.pose.transform(rest)));
        field_ball.velocity = Vec2::from_angle(robot.pose.rotation).rotate(ball.velocity);
        self.last_position = field_ball.position.or(self.last_position);
        field_ball.last_position = self.last_position;
        debug.draw("field/ball", |canvas| {
            let Some(position) = field_ball.position else { return };
            canvas.circle(position, BALL_RADIUS, Color::ORANGE);
            canvas.arrow(position, position + field_ball.velocity, Color::ORANGE);
        });
    }
}

/// Limits a position to the area within the boards around the carpet.
fn within_boards(position: Vec2) -> Vec2 {
    let limit = Vec2::new(LENGTH, WIDTH) / 2.0 + BORDER - BALL_RADIUS;
    position.clamp(-limit, limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Pose2;

    #[test]
    fn the_ball_is_turned_onto_the_field_stays_on_the_carpet_and_is_remembered() {
        let mut locator = FieldBallLocator { last_position: None };
        let robot = RobotPose { pose: Pose2::new(1.0, 2.0, std::f32::consts::FRAC_PI_2), quality: 1.0 };
        let mut run = |ball: &BallModel, rest| {
            let mut field_ball = FieldBall::default();
            let prediction = BallPrediction { rest, ..Default::default() };
            let clock = Clock::new(Time::from_seconds(2.0), std::time::Duration::ZERO, 0);
            locator.field_ball(ball, &prediction, &robot, &clock, &Debug::default(), &mut field_ball);
            field_ball
        };
        let ball = BallModel { position: Some(Vec2::X), velocity: Vec2::X, last_seen: Some(Time::from_seconds(1.5)) };
        let known = run(&ball, Some(Vec2::new(5.0, 0.0)));
        assert!(known.position.unwrap().abs_diff_eq(Vec2::new(1.0, 3.0), 1e-6));
        assert!(known.rest.unwrap().abs_diff_eq(Vec2::new(1.0, 3.65), 1e-6));
        assert!(known.velocity.abs_diff_eq(Vec2::Y, 1e-6));
        assert_eq!(known.unseen_for, 0.5);
        let unknown = run(&BallModel::default(), None);
        assert_eq!((unknown.position, unknown.last_position), (None, known.position));
        assert_eq!(unknown.unseen_for, f32::INFINITY);
    }
}
