use super::{LENT_MESSAGE, LENT_VALUE, MESSAGE, Message, VALUE};

/// A message of a topic or a value of a representation whose CDR remains in the sender's memory
/// until the receiver has counted it as read. See [`Frame`](super::Frame).
///
/// ```
/// use hemiola_link::wire::{Frame, Lent, LentMarks, Message};
///
/// let message = Message { topic: 3, sequence: 1, time: 0, stamp: None, cdr: &[] };
/// let marks = LentMarks { wants_notice: false, may_be_kept: true };
/// let lent = Frame::Lent(Lent { message, offset: 4096, length: 614_400, marks });
/// let mut bytes = Vec::new();
/// lent.write(&mut bytes);
/// assert_eq!(Frame::read(&bytes), Ok(lent));
/// assert_eq!(bytes.len(), 38); // however large the message is
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lent<'b> {
    /// The message, without its CDR.
    pub message: Message<'b>,
    /// The offset of the CDR in the sender's memory.
    pub offset: u64,
    /// The length of the CDR.
    pub length: u64,
    /// The marks of the sender.
    pub marks: LentMarks,
}

/// The marks of a lent message. See [`Lent`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LentMarks {
    /// Set if the sender waits until the message has been read, and wants a notice.
    pub wants_notice: bool,
    /// Set if the receiver may keep the message where it is: the sender looks at the words in which
    /// the receiver says what it keeps.
    pub may_be_kept: bool,
}

/// The number of bytes after the head of a lent message.
pub(super) const PLACE: usize = 8 + 8 + 1;

impl Lent<'_> {
    /// Appends the frame.
    pub(super) fn write(&self, bytes: &mut Vec<u8>) {
        let begin = bytes.len();
        self.message.write_head(bytes);
        lend(bytes, begin, (self.offset, self.length), self.marks);
    }
}

/// Turns the head of a message or value that begins at `begin` into that of a lent one. Returns
/// whether it was such a head.
pub(crate) fn lend(bytes: &mut Vec<u8>, begin: usize, (offset, length): (u64, u64), marks: LentMarks) -> bool {
    let Some(kind) = bytes.get_mut(begin) else { return false };
    *kind = match *kind {
        MESSAGE => LENT_MESSAGE,
        VALUE => LENT_VALUE,
        _ => return false,
    };
    bytes.extend_from_slice(&offset.to_le_bytes());
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.push(u8::from(marks.wants_notice) | (u8::from(marks.may_be_kept) << 1));
    true
}
