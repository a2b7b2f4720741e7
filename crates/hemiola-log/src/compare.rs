use std::collections::{BTreeMap, VecDeque};
use std::io::{Read, Seek};
use std::ops::ControlFlow;

use crate::channel::LogTime;
use crate::difference::{Place, each_difference};
use crate::entry::{Entry, KeptMessage};
use crate::error::LogError;
use crate::reader::LogReader;

/// A comparison of two logs, in which messages of a topic that were recorded at the same time
/// belong together.
///
/// ```no_run
/// use hemiola_log::{Comparison, LogReader, Tolerance};
///
/// let [left, right] = ["robot.mcap", "replay.mcap"].map(|path| LogReader::open(path.as_ref()));
/// let comparison = Comparison::of(left?, right?, &Tolerance::exact(), |_, _| {})?;
/// assert!(comparison.is_equal(), "{:?}", comparison.differences.first());
/// # Ok::<(), hemiola_log::LogError>(())
/// ```
#[derive(Debug, Default)]
pub struct Comparison {
    /// The results by topic.
    pub topics: BTreeMap<String, TopicComparison>,
    /// The fields that differ, by topic and path. In paths, `[]` stands for any element of a
    /// sequence.
    pub fields: BTreeMap<(String, String), FieldComparison>,
    /// The first differences.
    pub differences: Vec<Difference>,
    /// The parts of either log that could not be read or decoded: such messages are compared byte
    /// for byte.
    pub problems: Vec<LogError>,
    /// The number of pairs that were compared field by field.
    compared: u64,
}

/// The result of the comparison of a topic.
///
/// See [`Comparison`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TopicComparison {
    /// The number of messages that are the same, within the tolerance.
    pub equal: u64,
    /// The number of messages that differ.
    pub different: u64,
    /// The number of messages that have no counterpart in the right log.
    pub only_left: u64,
    /// The number of messages that have no counterpart in the left log.
    pub only_right: u64,
}

/// The result of the comparison of a field: how often and by how much it differs.
///
/// ```no_run
/// # fn show(comparison: &hemiola_log::Comparison) {
/// for ((topic, field), compared) in &comparison.fields {
///     println!("{topic}.{field} differs in {} messages", compared.messages);
/// }
/// # }
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FieldComparison {
    /// The number of messages in which it differs.
    pub messages: u64,
    /// The largest difference of numbers; `None` if the values are not numbers.
    pub largest: Option<f64>,
    /// The time of the message with the largest difference, or of the first that differs.
    pub time: LogTime,
    /// The number of the message that was counted last.
    counted: u64,
}

impl FieldComparison {
    /// Counts a difference in a message of that time, which is the `number`-th that was compared.
    fn add(&mut self, number: u64, time: LogTime, distance: Option<f64>) {
        if self.messages == 0 {
            self.time = time;
        }
        if self.messages == 0 || self.counted != number {
            self.messages += 1;
            self.counted = number;
        }
        // A difference from NaN is none that could be measured.
        if let Some(distance) = distance.filter(|distance| !distance.is_nan())
            && self.largest.is_none_or(|largest| distance > largest)
        {
            (self.largest, self.time) = (Some(distance), time);
        }
    }
}

/// A field that differs.
///
/// ```
/// use hemiola_log::{Difference, LogTime};
///
/// let difference = Difference {
///     topic: "/ball".into(), time: LogTime::from_nanoseconds(5), path: "radius".into(), left: "0.05".into(), right: "0.06".into(),
/// };
/// assert_eq!(difference.to_string(), "/ball at 0.000000005: radius: 0.05 and 0.06");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The topic of the message.
    pub topic: String,
    /// The time at which the message was recorded.
    pub time: LogTime,
    /// The path to the first field that differs.
    pub path: String,
    /// The value in the left log.
    pub left: String,
    /// The value in the right log.
    pub right: String,
}

impl std::fmt::Display for Difference {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { topic, time, path, left, right } = self;
        write!(formatter, "{topic} at {time}: {path}: {left} and {right}")
    }
}

/// The distance up to which numbers count as the same.
///
/// ```
/// use hemiola_log::Tolerance;
///
/// let tolerance = Tolerance::of(1e-9).with("/imu/data.linear_acceleration", 1e-3);
/// assert_eq!(tolerance.at("/imu/data", "linear_acceleration.x"), 1e-3);
/// assert_eq!(tolerance.at("/imu/data", "angular_velocity.x"), 1e-9);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tolerance {
    everywhere: f64,
    fields: Vec<(String, f64)>,
}

impl Tolerance {
    /// Creates a tolerance of zero: the same bits, except for the sign of zero; NaN equals itself.
    pub fn exact() -> Self {
        Self::default()
    }

    /// Creates a tolerance that is the same for all numbers.
    pub fn of(everywhere: f64) -> Self {
        Self { everywhere, fields: Vec::new() }
    }

    /// Sets another tolerance for a field, `/topic.field`, and its parts.
    pub fn with(mut self, field: &str, tolerance: f64) -> Self {
        self.fields.push((field.to_owned(), tolerance));
        self
    }

    /// Returns the tolerance for a number: the last one given that fits.
    pub fn at(&self, topic: &str, path: &str) -> f64 {
        let fits = |field: &str| {
            let rest = field.strip_prefix(topic).and_then(|field| field.strip_prefix('.'));
            let rest = rest.and_then(|field| path.strip_prefix(field));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
        };
        let field = self.fields.iter().rev().find(|(field, _)| fits(field));
        field.map_or(self.everywhere, |(_, tolerance)| *tolerance)
    }
}

/// The number of differences, and of problems, that are kept.
const MOST_KEPT: usize = 1000;
/// The lead of the other log up to which a message waits for its counterpart, in nanoseconds.
const PATIENCE_NANOSECONDS: u64 = 10_000_000_000;

impl Comparison {
    /// Reads two logs side by side. `progress` is called with the number of bytes that have been
    /// read, and the number of all.
    ///
    /// # Errors
    /// Fails if a disk fails. Damage is not an error.
    pub fn of<L: Read + Seek, R: Read + Seek>(
        left: LogReader<L>,
        right: LogReader<R>,
        tolerance: &Tolerance,
        mut progress: impl FnMut(u64, u64),
    ) -> Result<Self, LogError> {
        let (mut left, mut right) = (Side::new(left), Side::new(right));
        let mut comparison = Self::default();
        loop {
            // The log that is behind reads on.
            let goes_left = !left.has_ended && (right.has_ended || left.last <= right.last);
            let topic = match (goes_left, right.has_ended) {
                (true, _) => left.advance(&mut comparison.problems)?,
                (false, false) => right.advance(&mut comparison.problems)?,
                (false, true) => break,
            };
            let (of_left, of_right) = (left.log.progress(), right.log.progress());
            progress(of_left.0 + of_right.0, of_left.1 + of_right.1);
            if let Some(topic) = topic {
                comparison.settle(&topic, &mut left, &mut right, tolerance);
            }
        }
        let topics: Vec<String> = left.waiting.keys().chain(right.waiting.keys()).cloned().collect();
        for topic in topics {
            comparison.settle(&topic, &mut left, &mut right, tolerance);
        }
        Ok(comparison)
    }

    /// Returns whether every message of each log has an equal one in the other, and all could be
    /// read.
    pub fn is_equal(&self) -> bool {
        let is_equal = |topic: &TopicComparison| topic.different + topic.only_left + topic.only_right == 0;
        self.problems.is_empty() && self.topics.values().all(is_equal)
    }

    /// Compares the waiting messages of a topic, as far as it is known which belong together.
    fn settle<L, R>(&mut self, topic: &str, left: &mut Side<L>, right: &mut Side<R>, tolerance: &Tolerance) {
        loop {
            let first = |waiting: &BTreeMap<String, VecDeque<KeptMessage>>| Some(waiting.get(topic)?.front()?.log_time);
            let (left_time, right_time) = (first(&left.waiting), first(&right.waiting));
            let counts = self.topics.entry(topic.to_owned()).or_default();
            let is_alone = |time: LogTime, other: Option<LogTime>, has_ended: bool, last: LogTime| match other {
                Some(other) => time < other,
                None => has_ended || last.nanoseconds().saturating_sub(time.nanoseconds()) > PATIENCE_NANOSECONDS,
            };
            match (left_time, right_time) {
                (Some(time), other) if is_alone(time, other, right.has_ended, right.last) => {
                    left.take(topic);
                    counts.only_left += 1;
                }
                (other, Some(time)) if is_alone(time, other, left.has_ended, left.last) => {
                    right.take(topic);
                    counts.only_right += 1;
                }
                (Some(_), Some(_)) => {
                    let (Some(a), Some(b)) = (left.take(topic), right.take(topic)) else { return };
                    let is_equal = self.are_equal(topic, &a, &b, tolerance);
                    let counts = self.topics.entry(topic.to_owned()).or_default();
                    *(if is_equal { &mut counts.equal } else { &mut counts.different }) += 1;
                }
                _ => return,
            }
        }
    }

    fn are_equal(&mut self, topic: &str, left: &KeptMessage, right: &KeptMessage, tolerance: &Tolerance) -> bool {
        let same_schema = left.channel.schema.as_ref().map(|schema| &schema.data)
            == right.channel.schema.as_ref().map(|schema| &schema.data);
        if left.data == right.data && same_schema {
            return true;
        }
        let (time, number) = (left.log_time, self.compared);
        self.compared += 1;
        let difference = match (left.as_message().decode(), right.as_message().decode()) {
            (Ok(left), Ok(right)) => {
                let mut first = None;
                let within = |path: &str| tolerance.at(topic, path);
                _ = each_difference(&left, &right, &Place::default(), &within, &mut |found| {
                    let field = (topic.to_owned(), found.place.field.clone());
                    self.fields.entry(field).or_default().add(number, time, found.distance);
                    let difference = || (found.place.path.clone(), found.left.to_owned(), found.right.to_owned());
                    first.get_or_insert_with(difference);
                    ControlFlow::Continue(())
                });
                let Some(first) = first else { return true };
                first
            }
            (left_value, right_value) => {
                for problem in [left_value.err(), right_value.err()].into_iter().flatten() {
                    keep(&mut self.problems, problem);
                }
                let field = (topic.to_owned(), "its bytes".to_owned());
                self.fields.entry(field).or_default().add(number, time, None);
                let bytes = |waiting: &KeptMessage| format!("{} bytes", waiting.data.len());
                ("its bytes".to_owned(), bytes(left), bytes(right))
            }
        };
        let (path, left_text, right_text) = difference;
        let topic = topic.to_owned();
        keep(
            &mut self.differences,
            Difference { topic, time: left.log_time, path, left: left_text, right: right_text },
        );
        false
    }
}

fn keep<T>(list: &mut Vec<T>, item: T) {
    if list.len() < MOST_KEPT {
        list.push(item);
    }
}

/// A log, with its messages that were read and have no counterpart yet.
struct Side<R> {
    log: LogReader<R>,
    waiting: BTreeMap<String, VecDeque<KeptMessage>>,
    last: LogTime,
    has_ended: bool,
}

impl<R> Side<R> {
    fn new(log: LogReader<R>) -> Self {
        Self { log, waiting: BTreeMap::new(), last: LogTime::default(), has_ended: false }
    }

    fn take(&mut self, topic: &str) -> Option<KeptMessage> {
        self.waiting.get_mut(topic)?.pop_front()
    }
}

impl<R: Read + Seek> Side<R> {
    /// Reads a message, and returns its topic.
    fn advance(&mut self, problems: &mut Vec<LogError>) -> Result<Option<String>, LogError> {
        loop {
            match self.log.next_entry() {
                None => {
                    self.has_ended = true;
                    return Ok(None);
                }
                Some(Ok(Entry::Message(message))) => {
                    let topic = message.channel.topic.clone();
                    self.last = self.last.max(message.log_time);
                    let waiting = KeptMessage::of(&message);
                    self.waiting.entry(topic.clone()).or_default().push_back(waiting);
                    return Ok(Some(topic));
                }
                Some(Ok(_)) => {}
                Some(Err(error @ LogError::Read { .. })) => return Err(error),
                Some(Err(error)) => keep(problems, error),
            }
        }
    }
}
