use std::fmt;

use super::{MOST_OFFERS, longest};

/// The reason why bytes are not a frame.
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
    /// The frame is longer than its kind allows.
    TooLong {
        /// The kind of the frame.
        kind: u8,
        /// The length that the frame claims.
        length: usize,
    },
    /// The bytes end before the frame does.
    TooShort,
    /// The bytes continue after the end of the frame.
    TooMuch,
    /// A text is not UTF-8.
    NoText,
    /// The kind of an offer is unknown.
    Subject(u8),
    /// The answer to an offer is unknown.
    Answer(u8),
    /// The number of an offer is too high.
    Topic(u32),
    /// The reason of a refusal is unknown.
    NoAnswer(u8),
    /// The marks of a lent message are unknown.
    Marks(u8),
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
            Self::TooMuch => formatter.write_str("a frame continues after its end"),
            Self::NoText => formatter.write_str("a text in a frame is not UTF-8"),
            Self::Subject(kind) => write!(formatter, "there is no offer of kind {kind}"),
            Self::Answer(answer) => write!(formatter, "there is no answer {answer}"),
            Self::Topic(topic) => write!(formatter, "an offer has the number {topic}, of at most {}", MOST_OFFERS - 1),
            Self::NoAnswer(why) => write!(formatter, "there is no reason {why} for a refusal"),
            Self::Marks(marks) => write!(formatter, "a lent message has no marks {marks:#04x}"),
            Self::NoLink => formatter.write_str("it says hello, and not as a link does"),
            Self::Fragment { length, index, bytes } => {
                write!(formatter, "fragment {index} of a message of {length} bytes has {bytes} bytes")
            }
            Self::NoMessage => formatter.write_str("fragments make up no message, or another one"),
        }
    }
}

impl std::error::Error for WireError {}
