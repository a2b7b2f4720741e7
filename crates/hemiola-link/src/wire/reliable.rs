use super::{Contents, FRAGMENT, MESSAGE, VALUE, WireError};

/// A message, value or fragment that is sent again until the other side has acknowledged it. See
/// [`Frame`](super::Frame).
///
/// ```
/// use hemiola_link::wire::{Frame, Message, Reliable};
///
/// let mut message = Vec::new();
/// Frame::Message(Message { topic: 3, sequence: 1, time: 0, stamp: None, cdr: &[0, 1, 0, 0, 7] }).write(&mut message);
/// let reliable = Frame::Reliable(Reliable { number: 1, frame: &message });
/// let mut bytes = Vec::new();
/// reliable.write(&mut bytes);
/// assert_eq!(Frame::read(&bytes), Ok(reliable));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reliable<'b> {
    /// The number of the frame: 1, 2, 3 and so on for each side of a conversation.
    pub number: u64,
    /// The frame of the message, value or fragment.
    pub frame: &'b [u8],
}

impl<'b> Reliable<'b> {
    /// Reads the number, and a frame of a kind that can be reliable.
    pub(super) fn read(contents: &mut Contents<'b>) -> Result<Self, WireError> {
        let number = u64::from_le_bytes(contents.array()?);
        let frame = std::mem::take(&mut contents.0);
        match frame.first() {
            Some(&(MESSAGE | VALUE | FRAGMENT)) => Ok(Self { number, frame }),
            Some(&kind) => Err(WireError::Kind(kind)),
            None => Err(WireError::TooShort),
        }
    }
}
