//! The course of a game: its states by time, goals, penalties, and the packets that tell of them.

use std::time::Duration;

use super::packet::{ControlPacket, MOST_PLAYERS, PlayerInfo, number_of};
use crate::representations::game::{MatchState, Penalty, SetPlay};

/// The times of a game, and what else the rules count. The default is the league's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// The time in the state initial before each half.
    pub initial: Duration,
    /// The time in the state standby before each kick-off that begins a half.
    pub standby: Duration,
    /// The time to walk to the places.
    pub ready: Duration,
    /// The time between the places and the whistle.
    pub set: Duration,
    /// The time until the ball is free after a kick-off.
    pub kick_off: Duration,
    /// The time until the ball is free in a set play.
    pub set_play: Duration,
    /// The length of a half, of which only the state playing counts.
    pub half: Duration,
    /// The pause between both halves.
    pub half_time: Duration,
    /// The number of robots of each team that play at a time.
    pub players: u8,
    /// The number of messages that a team may send in a game.
    pub messages: u16,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            initial: Duration::from_secs(30),
            standby: Duration::from_secs(10),
            ready: Duration::from_secs(45),
            set: Duration::from_secs(5),
            kick_off: Duration::from_secs(10),
            set_play: Duration::from_secs(30),
            half: Duration::from_secs(600),
            half_time: Duration::from_secs(600),
            players: 7,
            messages: 1200,
        }
    }
}

/// One of the two teams of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The team that is named first, and kicks off first.
    First,
    /// The team that kicks off the second half.
    Second,
}

impl Side {
    /// Returns the other team.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }
}

/// A game, from its beginning to its end. Time is what it is told: the same steps and goals give
/// the same packets.
///
/// ```
/// use nao::game_controller::referee::{Referee, Rules, Side};
/// use nao::representations::game::MatchState;
/// use std::time::Duration;
///
/// let rules = Rules { initial: Duration::ZERO, standby: Duration::ZERO, ..Rules::default() };
/// let mut referee = Referee::new(rules, [12, 7]);
/// referee.advance(Duration::from_secs(45 + 5));
/// assert_eq!(referee.state(), MatchState::Playing);
/// assert!(referee.goal(Side::First));
/// let packet = referee.packet();
/// assert_eq!((packet.state, packet.kicking_team), (MatchState::Ready, Some(7)));
/// assert_eq!(referee.score(), [1, 0]);
/// ```
#[derive(Clone, Debug)]
pub struct Referee {
    rules: Rules,
    teams: [u8; 2],
    stage: Stage,
    /// The time until the next stage.
    left: Duration,
    half: Half,
    half_left: Duration,
    kick_off_left: Duration,
    kicking: Side,
    set_play: Option<Awarded>,
    score: [u8; 2],
    messages_left: [u16; 2],
    penalties: Vec<Penalised>,
    packets: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Initial,
    Standby,
    Ready,
    Set,
    Playing,
    HalfTime,
    Over,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Half {
    First,
    Second,
}

/// A set play that is going on.
#[derive(Clone, Copy, Debug)]
struct Awarded {
    side: Side,
    set_play: SetPlay,
    left: Duration,
}

#[derive(Clone, Copy, Debug)]
struct Penalised {
    side: Side,
    player: u8,
    penalty: Penalty,
    left: Duration,
}

impl Referee {
    /// Creates a game of two teams that has not begun; the first one kicks off.
    #[must_use]
    pub fn new(rules: Rules, teams: [u8; 2]) -> Self {
        Self {
            rules,
            teams,
            stage: Stage::Initial,
            left: rules.initial,
            half: Half::First,
            half_left: rules.half,
            kick_off_left: Duration::ZERO,
            kicking: Side::First,
            set_play: None,
            score: [0; 2],
            messages_left: [rules.messages; 2],
            penalties: Vec::new(),
            packets: 0,
        }
    }

    /// Lets time pass. However it is cut into steps, states last as long as the rules say.
    pub fn advance(&mut self, mut step: Duration) {
        while self.stage != Stage::Over {
            let part = step.min(self.left);
            self.pass(part);
            step -= part;
            if !self.left.is_zero() {
                return;
            }
            self.enter_next();
            if step.is_zero() && !self.left.is_zero() {
                return;
            }
        }
    }

    /// Lets time pass within a stage.
    fn pass(&mut self, part: Duration) {
        self.left -= part;
        if self.stage == Stage::Playing {
            self.half_left -= part;
            self.kick_off_left = self.kick_off_left.saturating_sub(part);
            if let Some(awarded) = &mut self.set_play {
                awarded.left = awarded.left.saturating_sub(part);
            }
            self.set_play = self.set_play.filter(|awarded| !awarded.left.is_zero());
        }
        if matches!(self.stage, Stage::Ready | Stage::Set | Stage::Playing) {
            for penalised in &mut self.penalties {
                penalised.left = penalised.left.saturating_sub(part);
            }
            self.penalties.retain(|penalised| !penalised.left.is_zero());
        }
    }

    fn enter_next(&mut self) {
        match (self.stage, self.half) {
            (Stage::Initial, _) => self.enter(Stage::Standby, self.rules.standby),
            (Stage::Standby, _) => self.enter(Stage::Ready, self.rules.ready),
            (Stage::Ready, _) => self.enter(Stage::Set, self.rules.set),
            (Stage::Set, _) => {
                self.kick_off_left = self.rules.kick_off;
                self.enter(Stage::Playing, self.half_left);
            }
            (Stage::Playing, Half::First) => self.enter(Stage::HalfTime, self.rules.half_time),
            (Stage::HalfTime, _) => {
                (self.half, self.half_left, self.kicking) = (Half::Second, self.rules.half, Side::Second);
                self.penalties.clear();
                self.enter(Stage::Initial, self.rules.initial);
            }
            (Stage::Playing, Half::Second) | (Stage::Over, _) => self.enter(Stage::Over, Duration::ZERO),
        }
    }

    fn enter(&mut self, stage: Stage, left: Duration) {
        self.set_play = None;
        (self.stage, self.left) = (stage, left);
    }

    /// Counts a goal for a team; the other one kicks off. Returns whether it counts: only while
    /// the game is played.
    pub fn goal(&mut self, side: Side) -> bool {
        if self.stage != Stage::Playing {
            return false;
        }
        let score = &mut self.score[side as usize];
        *score = score.saturating_add(1);
        self.restart(side.other())
    }

    /// Gives the ball to a team for a set play, for a time or until the ball is [free](Self::free).
    /// Returns whether there is one: only while the game is played.
    pub fn award(&mut self, side: Side, set_play: SetPlay) -> bool {
        if self.stage != Stage::Playing || set_play == SetPlay::None {
            return false;
        }
        self.kick_off_left = Duration::ZERO;
        self.set_play = Some(Awarded { side, set_play, left: self.rules.set_play });
        true
    }

    /// Ends a kick-off or set play: the ball was played.
    pub fn free(&mut self) {
        self.kick_off_left = Duration::ZERO;
        self.set_play = None;
    }

    /// Stops the game because nobody can play the ball; a team kicks off. Returns whether there was
    /// a game to stop.
    pub fn restart(&mut self, kicking: Side) -> bool {
        if self.stage != Stage::Playing {
            return false;
        }
        self.kicking = kicking;
        self.kick_off_left = Duration::ZERO;
        self.enter(Stage::Ready, self.rules.ready);
        true
    }

    /// Takes a robot out of the game for a time, of which only that counts in which the game goes
    /// on. A robot that is penalised already has the new penalty. Players are numbered from 1.
    pub fn penalise(&mut self, side: Side, player: u8, penalty: Penalty, time: Duration) {
        self.penalties.retain(|penalised| (penalised.side, penalised.player) != (side, player));
        if penalty != Penalty::None && !time.is_zero() {
            self.penalties.push(Penalised { side, player, penalty, left: time });
        }
    }

    /// Returns the penalty of a robot.
    #[must_use]
    pub fn penalty(&self, side: Side, player: u8) -> Penalty {
        let mut penalties = self.penalties.iter();
        let own = penalties.find(|penalised| (penalised.side, penalised.player) == (side, player));
        own.map_or(Penalty::None, |penalised| penalised.penalty)
    }

    /// Returns the team that has the kick-off, or had the last one.
    #[must_use]
    pub const fn kicking(&self) -> Side {
        self.kicking
    }

    /// Counts a message of a team. Returns whether the team was allowed to send it.
    pub fn count_message(&mut self, side: Side) -> bool {
        let left = &mut self.messages_left[side as usize];
        let is_allowed = *left > 0;
        *left = left.saturating_sub(1);
        is_allowed
    }

    /// Ends the half that is played.
    pub fn end_half(&mut self) {
        if matches!(self.stage, Stage::Ready | Stage::Set | Stage::Playing) {
            self.half_left = Duration::ZERO;
            self.enter(Stage::Playing, Duration::ZERO);
            self.enter_next();
        }
    }

    /// Returns the state as packets tell it.
    #[must_use]
    pub const fn state(&self) -> MatchState {
        match self.stage {
            Stage::Initial => MatchState::Initial,
            Stage::Standby => MatchState::Standby,
            Stage::Ready => MatchState::Ready,
            Stage::Set => MatchState::Set,
            Stage::Playing => MatchState::Playing,
            Stage::HalfTime | Stage::Over => MatchState::Finished,
        }
    }

    /// Returns the goals of both teams.
    #[must_use]
    pub const fn score(&self) -> [u8; 2] {
        self.score
    }

    /// Returns true in the first half and the pause after it.
    #[must_use]
    pub fn is_first_half(&self) -> bool {
        self.half == Half::First
    }

    /// Returns whether the second half is over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.stage == Stage::Over
    }

    /// Returns the next packet, to be sent twice a second.
    #[must_use]
    pub fn packet(&mut self) -> ControlPacket {
        let mut packet = ControlPacket::of_teams(self.teams);
        packet.number = self.packets;
        self.packets = self.packets.wrapping_add(1);
        packet.players_per_team = self.rules.players;
        packet.state = self.state();
        packet.first_half = self.is_first_half();
        let kicking = self.set_play.map_or(self.kicking, |awarded| awarded.side);
        packet.kicking_team = Some(self.teams[kicking as usize]);
        packet.set_play = self.set_play.map_or(SetPlay::None, |awarded| awarded.set_play);
        packet.seconds_remaining = seconds(self.half_left);
        packet.secondary_seconds = match self.stage {
            Stage::Playing => seconds(self.set_play.map_or(self.kick_off_left, |awarded| awarded.left)),
            Stage::Standby | Stage::Set | Stage::Over => 0,
            Stage::Initial | Stage::Ready | Stage::HalfTime => seconds(self.left),
        };
        for (index, team) in packet.teams.iter_mut().enumerate() {
            (team.score, team.message_budget) = (self.score[index], self.messages_left[index]);
            for info in &mut team.players[usize::from(self.rules.players).min(MOST_PLAYERS)..] {
                info.penalty = number_of(Penalty::Substitute);
            }
        }
        for Penalised { side, player, penalty, left } in &self.penalties {
            let players = &mut packet.teams[*side as usize].players;
            if let Some(info) = usize::from(*player).checked_sub(1).and_then(|place| players.get_mut(place)) {
                let seconds = u8::try_from(seconds(*left)).unwrap_or(u8::MAX);
                *info = PlayerInfo { penalty: number_of(*penalty), seconds };
            }
        }
        packet
    }
}

/// Returns whole seconds, rounded up as on a clock that shows what is left.
fn seconds(left: Duration) -> i16 {
    i16::try_from(left.as_millis().div_ceil(1000)).unwrap_or(i16::MAX)
}

#[cfg(test)]
mod tests;
