use std::fmt;

use super::{MOST_OFFERS, longest};

/// The reason why bytes are no frame.
///
/// ```
/// use hemiola_link::wire::{Frame, WireError};
///
/// assert_eq!(Frame::read(&[99]), Err(WireError::Kind(99)));
/// assert_eq!(Frame::read(&[]).unwrap_err().to_string(), "a frame ends too early");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireError {
    /// The kind of the frame is unknown.
    Kind(u8),
    /// The frame is longer than its kind may be.
    TooLong {
        /// The kind of the frame.
        kind: u8,
        /// The length that the frame claims.
        length: usize,
    },
    /// The bytes end before the frame does.
    TooShort,
    /// The bytes go on behind the end of the frame.
    TooMuch,
    /// A text is not UTF-8.
    NoText,
    /// The kind of what is offered is unknown.
    Subject(u8),
    /// The answer is unknown.
    Answer(u8),
    /// The number of what is offered is too high.
    Topic(u32),
    /// The reason of a refusal is unknown.
    NoAnswer(u8),
    /// Whether somebody is to be told is neither yes nor no.
    Notice(u8),
    /// The frame is a hello of a program that is no link.
    NoLink,
    /// A fragment has no such place in its message.
    Fragment {
        /// The length of the message's frame.
        length: u32,
        /// The number of the piece.
        index: u32,
        /// The bytes of the piece.
        bytes: usize,
    },
    /// Fragments make up something else than the message that they claim to be.
    NoMessage,
}

impl fmt::Display for WireError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Kind(kind) => write!(formatter, "there is no frame of kind {kind}"),
            Self::TooLong { kind, length } => {
                let most = longest(*kind).unwrap_or_default();
                write!(formatter, "a frame of kind {kind} has {length} bytes, of at most {most}")
            }
            Self::TooShort => formatter.write_str("a frame ends too early"),
            Self::TooMuch => formatter.write_str("a frame goes on behind its end"),
            Self::NoText => formatter.write_str("a text in a frame is no UTF-8"),
            Self::Subject(kind) => write!(formatter, "there is nothing of kind {kind} to offer"),
            Self::Answer(answer) => write!(formatter, "there is no answer {answer}"),
            Self::Topic(topic) => write!(formatter, "an offer has the number {topic}, of at most {}", MOST_OFFERS - 1),
            Self::NoAnswer(why) => write!(formatter, "there is no reason {why} to refuse a call"),
            Self::Notice(wish) => write!(formatter, "a notice is wanted or not, and not {wish}"),
            Self::NoLink => formatter.write_str("it says hello, and not as a link does"),
            Self::Fragment { length, index, bytes } => {
                write!(formatter, "fragment {index} of a message of {length} bytes has {bytes} bytes")
            }
            Self::NoMessage => formatter.write_str("fragments make up no message, or another one"),
        }
    }
}

impl std::error::Error for WireError {}
