//! The memory to which values are written.

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
