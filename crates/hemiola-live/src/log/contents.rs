//! The contents of a log, and names for them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use hemiola_config::parse_duration;
use hemiola_log::{Channel, Entry, LogError, LogReader, LogTime, Selection};
use hemiola_recording::RecordingError;
use hemiola_recording::checkpoints::is_checkpoint;
use hemiola_recording::names::{ABOUT, CONFIGURATION};
use hemiola_recording::recorder::is_journal;
use hemiola_recording::senders::is_sender;
use hemiola_recording::shown;
use hemiola_recording::split::{Kept, SplitLog};
use serde_json::{Value, json};

use super::shown::Shown;

/// The contents of an open log.
pub struct Contents {
    /// The files of the log.
    pub files: SplitLog,
    /// The time of the first message, in nanoseconds.
    pub begin: i64,
    /// The time of the last message, in nanoseconds.
    pub end: i64,
    /// The metadata about the robot; empty if the log was not written by Hemiola.
    pub about: BTreeMap<String, String>,
    /// Descriptions of what could not be read when the log was opened.
    pub damage: Vec<String>,
    representations: BTreeMap<String, Named>,
    topics: BTreeMap<String, Named>,
    /// The topics of the robot's journal.
    pub journal: Vec<String>,
    /// The plots, drawings and images of modules.
    pub shown: Vec<Shown>,
    /// The configuration of the robot by key, as JSON.
    configuration: BTreeMap<String, String>,
}

/// A channel, and the owner of its representation.
struct Named {
    owner: String,
    channel: Arc<Channel>,
}

/// The most reports of damage; a failing disk would cause one for every byte.
pub const MOST_DAMAGE: usize = 20;
/// The first parts of topics that do not belong to the owner of a representation.
const NO_OWNERS: &[&str] = &["hemiola", "debug"];
/// The first part of the topics of the robot's bus.
const TOPIC: &str = "topic";

impl Contents {
    /// Opens a log.
    pub fn read(path: &Path) -> Result<Self, RecordingError> {
        let files = SplitLog::find(path)?;
        let mut scan = Scan::default();
        for file in files.files() {
            scan.file(file)?;
        }
        let Scan { about, configuration, channels, times, damage } = scan;
        let (begin, end) = times.unwrap_or_default();
        let mut contents = Self {
            files,
            begin,
            end,
            about,
            damage,
            representations: BTreeMap::new(),
            topics: BTreeMap::new(),
            journal: Vec::new(),
            shown: Shown::all(&channels.values().cloned().collect::<Vec<_>>()),
            configuration,
        };
        contents.name(channels);
        Ok(contents)
    }

    /// Gives names to the channels. Representations have their names in the robot where these are
    /// unambiguous; all other channels have the names of their topics.
    fn name(&mut self, channels: BTreeMap<String, Arc<Channel>>) {
        self.journal = channels.values().filter(|channel| is_journal(channel)).map(|it| it.topic.clone()).collect();
        let owned = |topic: &str| {
            let (owner, name) = topic.strip_prefix('/')?.split_once('/')?;
            let is_one = !name.contains('/') && !name.starts_with('_') && !NO_OWNERS.contains(&owner);
            (is_one && !self.about.is_empty()).then(|| (owner.to_owned(), name.to_owned()))
        };
        for (topic, channel) in channels.into_iter().filter(|(topic, _)| !is_checkpoint(topic) && !is_sender(topic)) {
            let (names, owner, name) = match owned(&topic) {
                Some((owner, name)) if owner == TOPIC => (&mut self.topics, String::new(), name),
                Some((owner, name)) => (&mut self.representations, owner, name),
                None => (&mut self.topics, String::new(), topic.clone()),
            };
            let name = if names.contains_key(&name) { topic } else { name };
            names.insert(name, Named { owner, channel });
        }
    }

    /// Describes the contents of the log in the same form as robots answer `describe`.
    pub fn describe(&self) -> Value {
        let schema_name =
            |named: &Named| named.channel.definition().is_ok().then(|| named.channel.type_name().to_owned());
        let representations = self.representations.iter().map(|(name, named)| {
            json!({
                "name": name,
                "provider": self.about.get(&format!("provider/{}/{name}", named.owner)),
                "owner": named.owner,
                "candidates": [],
                "schema_name": schema_name(named),
            })
        });
        let topics = self.topics.iter().map(|(name, named)| json!({"name": name, "schema_name": schema_name(named)}));
        json!({
            "cycles": self.cycles(),
            "modules": [],
            "sources": [],
            "representations": representations.collect::<Vec<_>>(),
            "topics": topics.collect::<Vec<_>>(),
            "services": [],
            "chains": [],
        })
    }

    /// Returns the cycles, as far as they are in the configuration in the log, which does not
    /// contain their tasks.
    fn cycles(&self) -> Vec<Value> {
        let said = |cycle: &str, key: &str| -> Option<Value> {
            serde_json::from_str(self.configuration.get(&format!("cycle.{cycle}.{key}"))?).ok()
        };
        let names = self.configuration.keys().filter_map(|key| key.strip_prefix("cycle.")?.split('.').next());
        let names: BTreeSet<&str> = names.collect();
        let cycles = names.into_iter().map(|cycle| {
            let trigger = ["rate", "topic"].into_iter().find_map(|key| Some(json!({ key: said(cycle, key)? })));
            let trigger = trigger.or_else(|| Some(json!({"source": said(cycle, "trigger")?})));
            let rate = said(cycle, "rate").and_then(|rate| rate.as_f64());
            let period = rate.and_then(|rate| Duration::try_from_secs_f64(1.0 / rate).ok());
            let deadline = said(cycle, "deadline");
            let deadline = deadline.as_ref().and_then(Value::as_str).and_then(|text| parse_duration(text).ok());
            json!({
                "name": cycle,
                "trigger": trigger,
                "period": period.map(whole_nanoseconds),
                "deadline": deadline.map(whole_nanoseconds),
                "priority": said(cycle, "priority"),
                "workers": said(cycle, "workers"),
                "tasks": [],
            })
        });
        cycles.collect()
    }

    /// Returns the channel of a representation or a topic; exactly one of the two is given.
    ///
    /// # Errors
    /// Returns an error if there is no channel with that name, or its messages cannot be read.
    pub fn channel(&self, value: Option<&str>, topic: Option<&str>) -> Result<&Arc<Channel>, String> {
        let (kind, name, names) = match (value, topic) {
            (Some(name), None) => ("representation", name, &self.representations),
            (None, Some(name)) => ("topic", name, &self.topics),
            _ => return Err("name either a `value` or a `topic`".to_owned()),
        };
        let found = names.get(name).map(|named| &named.channel);
        let found = found.ok_or_else(|| hemiola_config::unknown(kind, name, names.keys().map(String::as_str)))?;
        found.definition().map_err(|error| error.to_string())?;
        Ok(found)
    }

    /// Returns the channel of a field and the path within its messages: `Ball.position.x`,
    /// `topic:/scan.range_min`, `plot:ball.score`.
    pub fn field(&self, field: &str) -> Result<(&Arc<Channel>, String), String> {
        if let Some(name) = field.strip_prefix("plot:") {
            // As it was named when it was recorded: not every letter of a name can be in a topic.
            return Ok((self.channel(None, Some(&shown::topic(name)))?, "value".to_owned()));
        }
        if field.starts_with("timing:") {
            return Err("a log has no timing of runs: use `why --log`".to_owned());
        }
        let (field, is_topic) = match field.strip_prefix("topic:") {
            Some(field) => (field, true),
            None => (field, false),
        };
        let names = if is_topic { &self.topics } else { &self.representations };
        // Names may contain dots themselves: the longest matching name is used.
        let is_of = |name: &&String| field.strip_prefix(name.as_str()).is_some_and(is_path);
        let end = field.find(['.', '[']).unwrap_or(field.len());
        let name = names.keys().filter(is_of).max_by_key(|name| name.len()).map_or(&field[..end], String::as_str);
        let channel = if is_topic { self.channel(None, Some(name)) } else { self.channel(Some(name), None) };
        Ok((channel?, field[name.len()..].trim_start_matches('.').to_owned()))
    }

    /// Returns the newest message of each of these topics at a time, in the order of their times.
    ///
    /// # Errors
    /// Returns an error if the log cannot be read. Damage is reported to `on_damage` and skipped.
    pub fn newest(
        &self,
        topics: &[String],
        at: i64,
        is_wanted: impl Fn() -> bool,
        mut on_damage: impl FnMut(String),
    ) -> Result<Vec<Kept>, LogError> {
        let mut found: BTreeMap<String, Kept> = BTreeMap::new();
        // Most topics have frequent messages, the newest of which is found within the last second.
        let (mut before, mut reach) = (at.saturating_add(1), FIRST_REACH);
        while found.len() < topics.len() && before > self.begin && is_wanted() {
            let from = before.saturating_sub(reach).max(self.begin);
            let selection = Selection::all().from(log_time(from)).before(log_time(before));
            let missing = topics.iter().filter(|topic| !found.contains_key(*topic)).cloned();
            let mut messages = self.files.messages(missing.fold(selection, Selection::topic))?;
            let mut here: BTreeMap<String, Kept> = BTreeMap::new();
            while let Some(next) = messages.next()
                && is_wanted()
            {
                match next {
                    Ok(kept) if here.get(&kept.channel.topic).is_none_or(|other| other.log_time <= kept.log_time) => {
                        here.insert(kept.channel.topic.clone(), kept);
                    }
                    Ok(_) => {}
                    Err(error @ LogError::Read { .. }) => return Err(error),
                    Err(damage) => on_damage(damage.to_string()),
                }
            }
            found.append(&mut here);
            (before, reach) = (from, reach.saturating_mul(4));
        }
        let mut found: Vec<_> = found.into_values().collect();
        found.sort_by_key(|kept| kept.log_time);
        Ok(found)
    }
}

/// The span of time that is searched first for the newest values.
const FIRST_REACH: i64 = 1_000_000_000;

/// Returns whether this text can follow a name.
fn is_path(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with(['.', '['])
}

/// Converts nanoseconds to a time of logs.
pub fn log_time(nanoseconds: i64) -> LogTime {
    LogTime::from_nanoseconds(u64::try_from(nanoseconds).unwrap_or(0))
}

fn whole_nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// Converts a time of logs to nanoseconds.
pub fn nanoseconds(time: LogTime) -> i64 {
    i64::try_from(time.nanoseconds()).unwrap_or(i64::MAX)
}

/// The combined summary of all files of a log.
#[derive(Default)]
struct Scan {
    about: BTreeMap<String, String>,
    configuration: BTreeMap<String, String>,
    channels: BTreeMap<String, Arc<Channel>>,
    times: Option<(i64, i64)>,
    damage: Vec<String>,
}

impl Scan {
    /// Reads the summary of a file, or the whole file if it has none.
    fn file(&mut self, path: &Path) -> Result<(), LogError> {
        let mut log = LogReader::open(path)?;
        if let Some(error) = log.summary_error() {
            self.damaged(error.to_string());
        }
        let summary = log.summary().filter(|summary| !summary.channels.is_empty());
        let told = summary.and_then(|summary| Some((summary, summary.statistics.as_ref()?)));
        let is_told = told.is_some();
        if let Some((summary, statistics)) = told {
            summary.channels.values().for_each(|channel| self.channel(channel));
            if statistics.message_count > 0 {
                self.time(LogTime::from_nanoseconds(statistics.message_start_time));
                self.time(LogTime::from_nanoseconds(statistics.message_end_time));
            }
        } else if log.summary_error().is_none() {
            self.damaged(format!("{} has no summary, because it was not finished", path.display()));
        }
        while let Some(entry) = log.next_entry() {
            match entry {
                // The metadata of the first file is used: each file names the providers at its own
                // beginning.
                Ok(Entry::Metadata(metadata)) if metadata.name == ABOUT && self.about.is_empty() => {
                    self.about = metadata.entries;
                }
                Ok(Entry::Metadata(metadata)) if metadata.name == CONFIGURATION && self.configuration.is_empty() => {
                    self.configuration = metadata.entries;
                }
                // The metadata precedes all messages.
                Ok(Entry::Message(_)) if is_told => break,
                Ok(Entry::Message(message)) => {
                    self.time(message.log_time);
                    self.channel(&message.channel);
                }
                Ok(_) => {}
                Err(error) => {
                    let is_over = matches!(error, LogError::Read { .. });
                    self.damaged(error.to_string());
                    if is_over {
                        break;
                    }
                }
            }
        }
        Ok(())
    }

    fn channel(&mut self, channel: &Arc<Channel>) {
        if !self.channels.contains_key(&channel.topic) {
            self.channels.insert(channel.topic.clone(), channel.clone());
        }
    }

    fn time(&mut self, time: LogTime) {
        let time = nanoseconds(time);
        let (begin, end) = self.times.unwrap_or((time, time));
        self.times = Some((begin.min(time), end.max(time)));
    }

    fn damaged(&mut self, text: String) {
        if self.damage.len() < MOST_DAMAGE {
            self.damage.push(text);
        }
    }
}
