//! The reasons why a conversation ends.

use std::fmt;
use std::io;

use crate::wire::WireError;

/// The reason why a conversation ends.
#[derive(Debug)]
pub enum Parting {
    /// The peer sends what `docs/book/src/link.md` does not allow.
    Garbage(WireError),
    /// The peer speaks another version than the latest one here.
    Version { there: u32, here: u32 },
    /// Nobody answers at the address.
    NoAnswer,
    /// The peer sends no hello, or something else first.
    NoHello,
    /// The peer keeps asking, and does not read the answers.
    DoesNotListen,
    /// The limit of connected peers is reached.
    NoRoom,
    /// The peer does something with shared memory that `docs/book/src/link.md` does not allow.
    Memory(String),
    /// The peer was silent for too long.
    Silence,
    /// The peer has begun a new conversation without ending this one.
    Anew,
    /// The peer has closed the connection.
    Closed,
    /// The peer has said goodbye, with this reason.
    Goodbye(String),
    /// The system has reported an error.
    System(io::Error),
}

impl Parting {
    /// Returns whether the peer is to blame: then it is sent the reason, and counted as refused.
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Garbage(_) | Self::Version { .. } | Self::NoHello | Self::DoesNotListen => true,
            Self::NoRoom | Self::Memory(_) => true,
            Self::NoAnswer | Self::Silence | Self::Anew | Self::Closed | Self::Goodbye(_) | Self::System(_) => false,
        }
    }
}

impl fmt::Display for Parting {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Garbage(error) => write!(formatter, "what it says is not what links say: {error}"),
            Self::Version { there, here } => {
                write!(formatter, "it speaks version {there} of links, and here is version {here}: update one of them")
            }
            Self::NoAnswer => formatter.write_str("it does not answer"),
            Self::NoHello => formatter.write_str("it has not said hello"),
            Self::DoesNotListen => formatter.write_str("it asks and takes no answers"),
            Self::NoRoom => formatter.write_str("as many are there as there may be"),
            Self::Memory(why) => write!(formatter, "its shared memory cannot be used: {why}"),
            Self::Silence => formatter.write_str("it says nothing any more"),
            Self::Anew => formatter.write_str("it has begun anew"),
            Self::Closed => formatter.write_str("it has closed the connection"),
            Self::Goodbye(reason) => write!(formatter, "it says goodbye: {reason}"),
            Self::System(error) => write!(formatter, "{error}"),
        }
    }
}
