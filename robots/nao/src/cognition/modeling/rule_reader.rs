//! The place of the robot by the rules of the game.

use std::time::Duration;

use hemiola::prelude::*;

use crate::representations::game::{GameControl, MatchState, Penalty};
use crate::representations::modeling::{CarriedTo, PlaceByRules};

/// The time in the state set after which a robot that is not penalised is in its own half.
const CHECKED: Duration = Duration::from_secs(1);

/// A robot without a referee: nobody carries it anywhere.
#[derive(Module)]
pub struct FreePlayer {}

#[module]
impl FreePlayer {
    #[update]
    fn place(&self, _place: &mut PlaceByRules) {
        // The default is a robot that walks by itself.
    }
}

/// Follows what the GameController says of where the robot is: before each half it is put at a
/// touch line of its half, and after a penalty at a touch line, level with its penalty mark. From
/// there until the first kick-off, and in the state set before each other one, it is in its own
/// half, or is penalised for not being there.
#[derive(Module)]
pub struct RuleReader {
    /// The state of the game, and since when; `None` before the first packet.
    state: Option<(MatchState, Time)>,
    penalty: Penalty,
    /// True from the first kick-off on.
    has_begun: bool,
    carried: CarriedTo,
    times: u32,
}

#[module]
impl RuleReader {
    #[update]
    pub(crate) fn place(&mut self, control: &GameControl, clock: &Clock, place: &mut PlaceByRules) {
        if control.last_packet.is_some() {
            self.follow(control, clock.now());
        }
        place.carried = self.carried;
        place.times = self.times;
        let stands = |(state, since)| state == MatchState::Set && clock.now().since(since) >= CHECKED;
        let is_before = control.last_packet.is_some() && !self.has_begun;
        place.in_own_half = self.penalty == Penalty::None && (is_before || self.state.is_some_and(stands));
    }

    fn follow(&mut self, control: &GameControl, now: Time) {
        let before = self.state;
        if before.is_none_or(|(state, _)| state != control.state) {
            self.state = Some((control.state, now));
            // The first half begins where the robot does.
            if before.is_some() && control.state == MatchState::Initial {
                self.carry(CarriedTo::Entry);
            }
        }
        // A robot that joins a game late knows nothing of its beginning.
        self.has_begun |= matches!(control.state, MatchState::Playing | MatchState::Finished) || !control.first_half;
        let penalty = std::mem::replace(&mut self.penalty, control.penalty);
        if penalty != Penalty::None && control.penalty == Penalty::None && control.state != MatchState::Initial {
            self.carry(CarriedTo::Return);
        }
    }

    fn carry(&mut self, to: CarriedTo) {
        self.carried = to;
        self.times = self.times.wrapping_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Trial {
        module: RuleReader,
        now: f64,
    }

    impl Trial {
        /// Returns what follows from a packet half a second later.
        fn hears(&mut self, state: MatchState, penalty: Penalty) -> PlaceByRules {
            self.now += 0.5;
            let now = Time::from_seconds(self.now);
            let control =
                GameControl { last_packet: Some(now), state, penalty, first_half: true, ..GameControl::default() };
            let mut place = PlaceByRules::default();
            self.module.place(&control, &Clock::new(now, Duration::ZERO, 0), &mut place);
            place
        }
    }

    /// A game that has begun.
    fn trial() -> Trial {
        let mut trial = Trial { module: RuleReader::create(()), now: 10.0 };
        trial.module.has_begun = true;
        trial
    }

    #[test]
    fn until_the_first_kick_off_the_robot_is_in_its_own_half() {
        use MatchState::{Initial, Playing, Ready, Standby};
        let mut trial = Trial { module: RuleReader::create(()), now: 10.0 };
        let mut place = PlaceByRules::default();
        trial.module.place(&GameControl::default(), &Clock::new(Time::ZERO, Duration::ZERO, 0), &mut place);
        assert!(!place.in_own_half, "nobody has said anything");
        for state in [Initial, Standby, Ready] {
            assert!(trial.hears(state, Penalty::None).in_own_half, "{state:?}");
        }
        assert!(!trial.hears(Ready, Penalty::Manual).in_own_half);
        for state in [Playing, Ready] {
            assert!(!trial.hears(state, Penalty::None).in_own_half, "{state:?}");
        }
    }

    #[test]
    fn a_robot_is_carried_before_the_second_half_and_after_each_penalty() {
        use MatchState::{Finished, Initial, Playing, Ready};
        let mut trial = trial();
        for state in [Initial, Ready, Playing] {
            assert_eq!(trial.hears(state, Penalty::None).times, 0, "{state:?}");
        }
        assert_eq!(trial.hears(Playing, Penalty::PlayerPushing).times, 0);
        let back = trial.hears(Playing, Penalty::None);
        assert_eq!((back.carried, back.times), (CarriedTo::Return, 1));
        assert_eq!(trial.hears(Finished, Penalty::None).times, 1);
        let second = trial.hears(Initial, Penalty::None);
        assert_eq!((second.carried, second.times), (CarriedTo::Entry, 2));
        // A penalty that ends with the half is no return.
        trial.hears(Finished, Penalty::Inactive);
        let third = trial.hears(Initial, Penalty::None);
        assert_eq!((third.carried, third.times), (CarriedTo::Entry, 3));
    }

    #[test]
    fn the_half_is_known_in_the_state_set_unless_the_robot_is_penalised() {
        use MatchState::{Playing, Ready, Set};
        let mut trial = trial();
        assert!(!trial.hears(Ready, Penalty::None).in_own_half);
        assert!(!trial.hears(Set, Penalty::None).in_own_half, "nobody has looked yet");
        trial.hears(Set, Penalty::None);
        assert!(trial.hears(Set, Penalty::None).in_own_half);
        assert!(!trial.hears(Set, Penalty::IllegalPositionInSet).in_own_half);
        assert!(!trial.hears(Playing, Penalty::None).in_own_half);
    }
}
