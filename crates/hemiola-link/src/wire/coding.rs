//! The bytes of frames: how they are read and written.

use super::{
    ACKNOWLEDGEMENT, ANSWER, Answer, DATAGRAM_HEAD, FRAGMENT, Fragment, Frame, GOODBYE, HELLO, KEEPS, LENT_MESSAGE,
    LENT_VALUE, Lent, LentMarks, MEMORY, MESSAGE, MESSAGE_HEAD, MOST_OFFERS, Message, NAME, NoAnswer, OFFER, Offer,
    OfferKind, PING, PIPE, PIPED, PONG, PipeAt, REFUSAL, RELIABLE, RELIABLE_HEAD, REQUEST, RESPONSE, RETURNED,
    Reliable, Request, Response, TOGETHER, VALUE, VALUE_HEAD, VERSION, VERSION_WITH_ACKNOWLEDGEMENTS, WireError,
    check_length, head_length,
};

impl<'b> Frame<'b> {
    /// Parses a frame, without its length or the two numbers of a datagram.
    ///
    /// # Errors
    /// Returns an error if the bytes are not a frame. Nothing is allocated.
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
                    version @ VERSION..=VERSION_WITH_ACKNOWLEDGEMENTS => {
                        Self::Hello { version, robot: contents.text()? }
                    }
                    version => return Ok(Self::Hello { version, robot: "" }),
                }
            }
            OFFER => Self::Offer(Offer {
                topic: contents.topic()?,
                kind: contents.kind()?,
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
                time: contents.time()?,
                stamp: None,
                cdr: std::mem::take(&mut contents.0),
            }),
            VALUE => Self::Message(Message {
                topic: contents.topic()?,
                sequence: u64::from_le_bytes(contents.array()?),
                time: contents.time()?,
                stamp: Some(contents.time()?),
                cdr: std::mem::take(&mut contents.0),
            }),
            PING => Self::Ping { left: contents.time()? },
            PONG => Self::Pong { left: contents.time()?, arrived: contents.time()?, answered: contents.time()? },
            REQUEST => Self::Request(Request {
                topic: contents.topic()?,
                call: u64::from_le_bytes(contents.array()?),
                cdr: std::mem::take(&mut contents.0),
            }),
            RESPONSE => Self::Response(Response {
                call: u64::from_le_bytes(contents.array()?),
                cdr: std::mem::take(&mut contents.0),
            }),
            REFUSAL => {
                let call = u64::from_le_bytes(contents.array()?);
                let [why] = contents.array()?;
                Self::Refusal { call, why: NoAnswer::read(why)?, reason: contents.text()? }
            }
            MEMORY => Self::Memory {
                bytes: u64::from_le_bytes(contents.array()?),
                word: u32::from_le_bytes(contents.array()?),
            },
            LENT_MESSAGE | LENT_VALUE => Self::Lent(contents.lent(kind == LENT_VALUE)?),
            RETURNED => Self::Returned,
            PIPE => Self::Pipe(PipeAt {
                offset: u64::from_le_bytes(contents.array()?),
                length: u64::from_le_bytes(contents.array()?),
                word: u32::from_le_bytes(contents.array()?),
            }),
            PIPED => Self::Piped,
            KEEPS => Self::Keeps { word: u32::from_le_bytes(contents.array()?) },
            TOGETHER => Self::Together { values: u32::from_le_bytes(contents.array()?) },
            FRAGMENT => Self::Fragment(Fragment::read(&mut contents)?),
            RELIABLE => Self::Reliable(Reliable::read(&mut contents)?),
            ACKNOWLEDGEMENT => Self::Acknowledgement {
                next: u64::from_le_bytes(contents.array()?),
                later: u64::from_le_bytes(contents.array()?),
            },
            _ => Self::Goodbye { reason: contents.text()? },
        };
        if contents.0.is_empty() { Ok(frame) } else { Err(WireError::TooMuch) }
    }

    /// Appends the frame to `bytes`, without a length before it.
    pub fn write(&self, bytes: &mut Vec<u8>) {
        match *self {
            Self::Hello { version, robot } => {
                bytes.push(HELLO);
                write_text(NAME, bytes);
                bytes.extend_from_slice(&version.to_le_bytes());
                write_text(robot, bytes);
            }
            Self::Offer(Offer { topic, kind, name, schema, hash, definition }) => {
                bytes.push(OFFER);
                bytes.extend_from_slice(&topic.to_le_bytes());
                bytes.push(kind as u8);
                [name, schema, hash, definition].iter().for_each(|text| write_text(text, bytes));
            }
            Self::Answer { topic, answer, reason } => {
                bytes.push(ANSWER);
                bytes.extend_from_slice(&topic.to_le_bytes());
                bytes.push(answer as u8);
                write_text(reason, bytes);
            }
            Self::Message(message) => {
                message.write_head(bytes);
                bytes.extend_from_slice(message.cdr);
            }
            Self::Ping { left } => {
                bytes.push(PING);
                bytes.extend_from_slice(&left.to_le_bytes());
            }
            Self::Pong { left, arrived, answered } => {
                bytes.push(PONG);
                [left, arrived, answered].iter().for_each(|time| bytes.extend_from_slice(&time.to_le_bytes()));
            }
            Self::Request(request) => {
                bytes.extend_from_slice(&request.head());
                bytes.extend_from_slice(request.cdr);
            }
            Self::Response(response) => {
                bytes.extend_from_slice(&response.head());
                bytes.extend_from_slice(response.cdr);
            }
            Self::Refusal { call, why, reason } => {
                bytes.push(REFUSAL);
                bytes.extend_from_slice(&call.to_le_bytes());
                bytes.push(why as u8);
                write_text(reason, bytes);
            }
            Self::Memory { bytes: length, word } => {
                bytes.push(MEMORY);
                bytes.extend_from_slice(&length.to_le_bytes());
                bytes.extend_from_slice(&word.to_le_bytes());
            }
            Self::Lent(lent) => lent.write(bytes),
            Self::Returned => bytes.push(RETURNED),
            Self::Pipe(PipeAt { offset, length, word }) => {
                bytes.push(PIPE);
                [offset, length].iter().for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
                bytes.extend_from_slice(&word.to_le_bytes());
            }
            Self::Piped => bytes.push(PIPED),
            Self::Keeps { word } => {
                bytes.push(KEEPS);
                bytes.extend_from_slice(&word.to_le_bytes());
            }
            Self::Together { values } => {
                bytes.push(TOGETHER);
                bytes.extend_from_slice(&values.to_le_bytes());
            }
            Self::Fragment(fragment) => fragment.write(bytes),
            Self::Reliable(Reliable { number, frame }) => {
                bytes.extend_from_slice(&reliable_head(number));
                bytes.extend_from_slice(frame);
            }
            Self::Acknowledgement { next, later } => {
                bytes.push(ACKNOWLEDGEMENT);
                [next, later].iter().for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
            }
            Self::Goodbye { reason } => {
                bytes.push(GOODBYE);
                write_text(reason, bytes);
            }
        }
    }
}

impl Message<'_> {
    /// Appends the bytes that precede the CDR of the message or value.
    pub(crate) fn write_head(&self, bytes: &mut Vec<u8>) {
        let mut head = [0; VALUE_HEAD];
        head[0] = if self.stamp.is_some() { VALUE } else { MESSAGE };
        head[1..5].copy_from_slice(&self.topic.to_le_bytes());
        head[5..13].copy_from_slice(&self.sequence.to_le_bytes());
        head[13..MESSAGE_HEAD].copy_from_slice(&self.time.to_le_bytes());
        head[MESSAGE_HEAD..].copy_from_slice(&self.stamp.unwrap_or_default().to_le_bytes());
        bytes.extend_from_slice(&head[..head_length(self.stamp)]);
    }
}

/// Returns the bytes before the frame in a frame that is acknowledged by this number.
pub(crate) fn reliable_head(number: u64) -> [u8; RELIABLE_HEAD] {
    let mut head = [RELIABLE; RELIABLE_HEAD];
    head[1..].copy_from_slice(&number.to_le_bytes());
    head
}

/// Returns the two numbers at the beginning of a datagram: of who sends it, and of who receives it,
/// which is 0 as long as that one is not known.
pub(crate) fn datagram_head(from: u64, to: u64) -> [u8; DATAGRAM_HEAD] {
    let mut head = [0; DATAGRAM_HEAD];
    head[..8].copy_from_slice(&from.to_le_bytes());
    head[8..].copy_from_slice(&to.to_le_bytes());
    head
}

/// Returns the two numbers at the beginning of a datagram, and the frame behind them.
pub(crate) fn split_datagram(datagram: &[u8]) -> Option<([u64; 2], Result<Frame<'_>, WireError>)> {
    let (numbers, frame) = datagram.split_first_chunk::<DATAGRAM_HEAD>()?;
    let [from, to] = [&numbers[..8], &numbers[8..]];
    let numbers = [from, to].map(|bytes| bytes.try_into().map_or(0, u64::from_le_bytes));
    Some((numbers, Frame::read(frame)))
}

/// The bytes of a frame that have not been read yet.
pub(super) struct Contents<'b>(pub(super) &'b [u8]);

impl<'b> Contents<'b> {
    pub(super) fn array<const N: usize>(&mut self) -> Result<[u8; N], WireError> {
        let (array, rest) = self.0.split_first_chunk().ok_or(WireError::TooShort)?;
        self.0 = rest;
        Ok(*array)
    }

    pub(super) fn topic(&mut self) -> Result<u32, WireError> {
        match u32::from_le_bytes(self.array()?) {
            topic if topic < MOST_OFFERS => Ok(topic),
            topic => Err(WireError::Topic(topic)),
        }
    }

    pub(super) fn kind(&mut self) -> Result<OfferKind, WireError> {
        match self.array()? {
            [0] => Ok(OfferKind::Topic),
            [1] => Ok(OfferKind::Representation),
            [2] => Ok(OfferKind::ServiceRequests),
            [3] => Ok(OfferKind::ServiceAnswers),
            [other] => Err(WireError::Subject(other)),
        }
    }

    /// Reads a lent message, with a time stamp if it is a value.
    pub(super) fn lent(&mut self, has_stamp: bool) -> Result<Lent<'b>, WireError> {
        let (topic, sequence, time) = (self.topic()?, u64::from_le_bytes(self.array()?), self.time()?);
        let stamp = if has_stamp { Some(self.time()?) } else { None };
        let message = Message { topic, sequence, time, stamp, cdr: &[] };
        let [offset, length] = [self.array()?, self.array()?].map(u64::from_le_bytes);
        let marks = match self.array()? {
            [marks @ 0..4] => LentMarks { wants_notice: marks & 1 != 0, may_be_kept: marks & 2 != 0 },
            [marks] => return Err(WireError::Marks(marks)),
        };
        Ok(Lent { message, offset, length, marks })
    }

    pub(super) fn time(&mut self) -> Result<i64, WireError> {
        self.array().map(i64::from_le_bytes)
    }

    pub(super) fn text(&mut self) -> Result<&'b str, WireError> {
        let length = u32::from_le_bytes(self.array()?) as usize;
        let (text, rest) = self.0.split_at_checked(length).ok_or(WireError::TooShort)?;
        self.0 = rest;
        std::str::from_utf8(text).map_err(|_| WireError::NoText)
    }
}

/// Writes a text of a frame. A text longer than 4 GB, which no frame of this program has, is
/// written as an empty one.
fn write_text(text: &str, bytes: &mut Vec<u8>) {
    let length = u32::try_from(text.len()).unwrap_or_default();
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(&text.as_bytes()[..length as usize]);
}
