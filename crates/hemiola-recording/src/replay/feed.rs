//! The samples of a source, from a log.

use std::collections::{BTreeMap, VecDeque};
use std::path::PathBuf;
use std::sync::Arc;

use hemiola_log::{Channel, LogError, LogTime, Selection};
use hemiola_model::{Time, ValueMut};
use hemiola_runtime::Feed;

use super::part::Part;
use crate::error::RecordingError;
use crate::split::{Messages, SplitLog};

/// The samples of one source, in the order of the log.
pub struct LogFeed {
    log: Messages,
    /// The log's first file, which is named in errors.
    path: PathBuf,
    origin: LogTime,
    /// The parts of a sample.
    parts: Vec<Part>,
    gathering: Gathering,
    is_over: bool,
    /// The number of the last sample.
    number: Option<u32>,
    /// Set if the source is fed from outside, so that samples can lapse.
    is_fed: bool,
    /// The time at which the value was sampled that the last sample only repeats.
    lapsed: Option<LogTime>,
    /// The number of the first sample that is needed.
    first: u32,
}

/// The messages that are gathered into samples.
enum Gathering {
    /// Samples of which some parts were read. Parts of one sample have one time: a recorder writes
    /// them one after the other, but other messages may be in between.
    OfOneTime(VecDeque<Sample>),
    /// The newest message of each part. In logs of other programs times differ: each message of the
    /// first part makes a sample, with the newest messages of the other parts.
    NewestOfEach(BTreeMap<usize, Message>),
}

/// A sample, with the parts that were read.
struct Sample {
    time: LogTime,
    /// The time at which it was taken: earlier, if the sample only reports that its sender was
    /// lost.
    taken: LogTime,
    /// The number among all samples of the source.
    number: u32,
    parts: BTreeMap<usize, Message>,
}

#[derive(Clone)]
struct Message {
    channel: Arc<Channel>,
    data: Arc<[u8]>,
}

/// The maximum number of incomplete samples: a recorder writes a sample before the second next one.
const MOST_BEGUN: usize = 2;

impl LogFeed {
    /// Opens a feed of parts that have examined all their channels. Times of the log count from
    /// `origin`.
    pub fn open(log: &SplitLog, origin: LogTime, parts: Vec<Part>) -> Result<Self, LogError> {
        Self::open_at(log, origin, parts, Selection::all())
    }

    /// Opens a feed from sample number `first` on, which is probably not earlier than `time`.
    pub fn open_since(
        log: &SplitLog,
        origin: LogTime,
        parts: Vec<Part>,
        (first, time): (u32, LogTime),
    ) -> Result<Self, LogError> {
        let topics: Vec<_> = parts.iter().map(|part| part.topic().to_owned()).collect();
        let mut messages = log.messages(selection(Selection::all().from(time), topics.iter().map(String::as_str)))?;
        let is_there = messages.next().is_some_and(|message| message.is_ok_and(|message| message.sequence <= first));
        let times = if is_there { Selection::all().from(time) } else { Selection::all() };
        Ok(Self { first, ..Self::open_at(log, origin, parts, times)? })
    }

    fn open_at(log: &SplitLog, origin: LogTime, parts: Vec<Part>, times: Selection) -> Result<Self, LogError> {
        let path = log.first().to_owned();
        let log = log.messages(selection(times, parts.iter().map(Part::topic)))?;
        let gathering = match parts.iter().any(Part::is_mapped) {
            false => Gathering::OfOneTime(VecDeque::new()),
            true => Gathering::NewestOfEach(BTreeMap::new()),
        };
        Ok(Self {
            log,
            path,
            origin,
            parts,
            gathering,
            is_over: false,
            number: None,
            is_fed: false,
            lapsed: None,
            first: 0,
        })
    }

    /// Makes the feed replace a source that is fed from outside, by a peer that may be lost.
    #[must_use]
    pub fn of_fed_source(self) -> Self {
        Self { is_fed: true, ..self }
    }

    /// Reads up to the next complete sample.
    fn next_sample(&mut self) -> Result<Option<Sample>, RecordingError> {
        loop {
            let count = self.parts.len();
            if let Gathering::OfOneTime(begun) = &mut self.gathering {
                let is_whole = |sample: &Sample| sample.parts.len() == count;
                if begun.front().is_some_and(is_whole) {
                    return Ok(begun.pop_front());
                }
                if (self.is_over || begun.len() > MOST_BEGUN)
                    && let Some(sample) = begun.pop_front()
                {
                    let missing = (0..count).filter(|part| !sample.parts.contains_key(part));
                    let missing = missing.map(|part| self.parts[part].topic().to_owned()).collect();
                    return Err(RecordingError::SampleLost { log: self.path.clone(), time: sample.time, missing });
                }
            }
            if self.is_over {
                return Ok(None);
            }
            if let Some(sample) = self.read_message()? {
                return Ok(Some(sample));
            }
        }
    }

    /// Reads the next message of a part. Returns a sample if the message makes one at once.
    fn read_message(&mut self) -> Result<Option<Sample>, RecordingError> {
        let Some(message) = self.log.next().transpose()? else {
            self.is_over = true;
            return Ok(None);
        };
        let (time, taken, number) = (message.log_time, message.publish_time, message.sequence);
        if number < self.first {
            return Ok(None);
        }
        let kept = Message { channel: message.channel.clone(), data: message.data.into() };
        // Two representations may come from one topic.
        let of_topic = |part: &Part| part.topic() == kept.channel.topic;
        let parts: Vec<_> = (0..self.parts.len()).filter(|&part| of_topic(&self.parts[part])).collect();
        match &mut self.gathering {
            Gathering::OfOneTime(begun) => {
                let index = begun
                    .iter()
                    .position(|sample| (sample.time, sample.number) == (time, number))
                    .unwrap_or_else(|| {
                        begun.push_back(Sample { time, taken, number, parts: BTreeMap::new() });
                        begun.len() - 1
                    });
                begun[index].parts.extend(parts.into_iter().map(|part| (part, kept.clone())));
                Ok(None)
            }
            Gathering::NewestOfEach(newest) => {
                newest.extend(parts.iter().map(|&part| (part, kept.clone())));
                // Other programs publish and log at different times.
                let taken = time;
                Ok(parts.contains(&0).then(|| Sample { time, taken, number, parts: newest.clone() }))
            }
        }
    }

    /// Fills `values` with the next complete sample, and returns when it was taken.
    fn read_sample(&mut self, values: &mut [ValueMut<'_>]) -> Result<Option<Time>, RecordingError> {
        let Some(sample) = self.next_sample()? else { return Ok(None) };
        self.number = Some(sample.number);
        self.lapsed = (self.is_fed && sample.taken < sample.time).then_some(sample.taken);
        for (index, part) in self.parts.iter().enumerate() {
            let value = values.iter_mut().find(|value| value.descriptor() == part.descriptor());
            let (Some(value), Some(message)) = (value, sample.parts.get(&index)) else { continue };
            part.read(&message.channel, &message.data, value)?;
        }
        Ok(Some(self.since_origin(sample.time)))
    }

    fn since_origin(&self, time: LogTime) -> Time {
        let nanoseconds = time.nanoseconds().saturating_sub(self.origin.nanoseconds());
        Time::from_nanoseconds(i64::try_from(nanoseconds).unwrap_or(i64::MAX))
    }
}

impl Feed for LogFeed {
    fn sample(&mut self, values: &mut [ValueMut<'_>]) -> Result<Option<Time>, String> {
        self.read_sample(values).map_err(|error| error.to_string())
    }

    fn number(&self) -> Option<u32> {
        self.number
    }

    fn lapsed(&self) -> Option<Time> {
        self.lapsed.map(|taken| self.since_origin(taken))
    }
}

fn selection<'t>(times: Selection, topics: impl Iterator<Item = &'t str>) -> Selection {
    topics.fold(times, Selection::topic)
}
