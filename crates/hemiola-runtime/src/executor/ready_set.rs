//! The units that any worker may start, most important first.
//!
//! One bit per unit, numbered by priority, so that the lowest set bit is the most important ready
//! unit. Publishing is one `fetch_or`, claiming one `fetch_and`; a bit that a claimer cleared
//! belongs to it alone, because only one `fetch_and` can see it set. Publishing releases what the
//! unit's predecessors wrote, claiming acquires it. Both are `SeqCst`, because parking relies on a
//! single order of "published, then checked who sleeps" and "marked asleep, then checked what is
//! published".

use crate::sync::{AtomicU64, Ordering};

/// The maximum number of units of a plan.
pub const CAPACITY: usize = WORDS * 64;
const WORDS: usize = if cfg!(loom) { 1 } else { 16 };

/// The set of units that any worker may start.
pub struct ReadySet {
    words: [AtomicU64; WORDS],
}

impl ReadySet {
    pub fn new() -> Self {
        Self { words: std::array::from_fn(|_| AtomicU64::new(0)) }
    }

    /// Gives away the units of `set` (and empties it); returns their number.
    pub fn publish(&self, set: &mut UnitSet) -> u32 {
        let mut count = 0;
        while set.occupied != 0 {
            let word = set.occupied.trailing_zeros() as usize;
            set.occupied &= set.occupied - 1;
            let bits = std::mem::take(&mut set.words[word]);
            count += bits.count_ones();
            self.words[word].fetch_or(bits, Ordering::SeqCst);
        }
        count
    }

    /// Claims the most important unit among the first `words * 64`, if there is one that is more
    /// important than `limit`.
    pub fn claim(&self, words: usize, limit: Option<usize>) -> Option<usize> {
        for (index, word) in self.words[..words].iter().enumerate() {
            let mut bits = word.load(Ordering::Relaxed);
            while bits != 0 {
                let unit = index * 64 + bits.trailing_zeros() as usize;
                if limit.is_some_and(|limit| unit >= limit) {
                    return None;
                }
                let bit = bits & bits.wrapping_neg();
                let before = word.fetch_and(!bit, Ordering::SeqCst);
                if before & bit != 0 {
                    return Some(unit);
                }
                bits = before & !bit;
            }
        }
        None
    }

    /// Returns whether there seems to be no unit.
    pub fn is_empty(&self, words: usize) -> bool {
        self.words[..words].iter().all(|word| word.load(Ordering::SeqCst) == 0)
    }
}

/// The units that one worker keeps for itself.
#[derive(Clone, Default)]
pub struct UnitSet {
    words: [u64; WORDS],
    /// The words that are not zero, a bit each.
    occupied: u16,
}

impl UnitSet {
    #[inline]
    pub fn insert(&mut self, unit: usize) {
        self.words[unit / 64] |= 1 << (unit % 64);
        self.occupied |= 1 << (unit / 64);
    }

    #[inline]
    pub fn remove(&mut self, unit: usize) {
        self.words[unit / 64] &= !(1 << (unit % 64));
        if self.words[unit / 64] == 0 {
            self.occupied &= !(1 << (unit / 64));
        }
    }

    /// Returns the most important unit.
    #[inline]
    pub fn first(&self) -> Option<usize> {
        if self.occupied == 0 {
            return None;
        }
        let word = self.occupied.trailing_zeros() as usize;
        Some(word * 64 + self.words[word].trailing_zeros() as usize)
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.occupied == 0
    }

    /// Moves the units of `which` into a set of their own.
    pub fn split(&mut self, which: &[u64]) -> Self {
        let mut out = Self::default();
        let mut rest = self.occupied;
        while rest != 0 {
            let word = rest.trailing_zeros() as usize;
            rest &= rest - 1;
            let bits = self.words[word] & which[word];
            if bits != 0 {
                out.words[word] = bits;
                out.occupied |= 1 << word;
                self.words[word] &= !bits;
                if self.words[word] == 0 {
                    self.occupied &= !(1 << word);
                }
            }
        }
        out
    }
}

impl FromIterator<usize> for UnitSet {
    fn from_iter<I: IntoIterator<Item = usize>>(units: I) -> Self {
        let mut set = Self::default();
        units.into_iter().for_each(|unit| set.insert(unit));
        set
    }
}
