//! Values that take as many bytes in CDR whatever they are: numbers, and structures and arrays of
//! them. A reader and a writer pass such a value in one piece: the compiler knows where each number
//! lies, so that no call is made for any of them.
//!
//! Where bytes are missing, or are no value of the type, the piece is refused, and the value is
//! read field by field, which finds what is wrong.

use super::{Data, Reader, Writer};

/// The number of bytes that every value of a type takes in CDR, the padding before and within it
/// included, when it begins 0, 1, .. 7 bytes behind a multiple of eight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plain {
    taken: [usize; PERIOD],
    /// Set if all bytes are a value, so that nothing need be checked but their number.
    is_any: bool,
}

/// No number is aligned to more.
const PERIOD: usize = 8;

/// The number of items of the longest array that is read in one piece; numbers in longer ones are
/// passed in runs.
const MOST_ITEMS: usize = 64;

impl Plain {
    const NOTHING: Self = Self { taken: [0; PERIOD], is_any: true };

    /// Returns the layout of a number of that many bytes.
    pub const fn number(size: usize) -> Option<Self> {
        let (mut taken, mut begin) = ([0; PERIOD], 0);
        while begin < PERIOD {
            taken[begin] = begin.next_multiple_of(size) - begin + size;
            begin += 1;
        }
        Some(Self { taken, is_any: true })
    }

    /// Returns the layout of a number of that many bytes, not all of which are values: a truth
    /// value, the index of a variant.
    pub const fn restricted(size: usize) -> Option<Self> {
        match Self::number(size) {
            Some(plain) => Some(Self { is_any: false, ..plain }),
            None => None,
        }
    }

    /// Returns the layout of a structure, if all of its fields have one. A structure without fields
    /// has none: it takes a byte that is no field's.
    pub const fn structure(fields: &[Option<Self>]) -> Option<Self> {
        let (mut all, mut index) = (Self::NOTHING, 0);
        while index < fields.len() {
            let Some(field) = fields[index] else { return None };
            all = all.then(field);
            index += 1;
        }
        if fields.is_empty() { None } else { Some(all) }
    }

    /// Returns the layout of an array, if its items have one and are not too many.
    pub const fn array(item: Option<Self>, count: usize) -> Option<Self> {
        let Some(item) = item else { return None };
        if count > MOST_ITEMS {
            return None;
        }
        let (mut all, mut index) = (Self::NOTHING, 0);
        while index < count {
            all = all.then(item);
            index += 1;
        }
        Some(all)
    }

    const fn then(mut self, next: Self) -> Self {
        let mut begin = 0;
        while begin < PERIOD {
            self.taken[begin] += next.taken[(begin + self.taken[begin]) % PERIOD];
            begin += 1;
        }
        self.is_any &= next.is_any;
        self
    }

    /// Returns the number of bytes of a value that begins at `offset`.
    #[inline]
    pub(crate) const fn taken(&self, offset: usize) -> usize {
        self.taken[offset % PERIOD]
    }

    /// Returns the number of bytes of `count` values, the first of which begins at `offset`; `None`
    /// if they are more than there can be.
    ///
    /// All values but the first take as many: behind its number with the largest alignment a value
    /// goes on in the same way wherever it has begun, and so every value ends at the same distance
    /// from a multiple of that alignment.
    #[inline]
    pub(crate) const fn taken_by(&self, count: usize, offset: usize) -> Option<usize> {
        let Some(further) = count.checked_sub(1) else { return Some(0) };
        let first = self.taken(offset);
        match further.checked_mul(self.taken(offset % PERIOD + first)) {
            Some(further) => further.checked_add(first),
            None => None,
        }
    }

    /// Returns whether all bytes are a value.
    #[inline]
    pub(crate) const fn is_any(&self) -> bool {
        self.is_any
    }
}

/// The rest of a message in little endian, from which values are read in one piece.
#[derive(Debug)]
pub struct PlainSource<'r> {
    /// A message without its header.
    bytes: &'r [u8],
    /// The length of the header.
    header: usize,
    /// The position in the message of the next value.
    position: &'r mut usize,
}

impl<'r> PlainSource<'r> {
    /// Creates a source that continues at `position` in the bytes of a message.
    #[inline]
    pub(crate) fn new(message: &'r [u8], header: usize, position: &'r mut usize) -> Self {
        Self { bytes: &message[header..], header, position }
    }

    /// Reads a value. Nothing is read if that is not possible.
    #[inline]
    pub(crate) fn read<T: Data>(&mut self) -> Option<T> {
        let plain = T::PLAIN?;
        let offset = self.position.checked_sub(self.header)?;
        let phase = offset % PERIOD;
        let all = self.bytes.get(offset - phase..)?;
        // Most values begin behind a header, a number of eight bytes or a length; for these, every
        // place is a constant.
        let value = match phase {
            0 => T::read_plain(&mut PlainReader { bytes: all.get(..plain.taken(0))?, at: 0 }),
            4 => T::read_plain(&mut PlainReader { bytes: all.get(..4 + plain.taken(4))?, at: 4 }),
            at => T::read_plain(&mut PlainReader { bytes: all.get(..at + plain.taken(at))?, at }),
        };
        if value.is_some() {
            *self.position += plain.taken(phase);
        }
        value
    }

    /// Reads numbers that follow each other. Nothing is read unless all of them are there.
    #[inline]
    pub(crate) fn numbers<const SIZE: usize>(&mut self, count: usize) -> Option<&'r [[u8; SIZE]]> {
        if count == 0 {
            return Some(&[]);
        }
        let begin = self.position.checked_sub(self.header)?.next_multiple_of(SIZE);
        let end = begin.checked_add(count.checked_mul(SIZE)?)?;
        let bytes = self.bytes.get(begin..end)?;
        *self.position = self.header + end;
        Some(bytes.as_chunks().0)
    }
}

/// The bytes of a value, from the last multiple of eight before it.
#[derive(Debug)]
pub struct PlainReader<'r> {
    bytes: &'r [u8],
    at: usize,
}

impl PlainReader<'_> {
    /// Reads the next number.
    #[inline]
    pub fn number<const SIZE: usize>(&mut self) -> Option<[u8; SIZE]> {
        let begin = self.at.next_multiple_of(SIZE);
        self.at = begin + SIZE;
        self.bytes.get(begin..)?.first_chunk().copied()
    }
}

/// The place in a message to which a value is written in one piece: zeros so far.
#[derive(Debug)]
pub struct PlainWriter<'w> {
    bytes: &'w mut [u8],
    /// The offset at which the bytes begin, behind a multiple of eight.
    phase: usize,
    at: usize,
    is_exact: &'w mut bool,
}

impl<'w> PlainWriter<'w> {
    /// Creates a writer to the bytes at `offset` of a message without a header. `is_exact` is
    /// cleared if a value cannot be represented.
    #[inline]
    pub(crate) fn new(bytes: &'w mut [u8], offset: usize, is_exact: &'w mut bool) -> Self {
        let phase = offset % PERIOD;
        Self { bytes, phase, at: phase, is_exact }
    }

    /// Writes the next number.
    #[inline]
    pub fn number<const SIZE: usize>(&mut self, number: [u8; SIZE]) {
        let begin = self.at.next_multiple_of(SIZE);
        self.at = begin + SIZE;
        let place = self.bytes.get_mut(begin - self.phase..).and_then(|bytes| bytes.first_chunk_mut());
        if let Some(place) = place {
            *place = number;
        }
    }

    /// Notes whether the last value was written as it is.
    #[inline]
    pub(crate) fn note(&mut self, is_exact: bool) {
        *self.is_exact &= is_exact;
    }
}

/// Reads a value in one piece, if its type and the reader allow that.
#[inline]
pub fn read_plain<T: Data>(reader: &mut dyn Reader) -> Option<T> {
    if const { T::PLAIN.is_none() } {
        return None;
    }
    reader.plain()?.read()
}

/// Writes a value in one piece, if its type and the writer allow that. Returns whether they do.
#[inline]
pub fn write_plain<T: Data>(value: &T, writer: &mut dyn Writer) -> bool {
    let Some(plain) = (const { T::PLAIN }) else { return false };
    let Some(PlainWriter { bytes, phase, is_exact, .. }) = writer.plain(&plain) else { return false };
    // As for a source.
    match (phase, bytes.len() == plain.taken(0), bytes.len() == plain.taken(4)) {
        (0, true, _) => value.write_plain(&mut PlainWriter { bytes, phase: 0, at: 0, is_exact }),
        (4, _, true) => value.write_plain(&mut PlainWriter { bytes, phase: 4, at: 4, is_exact }),
        _ => value.write_plain(&mut PlainWriter { bytes, phase, at: phase, is_exact }),
    }
    true
}
