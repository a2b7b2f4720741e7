//! The messages of a log that become due as time passes. A thread of the client reads them ahead,
//! so that the door's thread never waits for a disk.

use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Weak};
use std::thread;

use hemiola_log::{LogError, Selection};
use hemiola_recording::split::Kept;

use super::contents::{Contents, log_time, nanoseconds};

/// An item of a feed.
pub enum Fed {
    /// The newest message of a topic at the time where the feed begins.
    Newest(Kept),
    /// A message after that time.
    Message(Kept),
    /// A report about something that cannot be read.
    Damage(String),
}

/// The messages of some topics from a given time on. Dropping the feed ends its thread.
pub struct Feed {
    received: Receiver<Fed>,
    /// An item that was received before it is due.
    next: Option<Fed>,
    _wanted: Arc<()>,
    is_over: bool,
}

/// The number of items that are read ahead.
const AHEAD: usize = 64;

impl Feed {
    /// Starts to read. The first items are the newest messages of each topic at the given time.
    pub fn start(contents: Arc<Contents>, topics: Vec<String>, at: i64) -> Result<Self, String> {
        let (sender, received) = sync_channel(AHEAD);
        let wanted = Arc::new(());
        let watch = Arc::downgrade(&wanted);
        thread::Builder::new()
            .name("hemiola log".into())
            .spawn(move || read(&contents, &topics, at, &watch, &sender))
            .map_err(|error| format!("the system provides no thread to read the log: {error}"))?;
        Ok(Self { received, next: None, _wanted: wanted, is_over: false })
    }

    /// Returns whether the log may contain more items for the current time that have not been read
    /// yet.
    pub fn is_behind(&self) -> bool {
        self.next.is_none() && !self.is_over
    }

    /// Returns the next item that is due.
    pub fn next(&mut self, now: i64) -> Option<Fed> {
        let next = match self.next.take() {
            Some(next) => next,
            None => match self.received.try_recv() {
                Ok(next) => next,
                Err(error) => {
                    self.is_over |= error == TryRecvError::Disconnected;
                    return None;
                }
            },
        };
        if let Fed::Message(kept) = &next
            && nanoseconds(kept.log_time) > now
        {
            self.next = Some(next);
            return None;
        }
        Some(next)
    }
}

/// Reads until the feed is dropped or the log ends.
fn read(contents: &Contents, topics: &[String], at: i64, wanted: &Weak<()>, out: &SyncSender<Fed>) {
    let is_wanted = || wanted.strong_count() > 0;
    // Sending fails only if the feed has been dropped.
    let damaged = |text: String| _ = out.send(Fed::Damage(text));
    match contents.newest(topics, at, is_wanted, damaged) {
        Ok(newest) => newest.into_iter().for_each(|kept| _ = out.send(Fed::Newest(kept))),
        Err(error) => damaged(error.to_string()),
    }
    let later = Selection::all().from(log_time(at.saturating_add(1)));
    let mut messages = match contents.files.messages(topics.iter().cloned().fold(later, Selection::topic)) {
        Ok(messages) => messages,
        Err(error) => return damaged(error.to_string()),
    };
    while let Some(next) = messages.next()
        && is_wanted()
    {
        let is_over = matches!(next, Err(LogError::Read { .. }));
        let fed = next.map_or_else(|damage| Fed::Damage(damage.to_string()), Fed::Message);
        if out.send(fed).is_err() || is_over {
            return;
        }
    }
}
