//! Messages whose time comes, read ahead by a thread of the client's: the door's own never waits
//! for a disk.

use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::sync::{Arc, Weak};
use std::thread;

use hemiola_log::{LogError, Selection};
use hemiola_recording::split::Kept;

use super::contents::{Contents, log_time, nanoseconds};

/// What comes of a log.
pub enum Fed {
    /// The newest message at the time at which the feed begins.
    Newest(Kept),
    /// A message after that.
    Message(Kept),
    /// Something cannot be read.
    Damage(String),
}

/// Some topics from some time on. Dropped, it ends.
pub struct Feed {
    received: Receiver<Fed>,
    /// What was received too early.
    next: Option<Fed>,
    _wanted: Arc<()>,
    is_over: bool,
}

/// So much is read ahead.
const AHEAD: usize = 64;

impl Feed {
    /// Begins with the newest message of each topic at that time.
    pub fn start(contents: Arc<Contents>, topics: Vec<String>, at: i64) -> Result<Self, String> {
        let (sender, received) = sync_channel(AHEAD);
        let wanted = Arc::new(());
        let watch = Arc::downgrade(&wanted);
        thread::Builder::new()
            .name("hemiola log".into())
            .spawn(move || read(&contents, &topics, at, &watch, &sender))
            .map_err(|error| format!("no thread to read the log on: {error}"))?;
        Ok(Self { received, next: None, _wanted: wanted, is_over: false })
    }

    /// Whether the log may have more of this time, which has not been read yet.
    pub fn is_behind(&self) -> bool {
        self.next.is_none() && !self.is_over
    }

    /// The next thing whose time has come.
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

/// Reads until nobody wants it, or the log is over.
fn read(contents: &Contents, topics: &[String], at: i64, wanted: &Weak<()>, out: &SyncSender<Fed>) {
    let is_wanted = || wanted.strong_count() > 0;
    // Who has left does not hear it.
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
