//! The units that could start, and the choice of the one that a worker takes.

use std::collections::VecDeque;

/// The set of ready units under one policy. It is empty again at the end of every run.
pub(super) trait ReadySet {
    /// Adds `unit`, which `owner` made ready; others may have it if it is `shared`.
    fn insert(&mut self, unit: u32, owner: usize, shared: bool);

    /// Removes and returns the unit that `worker` runs next, among those that are visible to it.
    fn take(&mut self, worker: usize, visible: impl Fn(u32) -> bool) -> Option<u32>;

    /// Shares what `worker` kept for itself, because it gets busy for long, and reports each unit.
    fn give_away(&mut self, _worker: usize, _given: impl FnMut(u32)) {}

    /// Visits every unit that a worker other than its owner may take.
    fn for_each_shared(&self, visit: impl FnMut(u32));
}

/// Ready units of which the smallest number, the most important one, comes first: a bit per unit,
/// scanned a word at a time.
#[derive(Debug)]
pub(super) struct Urgent {
    shared: Vec<u64>,
    /// A row of words per worker, with the units that are too short to be given away.
    kept: Vec<Vec<u64>>,
}

impl Urgent {
    pub(super) fn new(units: usize, workers: usize) -> Self {
        let words = units.div_ceil(64);
        Self { shared: vec![0; words], kept: vec![vec![0; words]; workers] }
    }
}

impl ReadySet for Urgent {
    fn insert(&mut self, unit: u32, owner: usize, shared: bool) {
        let words = if shared { &mut self.shared } else { &mut self.kept[owner] };
        words[unit as usize / 64] |= 1 << (unit % 64);
    }

    fn take(&mut self, worker: usize, visible: impl Fn(u32) -> bool) -> Option<u32> {
        let kept = first(&self.kept[worker], |_| true);
        let best = match (kept, first(&self.shared, visible)) {
            (Some(kept), Some(shared)) => kept.min(shared),
            (kept, shared) => kept.or(shared)?,
        };
        let words = if kept == Some(best) { &mut self.kept[worker] } else { &mut self.shared };
        words[best as usize / 64] &= !(1 << (best % 64));
        Some(best)
    }

    fn give_away(&mut self, worker: usize, given: impl FnMut(u32)) {
        bits(&self.kept[worker]).for_each(given);
        for (shared, kept) in self.shared.iter_mut().zip(&mut self.kept[worker]) {
            *shared |= std::mem::take(kept);
        }
    }

    fn for_each_shared(&self, visit: impl FnMut(u32)) {
        bits(&self.shared).for_each(visit);
    }
}

fn first(words: &[u64], accept: impl Fn(u32) -> bool) -> Option<u32> {
    bits(words).find(|&unit| accept(unit))
}

/// Returns the numbers of all bits that are set, ascending.
fn bits(words: &[u64]) -> impl Iterator<Item = u32> + '_ {
    words.iter().enumerate().flat_map(|(index, &word)| {
        let mut rest = word;
        std::iter::from_fn(move || {
            let bit = (rest != 0).then(|| rest.trailing_zeros())?;
            rest &= rest - 1;
            Some(index as u32 * 64 + bit)
        })
    })
}

/// One queue for all workers.
#[derive(Debug)]
pub(super) struct Fifo(VecDeque<u32>);

impl Fifo {
    pub(super) fn new(units: usize) -> Self {
        Self(VecDeque::with_capacity(units))
    }
}

impl ReadySet for Fifo {
    fn insert(&mut self, unit: u32, _owner: usize, _shared: bool) {
        self.0.push_back(unit);
    }

    fn take(&mut self, _worker: usize, visible: impl Fn(u32) -> bool) -> Option<u32> {
        let index = self.0.iter().position(|&unit| visible(unit))?;
        self.0.remove(index)
    }

    fn for_each_shared(&self, visit: impl FnMut(u32)) {
        self.0.iter().copied().for_each(visit);
    }
}

/// A deque per worker (Blumofe and Leiserson 1999), with victims in a fixed order so that runs are
/// repeatable.
#[derive(Debug)]
pub(super) struct Stealing(Vec<VecDeque<u32>>);

impl Stealing {
    pub(super) fn new(units: usize, workers: usize) -> Self {
        Self(vec![VecDeque::with_capacity(units); workers])
    }
}

impl ReadySet for Stealing {
    fn insert(&mut self, unit: u32, owner: usize, _shared: bool) {
        self.0[owner].push_back(unit);
    }

    fn take(&mut self, worker: usize, visible: impl Fn(u32) -> bool) -> Option<u32> {
        if let Some(newest) = self.0[worker].pop_back() {
            return Some(newest);
        }
        let workers = self.0.len();
        (1..workers).map(|distance| (worker + distance) % workers).find_map(|victim| {
            let deque = &mut self.0[victim];
            deque.front().copied().filter(|&oldest| visible(oldest)).inspect(|_| {
                deque.pop_front();
            })
        })
    }

    fn for_each_shared(&self, visit: impl FnMut(u32)) {
        self.0.iter().flatten().copied().for_each(visit);
    }
}
