//! The league's limits for messages, enforced before a message is sent.

use std::time::Duration;

use hemiola::prelude::*;

use crate::representations::game::{GameControl, MatchState, Penalty};

/// The maximum length of a message, in bytes, by the league's rules.
pub const MOST_BYTES: usize = 128;

/// The number of messages that the team keeps: until the GameController has counted what all
/// robots have just sent, each may believe that more is left.
const RESERVE: u16 = 20;
/// The age from which on what the GameController has said of the budget does not count.
const OLD: Duration = Duration::from_secs(5);

/// The number of messages that were not sent, by reason.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WithheldMessages {
    /// The number of messages that were longer than the league allows.
    pub too_long: u32,
    /// The number of messages that would have come too soon after the previous one.
    pub too_soon: u32,
    /// The number of messages for which the team's budget had nothing left.
    pub no_budget: u32,
    /// The number of messages outside a game: before it, after it, while penalised, or without a
    /// GameController.
    pub no_game: u32,
}

/// Decides whether a message may be sent, and counts those that may not.
///
/// The GameController tells what the whole team may still send. A robot takes an equal share of
/// it for the rest of the game, and no more often than it is told to.
///
/// ```
/// use nao::representations::game::{GameControl, MatchState};
/// use nao::team::allowance::{Allowance, Pace};
/// use hemiola::Time;
/// use std::time::Duration;
///
/// let pace = Pace { shortest: Duration::from_secs(1), players: 7, half: Duration::from_secs(600) };
/// let mut allowance = Allowance::default();
/// let now = Time::from_seconds(10.0);
/// let game = GameControl {
///     last_packet: Some(now),
///     state: MatchState::Playing,
///     message_budget: 700,
///     seconds_remaining: 500,
///     ..GameControl::default()
/// };
/// assert!(allowance.admits(36, &game, &pace, now));
/// // 680 messages, shared by seven, in 500 s: one in 5.1 s.
/// assert!(!allowance.admits(36, &game, &pace, Time::from_seconds(14.9)));
/// assert!(!allowance.admits(129, &game, &pace, Time::from_seconds(16.0)));
/// assert_eq!((allowance.withheld().too_soon, allowance.withheld().too_long), (1, 1));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Allowance {
    last: Option<Time>,
    sent: u32,
    withheld: WithheldMessages,
}

/// The pace at which a robot sends.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// The shortest time between two messages.
    pub shortest: Duration,
    /// The number of robots that share the budget.
    pub players: u8,
    /// The length of a half, which tells how long the game goes on.
    pub half: Duration,
}

impl Allowance {
    /// Returns whether a message of that length may be sent now; if so, it is counted as sent.
    pub fn admits(&mut self, length: usize, game: &GameControl, pace: &Pace, now: Time) -> bool {
        let withheld = &mut self.withheld;
        let is_known = game.last_packet.is_some_and(|last| now.since(last) < OLD);
        let is_played = matches!(game.state, MatchState::Ready | MatchState::Set | MatchState::Playing);
        let count = if length > MOST_BYTES {
            &mut withheld.too_long
        } else if !is_known || !is_played || game.penalty != Penalty::None {
            &mut withheld.no_game
        } else if game.message_budget <= RESERVE {
            &mut withheld.no_budget
        } else if self.last.is_some_and(|last| now.since(last) < interval(game, pace)) {
            &mut withheld.too_soon
        } else {
            self.last = Some(now);
            self.sent = self.sent.saturating_add(1);
            return true;
        };
        *count = count.saturating_add(1);
        false
    }

    /// Returns the number of messages that were sent.
    #[must_use]
    pub const fn sent(&self) -> u32 {
        self.sent
    }

    /// Returns the number of messages that were not sent.
    #[must_use]
    pub const fn withheld(&self) -> WithheldMessages {
        self.withheld
    }
}

/// Returns the time between two messages with which the robot's share lasts until the end.
fn interval(game: &GameControl, pace: &Pace) -> Duration {
    let half = Duration::from_secs(u64::try_from(game.seconds_remaining).unwrap_or(0));
    let left = if game.first_half { half + pace.half } else { half };
    let budget = f64::from(game.message_budget.saturating_sub(RESERVE)) / f64::from(pace.players.max(1));
    let fair = Duration::try_from_secs_f64(left.as_secs_f64() / budget.max(1e-3)).unwrap_or(Duration::MAX);
    fair.max(pace.shortest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game_controller::referee::{Referee, Rules, Side};

    const PACE: Pace = Pace { shortest: Duration::from_secs(1), players: 7, half: Duration::from_secs(600) };

    fn playing() -> GameControl {
        GameControl {
            last_packet: Some(Time::from_seconds(100.0)),
            state: MatchState::Playing,
            message_budget: 1200,
            seconds_remaining: 600,
            ..GameControl::default()
        }
    }

    fn admits(game: &GameControl, length: usize) -> (bool, WithheldMessages) {
        let mut allowance = Allowance::default();
        (allowance.admits(length, game, &PACE, Time::from_seconds(100.2)), allowance.withheld())
    }

    #[test]
    fn what_the_league_forbids_is_withheld_and_counted() {
        assert_eq!(admits(&playing(), 128), (true, WithheldMessages::default()));
        let too_long = WithheldMessages { too_long: 1, ..Default::default() };
        assert_eq!(admits(&playing(), 129), (false, too_long));
        let no_budget = WithheldMessages { no_budget: 1, ..Default::default() };
        for message_budget in [0, RESERVE] {
            assert_eq!(admits(&GameControl { message_budget, ..playing() }, 36), (false, no_budget));
        }
        let no_game = WithheldMessages { no_game: 1, ..Default::default() };
        for game in [
            GameControl { last_packet: None, ..playing() },
            GameControl { last_packet: Some(Time::from_seconds(95.0)), ..playing() },
            GameControl { state: MatchState::Initial, ..playing() },
            GameControl { state: MatchState::Finished, ..playing() },
            GameControl { penalty: Penalty::Inactive, ..playing() },
        ] {
            assert_eq!(admits(&game, 36), (false, no_game), "{game:?}");
        }
    }

    /// Seven robots that would like to say something ten times a second, for a whole game.
    #[test]
    fn a_team_has_messages_until_the_end_and_never_more_than_its_budget() {
        let mut referee = Referee::new(Rules::default(), [12, 7]);
        let mut robots = [Allowance::default(); 7];
        let (mut game, mut last) = (GameControl::default(), [0.0; 7]);
        let mut step: u32 = 0;
        let mut played = 0.0;
        while !referee.is_over() {
            let now = Time::from_seconds(f64::from(step) / 10.0);
            // The GameController is heard twice a second, and each third packet is lost.
            if step.is_multiple_of(5) && !step.is_multiple_of(15) {
                game = referee.packet().seen_by(12, 1).unwrap();
                game.last_packet = Some(now);
            }
            for (robot, last) in robots.iter_mut().zip(&mut last) {
                if robot.admits(36, &game, &PACE, now) {
                    assert!(referee.count_message(Side::First), "more than the budget after {played} s");
                    *last = played;
                }
            }
            if referee.state() == MatchState::Playing {
                played += 0.1;
            }
            referee.advance(Duration::from_millis(100));
            step += 1;
        }
        let sent: u32 = robots.iter().map(Allowance::sent).sum();
        println!("{sent} messages in {played:.0} s of play, the last ones at {last:?}");
        assert!((1000..=1200).contains(&sent), "{sent}");
        assert!(last.iter().all(|last| *last > 0.9 * played), "{last:?}");
    }
}
