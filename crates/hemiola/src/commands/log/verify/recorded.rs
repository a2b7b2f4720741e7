//! What was recorded, one message after the other, each to be found when its counterpart has been computed.

use std::cmp::Ordering;
use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use hemiola_log::{LogError, LogTime, Selection};
use hemiola_model::Time;

use crate::replay::{Kept, Messages, SplitLog};

pub struct Recorded {
    log: Messages,
    /// By topic: what was read on the way to another one.
    waiting: BTreeMap<String, VecDeque<Kept>>,
    /// By topic: how many had no counterpart.
    left: BTreeMap<String, u64>,
    /// How far it has read.
    last: LogTime,
    has_ended: bool,
}

/// What was recorded where something was computed.
pub enum Counterpart {
    Message(Kept),
    /// It should be there.
    Lost,
    /// It need not be there: the log had ended, or has only some of these.
    None,
}

/// A log is in about the order in which values were computed: what is not there when it is so far ahead was lost.
const PATIENCE: Duration = Duration::from_secs(10);

impl Recorded {
    /// These topics of a log.
    pub fn open<'t>(log: &SplitLog, topics: impl Iterator<Item = &'t String>) -> Result<Self, LogError> {
        let selection = topics.fold(Selection::all(), |selection, topic| selection.topic(topic));
        let log = log.messages(selection)?;
        Ok(Self { log, waiting: BTreeMap::new(), left: BTreeMap::new(), last: LogTime::default(), has_ended: false })
    }

    /// How much has been read, and how much there is.
    pub fn progress(&self) -> (u64, u64) {
        self.log.progress()
    }

    /// What was recorded at that time; under that number, if the log has all of the topic.
    pub fn counterpart(&mut self, topic: &str, number: Option<u32>, now: Time) -> Result<Counterpart, LogError> {
        let nanoseconds = |time: Time| u64::try_from(time.nanoseconds()).unwrap_or(0);
        let (wanted, latest) = (nanoseconds(now), nanoseconds(now + PATIENCE));
        let order = |kept: &Kept| match number {
            Some(number) => kept.sequence.cmp(&number),
            None => kept.log_time.nanoseconds().cmp(&wanted),
        };
        let missing = if number.is_some() { Counterpart::Lost } else { Counterpart::None };
        loop {
            let waiting = self.waiting.entry(topic.to_owned()).or_default();
            match waiting.front().map(order) {
                Some(Ordering::Equal) => return Ok(waiting.pop_front().map_or(missing, Counterpart::Message)),
                Some(Ordering::Less) => {
                    waiting.pop_front();
                    *self.left.entry(topic.to_owned()).or_default() += 1;
                }
                // The log went on without it.
                Some(Ordering::Greater) => return Ok(missing),
                None if self.has_ended => return Ok(Counterpart::None),
                None if self.last.nanoseconds() > latest => return Ok(missing),
                None => self.read_message()?,
            }
        }
    }

    /// All that has no counterpart: by topic, how many.
    pub fn left_over(&mut self) -> Result<BTreeMap<String, u64>, LogError> {
        loop {
            for (topic, waiting) in self.waiting.iter_mut().filter(|(_, waiting)| !waiting.is_empty()) {
                *self.left.entry(topic.clone()).or_default() += waiting.len() as u64;
                waiting.clear();
            }
            if self.has_ended {
                return Ok(std::mem::take(&mut self.left));
            }
            self.read_message()?;
        }
    }

    fn read_message(&mut self) -> Result<(), LogError> {
        match self.log.next() {
            None => self.has_ended = true,
            Some(Ok(message)) => {
                self.last = self.last.max(message.log_time);
                self.waiting.entry(message.channel.topic.clone()).or_default().push_back(message);
            }
            Some(Err(error @ LogError::Read { .. })) => return Err(error),
            // Damage has been told of.
            Some(Err(_)) => {}
        }
        Ok(())
    }
}
