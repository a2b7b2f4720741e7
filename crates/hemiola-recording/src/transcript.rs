//! The inputs with which each run of a cycle began, in logs: a message per run in `/cycle/_run`,
//! which any viewer can show.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hemiola_log::{Adapter, ChannelId, Definition, FieldChange, LogError, LogWriter, Message, Origin};
use hemiola_model::cdr::{self, CdrWriter, MessageSchema};
use hemiola_model::module::SafeState;
use hemiola_runtime::{InputRecord, MessageRecord, RunRecord, SampleRecord, SampleSpan};

use crate::error::RecordingError;
use crate::names::topic;
use crate::senders::{number_of, place_of};
use hemiola_macros::Data;
use hemiola_model::Time;
use hemiola_model::data::Data;

/// The last part of topics. ROS 2 treats names that begin with an underscore as hidden.
const NAME: &str = "_run";

/// The word for a transcript in errors.
const TRANSCRIPT: &str = "transcript";

/// Returns whether messages of this topic are transcripts.
pub fn is_transcript(topic: &str) -> bool {
    topic.rsplit_once('/').is_some_and(|(_, name)| name == NAME)
}

#[derive(Data, Default)]
#[data(name = "hemiola/Run")]
struct Run {
    /// The cycle.
    cycle: String,
    /// The number of the run within the cycle.
    run: u32,
    /// The time on the cycle's clock.
    now: Time,
    /// The place in the order of the runs of all cycles: each run finds its inputs already
    /// published.
    order: u64,
    /// Set if the robot was in its safe state.
    safe_state: bool,
    /// The changes from outside that came into force with the run, by their numbers in
    /// `/hemiola/changes`.
    changes: Vec<u32>,
    /// The inputs that the run read from each cycle and source.
    inputs: Vec<Input>,
    /// The messages of topics that the updates of the run received.
    messages: Vec<Messages>,
}

#[derive(Data)]
#[data(name = "hemiola/Messages")]
struct Messages {
    /// The topic.
    topic: String,
    /// The number of earlier subscriptions to the same topic in the cycle.
    subscriber: u32,
    /// The number of publishers of the topic that precede this one.
    publisher: u32,
    /// The number of messages.
    count: u32,
    /// The number of the first message among those of its publisher.
    first: u64,
}

/// The fields that transcripts of earlier versions lack.
const LATER: [&str; 1] = ["messages.first"];

#[derive(Data)]
#[data(name = "hemiola/Input")]
struct Input {
    /// The cycle or source.
    source: String,
    /// The run or sample from which the new snapshot comes; empty if there was none.
    snapshot: Option<u32>,
    /// The samples that were in each of the sample queues.
    samples: Vec<Samples>,
}

#[derive(Data)]
#[data(name = "hemiola/Samples")]
struct Samples {
    /// The representation.
    representation: String,
    /// The run or sample of the first one.
    first: u32,
    /// The number of samples.
    count: u32,
}

/// Writes transcripts.
pub struct TranscriptChannels {
    schema: MessageSchema,
    channels: BTreeMap<String, ChannelId>,
    buffer: CdrWriter,
}

impl Default for TranscriptChannels {
    fn default() -> Self {
        let schema = MessageSchema::of("Run", &Run::data_type());
        Self { schema, channels: BTreeMap::new(), buffer: CdrWriter::default() }
    }
}

impl TranscriptChannels {
    /// Begins a new log.
    pub fn begin(&mut self) {
        self.channels.clear();
    }

    /// Writes a run to its cycle's channel, which is created with the first run.
    pub fn write(&mut self, record: RunRecord, log: &mut LogWriter) -> Result<(), LogError> {
        let message = Run::from(record);
        let channel = match self.channels.get(&message.cycle) {
            Some(&channel) => channel,
            None => {
                let channel = log.channel(&topic(&message.cycle, NAME), &self.schema)?;
                self.channels.insert(message.cycle.clone(), channel);
                channel
            }
        };
        self.buffer.clear();
        message.write(&mut self.buffer);
        let origin = Origin { sequence: message.run, logged: message.now, published: message.now };
        log.write(channel, origin, self.buffer.bytes())
    }
}

/// Reads transcripts. Names are stored once, because there are many runs.
pub struct TranscriptReader {
    schema: MessageSchema,
    /// The adapter of transcripts of an earlier version, with their schema.
    earlier: Option<(Vec<u8>, Adapter)>,
    names: BTreeSet<Arc<str>>,
}

impl Default for TranscriptReader {
    fn default() -> Self {
        Self { schema: MessageSchema::of("Run", &Run::data_type()), earlier: None, names: BTreeSet::new() }
    }
}

impl TranscriptReader {
    /// Reads a run.
    ///
    /// # Errors
    /// Returns an error if the message is damaged, or of another version of Hemiola.
    pub fn read(&mut self, message: &Message<'_>) -> Result<RunRecord, RecordingError> {
        let schema = message.channel.schema.as_ref().map_or(&[][..], |schema| schema.data.as_slice());
        let damaged = |reason: String| RecordingError::Damaged { what: TRANSCRIPT, reason };
        let run = if schema == self.schema.text.as_bytes() {
            cdr::decode(message.data)
        } else {
            let adapter = self.adapter(message, schema)?;
            adapter.adapt(message.data, |_| ()).and_then(|adapted| cdr::decode(&adapted))
        };
        let run: Run = run.map_err(|error| damaged(error.to_string()))?;
        // With such a time a replay would wait for a time that never comes, or run beyond the end
        // of its log.
        if u64::try_from(run.now.nanoseconds()).unwrap_or(0) != message.log_time.nanoseconds() {
            let Run { cycle, run, now, .. } = run;
            let logged = message.log_time;
            return Err(damaged(format!(
                "run {run} of {cycle} says that it began at {now}, and was logged at {logged}"
            )));
        }
        Ok(self.record(run))
    }

    /// Returns the adapter of transcripts of an earlier version.
    ///
    /// # Errors
    /// Returns an error if they lack more than the present version has added.
    fn adapter(&mut self, message: &Message<'_>, schema: &[u8]) -> Result<&Adapter, RecordingError> {
        let other = || RecordingError::OtherVersion { what: TRANSCRIPT };
        if self.earlier.as_ref().is_none_or(|(known, _)| known != schema) {
            let from = message.channel.definition().map_err(|_| other())?;
            let to = Definition::parse(&self.schema.name, &self.schema.text).map_err(|_| other())?;
            let adapter = Adapter::new(from, &Arc::new(to), &cdr::encode(&Run::default()), []).map_err(|_| other())?;
            let is_later =
                |change: &FieldChange| matches!(change, FieldChange::Added(field) if LATER.contains(&field.as_str()));
            if !adapter.changes().iter().all(is_later) {
                return Err(other());
            }
            self.earlier = Some((schema.to_owned(), adapter));
        }
        self.earlier.as_ref().map(|(_, adapter)| adapter).ok_or_else(other)
    }

    fn name(&mut self, name: String) -> Arc<str> {
        if let Some(known) = self.names.get(name.as_str()) {
            return known.clone();
        }
        let name: Arc<str> = name.into();
        self.names.insert(name.clone());
        name
    }

    fn record(&mut self, message: Run) -> RunRecord {
        let Run { cycle, run, now, order, safe_state, changes, inputs, messages } = message;
        let inputs = inputs.into_iter().map(|Input { source, snapshot, samples }| {
            let samples = samples.into_iter().map(|Samples { representation, first, count }| SampleRecord {
                representation: self.name(representation),
                span: SampleSpan { first, count },
            });
            let samples = samples.collect();
            InputRecord { from: self.name(source), snapshot, samples }
        });
        let inputs = inputs.collect();
        let messages = messages.into_iter().map(|Messages { topic, subscriber, publisher, count, first }| {
            let (topic, publisher) = (self.name(topic), place_of(publisher));
            MessageRecord { topic, subscriber, publisher, first, count }
        });
        let messages = messages.collect();
        let safe_state = if safe_state { SafeState::Active } else { SafeState::Inactive };
        RunRecord { cycle: self.name(cycle), run, now, order, safe_state, changes, inputs, messages }
    }
}

impl From<RunRecord> for Run {
    fn from(record: RunRecord) -> Self {
        let RunRecord { cycle, run, now, order, safe_state, changes, inputs, messages } = record;
        let samples = |samples: SampleRecord| Samples {
            representation: (*samples.representation).to_owned(),
            first: samples.span.first,
            count: samples.span.count,
        };
        let input = |input: InputRecord| Input {
            source: (*input.from).to_owned(),
            snapshot: input.snapshot,
            samples: input.samples.into_iter().map(samples).collect(),
        };
        let inputs = inputs.into_iter().map(input).collect();
        let messages = messages.into_iter().map(|MessageRecord { topic, subscriber, publisher, first, count }| {
            let (topic, publisher) = ((*topic).to_owned(), number_of(publisher));
            Messages { topic, subscriber, publisher, count, first }
        });
        let (messages, safe_state) = (messages.collect(), safe_state.is_active());
        Self { cycle: (*cycle).to_owned(), run, now, order, safe_state, changes, inputs, messages }
    }
}
