//! The frames for calls of services: see [`Frame`](super::Frame).

use hemiola_bus::AnswerError;

use super::{REQUEST, RESPONSE, WireError};

/// The request of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request<'b> {
    /// The number under which the caller has offered the requests of the service.
    pub topic: u32,
    /// The number of the call: 1, 2, 3 and so on in each conversation.
    pub call: u64,
    /// The request in CDR, with its header.
    pub cdr: &'b [u8],
}

/// The answer to a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Response<'b> {
    /// The number of the call.
    pub call: u64,
    /// The answer in CDR, with its header.
    pub cdr: &'b [u8],
}

/// The reason why a call has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoAnswer {
    /// The service has no server, or the server ended before it handled the request.
    Ended,
    /// The server panicked while it handled the request.
    Panicked,
    /// The server did not answer in time.
    TimedOut,
    /// There is no room for the request, it cannot be read, or its answer cannot be sent.
    Refused,
}

impl Request<'_> {
    /// Returns the bytes that precede the CDR of the request.
    pub(crate) fn head(&self) -> Vec<u8> {
        let mut head = vec![REQUEST];
        head.extend_from_slice(&self.topic.to_le_bytes());
        head.extend_from_slice(&self.call.to_le_bytes());
        head
    }
}

impl Response<'_> {
    /// Returns the bytes that precede the CDR of the answer.
    pub(crate) fn head(&self) -> Vec<u8> {
        let mut head = vec![RESPONSE];
        head.extend_from_slice(&self.call.to_le_bytes());
        head
    }
}

impl NoAnswer {
    /// Reads the code of a reason.
    pub(super) fn read(number: u8) -> Result<Self, WireError> {
        match number {
            0 => Ok(Self::Ended),
            1 => Ok(Self::Panicked),
            2 => Ok(Self::TimedOut),
            3 => Ok(Self::Refused),
            other => Err(WireError::NoAnswer(other)),
        }
    }
}

impl From<&AnswerError> for NoAnswer {
    fn from(error: &AnswerError) -> Self {
        match error {
            AnswerError::Ended => Self::Ended,
            AnswerError::Panicked => Self::Panicked,
            AnswerError::TimedOut => Self::TimedOut,
            _ => Self::Refused,
        }
    }
}

impl From<NoAnswer> for AnswerError {
    fn from(reason: NoAnswer) -> Self {
        match reason {
            NoAnswer::Ended => Self::Ended,
            NoAnswer::Panicked => Self::Panicked,
            NoAnswer::TimedOut => Self::TimedOut,
            NoAnswer::Refused => Self::Refused,
        }
    }
}
