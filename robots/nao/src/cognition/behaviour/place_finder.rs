//! The place to take before a kick-off, away from a ball that is the other team's, and while a mate
//! goes to the ball.

use glam::Vec2;
use hemiola::prelude::*;

use crate::geometry::{Pose2, normalize_angle};
use crate::representations::behaviour::{GamePhase, GameState, Place, TeamRole};
use crate::representations::modeling::WorldModel;

/// Finds the place that the rules demand: for a kick-off behind the ball or outside the centre
/// circle, and away from a ball that is the other team's; and the place of the robot's part in its
/// team, which lies behind the places for a kick-off then.
///
/// A place is taken when the robot is near it, and again when it has been left farther, so that a
/// robot that stands does not take steps because of small errors of its pose.
#[derive(Module)]
pub struct PlaceFinder {
    #[parameters]
    parameters: PlaceFinderParameters,
    has_arrived: bool,
    /// True while the robot walks away from a ball.
    leaves: bool,
}

/// Parameters of [`PlaceFinder`].
#[derive(Parameters)]
pub struct PlaceFinderParameters {
    /// The place for the team's own kick-off: x on the field.
    #[parameter(default = -0.6, range = -4.5..=-0.2, unit = "m")]
    own_x: f32,
    /// The place for the team's own kick-off: y on the field.
    #[parameter(default = 0.0, range = -3.0..=3.0, unit = "m")]
    own_y: f32,
    /// The place for the other team's kick-off: x on the field, outside the centre circle.
    #[parameter(default = -1.2, range = -4.5..=-0.2, unit = "m")]
    their_x: f32,
    /// The place for the other team's kick-off: y on the field.
    #[parameter(default = 0.0, range = -3.0..=3.0, unit = "m")]
    their_y: f32,
    /// The distance to keep from a ball that is the other team's.
    #[parameter(default = 0.9, range = 0.75..=3.0, unit = "m")]
    apart: f32,
    /// The distance from the place at which it is taken.
    #[parameter(default = 0.1, range = 0.02..=1.0, unit = "m")]
    near: f32,
    /// The angle from the place's direction at which it is taken.
    #[parameter(default = 0.15, range = 0.02..=3.0, unit = "rad")]
    turned: f32,
    /// The factor of both by which a place that was taken must be left.
    #[parameter(default = 3.0, range = 1.0..=10.0)]
    slack: f32,
    /// The distance to keep from the ball on the way.
    #[parameter(default = 0.35, range = 0.0..=2.0, unit = "m")]
    clearance: f32,
}

#[module]
impl PlaceFinder {
    #[update]
    pub(crate) fn place(&mut self, game: &GameState, role: &TeamRole, world: &WorldModel, place: &mut Place) {
        let Some(target) = self.target(game.phase, role.post, world) else {
            self.has_arrived = false;
            return;
        };
        let parameters = &self.parameters;
        let slack = if self.has_arrived { parameters.slack } else { 1.0 };
        let distance = world.robot.translation.distance(target.translation);
        let turned = normalize_angle(world.robot.rotation - target.rotation).abs();
        self.has_arrived = distance < slack * parameters.near && turned < slack * parameters.turned;
        if !self.has_arrived {
            place.target = Some(target);
            place.clearance = parameters.clearance;
        }
    }

    /// Returns where the robot should stand, if the rules or its part demand a place.
    fn target(&mut self, phase: GamePhase, post: Option<Pose2>, world: &WorldModel) -> Option<Pose2> {
        let parameters = &self.parameters;
        let has_left = !std::mem::take(&mut self.leaves);
        // In the own half, and behind the striker.
        let for_kick_off = |post: Pose2, x: f32| {
            let least = x - parameters.apart;
            Pose2 { translation: Vec2::new(post.translation.x.min(least), post.translation.y), rotation: 0.0 }
        };
        match (phase, post) {
            (GamePhase::Playing, post) => post,
            (GamePhase::OwnKickOff, Some(post)) => Some(for_kick_off(post, parameters.own_x)),
            (GamePhase::TheirKickOff, Some(post)) => Some(for_kick_off(post, parameters.their_x)),
            (GamePhase::OwnKickOff, None) => Some(Pose2::new(parameters.own_x, parameters.own_y, 0.0)),
            (GamePhase::TheirKickOff, None) => Some(Pose2::new(parameters.their_x, parameters.their_y, 0.0)),
            (GamePhase::Yields, _) => {
                let ball = world.ball?.rest;
                let away = world.robot.translation - ball;
                // Towards the own goal from a ball at the robot's own place.
                let away = away.try_normalize().unwrap_or(Vec2::NEG_X);
                let slack = if has_left { 0.0 } else { parameters.near };
                self.leaves = world.robot.translation.distance(ball) < parameters.apart + slack;
                let place = ball + away * (parameters.apart + 2.0 * parameters.near);
                self.leaves.then(|| Pose2 { rotation: (-away).to_angle(), translation: place })
            }
            (GamePhase::Ready | GamePhase::Scored | GamePhase::Stopped | GamePhase::Penalised, _) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::representations::modeling::WorldBall;

    fn finder() -> PlaceFinder {
        PlaceFinder::create(PlaceFinderParameters::default())
    }

    fn find(finder: &mut PlaceFinder, phase: GamePhase, robot: Pose2, ball: Option<Vec2>) -> Option<Pose2> {
        let ball = ball.map(|rest| WorldBall { rest, ..WorldBall::default() });
        let world = WorldModel { robot, ball, ..WorldModel::default() };
        let mut place = Place::default();
        finder.place(&GameState { phase, lasts: 0.0 }, &TeamRole::default(), &world, &mut place);
        place.target
    }

    #[test]
    fn who_has_a_post_goes_there_and_for_a_kick_off_stays_in_the_own_half() {
        let post = Pose2::new(2.0, 1.0, 0.5);
        let role = TeamRole { post: Some(post), ..TeamRole::default() };
        for (phase, most) in [(GamePhase::Playing, 2.0), (GamePhase::OwnKickOff, -1.5), (GamePhase::TheirKickOff, -2.1)]
        {
            let mut place = Place::default();
            finder().place(&GameState { phase, lasts: 0.0 }, &role, &WorldModel::default(), &mut place);
            let target = place.target.unwrap().translation;
            assert!((target - Vec2::new(most, 1.0)).length() < 1e-6, "{phase:?}: {target}");
        }
        let mut place = Place::default();
        finder().place(&GameState { phase: GamePhase::Stopped, lasts: 0.0 }, &role, &WorldModel::default(), &mut place);
        assert_eq!(place.target, None);
    }

    #[test]
    fn a_kick_off_has_a_place_in_the_own_half_and_theirs_is_outside_the_centre_circle() {
        let entering = Pose2::new(-1.5, 3.0, -1.5);
        let own = find(&mut finder(), GamePhase::OwnKickOff, entering, None).unwrap();
        assert!(own.translation.x < -0.2 && own.rotation == 0.0, "{own:?}");
        let theirs = find(&mut finder(), GamePhase::TheirKickOff, entering, None).unwrap();
        assert!(theirs.translation.x < -crate::field::CENTER_CIRCLE_RADIUS - 0.2, "{theirs:?}");
        for phase in [GamePhase::Ready, GamePhase::Playing, GamePhase::Scored, GamePhase::Stopped, GamePhase::Penalised]
        {
            assert_eq!(find(&mut finder(), phase, entering, Some(Vec2::ZERO)), None, "{phase:?}");
        }
    }

    #[test]
    fn a_place_that_was_taken_is_not_left_because_of_small_errors() {
        let mut finder = finder();
        let at = |finder: &mut PlaceFinder, x: f32| {
            find(finder, GamePhase::OwnKickOff, Pose2::new(x, 0.0, 0.1), None).is_some()
        };
        assert!(at(&mut finder, -0.8));
        assert!(!at(&mut finder, -0.65), "it is there");
        assert!(!at(&mut finder, -0.8), "it has been there");
        assert!(at(&mut finder, -1.0), "it was pushed away");
        find(&mut finder, GamePhase::Stopped, Pose2::default(), None);
        assert!(at(&mut finder, -0.8), "another kick-off");
    }

    #[test]
    fn a_robot_near_a_ball_of_the_other_team_walks_away_from_it_and_looks_at_it() {
        let ball = Vec2::new(1.0, 1.0);
        let away = find(&mut finder(), GamePhase::Yields, Pose2::new(0.5, 1.0, 0.0), Some(ball)).unwrap();
        assert!(away.translation.distance(ball) > 0.9 && away.translation.x < 0.2, "{away:?}");
        assert!(away.rotation.abs() < 1e-6, "{away:?}");
        assert_eq!(find(&mut finder(), GamePhase::Yields, Pose2::new(-1.0, 0.0, 0.0), Some(ball)), None);
        assert_eq!(find(&mut finder(), GamePhase::Yields, Pose2::new(0.5, 1.0, 0.0), None), None, "where is it?");
        let beside = find(&mut finder(), GamePhase::Yields, Pose2::new(1.0, 1.0, 0.0), Some(ball)).unwrap();
        assert!(beside.translation.is_finite() && beside.translation.distance(ball) > 0.9, "{beside:?}");
    }
}
