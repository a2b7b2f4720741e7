//! The recorded messages, in order; each is looked up when its counterpart has been computed.

use std::cmp::Ordering;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use hemiola_log::{LogError, LogTime, Selection};
use hemiola_model::Time;
use hemiola_runtime::{CyclePart, RunRecord};

use hemiola_recording::names::topic;

use hemiola_recording::split::{Kept, Messages, SplitLog};

pub struct Recorded {
    log: Messages,
    /// The messages that were read while searching for one of another topic, by topic.
    waiting: BTreeMap<String, VecDeque<Kept>>,
    /// The number of messages without a counterpart, by topic.
    left: BTreeMap<String, u64>,
    /// The first run that is compared, by the first part of topics.
    begin: BTreeMap<String, Begin>,
    /// The number of messages with the time of that run that come before it, by topic.
    skipped: BTreeMap<String, usize>,
    /// The time up to which the log has been read.
    last: LogTime,
    has_ended: bool,
}

/// The first run of a cycle that is compared.
struct Begin {
    time: LogTime,
    /// The number of runs before it that had the same time.
    before: usize,
}

/// The recorded counterpart of a computed value.
pub enum Counterpart {
    Message(Kept),
    /// A value is missing that should exist.
    Lost,
    /// No value need exist: the log had ended, or has only some of the topic's messages.
    None,
}

/// The time that the log may be ahead: it is in about the order in which values were computed, so
/// that a message that has not come by then was lost.
const PATIENCE: Duration = Duration::from_secs(10);

impl Recorded {
    /// Opens these topics of a log, from these parts of a checkpoint on if there are any, and up to
    /// an end. These are all runs in the log.
    pub fn open<'t>(
        log: &SplitLog,
        topics: impl Iterator<Item = &'t String>,
        parts: &[CyclePart],
        end: Option<Time>,
        runs: &[Arc<RunRecord>],
    ) -> Result<Self, LogError> {
        let begin = parts.iter().map(|part| {
            let of_cycle = runs.iter().filter(|run| run.cycle == part.cycle && run.now == part.now);
            let before = of_cycle.filter(|run| run.run < part.run).count();
            (topic(&part.cycle, ""), Begin { time: log_time(part.now), before })
        });
        let begin: BTreeMap<_, _> = begin.collect();
        let first = begin.values().map(|begin| begin.time).min();
        let times = first.map_or(Selection::all(), |first| Selection::all().from(first));
        let times = end.map_or(times.clone(), |end| times.before(log_time(end)));
        let log = log.messages(topics.fold(times, |selection, topic| selection.topic(topic)))?;
        let (waiting, left, skipped) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        Ok(Self { log, waiting, left, begin, skipped, last: LogTime::default(), has_ended: false })
    }

    /// Returns how much has been read, and how much there is.
    pub fn progress(&self) -> (u64, u64) {
        self.log.progress()
    }

    /// Finds what was recorded at that time, or under that number if the log has all of the topic.
    pub fn counterpart(&mut self, topic: &str, number: Option<u32>, now: Time) -> Result<Counterpart, LogError> {
        let (wanted, latest) = (log_time(now).nanoseconds(), log_time(now + PATIENCE).nanoseconds());
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
                // The log went on without this value.
                Some(Ordering::Greater) => return Ok(missing),
                None if self.has_ended => return Ok(Counterpart::None),
                None if self.last.nanoseconds() > latest => return Ok(missing),
                None => self.read_message()?,
            }
        }
    }

    /// Returns how many messages of each topic have no counterpart.
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
                let cycle = message.channel.topic.rsplit_once('/').map_or("", |(cycle, _)| cycle);
                if !self.begin.is_empty() {
                    let Some(begin) = self.begin.get(&format!("{cycle}/")) else { return Ok(()) };
                    if message.log_time < begin.time {
                        return Ok(());
                    }
                    let skipped = self.skipped.entry(message.channel.topic.clone()).or_default();
                    if message.log_time == begin.time && *skipped < begin.before {
                        *skipped += 1;
                        return Ok(());
                    }
                }
                self.waiting.entry(message.channel.topic.clone()).or_default().push_back(message);
            }
            Some(Err(error @ LogError::Read { .. })) => return Err(error),
            // Damage has been reported already.
            Some(Err(_)) => {}
        }
        Ok(())
    }
}

/// Returns the time at which a value of that time is written.
fn log_time(time: Time) -> LogTime {
    LogTime::from_nanoseconds(u64::try_from(time.nanoseconds()).unwrap_or(0))
}
