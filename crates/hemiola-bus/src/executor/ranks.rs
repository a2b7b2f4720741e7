//! A set of ranks: small numbers, of which the lowest comes first.

/// The rank that stands for none.
pub const NONE: u8 = u8::MAX;

/// A set of ranks, without [`NONE`].
#[derive(Debug, Clone, Copy, Default)]
pub struct Ranks([u64; 4]);

impl Ranks {
    #[inline]
    pub fn insert(&mut self, rank: u8) {
        if rank != NONE {
            self.0[usize::from(rank / 64)] |= 1 << (rank % 64);
        }
    }

    #[inline]
    pub fn remove(&mut self, rank: u8) {
        self.0[usize::from(rank / 64)] &= !(1 << (rank % 64));
    }

    pub fn contains(&self, rank: u8) -> bool {
        self.0[usize::from(rank / 64)] & (1 << (rank % 64)) != 0
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    /// Returns the lowest rank that is not below `rank`.
    #[inline]
    pub fn first_from(&self, rank: u8) -> Option<u8> {
        let start = usize::from(rank / 64);
        let mut word = self.0[start] & (u64::MAX << (rank % 64));
        for number in start..self.0.len() {
            if number > start {
                word = self.0[number];
            }
            if word != 0 {
                return Some((number * 64) as u8 + word.trailing_zeros() as u8);
            }
        }
        None
    }

    pub fn each(mut self, mut each: impl FnMut(u8)) {
        while let Some(rank) = self.first_from(0) {
            self.remove(rank);
            each(rank);
        }
    }
}
