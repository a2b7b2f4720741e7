//! Why a conversation ends.

use std::fmt;
use std::io;

use crate::wire::{VERSION, WireError};

/// Why a conversation ends.
#[derive(Debug)]
pub enum Parting {
    /// What the peer says is none of `docs/link.md`.
    Garbage(WireError),
    /// It speaks another version.
    Version(u32),
    /// Nobody answers where it should be.
    NoAnswer,
    /// It does not say hello, or something else first.
    NoHello,
    /// It asks and asks, and takes no answers.
    DoesNotListen,
    /// There are as many as there may be.
    NoRoom,
    /// It has said nothing for long.
    Silence,
    /// It has begun anew, without having ended.
    Anew,
    /// It has closed.
    Closed,
    /// It has said why it goes.
    Goodbye(String),
    /// The system says so.
    System(io::Error),
}

impl Parting {
    /// Whether the peer is to blame: it is told why, and counted as refused.
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Garbage(_) | Self::Version(_) | Self::NoHello | Self::DoesNotListen | Self::NoRoom => true,
            Self::NoAnswer | Self::Silence | Self::Anew | Self::Closed | Self::Goodbye(_) | Self::System(_) => false,
        }
    }
}

impl fmt::Display for Parting {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Garbage(error) => write!(formatter, "what it says is not what links say: {error}"),
            Self::Version(version) => {
                write!(
                    formatter,
                    "it speaks version {version} of links, and here is version {VERSION}: update one of them"
                )
            }
            Self::NoAnswer => formatter.write_str("it does not answer"),
            Self::NoHello => formatter.write_str("it has not said hello"),
            Self::DoesNotListen => formatter.write_str("it asks and takes no answers"),
            Self::NoRoom => formatter.write_str("as many are there as there may be"),
            Self::Silence => formatter.write_str("it says nothing any more"),
            Self::Anew => formatter.write_str("it has begun anew"),
            Self::Closed => formatter.write_str("it has closed the connection"),
            Self::Goodbye(reason) => write!(formatter, "it says goodbye: {reason}"),
            Self::System(error) => write!(formatter, "{error}"),
        }
    }
}
