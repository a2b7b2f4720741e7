//! What a log tells of how its robot ran.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use hemiola_log::{Channel, Entry, LogError, LogReader, LogTime};
use hemiola_model::Time;
use hemiola_runtime::{JournalEntry, JournalEvent, Script, Severity};

use crate::checkpoints::{CheckpointHeads, Checkpoints, is_checkpoint};
use crate::error::RecordingError;
use crate::names::{ABOUT, CHANGES, CONFIGURATION, PARTIAL};
use crate::recorder::{is_journal, journal_event, numbered_change};
use crate::split::SplitLog;
use crate::transcript::{TranscriptReader, is_transcript};

/// What is known of a log when it has been gone through once: a file, or several, of which the
/// first or the folder is named. Example: [the module](super).
pub struct ReplayLog {
    split: SplitLog,
    /// By topic.
    channels: BTreeMap<String, Vec<Arc<Channel>>>,
    /// What the robot's clock calls zero.
    origin: LogTime,
    end: Time,
    /// Topics of which not all was meant to be recorded.
    partial: BTreeSet<String>,
    configuration: Option<BTreeMap<String, String>>,
    script: Result<Script, Arc<RecordingError>>,
    checkpoints: Checkpoints,
    events: Vec<JournalEntry>,
    /// The first things that cannot be read, and how many there are.
    damage: Vec<LogError>,
    damages: usize,
}

/// So many places are told of.
const MOST_TOLD: usize = 10;
/// So many events are kept.
const MOST_EVENTS: usize = 10_000;

impl ReplayLog {
    /// Goes through a log.
    ///
    /// # Errors
    /// It cannot be read, or is no log, or several. Damage is no error.
    pub fn read(path: &Path) -> Result<Self, RecordingError> {
        Self::read_with(path, |_, _| {})
    }

    /// Goes through a log, and calls `progress` with the bytes of a file that are done, and all of
    /// them.
    ///
    /// # Errors
    /// The same as of [`read`](Self::read).
    pub fn read_with(path: &Path, mut progress: impl FnMut(u64, u64)) -> Result<Self, RecordingError> {
        let split = SplitLog::find(path)?;
        let (mut partial, mut runs) = (BTreeSet::new(), Ok(Vec::new()));
        let (mut changes, mut channels) = (BTreeMap::new(), BTreeMap::new());
        let (mut configuration, mut events) = (None, Vec::new());
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
                            // What cannot be read is missed where a run began with it.
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
                    }
                    Ok(Entry::Metadata(metadata)) if metadata.name == CONFIGURATION => {
                        // All files of a log begin with the same.
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
        Ok(Self { split, channels, origin, end, partial, configuration, script, checkpoints, events, damage, damages })
    }

    /// Its files.
    pub fn split(&self) -> &SplitLog {
        &self.split
    }

    /// How its robot was configured: what `robot.toml` and all that was put over it said, as JSON,
    /// by key. Nothing if the log does not tell.
    pub fn configuration(&self) -> Option<&BTreeMap<String, String>> {
        self.configuration.as_ref()
    }

    /// Whether there is anything of a topic.
    pub fn has(&self, topic: &str) -> bool {
        self.channels.contains_key(topic)
    }

    /// What a replay can begin with, besides the beginning.
    pub fn checkpoints(&self) -> &Checkpoints {
        &self.checkpoints
    }

    /// The channels of a topic: of a log that was merged there may be several.
    pub fn channels(&self, topic: &str) -> &[Arc<Channel>] {
        self.channels.get(topic).map_or(&[], Vec::as_slice)
    }

    /// What the robot's clock calls zero.
    pub fn origin(&self) -> LogTime {
        self.origin
    }

    /// What the robot's clock showed at the end.
    pub fn end(&self) -> Time {
        self.end
    }

    /// All topics, but those that tell of runs and checkpoints.
    pub fn topics(&self) -> impl Iterator<Item = &str> {
        self.channels.keys().map(String::as_str).filter(|topic| !is_transcript(topic) && !is_checkpoint(topic))
    }

    /// Whether only some values of a topic were meant to be recorded: at a rate, or while something
    /// was so.
    pub fn is_partial(&self, topic: &str) -> bool {
        self.partial.contains(topic)
    }

    /// The runs that a replay follows.
    ///
    /// # Errors
    /// Why they cannot be followed.
    pub fn script(&self) -> Result<&Script, Arc<RecordingError>> {
        self.script.as_ref().map_err(Arc::clone)
    }

    /// What happened to the robot when it was recorded, by its clock: changes, marks, latencies
    /// above their bounds, and messages that warn. The first ten thousand, if there are more.
    pub fn events(&self) -> &[JournalEntry] {
        &self.events
    }

    /// What cannot be read of it: the first places, and how many there are.
    pub fn damage(&self) -> (&[LogError], usize) {
        (&self.damage, self.damages)
    }
}

fn add_channels(channels: &mut BTreeMap<String, Vec<Arc<Channel>>>, log: &LogReader) {
    for channel in log.channels() {
        channels.entry(channel.topic.clone()).or_default().push(channel.clone());
    }
}

/// Whether somebody who looks for what happened wants to see it.
fn is_remarkable(event: &JournalEvent) -> bool {
    !matches!(event, JournalEvent::Message { severity: Severity::Information, .. })
}

/// In the order of their times.
fn events_since(origin: LogTime, mut events: Vec<(LogTime, JournalEvent)>) -> Vec<JournalEntry> {
    events.sort_by_key(|(time, _)| *time);
    let at = |time: LogTime| i64::try_from(time.nanoseconds().saturating_sub(origin.nanoseconds())).unwrap_or(i64::MAX);
    let entries = events.into_iter().zip(0..);
    entries
        .map(|((time, event), number)| JournalEntry { number, at: Time::from_nanoseconds(at(time)), event })
        .collect()
}

/// Our own logs begin at zero, those of others count from 1970.
fn origin(is_ours: bool, first: Option<LogTime>) -> LogTime {
    first.filter(|_| !is_ours).unwrap_or_default()
}
