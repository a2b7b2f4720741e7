//! The search for a lost ball.

use glam::Vec2;
use hemiola::prelude::*;

use crate::geometry::Pose2;
use crate::representations::behaviour::{BallSearch, GamePhase, GameState, SearchStage, TeamRole};
use crate::representations::modeling::{SearchMap, WorldModel};

/// Searches with more effort the longer the ball is lost: with the head, turning in place, walking
/// to where it could be. Where a mate sees the ball, the robot goes at once.
#[derive(Module)]
pub struct BallSearcher {
    #[parameters]
    parameters: BallSearcherParameters,
    lost_since: Option<Time>,
}

/// Parameters of [`BallSearcher`].
#[derive(Parameters)]
pub struct BallSearcherParameters {
    /// The time of looking around while standing.
    #[parameter(default = 1.5, range = 0.0..=10.0, unit = "s")]
    look: f32,
    /// The time of turning before walking.
    #[parameter(default = 9.0, range = 0.0..=30.0, unit = "s")]
    turn: f32,
    /// The distance from which a place is seen well.
    #[parameter(default = 1.2, range = 0.0..=4.0, unit = "m")]
    distance: f32,
}

#[module]
impl BallSearcher {
    #[update]
    pub(crate) fn ball_search(
        &mut self,
        world: &WorldModel,
        map: &SearchMap,
        game: &GameState,
        role: &TeamRole,
        clock: &Clock,
        search: &mut BallSearch,
    ) {
        search.walk_to = world.robot;
        if let Some(ball) = world.ball {
            self.lost_since = None;
            search.look_at = ball.position;
            return;
        }
        let target = role.ball.unwrap_or(map.target);
        search.look_at = target;
        if game.phase != GamePhase::Playing {
            self.lost_since = None;
            search.stage = SearchStage::Look;
            return;
        }
        let lost_since = *self.lost_since.get_or_insert(clock.now());
        let lost_for = clock.now().since(lost_since).as_secs_f32();
        let way = target - world.robot.translation;
        let rotation = way.to_angle();
        search.stage = if role.ball.is_some() {
            search.walk_to = self.near(target, world.robot.translation);
            SearchStage::Walk
        } else if lost_for < self.parameters.look {
            SearchStage::Look
        } else if lost_for < self.parameters.look + self.parameters.turn {
            search.walk_to = Pose2 { rotation, ..world.robot };
            SearchStage::Turn
        } else {
            search.walk_to = self.near(target, world.robot.translation);
            SearchStage::Walk
        };
    }

    /// Returns the nearest pose from which a place is seen well.
    fn near(&self, target: Vec2, robot: Vec2) -> Pose2 {
        let way = target - robot;
        let length = (way.length() - self.parameters.distance).max(0.0);
        Pose2 { rotation: way.to_angle(), translation: robot + way.normalize_or_zero() * length }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::representations::modeling::WorldBall;

    #[test]
    fn a_search_gets_harder_until_the_ball_is_found() {
        let mut searcher = BallSearcher::create(BallSearcherParameters::default());
        let mut run = |seconds: f64, ball: Option<WorldBall>| {
            let world = WorldModel { ball, ..Default::default() };
            let map = SearchMap { target: Vec2::new(0.0, -3.0), ..Default::default() };
            let game = GameState { phase: GamePhase::Playing, lasts: 1.0 };
            let mut search = BallSearch::default();
            let clock = Clock::new(Time::from_seconds(seconds), Duration::ZERO, 0);
            searcher.ball_search(&world, &map, &game, &TeamRole::default(), &clock, &mut search);
            search
        };
        assert_eq!(run(0.0, None).stage, SearchStage::Look);
        let turn = run(5.0, None);
        assert_eq!((turn.stage, turn.walk_to.translation), (SearchStage::Turn, Vec2::ZERO));
        assert!((turn.walk_to.rotation + std::f32::consts::FRAC_PI_2).abs() < 1e-6);
        let walk = run(20.0, None);
        assert_eq!((walk.stage, walk.walk_to.translation), (SearchStage::Walk, Vec2::new(0.0, -1.8)));
        assert_eq!(run(21.0, Some(WorldBall::default())).stage, SearchStage::Known);
        assert_eq!(run(22.0, None).stage, SearchStage::Look);
    }

    #[test]
    fn a_ball_that_a_mate_sees_is_gone_to_at_once() {
        let mut searcher = BallSearcher::create(BallSearcherParameters::default());
        let game = GameState { phase: GamePhase::Playing, lasts: 1.0 };
        let role = TeamRole { ball: Some(Vec2::new(3.0, 0.0)), ..TeamRole::default() };
        let (world, map, mut search) = (WorldModel::default(), SearchMap::default(), BallSearch::default());
        searcher.ball_search(&world, &map, &game, &role, &Clock::default(), &mut search);
        assert_eq!((search.stage, search.look_at), (SearchStage::Walk, Vec2::new(3.0, 0.0)));
        assert_eq!(search.walk_to.translation, Vec2::new(1.8, 0.0));
    }
}
