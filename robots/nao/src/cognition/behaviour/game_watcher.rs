//! The phase of the game.

use std::time::Duration;

use hemiola::prelude::*;

use crate::field::{GOAL_WIDTH, LENGTH};
use crate::representations::behaviour::{GamePhase, GameState};
use crate::representations::events::WhistleHeard;
use crate::representations::modeling::WorldModel;
use crate::representations::motion::KeptBelief;

/// The time within which a phase that was kept since an earlier beginning may come, in seconds.
const BEGINNING: f32 = 0.5;

/// Follows the game by its whistles: the first one begins it; one while the ball is in or at the
/// opponent's goal means a goal.
#[derive(Module)]
pub struct GameWatcher {
    #[parameters]
    parameters: GameWatcherParameters,
    phase: GamePhase,
    last_whistle: Option<Time>,
    since: Option<Time>,
    /// Set once this follows the game by itself, and no longer goes on from a kept belief.
    has_begun: bool,
}

/// Parameters of [`GameWatcher`].
#[derive(Parameters)]
pub struct GameWatcherParameters {
    /// The time after which the game begins even if no whistle is heard.
    #[parameter(default = 5.0, range = 0.0..=60.0, unit = "s")]
    patience: f32,
    /// The time after a change within which whistles belong to it.
    #[parameter(default = 2.0, range = 0.0..=10.0, unit = "s")]
    echo: f32,
    /// The distance of the ball from the opponent's goal line within which a whistle means a goal.
    #[parameter(default = 0.6, range = 0.0..=3.0, unit = "m")]
    goal_reach: f32,
}

#[module]
impl GameWatcher {
    #[update]
    pub(crate) fn game_state(
        &mut self,
        whistles: &Subscription<WhistleHeard>,
        world: &WorldModel,
        kept: &KeptBelief,
        clock: &Clock,
        game: &mut GameState,
    ) {
        self.last_whistle = whistles.last().map(|whistle| whistle.began).or(self.last_whistle);
        let last_whistle = self.last_whistle;
        let since = *self.since.get_or_insert(clock.now());
        let lasts = clock.now().since(since).as_secs_f32();
        self.has_begun |= lasts >= BEGINNING;
        if !self.has_begun
            && let Some(phase) = kept.phase
        {
            (self.phase, self.has_begun) = (phase, true);
        }
        let echo = Duration::from_secs_f32(self.parameters.echo);
        let whistled_after = |time: Time| last_whistle.is_some_and(|heard| heard >= time);
        let ball_is_in_goal = world.last_ball.is_some_and(|ball| self.is_in_goal(ball));
        let next = match self.phase {
            GamePhase::Ready if whistled_after(since) || lasts >= self.parameters.patience => GamePhase::Playing,
            GamePhase::Playing if whistled_after(since + echo) && ball_is_in_goal => GamePhase::Scored,
            // The ball is back on the field: the game continues.
            GamePhase::Scored if lasts > self.parameters.echo && !ball_is_in_goal => GamePhase::Playing,
            same => same,
        };
        if next != self.phase {
            self.phase = next;
            self.since = Some(clock.now());
        }
        game.phase = self.phase;
        game.lasts = self.since.map_or(0.0, |since| clock.now().since(since).as_secs_f32());
    }

    fn is_in_goal(&self, ball: glam::Vec2) -> bool {
        ball.x > LENGTH / 2.0 - self.parameters.goal_reach && ball.y.abs() < GOAL_WIDTH / 2.0 + 0.3
    }
}

#[cfg(test)]
mod tests {
    use glam::Vec2;

    use super::*;

    fn run(watcher: &mut GameWatcher, now: f64, heard: Option<f64>, ball: Vec2) -> GamePhase {
        let whistles = Subscription::of(heard.map(|time| WhistleHeard { began: Time::from_seconds(time) }));
        let world = WorldModel { last_ball: Some(ball), ..Default::default() };
        let mut game = GameState::default();
        let clock = Clock::new(Time::from_seconds(now), Duration::ZERO, 0);
        watcher.game_state(&whistles, &world, &KeptBelief::default(), &clock, &mut game);
        game.phase
    }

    #[test]
    fn a_whistle_begins_the_game_and_another_ends_it_only_with_the_ball_in_the_goal() {
        let mut watcher = GameWatcher::create(GameWatcherParameters::default());
        assert_eq!(run(&mut watcher, 0.0, None, Vec2::ZERO), GamePhase::Ready);
        assert_eq!(run(&mut watcher, 1.1, Some(1.0), Vec2::ZERO), GamePhase::Playing);
        assert_eq!(run(&mut watcher, 20.0, Some(19.9), Vec2::X), GamePhase::Playing, "somewhere else");
        assert_eq!(run(&mut watcher, 30.0, Some(29.9), Vec2::new(4.6, 0.3)), GamePhase::Scored);
        assert_eq!(run(&mut watcher, 40.0, Some(29.9), Vec2::ZERO), GamePhase::Playing);
    }

    #[test]
    fn a_deaf_robot_begins_after_a_while() {
        let mut watcher = GameWatcher::create(GameWatcherParameters::default());
        run(&mut watcher, 10.0, None, Vec2::ZERO);
        assert_eq!(run(&mut watcher, 14.9, None, Vec2::ZERO), GamePhase::Ready);
        assert_eq!(run(&mut watcher, 15.0, None, Vec2::ZERO), GamePhase::Playing);
    }

    #[test]
    fn a_watcher_that_begins_while_the_robot_plays_goes_on_with_the_game() {
        let mut watcher = GameWatcher::create(GameWatcherParameters::default());
        let mut phase = |now: f64, kept: Option<GamePhase>| {
            let (mut game, kept) = (GameState::default(), KeptBelief { phase: kept, ..KeptBelief::default() });
            let clock = Clock::new(Time::from_seconds(now), Duration::ZERO, 0);
            watcher.game_state(&Subscription::of(None), &WorldModel::default(), &kept, &clock, &mut game);
            game.phase
        };
        assert_eq!(phase(20.0, None), GamePhase::Ready, "the kept belief is on its way");
        assert_eq!(phase(20.1, Some(GamePhase::Playing)), GamePhase::Playing);
        assert_eq!(phase(20.2, Some(GamePhase::Scored)), GamePhase::Playing, "it follows the game by itself again");
    }
}
