//! The bytes that values are read from.

use std::fmt;

/// Bytes that cannot be borrowed, because somebody else may change them at any time: memory that
/// another process writes. Each byte that is needed is copied once, and then looked at.
///
/// See [`CdrReader::copying`](super::CdrReader::copying).
pub trait CopiedBytes: fmt::Debug {
    /// Returns how many bytes there are, which does not change.
    fn length(&self) -> usize;

    /// Copies the bytes from `begin` on, as many as `into` has room for.
    ///
    /// # Panics
    /// May panic if there are fewer.
    fn copy_to(&self, begin: usize, into: &mut [u8]);

    /// Appends a copy of all bytes.
    fn append_to(&self, bytes: &mut Vec<u8>) {
        let known = bytes.len();
        bytes.resize(known + self.length(), 0);
        self.copy_to(0, &mut bytes[known..]);
    }
}

/// The bytes of a [`CdrReader`](super::CdrReader).
#[derive(Clone, Copy, Debug)]
pub(super) enum Bytes<'b> {
    Borrowed(&'b [u8]),
    Copied(&'b dyn CopiedBytes),
}

impl Bytes<'_> {
    #[inline]
    pub(super) fn length(self) -> usize {
        match self {
            Self::Borrowed(bytes) => bytes.len(),
            Self::Copied(bytes) => bytes.length(),
        }
    }

    /// Copies bytes that are there.
    #[inline]
    pub(super) fn copy_to(self, begin: usize, into: &mut [u8]) {
        match self {
            Self::Borrowed(bytes) => into.copy_from_slice(&bytes[begin..begin + into.len()]),
            Self::Copied(bytes) => bytes.copy_to(begin, into),
        }
    }
}
