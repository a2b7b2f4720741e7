//! Frames, as `docs/book/src/link.md` describes them: read from untrusted bytes, and written to
//! bytes.

mod assembly;
mod call;
mod coding;
mod error;
mod fragment;
mod incoming;
mod lent;
mod pipe;
mod reliable;

use hemiola_model::configuration::SubjectKind;

pub use assembly::Assembly;
pub use call::{NoAnswer, Request, Response};
use coding::Contents;
pub(crate) use coding::{datagram_head, reliable_head, split_datagram};
pub use error::WireError;
pub use fragment::{Fragment, PIECE};
pub use incoming::{Incoming, split};
pub(crate) use incoming::{LENGTH, length_of, with_length};
pub(crate) use lent::lend;
pub use lent::{Lent, LentMarks};
pub use pipe::PipeAt;
pub use reliable::Reliable;

#[cfg(test)]
mod tests;

/// The version of the protocol that programs speak over streams.
pub const VERSION: u32 = 1;
/// The version that has fragments besides, which programs speak over UDP if both of them know it.
pub const VERSION_WITH_FRAGMENTS: u32 = 2;
/// The version in which messages can be acknowledged besides, over UDP.
pub const VERSION_WITH_ACKNOWLEDGEMENTS: u32 = 3;
/// The text with which a hello begins, so that peers that are no links are recognised.
const NAME: &str = "hemiola link";
/// The exclusive limit of the numbers under which topics and services are offered.
pub const MOST_OFFERS: u32 = 4096;
/// The longest frame in a datagram of UDP, behind the two numbers at the datagram's beginning.
pub const LONGEST_IN_DATAGRAM: usize = 65_507 - DATAGRAM_HEAD;
/// The longest frame of a stream, without its length.
pub const LONGEST_FRAME: usize = 64 << 20;
/// The longest offer, including the byte of its kind.
pub const LONGEST_OFFER: usize = 1 << 20;
/// The bytes of the two numbers at the beginning of a datagram.
pub const DATAGRAM_HEAD: usize = 16;
/// The number of bytes before the CDR of a message: its kind, topic, sequence and time.
const MESSAGE_HEAD: usize = 1 + 4 + 8 + 8;
/// The bytes before the CDR of a value, which has a stamp, too.
const VALUE_HEAD: usize = MESSAGE_HEAD + 8;
/// The bytes before the piece that a fragment holds.
const FRAGMENT_HEAD: usize = 1 + 4 + 8 + 4 + 4;
/// The bytes before the frame in a frame that is acknowledged.
pub(crate) const RELIABLE_HEAD: usize = 1 + 8;

const HELLO: u8 = 1;
const OFFER: u8 = 2;
const ANSWER: u8 = 3;
const MESSAGE: u8 = 4;
const GOODBYE: u8 = 5;
const VALUE: u8 = 6;
const PING: u8 = 7;
const PONG: u8 = 8;
const REQUEST: u8 = 9;
const RESPONSE: u8 = 10;
const REFUSAL: u8 = 11;
const MEMORY: u8 = 12;
const LENT_MESSAGE: u8 = 13;
const LENT_VALUE: u8 = 14;
const RETURNED: u8 = 15;
pub(crate) const FRAGMENT: u8 = 16;
pub(crate) const RELIABLE: u8 = 17;
const ACKNOWLEDGEMENT: u8 = 18;
const PIPE: u8 = 19;
const PIPED: u8 = 20;
const KEEPS: u8 = 21;
const TOGETHER: u8 = 22;

/// A frame that one side sends to the other.
///
/// ```
/// use hemiola_link::wire::Frame;
///
/// let mut bytes = Vec::new();
/// Frame::Goodbye { reason: "the robot has ended" }.write(&mut bytes);
/// assert_eq!(Frame::read(&bytes), Ok(Frame::Goodbye { reason: "the robot has ended" }));
/// assert!(Frame::read(b"GET / HTTP/1.1").is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame<'b> {
    /// The first frame of a side, which identifies it.
    Hello {
        /// The version of the protocol that the side speaks. If it is not known here, nothing else
        /// is read.
        version: u32,
        /// The robot's name.
        robot: &'b str,
    },
    /// An offer of something that the side can send: a topic, a representation, or the requests or
    /// answers of a service.
    Offer(Offer<'b>),
    /// The answer to an offer.
    Answer {
        /// The number of what was offered.
        topic: u32,
        /// The decision of the receiver: it wants the offer, does not, or does not yet.
        answer: Answer,
        /// The reason why it is not wanted; may be empty.
        reason: &'b str,
    },
    /// A message of a topic, or a value of a representation.
    Message(Message<'b>),
    /// A request for the time of the peer's clock.
    Ping {
        /// The time at which it leaves, in nanoseconds of the sender's clock.
        left: i64,
    },
    /// The answer to a ping.
    Pong {
        /// The time in the ping.
        left: i64,
        /// The time at which the ping arrived, in nanoseconds of the answering side's clock.
        arrived: i64,
        /// The time at which the answer leaves, on the same clock.
        answered: i64,
    },
    /// A call of a service.
    Request(Request<'b>),
    /// The answer to a call.
    Response(Response<'b>),
    /// The end of a call that has no answer.
    Refusal {
        /// The number of the call.
        call: u64,
        /// The code of the reason why it has no answer.
        why: NoAnswer,
        /// The reason in words; may be empty.
        reason: &'b str,
    },
    /// The memory of the side, which the other side can read. Its file descriptor is passed with
    /// this frame.
    Memory {
        /// The length of the memory.
        bytes: u64,
        /// The index of the word in which the side counts what it has read from the other side's
        /// memory.
        word: u32,
    },
    /// A message or value in the memory of the side.
    Lent(Lent<'b>),
    /// The notice that a message was read whose sender wanted one.
    Returned,
    /// The pipe of the side, in its memory: it reads what the other side writes into a ring of its
    /// own.
    Pipe(PipeAt),
    /// The last frame of the side on the socket: all others go through its pipe.
    Piped,
    /// The words in which the side says what it keeps of the other side's memory.
    Keeps {
        /// The index of the first of these words in the side's memory.
        word: u32,
    },
    /// A piece of a message or value.
    Fragment(Fragment<'b>),
    /// A message, value or fragment that is sent again until it is acknowledged.
    Reliable(Reliable<'b>),
    /// The frames that have arrived of those that the other side sends until they are acknowledged.
    Acknowledgement {
        /// The number of the first frame that has not arrived.
        next: u64,
        /// Bit `n` is set if frame `next + 1 + n` has arrived.
        later: u64,
    },
    /// The notice that the next values belong together: one run or sample provided them.
    Together {
        /// The number of these values.
        values: u32,
    },
    /// The end of the conversation.
    Goodbye {
        /// The reason why the conversation ends.
        reason: &'b str,
    },
}

/// An offer of something that a side can send. See [`Frame`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer<'b> {
    /// The number that identifies it from now on.
    pub topic: u32,
    /// The kind of the offer.
    pub kind: OfferKind,
    /// The name of the topic, representation or service.
    pub name: &'b str,
    /// The name of the type of its messages, values, requests or answers: `soccer/msg/Goal`.
    pub schema: &'b str,
    /// The type's hash; empty where the other side computes none.
    pub hash: &'b str,
    /// The type's definition in ros2msg.
    pub definition: &'b str,
}

/// The kind of an offer. See [`Offer`].
///
/// A service is offered by both sides: the caller offers its requests, and the server its answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OfferKind {
    /// A topic, with its messages.
    Topic,
    /// A representation, with its values.
    Representation,
    /// The requests of a service that the side calls.
    ServiceRequests,
    /// The answers of a service that the side serves.
    ServiceAnswers,
}

/// The answer to an offer. See [`Frame`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The receiver does not receive it.
    Unknown,
    /// The receiver will receive it as soon as it has a subscriber.
    Later,
    /// The receiver wants its messages or values.
    Wanted,
    /// The types of both sides do not fit.
    Misfit,
}

/// A message of a topic, or a value of a representation. See [`Frame`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<'b> {
    /// The number of the topic or representation.
    pub topic: u32,
    /// The number of the message: 1, 2, 3 and so on for each topic. Missing numbers were lost on
    /// the way.
    pub sequence: u64,
    /// The time at which it was published or committed, in nanoseconds of the sender's clock.
    pub time: i64,
    /// The time of the sample that a value derives from, on the same clock; `None` for messages of
    /// topics.
    pub stamp: Option<i64>,
    /// The message or value in CDR, with its header.
    pub cdr: &'b [u8],
}

impl From<SubjectKind> for OfferKind {
    fn from(kind: SubjectKind) -> Self {
        match kind {
            SubjectKind::Topic => Self::Topic,
            SubjectKind::Representation => Self::Representation,
        }
    }
}

/// Returns the number of bytes before the CDR of a message, or of a value, which has a stamp.
pub(crate) fn head_length(stamp: Option<i64>) -> usize {
    if stamp.is_some() { VALUE_HEAD } else { MESSAGE_HEAD }
}

/// Returns the longest length of a frame of this kind, including the byte of the kind.
fn longest(kind: u8) -> Option<usize> {
    match kind {
        HELLO | ANSWER | REFUSAL | GOODBYE => Some(4 << 10),
        OFFER => Some(LONGEST_OFFER),
        MESSAGE | VALUE | REQUEST | RESPONSE => Some(LONGEST_FRAME),
        PING => Some(1 + 8),
        PONG => Some(1 + 3 * 8),
        MEMORY => Some(1 + 8 + 4),
        LENT_MESSAGE => Some(MESSAGE_HEAD + lent::PLACE),
        LENT_VALUE => Some(VALUE_HEAD + lent::PLACE),
        RETURNED | PIPED => Some(1),
        PIPE => Some(1 + 8 + 8 + 4),
        KEEPS | TOGETHER => Some(1 + 4),
        FRAGMENT => Some(FRAGMENT_HEAD + PIECE),
        RELIABLE => Some(LONGEST_IN_DATAGRAM),
        ACKNOWLEDGEMENT => Some(1 + 2 * 8),
        _ => None,
    }
}

fn check_length(kind: u8, length: usize) -> Result<(), WireError> {
    let longest = longest(kind).ok_or(WireError::Kind(kind))?;
    if length <= longest { Ok(()) } else { Err(WireError::TooLong { kind, length }) }
}

/// Returns whether a message or value of this length, including its head, fits into a frame.
pub(crate) fn fits_a_frame(length: usize) -> bool {
    check_length(MESSAGE, length).is_ok()
}

/// Returns the beginning of a text, short enough for a reason or a name.
pub(crate) fn shortened(text: &str) -> &str {
    const LONGEST: usize = 1000;
    if text.len() <= LONGEST {
        return text;
    }
    let end = (0..=LONGEST).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or_default()]
}
