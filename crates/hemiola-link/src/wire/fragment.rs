use super::{Contents, FRAGMENT, LONGEST_FRAME, WireError};

/// A piece of a message or value that is longer than a datagram. See [`Frame`](super::Frame).
///
/// ```
/// use hemiola_link::wire::{Fragment, Frame, PIECE};
///
/// let last = Fragment { topic: 3, sequence: 1, length: PIECE as u32 + 2, index: 1, bytes: &[7, 8] };
/// let mut bytes = Vec::new();
/// Frame::Fragment(last).write(&mut bytes);
/// assert_eq!(Frame::read(&bytes), Ok(Frame::Fragment(last)));
/// bytes.push(9); // There is no third byte in that piece.
/// assert!(Frame::read(&bytes).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fragment<'b> {
    /// The number of the topic or representation, as the message itself says.
    pub topic: u32,
    /// The number of the message, as the message itself says.
    pub sequence: u64,
    /// The length of the whole frame of the message, from the byte of its kind on.
    pub length: u32,
    /// The number of the piece: 0, 1, 2 and so on.
    pub index: u32,
    /// The bytes of the frame that the piece holds.
    pub bytes: &'b [u8],
}

/// The length of each piece of a message but the last, which has what is left.
///
/// Over a network, IP divides such a datagram further. That costs nothing: if a part of any size is
/// lost, the message is. A large one costs fewer calls of the system, and fewer of the 65,536
/// numbers by which IP knows the parts of datagrams.
pub const PIECE: usize = 32 << 10;

impl<'b> Fragment<'b> {
    /// Reads a fragment, whose bytes are as many as its place allows.
    pub(super) fn read(contents: &mut Contents<'b>) -> Result<Self, WireError> {
        let (topic, sequence) = (contents.topic()?, u64::from_le_bytes(contents.array()?));
        let [length, index] = [contents.array()?, contents.array()?].map(u32::from_le_bytes);
        let bytes = std::mem::take(&mut contents.0);
        let left = u64::from(length).checked_sub(u64::from(index) * PIECE as u64);
        match left {
            Some(left @ 1..) if length as usize <= LONGEST_FRAME && bytes.len() as u64 == left.min(PIECE as u64) => {
                Ok(Self { topic, sequence, length, index, bytes })
            }
            _ => Err(WireError::Fragment { length, index, bytes: bytes.len() }),
        }
    }

    /// Appends the frame.
    pub(crate) fn write(&self, bytes: &mut Vec<u8>) {
        bytes.push(FRAGMENT);
        bytes.extend_from_slice(&self.topic.to_le_bytes());
        bytes.extend_from_slice(&self.sequence.to_le_bytes());
        bytes.extend_from_slice(&self.length.to_le_bytes());
        bytes.extend_from_slice(&self.index.to_le_bytes());
        bytes.extend_from_slice(self.bytes);
    }
}
