//! The phase of a game that the league's referee conducts.

use std::time::Duration;

use hemiola::prelude::*;

use crate::representations::behaviour::{GamePhase, GameState};
use crate::representations::events::WhistleHeard;
use crate::representations::game::{GameControl, KickingTeam, MatchPhase, MatchState, Penalty, SetPlay};

/// Follows the GameController, and stands still before it has said anything.
///
/// While robots stand at their places, a whistle begins the game: the league's GameController says
/// so only 15 s later. In penalty shoot-outs and time-outs the robot stands still.
#[derive(Module)]
pub struct GameFollower {
    #[parameters]
    parameters: GameFollowerParameters,
    phase: GamePhase,
    since: Option<Time>,
    state: MatchState,
    state_since: Option<Time>,
    last_whistle: Option<Time>,
    /// The time at which the game began after the last kick-off.
    began: Option<Time>,
}

/// Parameters of [`GameFollower`].
#[derive(Parameters)]
pub struct GameFollowerParameters {
    /// The time for which the ball is the other team's after its kick-off.
    #[parameter(default = 10.0, range = 0.0..=60.0, unit = "s")]
    kick_off: f32,
    /// The time after a whistle within which the GameController must say that the game has begun.
    #[parameter(default = 20.0, range = 0.0..=60.0, unit = "s")]
    lead: f32,
}

#[module]
impl GameFollower {
    #[update]
    pub(crate) fn game_state(
        &mut self,
        control: &GameControl,
        whistles: &Subscription<WhistleHeard>,
        clock: &Clock,
        game: &mut GameState,
    ) {
        let now = clock.now();
        self.last_whistle = whistles.last().map(|whistle| whistle.began).or(self.last_whistle);
        self.follow(control.state, now);
        let phase = self.choose(control, now);
        if phase != self.phase || self.since.is_none() {
            (self.phase, self.since) = (phase, Some(now));
        }
        game.phase = phase;
        game.lasts = self.since.map_or(0.0, |since| now.since(since).as_secs_f32());
    }

    /// Notes when the state changed and when the game began.
    fn follow(&mut self, state: MatchState, now: Time) {
        if self.state != state || self.state_since.is_none() {
            (self.state, self.state_since) = (state, Some(now));
            if state != MatchState::Playing {
                self.began = None;
            }
        }
        let since = self.state_since.unwrap_or(now);
        match state {
            MatchState::Playing => _ = self.began.get_or_insert(now),
            MatchState::Set => {
                let lead = Duration::from_secs_f32(self.parameters.lead);
                let whistle = self.last_whistle.filter(|heard| *heard >= since && now.since(*heard) <= lead);
                self.began = self.began.filter(|_| whistle.is_some()).or(whistle);
            }
            _ => {}
        }
    }

    fn choose(&self, control: &GameControl, now: Time) -> GamePhase {
        if control.last_packet.is_none() {
            return GamePhase::Stopped;
        }
        if control.penalty != Penalty::None {
            return GamePhase::Penalised;
        }
        if matches!(control.phase, MatchPhase::PenaltyShootout | MatchPhase::Timeout) {
            return GamePhase::Stopped;
        }
        match (control.state, self.began) {
            (MatchState::Ready, _) if control.kicking_team == KickingTeam::Own => GamePhase::OwnKickOff,
            (MatchState::Ready, _) => GamePhase::TheirKickOff,
            (MatchState::Set | MatchState::Playing, Some(began)) if self.is_theirs(control, began, now) => {
                GamePhase::Yields
            }
            (MatchState::Set | MatchState::Playing, Some(_)) => GamePhase::Playing,
            _ => GamePhase::Stopped,
        }
    }

    /// Returns whether the other team may play the ball and we may not.
    fn is_theirs(&self, control: &GameControl, began: Time, now: Time) -> bool {
        if control.kicking_team != KickingTeam::Opponent {
            return false;
        }
        if control.set_play != SetPlay::None {
            return true;
        }
        // Before the GameController says that the game has begun, only the robot's clock counts.
        let is_counted = control.state == MatchState::Set || control.secondary_seconds > 0;
        is_counted && now.since(began).as_secs_f32() < self.parameters.kick_off
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Trial {
        module: GameFollower,
        now: f64,
    }

    impl Trial {
        fn new() -> Self {
            Self { module: GameFollower::create(GameFollowerParameters::default()), now: 100.0 }
        }

        /// Returns the phase a second later.
        fn hears(&mut self, control: &GameControl, whistle: Option<f64>) -> GamePhase {
            self.now += 1.0;
            let whistles = Subscription::of(whistle.map(|time| WhistleHeard { began: Time::from_seconds(time) }));
            let clock = Clock::new(Time::from_seconds(self.now), Duration::ZERO, 0);
            let mut game = GameState::default();
            self.module.game_state(control, &whistles, &clock, &mut game);
            game.phase
        }

        fn sees(&mut self, control: &GameControl) -> GamePhase {
            self.hears(control, None)
        }
    }

    fn control(state: MatchState, kicking_team: KickingTeam) -> GameControl {
        GameControl { last_packet: Some(Time::from_seconds(1.0)), state, kicking_team, ..GameControl::default() }
    }

    #[test]
    fn every_state_has_its_phase() {
        use KickingTeam::{Opponent, Own};
        use MatchState::{Finished, Initial, Playing, Ready, Set, Standby};
        let mut trial = Trial::new();
        assert_eq!(
            trial.sees(&GameControl { state: Playing, ..Default::default() }),
            GamePhase::Stopped,
            "nobody said"
        );
        for (state, expected) in [
            (Initial, GamePhase::Stopped),
            (Standby, GamePhase::Stopped),
            (Ready, GamePhase::OwnKickOff),
            (Set, GamePhase::Stopped),
            (Playing, GamePhase::Playing),
            (Finished, GamePhase::Stopped),
        ] {
            assert_eq!(trial.sees(&control(state, Own)), expected, "{state:?}");
        }
        assert_eq!(trial.sees(&control(Ready, Opponent)), GamePhase::TheirKickOff);
        assert_eq!(trial.sees(&control(Ready, KickingTeam::Nobody)), GamePhase::TheirKickOff);
        for phase in [MatchPhase::PenaltyShootout, MatchPhase::Timeout] {
            assert_eq!(trial.sees(&GameControl { phase, ..control(Playing, Own) }), GamePhase::Stopped, "{phase:?}");
        }
    }

    #[test]
    fn a_penalised_robot_does_nothing_whatever_the_state_and_goes_on_afterwards() {
        let mut trial = Trial::new();
        let playing = control(MatchState::Playing, KickingTeam::Own);
        for penalty in [Penalty::PlayerPushing, Penalty::Manual, Penalty::Unknown, Penalty::Substitute] {
            let penalised = GameControl { penalty, ..playing.clone() };
            assert_eq!(trial.sees(&penalised), GamePhase::Penalised);
        }
        assert_eq!(trial.sees(&playing), GamePhase::Playing);
    }

    #[test]
    fn the_ball_of_their_kick_off_is_free_after_ten_seconds() {
        let mut trial = Trial::new();
        let theirs = |state, left| GameControl { secondary_seconds: left, ..control(state, KickingTeam::Opponent) };
        trial.sees(&theirs(MatchState::Set, 0));
        let phases: Vec<_> = (0..12).map(|_| trial.sees(&theirs(MatchState::Playing, 10))).collect();
        let free = phases.iter().position(|phase| *phase == GamePhase::Playing);
        assert!(phases[..10].iter().all(|phase| *phase == GamePhase::Yields) && free == Some(10), "{phases:?}");
        // The GameController may say it earlier: the ball was touched.
        trial.sees(&theirs(MatchState::Set, 0));
        assert_eq!(trial.sees(&theirs(MatchState::Playing, 10)), GamePhase::Yields);
        assert_eq!(trial.sees(&theirs(MatchState::Playing, 0)), GamePhase::Playing);
    }

    #[test]
    fn their_set_play_lasts_until_the_game_controller_ends_it() {
        let mut trial = Trial::new();
        let playing = control(MatchState::Playing, KickingTeam::Opponent);
        trial.sees(&playing);
        let kick_in = GameControl { set_play: SetPlay::KickIn, secondary_seconds: 30, ..playing.clone() };
        assert!((0..29).all(|_| trial.sees(&kick_in) == GamePhase::Yields));
        assert_eq!(trial.sees(&playing), GamePhase::Playing);
        let ours = GameControl { kicking_team: KickingTeam::Own, ..kick_in };
        assert_eq!(trial.sees(&ours), GamePhase::Playing);
    }

    #[test]
    fn a_whistle_begins_the_game_before_the_game_controller_says_so() {
        let mut trial = Trial::new();
        let set = control(MatchState::Set, KickingTeam::Own);
        trial.sees(&control(MatchState::Ready, KickingTeam::Own));
        assert_eq!(trial.hears(&set, Some(50.0)), GamePhase::Stopped, "an old one");
        let heard = trial.now + 0.5;
        assert_eq!(trial.hears(&set, Some(heard)), GamePhase::Playing);
        assert!((0..14).all(|_| trial.sees(&set) == GamePhase::Playing));
        assert_eq!(trial.sees(&control(MatchState::Playing, KickingTeam::Own)), GamePhase::Playing);
    }

    #[test]
    fn a_whistle_of_another_field_begins_nothing_that_lasts() {
        let mut trial = Trial::new();
        let set = control(MatchState::Set, KickingTeam::Own);
        trial.sees(&set);
        let heard = trial.now + 0.5;
        trial.hears(&set, Some(heard));
        let phases: Vec<_> = (0..25).map(|_| trial.sees(&set)).collect();
        assert_eq!((phases[0], phases[24]), (GamePhase::Playing, GamePhase::Stopped));
    }
}
