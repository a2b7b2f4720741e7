/// The place of a side's pipe in its memory. See [`Frame`](super::Frame).
///
/// ```
/// use hemiola_link::wire::{Frame, PipeAt};
///
/// let pipe = Frame::Pipe(PipeAt { offset: 4096, length: 65_536, word: 24 });
/// let mut bytes = Vec::new();
/// pipe.write(&mut bytes);
/// assert_eq!(Frame::read(&bytes), Ok(pipe));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PipeAt {
    /// The offset of the ring that the side writes.
    pub offset: u64,
    /// The number of bytes in that ring.
    pub length: u64,
    /// The index of the first of the side's words.
    pub word: u32,
}
