//! The reasons why a conversation ends.

use std::fmt;
use std::io;

use crate::wire::WireError;

/// The reason why a conversation ends.
#[derive(Debug)]
pub enum Parting {
    /// The peer violates the protocol that `docs/book/src/link.md` describes.
    Garbage(WireError),
    /// The peer speaks another version than the latest one here.
    Version { there: u32, here: u32 },
    /// Nobody answers at the address.
    NoAnswer,
    /// The peer has not sent a hello, or something else before it.
    NoHello,
    /// The peer keeps sending requests without reading the answers.
    DoesNotListen,
    /// The limit of connected peers is reached.
    NoRoom,
    /// The peer uses shared memory in a way that `docs/book/src/link.md` does not allow.
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
    /// Returns whether the peer is at fault. The reason is then sent to the peer, and the peer is
    /// counted as refused.
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
            Self::NoAnswer => formatter.write_str("it does not respond"),
            Self::NoHello => formatter.write_str("it has not said hello"),
            Self::DoesNotListen => formatter.write_str("it does not read the answers to what it asks"),
            Self::NoRoom => formatter.write_str("as many peers are connected as may be"),
            Self::Memory(why) => write!(formatter, "its shared memory cannot be used: {why}"),
            Self::Silence => formatter.write_str("it has been silent for too long"),
            Self::Anew => formatter.write_str("it has begun a new conversation"),
            Self::Closed => formatter.write_str("it has closed the connection"),
            Self::Goodbye(reason) => write!(formatter, "it has said goodbye: {reason}"),
            Self::System(error) => write!(formatter, "{error}"),
        }
    }
}
