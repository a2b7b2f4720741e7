//! The parts of a memory that no block occupies.

use std::collections::BTreeMap;
use std::ops::Range;

/// The free parts: the beginning of each, and its length. No two of them are adjacent.
#[derive(Debug)]
pub(super) struct Free(BTreeMap<usize, usize>);

impl Free {
    pub(super) fn of(all: Range<usize>) -> Self {
        Self(std::iter::once((all.start, all.len())).filter(|(_, length)| *length > 0).collect())
    }

    /// Takes that many bytes from the first free part that is long enough, so that the memory
    /// behind it stays unused and occupies no pages. Returns their beginning.
    pub(super) fn take(&mut self, length: usize) -> Option<usize> {
        let (&begin, &room) = self.0.iter().find(|(_, room)| **room >= length)?;
        self.0.remove(&begin);
        if room > length {
            self.0.insert(begin + length, room - length);
        }
        Some(begin)
    }

    /// Returns a part that was taken.
    pub(super) fn give_back(&mut self, part: Range<usize>) {
        let Range { mut start, mut end } = part;
        if let Some((&before, &length)) = self.0.range(..start).next_back()
            && before + length == start
        {
            self.0.remove(&before);
            start = before;
        }
        if let Some(length) = self.0.remove(&end) {
            end += length;
        }
        self.0.insert(start, end - start);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn no_byte_is_taken_twice_and_all_come_back(
            steps in prop::collection::vec((any::<bool>(), 1..40_usize, any::<prop::sample::Index>()), 1..200),
        ) {
            let all = 10..110;
            let (mut free, mut taken) = (Free::of(all.clone()), Vec::<Range<usize>>::new());
            for (takes, length, which) in steps {
                if takes {
                    let room = free.0.values().max().copied().unwrap_or(0);
                    let begin = free.take(length);
                    prop_assert_eq!(begin.is_some(), room >= length);
                    if let Some(begin) = begin {
                        let part = begin..begin + length;
                        prop_assert!(all.start <= part.start && part.end <= all.end);
                        prop_assert!(taken.iter().all(|other| other.end <= part.start || part.end <= other.start));
                        taken.push(part);
                    }
                } else if !taken.is_empty() {
                    free.give_back(taken.swap_remove(which.index(taken.len())));
                }
            }
            taken.into_iter().for_each(|part| free.give_back(part));
            prop_assert_eq!(free.0.into_iter().collect::<Vec<_>>(), [(all.start, all.len())]);
        }
    }
}
