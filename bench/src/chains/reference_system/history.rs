//! The contents of messages: the nodes from which they derive.

use hemiola::prelude::*;

/// The contribution of a node to a message.
#[derive(Data, Clone, Copy, Debug, Default, PartialEq)]
pub struct Entry {
    /// The number of the node.
    pub node: u32,
    /// The time at which the node's callback began, in nanoseconds.
    pub begun: u64,
    /// The number of the message among those of the node, from 0.
    pub sequence: u32,
    /// The number of messages that the node has missed since the previous one.
    pub dropped: u32,
}

/// All nodes that a message came through, its own node last.
#[derive(Data, Clone, Debug, Default, PartialEq)]
pub struct History {
    pub entries: Vec<Entry>,
}

impl History {
    /// Returns the entry of a node.
    pub fn of(&self, node: usize) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.node == node as u32)
    }
}

/// An author of the messages of one node.
#[derive(Debug, Default)]
pub struct Author {
    sequence: u32,
    /// The number of the last message of each input.
    last: Vec<u32>,
}

impl Author {
    /// Makes the next message: the histories of those that came, then the node's own entry. If a
    /// node is in several histories, the first one counts.
    pub fn next<'h>(
        &mut self,
        node: usize,
        begun: u64,
        inputs: impl IntoIterator<Item = Option<&'h History>>,
    ) -> History {
        let (mut history, mut dropped) = (History::default(), 0);
        for (place, input) in inputs.into_iter().enumerate() {
            if self.last.len() <= place {
                self.last.push(0);
            }
            let Some(input) = input else { continue };
            if let Some(Entry { sequence, .. }) = input.entries.last() {
                let last = std::mem::replace(&mut self.last[place], *sequence);
                dropped += sequence.saturating_sub(last + 1);
            }
            for entry in &input.entries {
                if history.entries.iter().all(|known| known.node != entry.node) {
                    history.entries.push(*entry);
                }
            }
        }
        history.entries.push(Entry { node: node as u32, begun, sequence: self.sequence, dropped });
        self.sequence += 1;
        history
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_missed_is_counted_per_input() {
        let (mut sensor, mut fusion) = (Author::default(), Author::default());
        let messages: Vec<History> = (0..5).map(|time| sensor.next(0, time, [])).collect();
        let dropped = |history: &History| history.entries.last().map(|entry| entry.dropped);
        assert_eq!(dropped(&fusion.next(1, 10, [Some(&messages[0]), None])), Some(0));
        assert_eq!(dropped(&fusion.next(1, 11, [Some(&messages[3]), None])), Some(2));
        assert_eq!(dropped(&fusion.next(1, 12, [Some(&messages[4]), Some(&messages[4])])), Some(3));
    }

    #[test]
    fn a_history_has_every_node_once_and_the_first_entry_counts() {
        let mut author = Author::default();
        let entry = |node, begun| Entry { node, begun, ..Entry::default() };
        let [left, right] =
            [[entry(0, 5), entry(1, 6)], [entry(0, 9), entry(2, 9)]].map(|entries| History { entries: entries.into() });
        let merged = author.next(3, 20, [Some(&left), Some(&right)]);
        assert_eq!(
            merged.entries.iter().map(|entry| (entry.node, entry.begun)).collect::<Vec<_>>(),
            [(0, 5), (1, 6), (2, 9), (3, 20)]
        );
    }
}
