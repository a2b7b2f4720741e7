//! Messages between the robots of a team, within the limits of the league: 128 bytes each, and so
//! many for the whole team in a game.
//!
//! | file | contents |
//! |---|---|
//! | [`message`] | what a robot tells its mates, in 28 bytes |
//! | [`allowance`] | the decision whether a message may be sent now |
//! | [`source`] | the source [`TeamCommunication`](source::TeamCommunication), which sends and receives |
//!
//! As the league demands, a message is a UDP packet to everybody, at the port 10000 plus the
//! team's number; the GameController counts it there. A link of the framework sends more packets
//! than a person sees, such as pings, and is not for games.

pub mod allowance;
pub mod message;
pub mod source;

/// The port to which the messages of team 0 would go; the team's number is added.
pub const FIRST_PORT: u16 = 10_000;
