//! PX4's logs: ULog, version 1 of the format (docs.px4.io, "ULog File Format").

mod format;
mod logged;
mod records;
mod value;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use hemiola_model::Time;
use hemiola_model::cdr::MessageSchema;

use super::Stream;
use super::output::{Channel, Output, checked};
use crate::error::LogError;
use format::{Formats, Layout};
use logged::{Logged, Side};
use records::{Next, Records, kind};

/// The first bytes of a ULog; its version follows.
pub const MAGIC: &[u8] = b"ULog\x01\x12\x35";

/// The largest size of all definitions. Those of a flight controller take a hundredth of it.
const MOST_DESCRIBED: usize = 16 << 20;

/// A ULog that is being read.
pub struct Ulog {
    path: PathBuf,
    /// The prefix of its topics.
    prefix: String,
    records: Records,
    formats: Formats,
    /// The subscriptions, by the numbers that messages have.
    subscriptions: HashMap<u16, Subscription>,
    channels: BTreeMap<String, Channel>,
    /// The length of the definitions of all channels.
    described: usize,
    /// The information about the whole log.
    information: BTreeMap<String, String>,
    /// The number of times that a text of several parts has been begun, by its key.
    parts: BTreeMap<String, usize>,
    dropouts: (u64, u64),
    /// The time of the newest message, or of the log's beginning: a message that has no time of its
    /// own counts as logged then.
    now: Time,
    waiting: Option<Waiting>,
    /// The number of records of each kind that only a later version knows.
    unknown: BTreeMap<u8, u64>,
    counted: u64,
}

/// The message that is written next.
enum Waiting {
    /// A message in the record that is open: its number, and when it was taken.
    Data(u16, Time),
    /// A message beside the topics.
    Side(Side),
}

/// The subscription that a number in messages stands for.
struct Subscription {
    topic: String,
    layout: Result<Arc<Layout>, String>,
    messages: u64,
    left_out: u64,
    /// The position of the first message that was skipped, and the reason.
    reason: Option<(u64, String)>,
}

impl Ulog {
    pub fn open(path: &Path, prefix: String) -> Result<Self, LogError> {
        let (records, start) = Records::open(path)?;
        Ok(Self {
            path: path.to_owned(),
            prefix,
            records,
            formats: Formats::default(),
            subscriptions: HashMap::new(),
            channels: BTreeMap::new(),
            described: 0,
            information: BTreeMap::new(),
            parts: BTreeMap::new(),
            dropouts: (0, 0),
            now: time(start).unwrap_or(Time::ZERO),
            waiting: None,
            unknown: BTreeMap::new(),
            counted: 0,
        })
    }

    fn problem(&self, reason: String) -> LogError {
        LogError::Import { path: self.path.clone(), line: None, reason }
    }

    /// Processes a record. Returns a message to write, if it is one, or the reason why the record
    /// is not valid.
    fn take(&mut self, kind: u8, output: &mut Output<'_>) -> Result<Result<Option<Waiting>, String>, LogError> {
        let body = self.records.body();
        Ok(match kind {
            kind::FORMAT => self.formats.add(body).map(|()| None),
            kind::SUBSCRIPTION => match format::subscription(body) {
                Err(reason) => Err(reason),
                Ok((instance, number, name)) => {
                    let name = name.to_owned();
                    self.subscribe(instance, number, &name, output)?;
                    Ok(None)
                }
            },
            kind::DATA => return Ok(self.data()),
            kind::INFORMATION => logged::information(body).map(|(key, value)| {
                self.information.insert(key, value);
                None
            }),
            kind::PARTS => logged::part(body).map(|(goes_on, key, value)| {
                let begun = self.parts.entry(key.clone()).or_default();
                *begun += usize::from(!goes_on || *begun == 0);
                self.information.entry(format!("{key}[{}]", *begun - 1)).or_default().push_str(&value);
                None
            }),
            kind::PARAMETER => logged::parameter(body).map(|side| Some(Waiting::Side(side))),
            kind::DEFAULT => logged::default(body).map(|side| Some(Waiting::Side(side))),
            kind::TEXT => logged::text(body).map(|side| Some(Waiting::Side(side))),
            kind::TAGGED_TEXT => logged::tagged_text(body).map(|side| Some(Waiting::Side(side))),
            kind::DROPOUT => logged::dropout(body).map(|side| {
                if let Logged::Dropout { milliseconds } = side.logged {
                    self.dropouts = (self.dropouts.0 + 1, self.dropouts.1 + u64::from(milliseconds));
                }
                Some(Waiting::Side(side))
            }),
            kind::SYNC | kind::UNSUBSCRIPTION => Ok(None),
            kind::FLAGS => {
                if let Err(reason) = self.records.flags() {
                    output.imported.note(self.problem(reason));
                    self.records.stop();
                }
                Ok(None)
            }
            other => {
                *self.unknown.entry(other).or_default() += 1;
                Ok(None)
            }
        })
    }

    fn data(&mut self) -> Result<Option<Waiting>, String> {
        let (number, data) = self.records.body().split_first_chunk::<2>().ok_or("a message without a number")?;
        let number = u16::from_le_bytes(*number);
        let subscription = self.subscriptions.entry(number).or_insert_with(|| Subscription {
            topic: format!("message {number}"),
            layout: Err("the log does not describe it".to_owned()),
            messages: 0,
            left_out: 0,
            reason: None,
        });
        subscription.messages += 1;
        let Ok(layout) = &subscription.layout else { return Ok(None) };
        let checked = layout.check(data).and_then(|()| match layout.timestamp(data) {
            // A message without a time of its own was logged when the one before it was.
            None => Ok(self.now),
            Some(microseconds) => {
                time(microseconds).ok_or_else(|| format!("{microseconds} µs is a time that does not fit into a log"))
            }
        });
        match checked {
            Ok(time) => {
                self.now = self.now.max(time);
                Ok(Some(Waiting::Data(number, time)))
            }
            Err(reason) => {
                subscription.left_out += 1;
                subscription.reason.get_or_insert((self.records.begin(), reason));
                Ok(None)
            }
        }
    }

    fn subscribe(&mut self, instance: u8, number: u16, name: &str, output: &mut Output<'_>) -> Result<(), LogError> {
        // The first of several sensors has the same topic as an only one.
        let suffix = if instance == 0 { String::new() } else { format!("_{instance}") };
        let topic = format!("{}/{name}{suffix}", self.prefix);
        let layout = match self.formats.layout(name) {
            Ok(layout) if !self.channels.contains_key(&topic) => match self.schema(&layout, name) {
                Ok(schema) => {
                    self.channels.insert(topic.clone(), output.channel(&topic, &schema)?);
                    Ok(layout)
                }
                Err(reason) => Err(reason),
            },
            known => known,
        };
        let subscription = Subscription { topic, layout, messages: 0, left_out: 0, reason: None };
        // If a number is used for another subscription, what was skipped of the one before is
        // reported.
        if let Some(before) = self.subscriptions.insert(number, subscription) {
            self.tell(before, output);
        }
        Ok(())
    }

    /// Returns the schema of messages in the log. Many formats may contain the same large ones,
    /// which takes memory for each.
    fn schema(&mut self, layout: &Layout, name: &str) -> Result<MessageSchema, String> {
        let schema = MessageSchema::of(name, &layout.data_type(name));
        self.described += schema.text.len();
        if self.described > MOST_DESCRIBED {
            return Err(format!("the formats of the log are more than {MOST_DESCRIBED} bytes of text"));
        }
        checked(schema).map_err(|error| error.to_string())
    }

    fn tell(&self, subscription: Subscription, output: &mut Output<'_>) {
        let Subscription { topic, layout, messages, left_out, reason } = subscription;
        let reason = match (layout, reason) {
            (Err(reason), _) => format!("{topic}: {reason}; its {messages} messages are left out"),
            (Ok(_), Some((at, reason))) => format!(
                "{topic}: {left_out} of {messages} messages do not fit its format and are left out, the first at byte {at}: {reason}"
            ),
            (Ok(_), None) => return,
        };
        output.imported.note(self.problem(reason));
    }

    /// Reports at the end what was skipped, and writes the log's information.
    fn finish(&mut self, output: &mut Output<'_>) -> Result<(), LogError> {
        let mut subscriptions: Vec<_> = self.subscriptions.drain().collect();
        subscriptions.sort_by_key(|&(number, _)| number);
        for (_, subscription) in subscriptions {
            self.tell(subscription, output);
        }
        let path = self.path.display();
        for (kind, count) in std::mem::take(&mut self.unknown) {
            let note = format!(
                "{path}: {count} records of the kind `{}`, which this version does not know, are left out",
                kind.escape_ascii()
            );
            output.imported.notes.push(note);
        }
        let (count, milliseconds) = self.dropouts;
        if count > 0 {
            let note = format!(
                "{path}: its recorder lost data {count} times, for {milliseconds} ms in all; `/dropouts` says when"
            );
            output.imported.notes.push(note);
        }
        if !self.information.is_empty() {
            output.metadata(&format!("ulog{}", self.prefix), std::mem::take(&mut self.information))?;
        }
        self.count(output);
        Ok(())
    }

    fn count(&mut self, output: &mut Output<'_>) {
        let position = self.records.position();
        output.advanced(position.saturating_sub(self.counted));
        self.counted = self.counted.max(position);
    }
}

impl Stream for Ulog {
    fn bytes(&self) -> u64 {
        self.records.length()
    }

    /// Does nothing: topics are known when they are subscribed.
    fn describe(&mut self, _: &mut Output<'_>) -> Result<(), LogError> {
        Ok(())
    }

    fn advance(&mut self, output: &mut Output<'_>) -> Result<Option<Time>, LogError> {
        loop {
            let kind = match self.records.next()? {
                Next::Record(kind) => kind,
                Next::Damaged(reason) => {
                    output.imported.note(self.problem(reason));
                    continue;
                }
                Next::End => {
                    self.finish(output)?;
                    return Ok(None);
                }
            };
            match self.take(kind, output)? {
                Ok(None) => {}
                Ok(Some(waiting)) => {
                    let time = match &waiting {
                        Waiting::Data(_, time) => *time,
                        Waiting::Side(side) => side.microseconds.and_then(time).unwrap_or(self.now),
                    };
                    self.waiting = Some(waiting);
                    self.count(output);
                    return Ok(Some(time));
                }
                Err(reason) => {
                    let at = self.records.begin();
                    output.imported.note(self.problem(format!("byte {at}: {reason}; the record is left out")));
                }
            }
        }
    }

    fn write(&mut self, time: Time, output: &mut Output<'_>) -> Result<(), LogError> {
        match self.waiting.take() {
            Some(Waiting::Data(number, _)) => {
                let Some(subscription) = self.subscriptions.get(&number) else { return Ok(()) };
                let (Ok(layout), Some(channel)) = (&subscription.layout, self.channels.get_mut(&subscription.topic))
                else {
                    return Ok(());
                };
                let data = self.records.body().get(2..).unwrap_or_default();
                output.put(channel, time, |writer| value::write(layout, data, writer))
            }
            Some(Waiting::Side(Side { logged, .. })) => {
                let topic = format!("{}/{}", self.prefix, logged.topic());
                if !self.channels.contains_key(&topic) {
                    self.channels.insert(topic.clone(), output.channel(&topic, &logged.schema())?);
                }
                let Some(channel) = self.channels.get_mut(&topic) else { return Ok(()) };
                output.put(channel, time, |writer| logged.write(time, writer))
            }
            None => Ok(()),
        }
    }
}

/// Converts a time; `None` beyond the 292 years of a log.
fn time(microseconds: u64) -> Option<Time> {
    let nanoseconds = microseconds.checked_mul(1000)?;
    Some(Time::from_nanoseconds(i64::try_from(nanoseconds).ok()?))
}
