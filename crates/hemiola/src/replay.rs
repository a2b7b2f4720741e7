//! A log in the place of the sources that it was recorded from: `run --replay`.

mod log;

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::Arc;

use hemiola_log::{Adapter, Channel, Entry, LogError, LogReader, LogTime, Selection};
use hemiola_model::cdr::{CdrReader, CdrWriter, MessageSchema};
use hemiola_model::data::ReadError;
use hemiola_model::{AnyRepresentation, RepresentationDescriptor, Time};
use hemiola_runtime::{Feed, Robot};

use crate::error::CommandError;
use crate::recorder::topic;

pub use log::ReplayLog;

/// A robot whose sources a recording stands in for.
pub struct Replay {
    pub robot: Robot,
    pub course: Course,
}

/// What decides which run comes when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Course {
    /// The recording: each run begins with what it began with there.
    AsRecorded,
    /// The times at which cycles are due; here is why.
    DueTimes(String),
}

impl Replay {
    /// Feeds every source from the log that the log has all of; the runs are those of the log, if that is possible.
    ///
    /// # Errors
    /// The log cannot be read, has no source of this robot, or has only a part of one.
    pub fn of(robot: Robot, path: &Path, recording: &ReplayLog) -> Result<Self, CommandError> {
        let robot = Self::fed(robot, path, recording)?;
        let fits = recording.transcript().and_then(|transcript| {
            let partial = robot.samples().into_iter().find(|(source, representations)| {
                representations.iter().any(|representation| recording.is_partial(&topic(source, representation.name())))
            });
            match (partial, robot.fits(transcript)) {
                (Some((source, _)), _) => Err(format!("not all samples of source `{source}` were recorded")),
                (None, Err(error)) => Err(error.to_string()),
                (None, Ok(())) => Ok(transcript.clone()),
            }
        });
        Ok(match fits {
            Ok(transcript) => Self { robot: robot.following(transcript)?, course: Course::AsRecorded },
            Err(reason) => Self { robot, course: Course::DueTimes(reason) },
        })
    }

    /// Feeds every source from the log that the log has all of; runs come when they are due.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub fn fed(mut robot: Robot, path: &Path, recording: &ReplayLog) -> Result<Robot, CommandError> {
        let provided = robot.samples();
        let mut fed = 0;
        for (source, representations) in provided {
            let wanted = representations.iter().map(|representation| topic(source, representation.name()));
            let (there, missing): (Vec<_>, Vec<_>) = wanted.partition(|topic| recording.has(topic));
            match (there.as_slice(), missing.as_slice()) {
                ([], _) => {}
                (_, []) => {
                    robot = robot.fed(source, Box::new(LogFeed::open(path, recording, source, &representations)?))?;
                    fed += 1;
                }
                (_, missing) => {
                    return Err(CommandError::Usage(format!(
                        "{} has a part of what source `{source}` provides, and lacks {}: record them as well, or disable the source",
                        path.display(),
                        missing.join(", ")
                    )));
                }
            }
        }
        if fed == 0 {
            let known = recording.topics().collect::<Vec<_>>().join(", ");
            let path = path.display();
            return Err(CommandError::Usage(format!(
                "{path} has nothing that a source of this robot provides; it has: {known}"
            )));
        }
        Ok(robot)
    }
}

/// The samples of one source, in the order of the log.
struct LogFeed {
    log: LogReader,
    /// What a sample consists of: topic and type.
    parts: Vec<Part>,
    /// Samples of which a part has come: a recorder writes the parts one after the other, but others' messages may be in between.
    begun: VecDeque<Sample>,
    is_over: bool,
    /// Of the sample that was given last.
    number: Option<u32>,
}

struct Part {
    topic: String,
    descriptor: &'static RepresentationDescriptor,
    schema: MessageSchema,
    /// The channel of the last message, and what its messages need.
    checked: Option<Arc<Channel>>,
    adapter: Option<Adapter>,
}

/// The bytes of each part.
struct Sample {
    time: LogTime,
    /// Among all that the source took.
    number: u32,
    parts: BTreeMap<usize, Vec<u8>>,
}

/// A recorder writes a sample before it comes to the second next one.
const MOST_BEGUN: usize = 2;

impl LogFeed {
    fn open(
        path: &Path,
        recording: &ReplayLog,
        source: &str,
        representations: &[&'static RepresentationDescriptor],
    ) -> Result<Self, CommandError> {
        let parts = representations.iter().map(|&descriptor| {
            let data_type = descriptor.data_type().ok_or_else(|| {
                let name = descriptor.name();
                CommandError::Usage(format!("source `{source}` cannot be replayed: {name} is opaque, so no log has it"))
            })?;
            Ok(Part {
                topic: topic(source, descriptor.name()),
                schema: MessageSchema::of(descriptor.name(), &data_type),
                descriptor,
                checked: None,
                adapter: None,
            })
        });
        let parts = parts.collect::<Result<Vec<_>, CommandError>>()?;
        for part in &parts {
            if let Some(channel) = recording.channel(&part.topic) {
                note_changes(part.descriptor, &part.schema, channel)?;
            }
        }
        let selection = parts.iter().fold(Selection::all(), |selection, part| selection.topic(&part.topic));
        let log = LogReader::open(path)?.select(selection);
        Ok(Self { log, parts, begun: VecDeque::new(), is_over: false, number: None })
    }

    /// Reads on to the next whole sample.
    fn next_sample(&mut self) -> Result<Option<Sample>, String> {
        loop {
            let count = self.parts.len();
            let is_whole = |sample: &Sample| sample.parts.len() == count;
            if self.begun.front().is_some_and(is_whole) {
                return Ok(self.begun.pop_front());
            }
            if (self.is_over || self.begun.len() > MOST_BEGUN)
                && let Some(sample) = self.begun.pop_front()
            {
                let missing = (0..count).filter(|part| !sample.parts.contains_key(part));
                let missing: Vec<_> = missing.map(|part| self.parts[part].topic.as_str()).collect();
                return Err(format!("the sample of {} s is left out: {} was lost", sample.time, missing.join(", ")));
            }
            if self.is_over {
                return Ok(None);
            }
            self.read_message()?;
        }
    }

    fn read_message(&mut self) -> Result<(), String> {
        let message = match self.log.next_entry() {
            None => {
                self.is_over = true;
                return Ok(());
            }
            Some(Err(error)) => return Err(error.to_string()),
            Some(Ok(Entry::Message(message))) => message,
            Some(Ok(_)) => return Ok(()),
        };
        let found = self.parts.iter_mut().enumerate().find(|(_, part)| part.topic == message.channel.topic);
        let Some((index, part)) = found else { return Ok(()) };
        part.check(&message.channel)?;
        let (time, number) = (message.log_time, message.sequence);
        let sample = match self.begun.iter_mut().position(|sample| (sample.time, sample.number) == (time, number)) {
            Some(position) => &mut self.begun[position],
            None => {
                self.begun.push_back(Sample { time, number, parts: BTreeMap::new() });
                let last = self.begun.len() - 1;
                &mut self.begun[last]
            }
        };
        sample.parts.insert(index, message.data.to_vec());
        Ok(())
    }
}

impl Part {
    /// Messages of another version of the type have to be adapted.
    fn check(&mut self, channel: &Arc<Channel>) -> Result<(), String> {
        if self.checked.as_ref().is_some_and(|checked| Arc::ptr_eq(checked, channel)) {
            return Ok(());
        }
        self.adapter = adapter(self.descriptor, &self.schema, channel).map_err(|error| error.to_string())?;
        self.checked = Some(channel.clone());
        Ok(())
    }

    fn bytes<'b>(&self, recorded: &'b [u8]) -> Result<Cow<'b, [u8]>, ReadError> {
        match &self.adapter {
            None => Ok(recorded.into()),
            Some(adapter) => adapter.adapt(recorded).map(Cow::Owned),
        }
    }
}

/// What brings messages of a channel into the present version of a type, if they are of another one.
fn adapter(
    descriptor: &'static RepresentationDescriptor,
    schema: &MessageSchema,
    channel: &Channel,
) -> Result<Option<Adapter>, LogError> {
    let recorded = channel.schema.as_ref().map(|schema| schema.data.as_slice());
    if channel.encoding == "cdr" && recorded == Some(schema.text.as_bytes()) {
        return Ok(None);
    }
    let mut default = CdrWriter::default();
    descriptor.create().write(&mut default);
    Adapter::new(channel, schema, default.bytes()).map(Some)
}

/// Says what is different from what was recorded, if anything is.
fn note_changes(
    descriptor: &'static RepresentationDescriptor,
    schema: &MessageSchema,
    channel: &Channel,
) -> Result<(), LogError> {
    if let Some(adapter) = adapter(descriptor, schema, channel)? {
        let changes: Vec<_> = adapter.changes().map(|change| change.to_string()).collect();
        if !changes.is_empty() {
            eprintln!("note: {} is not what it was when it was recorded: {}", descriptor.name(), changes.join(", "));
        }
    }
    Ok(())
}

impl Feed for LogFeed {
    fn sample(&mut self, values: &mut [&mut AnyRepresentation]) -> Result<Option<Time>, String> {
        let Some(sample) = self.next_sample()? else { return Ok(None) };
        self.number = Some(sample.number);
        for (index, part) in self.parts.iter().enumerate() {
            let value = values.iter_mut().find(|value| value.descriptor() == part.descriptor);
            let (Some(value), Some(bytes)) = (value, sample.parts.get(&index)) else { continue };
            let bytes = part.bytes(bytes).map_err(|error| format!("{}: {error}", part.topic))?;
            let mut reader = CdrReader::new(&bytes).map_err(|error| format!("{}: {error}", part.topic))?;
            value.read(&mut reader).map_err(|error| format!("{}: {error}", part.topic))?;
        }
        Ok(Some(Time::from_nanoseconds(i64::try_from(sample.time.nanoseconds()).unwrap_or(i64::MAX))))
    }

    fn number(&self) -> Option<u32> {
        self.number
    }
}
