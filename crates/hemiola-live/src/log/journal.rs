//! The journal of a log, read ahead by a thread of the client. It is sent as fast as the client
//! receives it, and only a bounded part of it is in memory at a time.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::thread;

use hemiola_log::{LogError, Selection};
use hemiola_model::Time;
use hemiola_recording::recorder::journal_event;
use hemiola_runtime::{JournalEntry, JournalEvent, Severity};

use super::contents::{Contents, MOST_DAMAGE, nanoseconds};

/// The journal from the beginning of the log on. Dropping the feed ends its thread.
pub struct JournalFeed {
    received: Receiver<JournalEntry>,
    is_over: bool,
}

/// The number of entries that are read ahead; more than are sent at once.
const AHEAD: usize = 4096;

impl JournalFeed {
    /// Starts to read.
    ///
    /// # Errors
    /// Returns an error if the system provides no thread.
    pub fn start(contents: Arc<Contents>) -> Result<Self, String> {
        let (sender, received) = sync_channel(AHEAD);
        thread::Builder::new()
            .name("hemiola journal".into())
            // Reading ends when the receiver is dropped.
            .spawn(move || _ = read(&contents, &sender))
            .map_err(|error| format!("the system provides no thread to read the log: {error}"))?;
        Ok(Self { received, is_over: false })
    }

    /// Returns whether there may be more entries.
    pub fn goes_on(&self) -> bool {
        !self.is_over
    }

    /// Returns the next entry that has been read; it has no number yet.
    pub fn next(&mut self) -> Option<JournalEntry> {
        let next = self.received.try_recv();
        self.is_over |= matches!(next, Err(TryRecvError::Disconnected));
        next.ok()
    }
}

/// Reads until the receiver is dropped (then it returns `None`) or the log ends.
fn read(contents: &Contents, out: &SyncSender<JournalEntry>) -> Option<()> {
    for text in &contents.damage {
        out.send(damaged(text.clone(), contents.begin)).ok()?;
    }
    if contents.journal.is_empty() {
        return Some(());
    }
    let selection = contents.journal.iter().cloned().fold(Selection::all(), Selection::topic);
    let mut messages = match contents.files.messages(selection) {
        Ok(messages) => messages,
        Err(error) => return out.send(damaged(error.to_string(), contents.begin)).ok(),
    };
    let (mut told, mut time) = (BTreeSet::new(), contents.begin);
    while let Some(next) = messages.next() {
        let is_last = matches!(next, Err(LogError::Read { .. }));
        let event = next.map_err(|error| error.to_string()).and_then(|kept| {
            time = nanoseconds(kept.log_time);
            journal_event(&kept.as_message()).map_err(|error| error.to_string())
        });
        match event {
            Ok(event) => out.send(JournalEntry { number: 0, at: Time::from_nanoseconds(time), event }).ok()?,
            Err(text) if told.len() < MOST_DAMAGE && told.insert(text.clone()) => out.send(damaged(text, time)).ok()?,
            Err(_) => {}
        }
        if is_last {
            break;
        }
    }
    Some(())
}

/// Creates a journal entry about something that cannot be read.
pub fn damaged(text: String, time: i64) -> JournalEntry {
    let event = JournalEvent::Message { severity: Severity::Error, about: "the log".to_owned(), text };
    JournalEntry { number: 0, at: Time::from_nanoseconds(time), event }
}
