//! The memory to which values are written.

use super::reader::LEAST_SHARED;
use crate::data::SharedBytes;

/// The memory of a [`CdrWriter`](super::CdrWriter): a vector, owned or borrowed, which may grow, or
/// existing memory.
///
/// See [`CdrWriter::within`](super::CdrWriter::within).
pub trait Room: sealed::Sealed {
    /// Returns the bytes written so far.
    fn bytes(&self) -> &[u8];
    /// Returns the number of bytes that fit without growing, including those written so far.
    fn capacity(&self) -> usize;
    /// Appends that many zeros, for which there is room, and returns them.
    fn extend(&mut self, count: usize) -> &mut [u8];
    /// Appends bytes for which there is room.
    fn append(&mut self, bytes: &[u8]);
    /// Removes all but the first `length` bytes.
    fn truncate(&mut self, length: usize);
    /// Reserves memory for that many more bytes, if it can grow.
    fn reserve(&mut self, count: usize);
    /// Refers to bytes that would be appended next, if it can. Returns whether it does.
    fn refer_to(&mut self, bytes: &SharedBytes) -> bool {
        _ = bytes;
        false
    }
}

mod sealed {
    pub trait Sealed {}
}

/// Existing memory. See [`CdrWriter::within`](super::CdrWriter::within).
#[derive(Debug)]
pub struct FixedRoom<'m> {
    memory: &'m mut [u8],
    length: usize,
}

impl<'m> FixedRoom<'m> {
    pub(super) fn of(memory: &'m mut [u8]) -> Self {
        Self { memory, length: 0 }
    }
}

/// Existing memory for a message without the first of its large [`SharedBytes`]. See
/// [`CdrWriter::around`](super::CdrWriter::around).
#[derive(Debug)]
pub struct RoomAround<'m> {
    room: FixedRoom<'m>,
    /// The bytes that are left out.
    shared: Option<SharedBytes>,
    /// The length of what is before them, and where what is behind them begins.
    parts: (usize, usize),
}

/// The bytes to whose multiples values are aligned at most.
const ALIGNMENT: usize = 8;

impl<'m> RoomAround<'m> {
    pub(super) fn of(memory: &'m mut [u8]) -> Self {
        Self { room: FixedRoom::of(memory), shared: None, parts: (0, 0) }
    }

    pub(super) fn parts(&self) -> Option<(&[u8], &SharedBytes, &[u8])> {
        let (before, behind) = self.parts;
        let bytes = self.room.bytes();
        Some((&bytes[..before], self.shared.as_ref()?, &bytes[behind..]))
    }
}

impl sealed::Sealed for RoomAround<'_> {}

impl Room for RoomAround<'_> {
    #[inline]
    fn bytes(&self) -> &[u8] {
        self.room.bytes()
    }

    #[inline]
    fn capacity(&self) -> usize {
        self.room.capacity()
    }

    #[inline]
    fn extend(&mut self, count: usize) -> &mut [u8] {
        self.room.extend(count)
    }

    #[inline]
    fn append(&mut self, bytes: &[u8]) {
        self.room.append(bytes);
    }

    fn truncate(&mut self, length: usize) {
        self.room.truncate(length);
        self.shared = None;
    }

    fn reserve(&mut self, _: usize) {}

    fn refer_to(&mut self, bytes: &SharedBytes) -> bool {
        let before = self.room.length;
        // Something of another length is written instead, behind which values are aligned in the
        // same way.
        let behind = before + bytes.len() % ALIGNMENT;
        if self.shared.is_some() || bytes.len() < LEAST_SHARED || behind > self.room.capacity() {
            return false;
        }
        self.room.extend(behind - before);
        (self.shared, self.parts) = (Some(bytes.clone()), (before, behind));
        true
    }
}

impl sealed::Sealed for Vec<u8> {}

impl Room for Vec<u8> {
    #[inline]
    fn bytes(&self) -> &[u8] {
        self
    }

    #[inline]
    fn capacity(&self) -> usize {
        self.capacity()
    }

    #[inline]
    fn extend(&mut self, count: usize) -> &mut [u8] {
        let begin = self.len();
        self.resize(begin + count, 0);
        &mut self[begin..]
    }

    #[inline]
    fn append(&mut self, bytes: &[u8]) {
        self.extend_from_slice(bytes);
    }

    fn truncate(&mut self, length: usize) {
        self.truncate(length);
    }

    fn reserve(&mut self, count: usize) {
        self.reserve(count);
    }
}

impl sealed::Sealed for &mut Vec<u8> {}

impl Room for &mut Vec<u8> {
    #[inline]
    fn bytes(&self) -> &[u8] {
        Room::bytes(&**self)
    }

    #[inline]
    fn capacity(&self) -> usize {
        Room::capacity(&**self)
    }

    #[inline]
    fn extend(&mut self, count: usize) -> &mut [u8] {
        Room::extend(&mut **self, count)
    }

    #[inline]
    fn append(&mut self, bytes: &[u8]) {
        Room::append(&mut **self, bytes);
    }

    fn truncate(&mut self, length: usize) {
        Room::truncate(&mut **self, length);
    }

    fn reserve(&mut self, count: usize) {
        Room::reserve(&mut **self, count);
    }
}

impl sealed::Sealed for FixedRoom<'_> {}

impl Room for FixedRoom<'_> {
    #[inline]
    fn bytes(&self) -> &[u8] {
        &self.memory[..self.length]
    }

    #[inline]
    fn capacity(&self) -> usize {
        self.memory.len()
    }

    #[inline]
    fn extend(&mut self, count: usize) -> &mut [u8] {
        let begin = self.length;
        self.length += count;
        let extended = &mut self.memory[begin..self.length];
        extended.fill(0);
        extended
    }

    #[inline]
    fn append(&mut self, bytes: &[u8]) {
        let begin = self.length;
        self.length += bytes.len();
        self.memory[begin..self.length].copy_from_slice(bytes);
    }

    fn truncate(&mut self, length: usize) {
        self.length = self.length.min(length);
    }

    fn reserve(&mut self, _: usize) {}
}
