//! Frames, as `docs/link.md` describes them: from bytes that nobody vouches for, and to bytes.

use std::fmt;

#[cfg(test)]
mod tests;

/// What this program speaks.
pub const VERSION: u32 = 1;
/// A hello begins with it, so that what is no link is recognised.
const NAME: &str = "hemiola link";
/// Topics are numbered below this.
pub const MOST_TOPICS: u32 = 1024;
/// A datagram of UDP holds no more, and has two numbers before the frame.
pub const LONGEST_IN_DATAGRAM: usize = 65_507 - DATAGRAM_HEAD;
/// So long may an offer be, its kind included.
pub const LONGEST_OFFER: usize = 1 << 20;
/// The two numbers.
pub const DATAGRAM_HEAD: usize = 16;
/// Before the CDR bytes of a message: its kind, topic, sequence and time.
const MESSAGE_HEAD: usize = 1 + 4 + 8 + 8;

const HELLO: u8 = 1;
const OFFER: u8 = 2;
const ANSWER: u8 = 3;
const MESSAGE: u8 = 4;
const GOODBYE: u8 = 5;

/// What one side says to the other.
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
    /// Who speaks; the first that is said.
    Hello {
        /// Which version it speaks. Of another one than ours, nothing else is known.
        version: u32,
        /// The robot's name.
        robot: &'b str,
    },
    /// There is a topic.
    Offer(Offer<'b>),
    /// What becomes of an offer.
    Answer {
        /// The number that was offered.
        topic: u32,
        /// Whether it is wanted.
        answer: Answer,
        /// Why not, or nothing.
        reason: &'b str,
    },
    /// A message of a topic.
    Message(Message<'b>),
    /// The end.
    Goodbye {
        /// Why.
        reason: &'b str,
    },
}

/// A topic that can be had. See [`Frame`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer<'b> {
    /// What it is called from now on.
    pub topic: u32,
    /// Its name.
    pub name: &'b str,
    /// The name of the type of its messages: `soccer/msg/Goal`.
    pub schema: &'b str,
    /// The type's hash; empty where the other side computes none.
    pub hash: &'b str,
    /// The type's definition in ros2msg.
    pub definition: &'b str,
}

/// What becomes of an offer. See [`Frame`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It is not received.
    Unknown,
    /// It will be, when somebody has subscribed to it.
    Later,
    /// Messages shall come.
    Wanted,
    /// The types do not fit.
    Misfit,
}

/// A message of a topic. See [`Frame`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message<'b> {
    /// The topic's number.
    pub topic: u32,
    /// 1, 2, 3 and so on for each topic: what is missing was lost on the way.
    pub sequence: u64,
    /// When it was published, in nanoseconds of the sender's clock.
    pub time: i64,
    /// The message in CDR, with its header.
    pub cdr: &'b [u8],
}

/// What is wrong with bytes that should be a frame.
///
/// ```
/// use hemiola_link::wire::{Frame, WireError};
///
/// assert_eq!(Frame::read(&[9]), Err(WireError::Kind(9)));
/// assert_eq!(Frame::read(&[]).unwrap_err().to_string(), "a frame ends too early");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireError {
    /// There is no such kind of frame.
    Kind(u8),
    /// It says that it is longer than its kind may be.
    TooLong {
        /// Its kind.
        kind: u8,
        /// What it says.
        length: usize,
    },
    /// There is less than it says.
    TooShort,
    /// There is more than it says.
    TooMuch,
    /// A text is no UTF-8.
    NoText,
    /// There is no such answer.
    Answer(u8),
    /// A topic's number is too high.
    Topic(u32),
    /// It is a hello, and of something else.
    NoLink,
}

impl<'b> Frame<'b> {
    /// Reads what was behind a length, or in a datagram behind its two numbers.
    ///
    /// # Errors
    /// The bytes are no frame. Nothing is allocated.
    pub fn read(bytes: &'b [u8]) -> Result<Self, WireError> {
        let (&kind, contents) = bytes.split_first().ok_or(WireError::TooShort)?;
        check_length(kind, bytes.len())?;
        let mut contents = Contents(contents);
        let frame = match kind {
            HELLO => {
                if contents.text()? != NAME {
                    return Err(WireError::NoLink);
                }
                match u32::from_le_bytes(contents.array()?) {
                    VERSION => Self::Hello { version: VERSION, robot: contents.text()? },
                    version => return Ok(Self::Hello { version, robot: "" }),
                }
            }
            OFFER => Self::Offer(Offer {
                topic: contents.topic()?,
                name: contents.text()?,
                schema: contents.text()?,
                hash: contents.text()?,
                definition: contents.text()?,
            }),
            ANSWER => {
                let topic = contents.topic()?;
                let [answer] = contents.array()?;
                let answer = match answer {
                    0 => Answer::Unknown,
                    1 => Answer::Later,
                    2 => Answer::Wanted,
                    3 => Answer::Misfit,
                    other => return Err(WireError::Answer(other)),
                };
                Self::Answer { topic, answer, reason: contents.text()? }
            }
            MESSAGE => Self::Message(Message {
                topic: contents.topic()?,
                sequence: u64::from_le_bytes(contents.array()?),
                time: i64::from_le_bytes(contents.array()?),
                cdr: std::mem::take(&mut contents.0),
            }),
            _ => Self::Goodbye { reason: contents.text()? },
        };
        if contents.0.is_empty() { Ok(frame) } else { Err(WireError::TooMuch) }
    }

    /// Writes it, without a length before it, behind what is there.
    pub fn write(&self, bytes: &mut Vec<u8>) {
        match *self {
            Self::Hello { version, robot } => {
                bytes.push(HELLO);
                write_text(NAME, bytes);
                bytes.extend_from_slice(&version.to_le_bytes());
                write_text(robot, bytes);
            }
            Self::Offer(Offer { topic, name, schema, hash, definition }) => {
                bytes.push(OFFER);
                bytes.extend_from_slice(&topic.to_le_bytes());
                [name, schema, hash, definition].iter().for_each(|text| write_text(text, bytes));
            }
            Self::Answer { topic, answer, reason } => {
                bytes.push(ANSWER);
                bytes.extend_from_slice(&topic.to_le_bytes());
                bytes.push(answer as u8);
                write_text(reason, bytes);
            }
            Self::Message(message) => {
                bytes.extend_from_slice(&message.head());
                bytes.extend_from_slice(message.cdr);
            }
            Self::Goodbye { reason } => {
                bytes.push(GOODBYE);
                write_text(reason, bytes);
            }
        }
    }
}

impl Message<'_> {
    /// What comes before the message itself.
    pub(crate) fn head(&self) -> [u8; MESSAGE_HEAD] {
        let mut head = [MESSAGE; MESSAGE_HEAD];
        head[1..5].copy_from_slice(&self.topic.to_le_bytes());
        head[5..13].copy_from_slice(&self.sequence.to_le_bytes());
        head[13..].copy_from_slice(&self.time.to_le_bytes());
        head
    }
}

/// So long may a frame of a kind be, its kind included.
fn longest(kind: u8) -> Option<usize> {
    match kind {
        HELLO | ANSWER | GOODBYE => Some(4 << 10),
        OFFER => Some(LONGEST_OFFER),
        MESSAGE => Some(64 << 20),
        _ => None,
    }
}

fn check_length(kind: u8, length: usize) -> Result<(), WireError> {
    let longest = longest(kind).ok_or(WireError::Kind(kind))?;
    if length <= longest { Ok(()) } else { Err(WireError::TooLong { kind, length }) }
}

/// Whether a message of so many bytes of CDR can be sent.
pub(crate) fn fits_a_frame(cdr: usize) -> bool {
    check_length(MESSAGE, MESSAGE_HEAD + cdr).is_ok()
}

/// Whether it can be sent in a datagram.
pub(crate) fn fits_a_datagram(cdr: usize) -> bool {
    MESSAGE_HEAD + cdr <= LONGEST_IN_DATAGRAM
}

/// The beginning of a text that fits where reasons and names stand.
pub(crate) fn shortened(text: &str) -> &str {
    const LONGEST: usize = 1000;
    if text.len() <= LONGEST {
        return text;
    }
    let end = (0..=LONGEST).rev().find(|end| text.is_char_boundary(*end));
    &text[..end.unwrap_or_default()]
}

/// What was not read yet.
struct Contents<'b>(&'b [u8]);

impl<'b> Contents<'b> {
    fn array<const N: usize>(&mut self) -> Result<[u8; N], WireError> {
        let (array, rest) = self.0.split_first_chunk().ok_or(WireError::TooShort)?;
        self.0 = rest;
        Ok(*array)
    }

    fn topic(&mut self) -> Result<u32, WireError> {
        match u32::from_le_bytes(self.array()?) {
            topic if topic < MOST_TOPICS => Ok(topic),
            topic => Err(WireError::Topic(topic)),
        }
    }

    fn text(&mut self) -> Result<&'b str, WireError> {
        let length = u32::from_le_bytes(self.array()?) as usize;
        let (text, rest) = self.0.split_at_checked(length).ok_or(WireError::TooShort)?;
        self.0 = rest;
        std::str::from_utf8(text).map_err(|_| WireError::NoText)
    }
}

/// A text within a frame: whatever is longer than 4 GB is no text of ours.
fn write_text(text: &str, bytes: &mut Vec<u8>) {
    let length = u32::try_from(text.len()).unwrap_or_default();
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(&text.as_bytes()[..length as usize]);
}

/// The frames in a stream of bytes, as it comes in.
///
/// ```
/// use hemiola_link::wire::{Frame, Incoming};
///
/// let mut incoming = Incoming::default();
/// incoming.push(&[6, 0, 0, 0, 5, 1, 0, 0]); // a goodbye of one letter, which is on its way
/// assert_eq!(incoming.next(), Ok(None));
/// incoming.push(&[0, b'x']);
/// assert_eq!(incoming.next(), Ok(Some(Frame::Goodbye { reason: "x" })));
/// incoming.push(&[0xff, 0xff, 0xff, 0xff, 4]); // 4 GB
/// assert!(incoming.next().is_err());
/// ```
#[derive(Debug, Default)]
pub struct Incoming {
    bytes: Vec<u8>,
    /// How many of them were read.
    read: usize,
}

/// Bytes of the length before a frame.
const LENGTH: usize = 4;

impl Incoming {
    /// More bytes have come. Memory is taken for these, and not for what they say of others.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.read > 0 {
            self.bytes.drain(..self.read);
            self.read = 0;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// The next frame that is whole.
    ///
    /// # Errors
    /// What comes next is none. There is no way on from there.
    #[expect(clippy::should_implement_trait, reason = "what it gives borrows from it")]
    pub fn next(&mut self) -> Result<Option<Frame<'_>>, WireError> {
        let rest = &self.bytes[self.read..];
        let Some((length, rest)) = rest.split_first_chunk::<LENGTH>() else { return Ok(None) };
        let length = u32::from_le_bytes(*length) as usize;
        if length == 0 {
            return Err(WireError::TooShort);
        }
        let Some(&kind) = rest.first() else { return Ok(None) };
        check_length(kind, length)?;
        let Some(frame) = rest.get(..length) else { return Ok(None) };
        self.read += LENGTH + length;
        Frame::read(frame).map(Some)
    }
}

/// As on a stream: behind its length.
pub(crate) fn with_length(frame: &Frame<'_>) -> Vec<u8> {
    let mut bytes = vec![0; LENGTH];
    frame.write(&mut bytes);
    let length = length_of(bytes.len() - LENGTH);
    bytes[..LENGTH].copy_from_slice(&length);
    bytes
}

/// The length before a frame of so many bytes; no frame is longer than `longest` says.
pub(crate) fn length_of(frame: usize) -> [u8; LENGTH] {
    u32::try_from(frame).unwrap_or(u32::MAX).to_le_bytes()
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
            Self::Answer(answer) => write!(formatter, "there is no answer {answer}"),
            Self::Topic(topic) => write!(formatter, "a topic has the number {topic}, of at most {}", MOST_TOPICS - 1),
            Self::NoLink => formatter.write_str("it says hello, and not as a link does"),
        }
    }
}

impl std::error::Error for WireError {}
