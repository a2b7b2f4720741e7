//! The messages of a topic that no cycle has published, from a log.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use hemiola_log::{LogError, LogTime, Selection};
use hemiola_model::module::Place;
use hemiola_runtime::RecordedMessages;

use super::part::Part;
use crate::error::RecordingError;
use crate::senders::{Sender, senders_of};
use crate::split::{Kept, Messages, SplitLog};

/// The messages of a topic that no cycle has published, as far as runs received them.
pub struct LogMessages {
    log: SplitLog,
    messages: Messages,
    /// Set if they are read from the beginning of the log on.
    is_whole: bool,
    is_over: bool,
    part: Part,
    senders: String,
    /// The spans of numbers of each publisher's messages that runs received.
    wanted: BTreeMap<Place, Vec<Range<u64>>>,
    /// The last message, whose sender follows if it is no cycle.
    last: Option<Kept>,
    /// The messages of each publisher that were read and are not needed yet.
    waiting: BTreeMap<Place, VecDeque<(u64, Kept)>>,
}

impl LogMessages {
    /// Opens the messages of a part that has examined all channels of its topic. A replay that
    /// begins in the middle probably needs none from before `since`.
    pub fn open(
        log: &SplitLog,
        part: Part,
        wanted: BTreeMap<Place, Vec<Range<u64>>>,
        since: Option<LogTime>,
    ) -> Result<Self, LogError> {
        let senders = senders_of(part.topic());
        let times = since.map_or(Selection::all(), |since| Selection::all().from(since));
        let messages = log.messages(times.topic(part.topic()).topic(&senders))?;
        let (log, waiting) = (log.clone(), BTreeMap::new());
        let is_whole = since.is_none();
        Ok(Self { log, messages, is_whole, is_over: false, part, senders, wanted, last: None, waiting })
    }

    /// Begins anew, with the beginning of the log.
    fn begin_anew(&mut self) -> Result<(), LogError> {
        self.messages = self.log.messages(Selection::all().topic(self.part.topic()).topic(&self.senders))?;
        (self.is_whole, self.is_over, self.last) = (true, false, None);
        self.waiting.clear();
        Ok(())
    }

    /// Reads up to a message.
    fn find(&mut self, publisher: Place, number: u64) -> Result<Option<Kept>, RecordingError> {
        loop {
            let waiting = self.waiting.entry(publisher).or_default();
            while let Some((next, message)) = waiting.pop_front() {
                if next == number {
                    return Ok(Some(message));
                }
                // Numbers only grow.
                if next > number {
                    waiting.push_front((next, message));
                    return Ok(None);
                }
            }
            if self.is_over {
                return Ok(None);
            }
            self.read()?;
        }
    }

    /// Reads the next message, or its sender.
    fn read(&mut self) -> Result<(), RecordingError> {
        let message = match self.messages.next() {
            None => {
                self.is_over = true;
                return Ok(());
            }
            Some(Err(error @ LogError::Read { .. })) => return Err(error.into()),
            // Damage was reported when the log was opened.
            Some(Err(_)) => return Ok(()),
            Some(Ok(message)) => message,
        };
        if message.channel.topic != self.senders {
            self.last = Some(message);
            return Ok(());
        }
        let sent = self.last.take().filter(|last| last.sequence == message.sequence);
        if let (Some(sent), Some((publisher, number))) = (sent, Sender::read(&message.data))
            && self.is_wanted(publisher, number)
        {
            self.waiting.entry(publisher).or_default().push_back((number, sent));
        }
        Ok(())
    }

    fn is_wanted(&self, publisher: Place, number: u64) -> bool {
        let Some(spans) = self.wanted.get(&publisher) else { return false };
        spans.get(spans.partition_point(|span| span.end <= number)).is_some_and(|span| span.contains(&number))
    }

    fn read_message(&mut self, publisher: Place, number: u64) -> Result<Option<Vec<u8>>, RecordingError> {
        let mut found = self.find(publisher, number)?;
        if found.is_none() && !self.is_whole {
            self.begin_anew()?;
            found = self.find(publisher, number)?;
        }
        found.map(|message| Ok(self.part.present(&message.channel, &message.data)?.into_owned())).transpose()
    }
}

impl RecordedMessages for LogMessages {
    fn message(&mut self, publisher: Place, number: u64) -> Result<Option<Vec<u8>>, String> {
        self.read_message(publisher, number).map_err(|error| error.to_string())
    }
}
