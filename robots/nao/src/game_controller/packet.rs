//! Control packets: `RoboCupGameControlData`, version 18.

use thiserror::Error;

use crate::representations::game::{GameControl, KickingTeam, MatchPhase, MatchState, Penalty, SetPlay};

/// The first bytes of each control packet.
pub const MAGIC: [u8; 4] = *b"RGme";
/// The version of the protocol.
pub const VERSION: u8 = 18;
/// The number of robots that a packet has room for, in each team.
pub const MOST_PLAYERS: usize = 20;
/// The length of a packet, in bytes.
pub const LENGTH: usize = HEAD + 2 * TEAM;

/// The length of what stands before the teams.
const HEAD: usize = 18;
/// The length of a team.
const TEAM: usize = 10 + 2 * MOST_PLAYERS;
/// The number of a team that does not exist.
const NOBODY: u8 = 255;

/// A control packet.
///
/// ```
/// use nao::game_controller::packet::{ControlPacket, Refusal};
/// use nao::representations::game::{KickingTeam, MatchState};
///
/// let mut packet = ControlPacket::of_teams([12, 7]);
/// (packet.state, packet.kicking_team) = (MatchState::Ready, Some(7));
/// let received = ControlPacket::read(&packet.to_bytes())?;
/// let control = received.seen_by(12, 2)?;
/// assert_eq!((control.state, control.kicking_team), (MatchState::Ready, KickingTeam::Opponent));
/// assert_eq!(received.seen_by(3, 2), Err(Refusal::Team { ours: 3, playing: [12, 7] }));
/// # Ok::<(), Refusal>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControlPacket {
    /// Goes up by one from packet to packet, and from 255 to 0.
    pub number: u8,
    /// The number of robots of each team that play at a time.
    pub players_per_team: u8,
    /// The phase of the competition: 0 is a round robin, 1 a play-off.
    pub competition_phase: u8,
    /// The type of the competition: 0 is a normal game.
    pub competition_type: u8,
    /// The kind of time that is played.
    pub phase: MatchPhase,
    /// The state of the game.
    pub state: MatchState,
    /// The set play that is going on.
    pub set_play: SetPlay,
    /// True in the first half.
    pub first_half: bool,
    /// The number of the team that kicks off, or has the set play.
    pub kicking_team: Option<u8>,
    /// The time left in the half, in seconds.
    pub seconds_remaining: i16,
    /// The time left in the state ready, or until the ball is free, in seconds.
    pub secondary_seconds: i16,
    /// Both teams, first the one that defends the left goal.
    pub teams: [TeamInfo; 2],
}

/// A team in a control packet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TeamInfo {
    /// The number in the league's list of teams.
    pub number: u8,
    /// The colour of the field players: 0 is blue, 1 red.
    pub field_player_colour: u8,
    /// The colour of the goalkeeper.
    pub goalkeeper_colour: u8,
    /// The number of the goalkeeper, from 1; 0 for none.
    pub goalkeeper: u8,
    /// The number of goals.
    pub score: u8,
    /// The number of penalty shots so far.
    pub penalty_shot: u8,
    /// A bit for each penalty shot that was a goal.
    pub single_shots: u16,
    /// The number of messages that the team may still send in this game.
    pub message_budget: u16,
    /// The robots, by their numbers from 1.
    pub players: [PlayerInfo; MOST_PLAYERS],
}

/// A robot in a control packet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PlayerInfo {
    /// The penalty as the protocol numbers it; 0 for none.
    pub penalty: u8,
    /// The time left of the penalty, in seconds.
    pub seconds: u8,
}

/// The reason why a packet is not used.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum Refusal {
    /// The packet has another length.
    #[error(
        "a packet of {found} bytes is none of the GameController's, which have {LENGTH}; it is ignored: look what else sends to this port"
    )]
    Length {
        /// The length of the packet.
        found: usize,
    },
    /// The packet begins with other bytes.
    #[error(
        "a packet that begins with {found:?} is none of the GameController's to robots (RGme); it is ignored: look what else sends to this port"
    )]
    Magic {
        /// The first bytes of the packet.
        found: [u8; 4],
    },
    /// The packet is of another version.
    #[error(
        "a packet of the GameController has version {found}, and this robot knows version {VERSION}; it is ignored: use a GameController of 2024 or 2025"
    )]
    Version {
        /// The version of the packet.
        found: u8,
    },
    /// The packet has a value that the protocol does not have.
    #[error(
        "a packet of the GameController has {found} as its {field}, which version {VERSION} does not have; it is ignored: check the GameController"
    )]
    Content {
        /// The field of the packet.
        field: &'static str,
        /// The value of the field.
        found: u8,
    },
    /// The packet is of a game of other teams.
    #[error(
        "a packet of the GameController is for the teams {} and {}, not for {ours}; it is ignored: check the parameter `team`, or the network",
        playing[0],
        playing[1]
    )]
    Team {
        /// The number of this robot's team.
        ours: u8,
        /// The numbers of the teams that play.
        playing: [u8; 2],
    },
}

impl ControlPacket {
    /// Creates the packet of a game of these teams that has not begun, with seven robots each.
    #[must_use]
    pub fn of_teams(numbers: [u8; 2]) -> Self {
        Self {
            number: 0,
            players_per_team: 7,
            competition_phase: 0,
            competition_type: 0,
            phase: MatchPhase::Normal,
            state: MatchState::Initial,
            set_play: SetPlay::None,
            first_half: true,
            kicking_team: None,
            seconds_remaining: 0,
            secondary_seconds: 0,
            teams: numbers.map(|number| TeamInfo { number, goalkeeper: 1, ..TeamInfo::default() }),
        }
    }

    /// Reads a packet.
    ///
    /// # Errors
    /// Returns the reason why the bytes are no packet of this version.
    pub fn read(bytes: &[u8]) -> Result<Self, Refusal> {
        let bytes: &[u8; LENGTH] = bytes.try_into().map_err(|_| Refusal::Length { found: bytes.len() })?;
        let [a, b, c, d, version, ..] = *bytes;
        if [a, b, c, d] != MAGIC {
            return Err(Refusal::Magic { found: [a, b, c, d] });
        }
        if version != VERSION {
            return Err(Refusal::Version { found: version });
        }
        let teams = [HEAD, HEAD + TEAM].map(|begin| TeamInfo::read(&bytes[begin..begin + TEAM]));
        let numbers = [teams[0].number, teams[1].number];
        let packet = Self {
            number: bytes[5],
            players_per_team: bytes[6],
            competition_phase: bytes[7],
            competition_type: bytes[8],
            phase: one_of(&PHASES, bytes[9], "game phase")?,
            state: one_of(&STATES, bytes[10], "state")?,
            set_play: one_of(&SET_PLAYS, bytes[11], "set play")?,
            first_half: one_of(&[false, true], bytes[12], "first half")?,
            kicking_team: match bytes[13] {
                NOBODY => None,
                number if numbers.contains(&number) => Some(number),
                found => return Err(Refusal::Content { field: "kicking team", found }),
            },
            seconds_remaining: i16::from_le_bytes([bytes[14], bytes[15]]),
            secondary_seconds: i16::from_le_bytes([bytes[16], bytes[17]]),
            teams,
        };
        let players = packet.players_per_team;
        if usize::from(players) > MOST_PLAYERS {
            return Err(Refusal::Content { field: "players per team", found: players });
        }
        Ok(packet)
    }

    /// Returns the packet as it goes over the network.
    #[must_use]
    pub fn to_bytes(&self) -> [u8; LENGTH] {
        let mut bytes = [0; LENGTH];
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[4] = VERSION;
        bytes[5..9].copy_from_slice(&[
            self.number,
            self.players_per_team,
            self.competition_phase,
            self.competition_type,
        ]);
        bytes[9..12].copy_from_slice(&[self.phase as u8, self.state as u8, self.set_play as u8]);
        bytes[12] = u8::from(self.first_half);
        bytes[13] = self.kicking_team.unwrap_or(NOBODY);
        bytes[14..16].copy_from_slice(&self.seconds_remaining.to_le_bytes());
        bytes[16..18].copy_from_slice(&self.secondary_seconds.to_le_bytes());
        for (team, bytes) in self.teams.iter().zip(bytes[HEAD..].chunks_exact_mut(TEAM)) {
            team.write(bytes);
        }
        bytes
    }

    /// Returns the game as a player of a team sees it; players are numbered from 1.
    ///
    /// # Errors
    /// Returns [`Refusal::Team`] if that team does not play.
    pub fn seen_by(&self, team: u8, player: u8) -> Result<GameControl, Refusal> {
        let [first, second] = &self.teams;
        let (own, opponent) = match team {
            ours if ours == first.number => (first, second),
            ours if ours == second.number => (second, first),
            ours => return Err(Refusal::Team { ours, playing: [first.number, second.number] }),
        };
        let place = usize::from(player).checked_sub(1);
        // A robot with a number that the league does not have must not play.
        let substitute = PlayerInfo { penalty: number_of(Penalty::Substitute), seconds: 0 };
        let info = place.and_then(|place| own.players.get(place)).copied().unwrap_or(substitute);
        Ok(GameControl {
            phase: self.phase,
            state: self.state,
            set_play: self.set_play,
            first_half: self.first_half,
            kicking_team: match self.kicking_team {
                None => KickingTeam::Nobody,
                Some(number) if number == own.number => KickingTeam::Own,
                Some(_) => KickingTeam::Opponent,
            },
            seconds_remaining: self.seconds_remaining,
            secondary_seconds: self.secondary_seconds,
            penalty: penalty(info.penalty),
            penalty_seconds: info.seconds,
            own_score: own.score,
            opponent_score: opponent.score,
            message_budget: own.message_budget,
            ..GameControl::default()
        })
    }
}

impl TeamInfo {
    fn read(bytes: &[u8]) -> Self {
        let mut players = [PlayerInfo::default(); MOST_PLAYERS];
        for (player, info) in players.iter_mut().zip(bytes[10..].chunks_exact(2)) {
            *player = PlayerInfo { penalty: info[0], seconds: info[1] };
        }
        Self {
            number: bytes[0],
            field_player_colour: bytes[1],
            goalkeeper_colour: bytes[2],
            goalkeeper: bytes[3],
            score: bytes[4],
            penalty_shot: bytes[5],
            single_shots: u16::from_le_bytes([bytes[6], bytes[7]]),
            message_budget: u16::from_le_bytes([bytes[8], bytes[9]]),
            players,
        }
    }

    fn write(&self, bytes: &mut [u8]) {
        bytes[..6].copy_from_slice(&[
            self.number,
            self.field_player_colour,
            self.goalkeeper_colour,
            self.goalkeeper,
            self.score,
            self.penalty_shot,
        ]);
        bytes[6..8].copy_from_slice(&self.single_shots.to_le_bytes());
        bytes[8..10].copy_from_slice(&self.message_budget.to_le_bytes());
        for (player, info) in self.players.iter().zip(bytes[10..].chunks_exact_mut(2)) {
            info.copy_from_slice(&[player.penalty, player.seconds]);
        }
    }
}

const PHASES: [MatchPhase; 4] =
    [MatchPhase::Normal, MatchPhase::PenaltyShootout, MatchPhase::Overtime, MatchPhase::Timeout];

const STATES: [MatchState; 6] = [
    MatchState::Initial,
    MatchState::Ready,
    MatchState::Set,
    MatchState::Playing,
    MatchState::Finished,
    MatchState::Standby,
];

const SET_PLAYS: [SetPlay; 6] = [
    SetPlay::None,
    SetPlay::GoalKick,
    SetPlay::PushingFreeKick,
    SetPlay::CornerKick,
    SetPlay::KickIn,
    SetPlay::PenaltyKick,
];

/// Penalties and their numbers in the protocol.
const PENALTIES: [(u8, Penalty); 14] = [
    (0, Penalty::None),
    (1, Penalty::IllegalBallContact),
    (2, Penalty::PlayerPushing),
    (3, Penalty::MotionInSet),
    (4, Penalty::Inactive),
    (5, Penalty::IllegalPosition),
    (6, Penalty::LeavingTheField),
    (7, Penalty::RequestForPickup),
    (8, Penalty::LocalGameStuck),
    (9, Penalty::IllegalPositionInSet),
    (10, Penalty::PlayerStance),
    (11, Penalty::MotionInStandby),
    (14, Penalty::Substitute),
    (15, Penalty::Manual),
];

fn one_of<T: Copy>(values: &[T], number: u8, field: &'static str) -> Result<T, Refusal> {
    values.get(usize::from(number)).copied().ok_or(Refusal::Content { field, found: number })
}

/// Returns the penalty of a number; a robot that is penalised for an unknown reason is penalised.
fn penalty(number: u8) -> Penalty {
    PENALTIES.iter().find(|(known, _)| *known == number).map_or(Penalty::Unknown, |(_, penalty)| *penalty)
}

/// Returns the number of a penalty in the protocol.
#[must_use]
pub fn number_of(penalty: Penalty) -> u8 {
    PENALTIES.iter().find(|(_, known)| *known == penalty).map_or(15, |(number, _)| *number)
}

#[cfg(test)]
mod tests;
