//! A list that is changed rarely, outside of the real-time threads, and read all the time,
//! wait-free.
//!
//! Changing it makes a new list and hands it to every reader through a triple buffer ([`latest`]);
//! the reader's old list comes back the same way and is dropped by the next change. So readers
//! neither wait nor free memory.

use crate::exchange::{LatestReader, LatestWriter, latest};
use crate::sync::{Arc, Mutex};

/// The changing end of a list: behind a lock, for threads that may wait.
pub struct Roster<T> {
    inner: Mutex<Inner<T>>,
}

struct Inner<T> {
    entries: Vec<Arc<T>>,
    readers: Vec<LatestWriter<Vec<Arc<T>>>>,
}

/// A reading end of a list.
pub struct RosterReader<T>(LatestReader<Vec<Arc<T>>>);

impl<T> Roster<T> {
    pub fn new() -> Self {
        Self { inner: Mutex::new(Inner { entries: Vec::new(), readers: Vec::new() }) }
    }

    /// Creates a reader that sees the present list.
    pub fn reader(&self) -> RosterReader<T> {
        let mut inner = self.inner();
        inner.forget_readers();
        let (mut writer, mut reader) = latest(Vec::new);
        let entries = inner.entries.clone();
        writer.with_back(|back| *back = entries);
        writer.publish();
        reader.take();
        inner.readers.push(writer);
        RosterReader(reader)
    }

    /// Changes the list; every reader sees the change at its next refresh.
    pub fn change<R>(&self, change: impl FnOnce(&mut Vec<Arc<T>>) -> R) -> R {
        let mut inner = self.inner();
        let result = change(&mut inner.entries);
        inner.forget_readers();
        let Inner { entries, readers } = &mut *inner;
        for reader in readers {
            reader.with_back(|back| back.clone_from(entries));
            reader.publish();
            // An old list came back from the reader, which must not keep its entries alive.
            reader.with_back(Vec::clear);
        }
        result
    }

    /// Calls `look` with the list.
    pub fn look<R>(&self, look: impl FnOnce(&[Arc<T>]) -> R) -> R {
        look(&self.inner().entries)
    }

    /// Removes the readers that are gone, and the lists that they saw last.
    pub fn forget_readers(&self) {
        self.inner().forget_readers();
    }

    fn inner(&self) -> impl std::ops::DerefMut<Target = Inner<T>> + '_ {
        // A list is whole even if the thread that changed it panicked.
        self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl<T> Inner<T> {
    fn forget_readers(&mut self) {
        self.readers.retain(LatestWriter::is_read);
    }
}

impl<T> RosterReader<T> {
    /// Takes the newest list, if there is one that was not taken yet, and returns whether there
    /// was. Wait-free: one load if nothing has changed.
    #[inline]
    pub fn refresh(&mut self) -> bool {
        self.0.take()
    }

    /// Takes the newest list as [`refresh`](Self::refresh) does, and stores the previous list in
    /// `former`, whose content goes back instead.
    pub fn refresh_keeping(&mut self, former: &mut Vec<Arc<T>>) -> bool {
        if !self.has_changed() {
            return false;
        }
        self.0.with_front_mut(|front| std::mem::swap(front, former));
        self.0.take()
    }

    /// Returns whether there is a list that was not taken yet.
    #[inline]
    pub fn has_changed(&self) -> bool {
        self.0.has_new()
    }

    /// Returns the list that was taken last.
    #[inline]
    pub fn entries(&self) -> &[Arc<T>] {
        self.0.front()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_reader_sees_every_change_and_keeps_nothing_alive() {
        let roster = Roster::new();
        let mut reader = roster.reader();
        let entry = Arc::new(7);
        roster.change(|entries| entries.push(entry.clone()));
        assert!(reader.refresh() && !reader.refresh());
        assert_eq!(reader.entries().iter().map(|entry| **entry).collect::<Vec<_>>(), [7]);

        roster.change(Vec::clear);
        assert!(reader.refresh());
        assert!(reader.entries().is_empty());
        roster.change(|_| ());
        assert_eq!(Arc::strong_count(&entry), 1);
    }

    #[test]
    fn a_reader_may_keep_the_list_from_before() {
        let roster = Roster::new();
        let mut reader = roster.reader();
        let mut former = Vec::new();
        for entry in 1..=3 {
            roster.change(|entries| *entries = vec![entry.into()]);
            assert!(reader.refresh_keeping(&mut former) && !reader.refresh_keeping(&mut former));
            assert_eq!((*reader.entries()[0], former.first().map_or(0, |former| **former)), (entry, entry - 1));
        }
    }

    #[test]
    fn readers_that_are_gone_are_forgotten() {
        let roster = Roster::<u8>::new();
        for forget in [|roster: &Roster<u8>| roster.change(|_| ()), Roster::forget_readers] {
            drop(roster.reader());
            forget(&roster);
            assert!(roster.inner().readers.is_empty());
        }
        drop(roster.reader());
        let _present = roster.reader();
        assert_eq!(roster.inner().readers.len(), 1);
    }
}
