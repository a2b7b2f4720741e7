//! The contents of a log, and the runs of its robot.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use hemiola_log::{Channel, Entry, LogError, LogReader, LogTime};
use hemiola_model::Time;
use hemiola_runtime::{JournalEntry, JournalEvent, Script, Severity};

use crate::checkpoints::{CheckpointHeads, Checkpoints, is_checkpoint};
use crate::error::RecordingError;
use crate::names::{ABOUT, CHANGES, CONFIGURATION, PARTIAL, PROCESS, PROCESSES};
use crate::recorder::{is_journal, journal_event, numbered_change};
use crate::senders::is_sender;
use crate::split::SplitLog;
use crate::transcript::{TranscriptReader, is_transcript};

/// A log that was read once as a whole: a file, or several, of which the path names the first or
/// the folder. See [the module](super).
pub struct ReplayLog {
    split: SplitLog,
    /// The channels, by topic.
    channels: BTreeMap<String, Vec<Arc<Channel>>>,
    /// The log time at which the robot's clock was zero.
    origin: LogTime,
    end: Time,
    /// The topics of which only some messages were to be recorded.
    partial: BTreeSet<String>,
    configuration: Option<BTreeMap<String, String>>,
    process: Option<String>,
    merged_processes: Option<String>,
    script: Result<Script, Arc<RecordingError>>,
    checkpoints: Checkpoints,
    events: Vec<JournalEntry>,
    /// The first places that cannot be read, and the number of all.
    damage: Vec<LogError>,
    damages: usize,
}

/// The maximum number of places of damage that are reported.
const MOST_TOLD: usize = 10;
/// The maximum number of events that are kept.
const MOST_EVENTS: usize = 10_000;

impl ReplayLog {
    /// Reads a log.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read, or the path leads to no log or to several.
    /// Damage is not an error.
    pub fn read(path: &Path) -> Result<Self, RecordingError> {
        Self::read_with(path, |_, _| {})
    }

    /// Reads a log, and calls `progress` with the bytes of a file that were read, and the number of
    /// all its bytes.
    ///
    /// # Errors
    /// Returns the errors of [`read`](Self::read).
    pub fn read_with(path: &Path, mut progress: impl FnMut(u64, u64)) -> Result<Self, RecordingError> {
        let split = SplitLog::find(path)?;
        let (mut partial, mut runs) = (BTreeSet::new(), Ok(Vec::new()));
        let (mut changes, mut channels) = (BTreeMap::new(), BTreeMap::new());
        let (mut configuration, mut events) = (None, Vec::new());
        let (mut process, mut merged_processes) = (None, None);
        let (mut is_ours, mut first, mut last) = (false, None::<LogTime>, None::<LogTime>);
        let (mut damage, mut damages) = (Vec::new(), 0);
        let (mut reader, mut heads) = (TranscriptReader::default(), CheckpointHeads::default());
        for file in split.files() {
            let mut log = LogReader::open(file)?;
            loop {
                let (done, all) = log.progress();
                progress(done, all);
                let Some(entry) = log.next_entry() else { break };
                match entry {
                    Ok(Entry::Message(message)) => {
                        last = last.max(Some(message.log_time));
                        first = Some(first.map_or(message.log_time, |first| first.min(message.log_time)));
                        if is_checkpoint(&message.channel.topic) {
                            heads.look(&message);
                        }
                        if message.channel.topic == CHANGES
                            // A change that cannot be read is noticed when a run began with it.
                            && let Ok(Some((number, change))) = numbered_change(&message)
                        {
                            changes.insert(number, change);
                        }
                        if is_journal(&message.channel)
                            && events.len() < MOST_EVENTS
                            && let Ok(event) = journal_event(&message)
                            && is_remarkable(&event)
                        {
                            events.push((message.log_time, event));
                        }
                        if is_transcript(&message.channel.topic)
                            && let Ok(all) = &mut runs
                        {
                            match reader.read(&message) {
                                Ok(run) => all.push(run),
                                Err(reason) => runs = Err(Arc::new(reason)),
                            }
                        }
                    }
                    Ok(Entry::Metadata(metadata)) if metadata.name == ABOUT => {
                        is_ours = true;
                        let topics = metadata.entries.keys().filter_map(|key| key.strip_prefix(PARTIAL));
                        partial.extend(topics.map(str::to_owned));
                        process = metadata.entries.get(PROCESS).cloned();
                        merged_processes = metadata.entries.get(PROCESSES).cloned();
                    }
                    Ok(Entry::Metadata(metadata)) if metadata.name == CONFIGURATION => {
                        // All files of a log begin with the same configuration.
                        configuration.get_or_insert(metadata.entries);
                    }
                    Ok(_) => {}
                    Err(error @ LogError::Read { .. }) => return Err(error.into()),
                    Err(error) => {
                        damages += 1;
                        if damage.len() < MOST_TOLD {
                            damage.push(error);
                        }
                    }
                }
            }
            add_channels(&mut channels, &log);
        }
        let origin = origin(is_ours, first);
        let script = runs.and_then(|runs| match runs.is_empty() {
            true => Err(Arc::new(RecordingError::WithoutTranscript)),
            false => Ok(Script::of(runs).with_changes(changes)),
        });
        let checkpoints = heads.finish(script.as_ref().map(Script::written).unwrap_or_default());
        let since_origin = last.map_or(0, |last| last.nanoseconds().saturating_sub(origin.nanoseconds()));
        let end = Time::from_nanoseconds(i64::try_from(since_origin).unwrap_or(i64::MAX));
        let events = events_since(origin, events);
        Ok(Self {
            split,
            channels,
            origin,
            end,
            partial,
            configuration,
            process,
            merged_processes,
            script,
            checkpoints,
            events,
            damage,
            damages,
        })
    }

    /// Returns the files of the log.
    pub fn split(&self) -> &SplitLog {
        &self.split
    }

    /// Returns the configuration of the robot: the values of `robot.toml` and all overrides, as
    /// JSON, by key. Returns `None` if the log does not contain it.
    pub fn configuration(&self) -> Option<&BTreeMap<String, String>> {
        self.configuration.as_ref()
    }

    /// Returns the name of the process whose part of the robot was recorded; `None` if the robot is
    /// a single process.
    pub fn process(&self) -> Option<&str> {
        self.process.as_deref()
    }

    /// Returns the processes from whose logs this one was merged; `None` if it was not merged.
    pub fn merged_processes(&self) -> Option<&str> {
        self.merged_processes.as_deref()
    }

    /// Returns whether the log has messages of a topic.
    pub fn has(&self, topic: &str) -> bool {
        self.channels.contains_key(topic)
    }

    /// Returns the checkpoints with which a replay can begin.
    pub fn checkpoints(&self) -> &Checkpoints {
        &self.checkpoints
    }

    /// Returns the channels of a topic, of which a log that was merged may have several.
    pub fn channels(&self, topic: &str) -> &[Arc<Channel>] {
        self.channels.get(topic).map_or(&[], Vec::as_slice)
    }

    /// Returns the log time at which the robot's clock was zero.
    pub fn origin(&self) -> LogTime {
        self.origin
    }

    /// Returns the time of the robot's clock at the end.
    pub fn end(&self) -> Time {
        self.end
    }

    /// Returns all topics except those of runs, checkpoints and senders.
    pub fn topics(&self) -> impl Iterator<Item = &str> {
        let is_for_replays = |topic: &str| is_transcript(topic) || is_checkpoint(topic) || is_sender(topic);
        self.channels.keys().map(String::as_str).filter(move |topic| !is_for_replays(topic))
    }

    /// Returns whether only some values of a topic were to be recorded: at a rate, or while a
    /// condition held.
    pub fn is_partial(&self, topic: &str) -> bool {
        self.partial.contains(topic)
    }

    /// Returns the runs that a replay follows.
    ///
    /// # Errors
    /// Returns the reason why they cannot be followed.
    pub fn script(&self) -> Result<&Script, Arc<RecordingError>> {
        self.script.as_ref().map_err(Arc::clone)
    }

    /// Returns the events of the recorded robot, by its clock: changes, marks, latencies above
    /// their bounds, and warnings and errors. These are the first ten thousand, if there are more.
    pub fn events(&self) -> &[JournalEntry] {
        &self.events
    }

    /// Returns the first places that cannot be read, and the number of all.
    pub fn damage(&self) -> (&[LogError], usize) {
        (&self.damage, self.damages)
    }
}

fn add_channels(channels: &mut BTreeMap<String, Vec<Arc<Channel>>>, log: &LogReader) {
    for channel in log.channels() {
        channels.entry(channel.topic.clone()).or_default().push(channel.clone());
    }
}

/// Returns whether an event is of interest in a search for events.
fn is_remarkable(event: &JournalEvent) -> bool {
    !matches!(event, JournalEvent::Message { severity: Severity::Information, .. })
}

/// Returns the events in the order of their times.
fn events_since(origin: LogTime, mut events: Vec<(LogTime, JournalEvent)>) -> Vec<JournalEntry> {
    events.sort_by_key(|(time, _)| *time);
    let at = |time: LogTime| i64::try_from(time.nanoseconds().saturating_sub(origin.nanoseconds())).unwrap_or(i64::MAX);
    let entries = events.into_iter().zip(0..);
    entries
        .map(|((time, event), number)| JournalEntry { number, at: Time::from_nanoseconds(at(time)), event })
        .collect()
}

/// Returns the log time of the clock's zero: Hemiola's own logs begin at zero, others count from
/// 1970.
fn origin(is_ours: bool, first: Option<LogTime>) -> LogTime {
    first.filter(|_| !is_ours).unwrap_or_default()
}
