//! The receivers of a publisher, and the way in which it recovers what they held when they left.
//!
//! # Protocol
//! | who | step |
//! |---|---|
//! | receiver | releases what it holds, closes its lane or its word, removes it from the publisher's list |
//! | publisher | takes the new list, and keeps the previous one: the closed lanes and words in there it fills no more, and it takes back all that it gave to them |
//!
//! The publisher does not drop the previous list, because that could drop a lane; the list goes
//! back with the change after the next. So what an idle publisher has yet to take back does not
//! grow, however many receivers come and go: it has seen none of them. When it leaves, its lists
//! are dropped, and lanes that nobody else sees release what is left in them.

use super::hub::Outlet;
use super::lane::Lane;
use super::latest::WordWriter;
use crate::roster::RosterReader;
use crate::sync::Arc;

/// A publisher's view of its receivers.
pub(crate) struct Receivers<T> {
    lanes: RosterReader<Lane<T>>,
    words: RosterReader<WordWriter<T>>,
    /// The lanes from before the last change.
    former_lanes: Vec<Arc<Lane<T>>>,
    former_words: Vec<Arc<WordWriter<T>>>,
    /// See [`sole`](Self::sole).
    sole: Option<Arc<Lane<T>>>,
}

impl<T> Receivers<T> {
    pub(crate) fn new(outlet: &Outlet<T>) -> Self {
        let mut receivers = Self {
            lanes: outlet.lanes.reader(),
            words: outlet.words.reader(),
            former_lanes: Vec::new(),
            former_words: Vec::new(),
            sole: None,
        };
        receivers.find_sole();
        receivers
    }

    /// Returns the lane of the only receiver, if there is only one and nothing is to be done for a
    /// message but to copy it.
    #[inline]
    pub(crate) fn sole(&self) -> Option<&Lane<T>> {
        self.sole.as_deref()
    }

    /// Finds the only receiver. This drops no lane: one that has left is in the former list still.
    fn find_sole(&mut self) {
        self.sole = match (self.lanes(), self.words()) {
            ([lane], []) if lane.only_copies() => Some(lane.clone()),
            _ => None,
        };
    }

    #[inline]
    pub(crate) fn lanes(&self) -> &[Arc<Lane<T>>] {
        self.lanes.entries()
    }

    #[inline]
    pub(crate) fn words(&self) -> &[Arc<WordWriter<T>>] {
        self.words.entries()
    }

    /// Updates the lists and returns whether anybody has joined or left. Wait-free: two loads if
    /// nobody has.
    #[inline]
    pub(crate) fn refresh(&mut self) -> bool {
        let changed = self.lanes.has_changed() || self.words.has_changed();
        if changed {
            self.take_changes();
        }
        changed
    }

    /// Takes back everything from the receivers that have left, even if that was done before, and
    /// nothing from those that are still there.
    #[cold]
    fn take_changes(&mut self) {
        if self.lanes.refresh_keeping(&mut self.former_lanes) {
            self.former_lanes.iter().for_each(|lane| lane.take_back_if_closed());
        }
        if self.words.refresh_keeping(&mut self.former_words) {
            self.former_words.iter().for_each(|writer| writer.word.clear_if_closed());
        }
        self.find_sole();
    }
}
