//! The contents of messages.

/// A value whose tag can be read from any part of it.
pub trait Payload: Default + Copy + Send + Sync + 'static {
    /// Writes the tag to all of the value.
    fn fill(&mut self, tag: u64);

    /// Returns the tag, from every cache line; another number if they do not agree.
    fn tag(&self) -> u64;
}

impl Payload for u64 {
    #[inline]
    fn fill(&mut self, tag: u64) {
        *self = tag;
    }

    #[inline]
    fn tag(&self) -> u64 {
        *self
    }
}

/// A message of 1024 bytes, in 16 cache lines.
///
/// ```
/// use hemiola_bench_contestant::messages::{Kilobyte, Payload};
///
/// let mut message = Kilobyte::default();
/// message.fill(42);
/// assert_eq!(message.tag(), 42);
/// ```
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub struct Kilobyte([u64; 128]);

impl Default for Kilobyte {
    fn default() -> Self {
        Self([0; 128])
    }
}

impl Payload for Kilobyte {
    #[inline]
    fn fill(&mut self, tag: u64) {
        self.0.fill(tag);
    }

    #[inline]
    fn tag(&self) -> u64 {
        let differing = self.0.iter().step_by(8).fold(0, |differing, word| differing | (word ^ self.0[0]));
        if differing == 0 { self.0[0] } else { u64::MAX }
    }
}
