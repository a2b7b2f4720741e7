//! The answers that may have been lost.

use std::collections::BTreeMap;

use crate::session::Outgoing;

/// The last answers and refusals, where frames may be lost. A peer that asks again with the same
/// number gets the same answer again, and is not served again.
#[derive(Default)]
pub struct Given {
    frames: BTreeMap<u64, Outgoing>,
    /// The number of bytes of these.
    held: usize,
}

/// The most answers that are kept for a peer, and their most bytes.
const MOST: usize = 256;
const MOST_HELD: usize = 4 << 20;

impl Given {
    /// Keeps the answer to a call if it may be lost, and drops the oldest ones.
    pub fn note(&mut self, call: u64, frame: &Outgoing, may_be_lost: bool) {
        if !may_be_lost {
            return;
        }
        self.held += length(frame);
        if let Some(before) = self.frames.insert(call, frame.clone()) {
            self.held -= length(&before);
        }
        while (self.frames.len() > MOST || self.held > MOST_HELD)
            && let Some((_, oldest)) = self.frames.pop_first()
        {
            self.held -= length(&oldest);
        }
    }

    /// Returns the answer to a call if it is kept.
    pub fn of(&self, call: u64) -> Option<Outgoing> {
        self.frames.get(&call).cloned()
    }
}

fn length(frame: &Outgoing) -> usize {
    frame.head.len() + frame.cdr.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_kept_than_may_be_and_the_oldest_go() {
        let frame = |length: usize| Outgoing { head: vec![0; 10], cdr: vec![0; length].into() };
        let mut given = Given::default();
        (1..=300).for_each(|call| given.note(call, &frame(0), true));
        assert!(given.of(300 - 256).is_none() && given.of(300 - 255).is_some());
        (301..=400).for_each(|call| given.note(call, &frame(60_000), true));
        assert!(given.of(400).is_some() && given.of(300).is_none() && given.held <= MOST_HELD);
        given.note(400, &frame(0), true);
        given.note(401, &frame(0), false);
        assert!(given.of(401).is_none());
        assert_eq!(given.held, given.frames.values().map(length).sum::<usize>());
    }
}
