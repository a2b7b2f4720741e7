//! The choice of where to play the ball.

use std::f32::consts::TAU;

use glam::Vec2;
use hemiola::prelude::*;

use crate::field::{BALL_RADIUS, GOAL_DEPTH, GOAL_WIDTH, LENGTH, OPPONENT_GOAL, WIDTH};
use crate::geometry::normalize_angle;
use crate::representations::behaviour::{Activity, BallTarget, BehaviorState, Play, PlayKind};
use crate::representations::modeling::{WorldBall, WorldModel, WorldObstacle};

/// The number of directions that are tried all around.
const DIRECTIONS: u16 = 40;
/// The number of points of the goal that are aimed at.
const AIMS: u16 = 7;

/// Rates kicks and dribbles in many directions by the time until the ball is in the goal, and
/// selects the fastest.
///
/// The time is the sum of walking behind the ball, playing it, and the rest from where it ends;
/// plays that are blocked, leave the field or end at a narrow angle to the goal cost more. The last
/// choice gets a bonus, so that the robot does not alternate between two; and while it kicks,
/// nothing changes.
#[derive(Module)]
pub struct TargetSelector {
    #[parameters]
    parameters: TargetSelectorParameters,
    last: Option<Play>,
}

/// Parameters of [`TargetSelector`].
#[derive(Parameters)]
pub struct TargetSelectorParameters {
    /// The distance that a kick rolls the ball.
    #[parameter(default = 5.0, range = 0.2..=8.0, unit = "m")]
    kick_length: f32,
    /// The distance that one dribble moves the ball.
    #[parameter(default = 0.8, range = 0.1..=3.0, unit = "m")]
    dribble_length: f32,
    /// The average speed of the robot when it walks.
    #[parameter(default = 0.2, range = 0.02..=1.0, unit = "m/s")]
    walk_speed: f32,
    /// The average speed of the robot when it dribbles.
    #[parameter(default = 0.15, range = 0.02..=1.0, unit = "m/s")]
    dribble_speed: f32,
    /// The time that lining up for a kick takes.
    #[parameter(default = 3.0, range = 0.0..=20.0, unit = "s")]
    kick_time: f32,
    /// The deviation of a ball to each side, per metre.
    #[parameter(default = 0.12, range = 0.0..=1.0)]
    straying: f32,
    /// The cost of an obstacle in the way.
    #[parameter(default = 15.0, range = 0.0..=60.0, unit = "s")]
    blocked: f32,
    /// The cost of leaving the field.
    #[parameter(default = 25.0, range = 0.0..=60.0, unit = "s")]
    out: f32,
    /// The time by which another choice must be better.
    #[parameter(default = 1.5, range = 0.0..=10.0, unit = "s")]
    loyalty: f32,
}

#[module]
impl TargetSelector {
    /// `BehaviorState` depends on the approach, and that on this target: so this reads the previous
    /// one.
    #[update]
    pub(crate) fn ball_target(
        &mut self,
        world: &WorldModel,
        behavior: Previous<BehaviorState>,
        debug: &Debug,
        target: &mut BallTarget,
    ) {
        let Some(ball) = world.ball else {
            self.last = None;
            return;
        };
        if behavior.activity != Activity::Kicks || self.last.is_none() {
            self.last = self.fastest(world, &ball);
        }
        target.play = self.last;
        debug.draw("field/target", |canvas| {
            if let Some(play) = &self.last {
                canvas.arrow(ball.rest, play.end, Color::YELLOW);
            }
        });
    }

    fn fastest(&self, world: &WorldModel, ball: &WorldBall) -> Option<Play> {
        let around = (0..DIRECTIONS).map(|index| f32::from(index) / f32::from(DIRECTIONS) * TAU);
        let aims = (0..AIMS).map(|index| {
            let part = (f32::from(index) + 0.5) / f32::from(AIMS) - 0.5;
            (OPPONENT_GOAL + Vec2::Y * (part * GOAL_WIDTH) - ball.rest).to_angle()
        });
        let last = self.last.map(|play| play.direction);
        let directions = around.chain(aims).chain(last);
        let plays = directions.flat_map(|direction| {
            [PlayKind::Kick, PlayKind::Dribble].map(|kind| self.play(ball.rest, kind, normalize_angle(direction)))
        });
        plays
            .map(|play| (play, self.time(world, ball.rest, &play)))
            .min_by(|a, b| a.1.total_cmp(&b.1))
            .map(|best| best.0)
    }

    fn play(&self, ball: Vec2, kind: PlayKind, direction: f32) -> Play {
        let length = match kind {
            PlayKind::Kick => self.parameters.kick_length,
            PlayKind::Dribble => self.parameters.dribble_length,
        };
        let goal = into_goal(ball, direction).filter(|goal| goal.length < length);
        let end = goal.as_ref().map_or(ball + Vec2::from_angle(direction) * length, |goal| goal.place);
        // The spread of kicks and of the robot's own pose reduces the goal's opening.
        let tolerance = goal.map_or(0.25, |goal| (0.7 * goal.opening).clamp(0.06, 0.3));
        Play { kind, direction, tolerance, end }
    }

    /// Estimates the time until the ball is in the goal, in seconds.
    fn time(&self, world: &WorldModel, ball: Vec2, play: &Play) -> f32 {
        let parameters = &self.parameters;
        let way = play.end - ball;
        let play_time = match play.kind {
            PlayKind::Kick => parameters.kick_time,
            PlayKind::Dribble => way.length() / parameters.dribble_speed,
        };
        let blocked = world.obstacles.iter().filter(|obstacle| self.is_in_way(ball, way, play.kind, obstacle)).count();
        let is_out = play.end.y.abs() > WIDTH / 2.0 - 0.2 || play.end.x.abs() > LENGTH / 2.0 && !ends_in_goal(play);
        let out = if is_out { parameters.out } else { 0.0 };
        let loyalty = match &self.last {
            Some(last) if last.kind == play.kind => {
                parameters.loyalty * (normalize_angle(last.direction - play.direction).abs() / 0.3).min(1.0)
            }
            Some(_) => parameters.loyalty,
            None => 0.0,
        };
        self.walk_time(world, ball, play)
            + play_time
            + blocked as f32 * parameters.blocked
            + out
            + loyalty
            + self.remaining_time(play)
    }

    /// Estimates the time from the robot's position to behind the ball, around it if necessary.
    fn walk_time(&self, world: &WorldModel, ball: Vec2, play: &Play) -> f32 {
        let behind = ball - Vec2::from_angle(play.direction) * 0.3;
        let way = behind - world.robot.translation;
        let detour =
            0.6 * (0.5 - (world.robot.translation - ball).normalize_or_zero().dot((behind - ball) / 0.3) / 2.0);
        let turn = normalize_angle(play.direction - world.robot.rotation).abs();
        (way.length() + detour) / self.parameters.walk_speed + turn
    }

    /// Estimates the time from where the ball ends to the goal: the robot walks after it and plays
    /// it again, with more care from a narrow angle.
    fn remaining_time(&self, play: &Play) -> f32 {
        if ends_in_goal(play) {
            return 0.0;
        }
        let way = OPPONENT_GOAL - play.end;
        let narrow = 1.0 - way.normalize_or(Vec2::X).x.max(0.0);
        (way.length() - self.parameters.kick_length / 2.0).max(0.0) / self.parameters.walk_speed
            + self.parameters.kick_time
            + 10.0 * narrow
    }

    fn is_in_way(&self, ball: Vec2, way: Vec2, kind: PlayKind, obstacle: &WorldObstacle) -> bool {
        let length = way.length().max(f32::EPSILON);
        let along = (obstacle.position - ball).dot(way) / length;
        let across = ((obstacle.position - ball).perp_dot(way) / length).abs();
        // The robot itself passes through the area behind the ball.
        let from = if kind == PlayKind::Dribble { -0.2 } else { 0.0 };
        let width = if kind == PlayKind::Dribble { 0.15 } else { BALL_RADIUS };
        let reach = obstacle.radius + width;
        along > from && along < length + reach && across < reach + self.parameters.straying * along.max(0.0)
    }
}

fn ends_in_goal(play: &Play) -> bool {
    (LENGTH / 2.0..LENGTH / 2.0 + GOAL_DEPTH).contains(&play.end.x) && play.end.y.abs() < GOAL_WIDTH / 2.0
}

/// The point at which a played ball enters the opponent's goal.
struct GoalHit {
    place: Vec2,
    length: f32,
    /// The angle from there to the nearer post, in radians.
    opening: f32,
}

fn into_goal(ball: Vec2, direction: f32) -> Option<GoalHit> {
    let way = Vec2::from_angle(direction);
    // The whole ball must be behind the line; a ball that seems to be there already is played a
    // little further to make sure.
    let depth = (LENGTH / 2.0 + 2.0 * BALL_RADIUS - ball.x).max(0.2);
    if way.x < 0.2 {
        return None;
    }
    let length = depth / way.x;
    let place = ball + way * length;
    let half = GOAL_WIDTH / 2.0 - BALL_RADIUS;
    let posts = (LENGTH / 2.0).max(ball.x + BALL_RADIUS);
    let angle = |y: f32| (Vec2::new(posts, y) - ball).to_angle();
    let opening = (angle(half) - direction).min(direction - angle(-half));
    (place.y.abs() < half && opening > 0.0).then_some(GoalHit { place, length, opening })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field::POSTS;
    use crate::geometry::Pose2;

    fn select(robot: Pose2, ball: Vec2, obstacles: &[Vec2]) -> Play {
        let mut selector = TargetSelector::create(TargetSelectorParameters::default());
        let obstacles = obstacles.iter().map(|position| WorldObstacle { position: *position, radius: 0.15 }).collect();
        let ball = WorldBall { position: ball, rest: ball, ..Default::default() };
        let world = WorldModel { robot, ball: Some(ball), obstacles, ..Default::default() };
        let mut target = BallTarget::default();
        selector.ball_target(&world, Previous::new(&BehaviorState::default()), &Debug::default(), &mut target);
        target.play.unwrap()
    }

    #[test]
    fn near_the_goal_the_ball_is_shot_into_it() {
        let play = select(Pose2::new(2.0, 0.3, 0.0), Vec2::new(3.0, 0.3), &[]);
        assert_eq!(play.kind, PlayKind::Kick);
        assert!(play.end.x > LENGTH / 2.0 && play.end.y.abs() < GOAL_WIDTH / 2.0, "{play:?}");
        assert!(play.tolerance > 0.06);
    }

    #[test]
    fn beside_the_goal_the_ball_is_not_shot_past_it() {
        for y in [1.1, -1.1] {
            let play = select(Pose2::new(3.6, y, 0.0), Vec2::new(4.1, y), &POSTS);
            let is_in = play.end.x > LENGTH / 2.0 && play.end.x < LENGTH / 2.0 + GOAL_DEPTH;
            assert!(play.end.x < LENGTH / 2.0 || is_in && play.end.y.abs() < GOAL_WIDTH / 2.0, "{play:?}");
        }
    }

    #[test]
    fn from_the_middle_the_ball_goes_ahead_and_stays_on_the_field() {
        let play = select(Pose2::new(-1.4, -2.9, 1.5), Vec2::new(0.2, 0.3), &[]);
        assert!(play.direction.abs() < 0.7 && play.end.x > 1.5, "{play:?}");
        let corner = select(Pose2::new(0.0, 2.5, 0.0), Vec2::new(0.5, 2.8), &[]);
        assert!(corner.end.y.abs() < WIDTH / 2.0, "{corner:?}");
    }

    #[test]
    fn an_obstacle_in_the_way_is_not_shot_at() {
        let obstacle = Vec2::new(1.5, 0.0);
        let play = select(Pose2::new(-1.0, 0.0, 0.0), Vec2::ZERO, &[obstacle]);
        let off = obstacle.perp_dot(Vec2::from_angle(play.direction)).abs();
        assert!(play.kind == PlayKind::Dribble || off > 0.2 + 0.15, "{play:?}");
    }

    #[test]
    fn a_choice_is_kept_while_kicking() {
        let mut selector = TargetSelector::create(TargetSelectorParameters::default());
        let mut run = |ball: Vec2, activity| {
            let ball = WorldBall { position: ball, rest: ball, ..Default::default() };
            let world = WorldModel { ball: Some(ball), ..Default::default() };
            let behavior = BehaviorState { activity, lasts: 0.1 };
            let mut target = BallTarget::default();
            selector.ball_target(&world, Previous::new(&behavior), &Debug::default(), &mut target);
            target.play
        };
        let aligned = run(Vec2::new(0.2, 0.0), Activity::Approaches);
        assert_eq!(run(Vec2::new(1.0, 2.0), Activity::Kicks), aligned);
        assert_ne!(run(Vec2::new(1.0, 2.0), Activity::Approaches), aligned);
    }
}
