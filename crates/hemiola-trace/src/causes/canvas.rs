//! A time span that is painted with causes.

use super::{Cause, Stretch};
use crate::clock::Ticks;

/// A time span that is painted with causes, where what was painted first stays. Whatever is
/// painted, the stretches fill the span without gap or overlap.
pub(super) struct Canvas {
    free: Vec<(Ticks, Ticks)>,
    painted: Vec<Stretch>,
}

impl Canvas {
    /// Creates an empty canvas; its span is empty if the end is not after the begin.
    pub(super) fn new(begin: Ticks, end: Ticks) -> Self {
        let free = if begin < end { vec![(begin, end)] } else { Vec::new() };
        Self { free, painted: Vec::new() }
    }

    /// Paints the part of this time that is still free.
    pub(super) fn paint(&mut self, begin: Ticks, end: Ticks, cause: Cause) {
        let mut left = Vec::with_capacity(self.free.len() + 1);
        for &(from, to) in &self.free {
            let (first, last) = (from.max(begin), to.min(end));
            if first >= last {
                left.push((from, to));
                continue;
            }
            self.painted.push(Stretch { begin: first, end: last, cause });
            left.extend([(from, first), (last, to)].into_iter().filter(|(from, to)| from < to));
        }
        self.free = left;
    }

    /// Paints each part that is left, depending on its length, and returns all stretches in the
    /// order of time.
    pub(super) fn fill(mut self, cause: impl Fn(u64) -> Cause) -> Vec<Stretch> {
        let left = self.free.iter().map(|&(begin, end)| Stretch { begin, end, cause: cause(end.since(begin)) });
        self.painted.extend(left);
        self.painted.sort_by_key(|stretch| stretch.begin);
        self.painted
    }
}
