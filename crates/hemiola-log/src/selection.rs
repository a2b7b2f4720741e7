use crate::channel::LogTime;

/// A selection of messages of a log: all, unless it is restricted.
///
/// ```
/// use hemiola_log::{LogTime, Selection};
///
/// let selection = Selection::all().topic("/camera/*").from(LogTime::from_nanoseconds(5));
/// assert!(selection.has_topic("/camera/upper") && !selection.has_topic("/imu"));
/// assert!(selection.has_time(LogTime::from_nanoseconds(5)) && !selection.has_time(LogTime::from_nanoseconds(4)));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    topics: Vec<String>,
    from: Option<LogTime>,
    before: Option<LogTime>,
}

impl Selection {
    /// Selects everything.
    pub fn all() -> Self {
        Self::default()
    }

    /// Selects this topic in addition to those named before; with `*` at its end, all topics that
    /// begin with it.
    pub fn topic(mut self, topic: impl Into<String>) -> Self {
        self.topics.push(topic.into());
        self
    }

    /// Selects messages that are not earlier than this time.
    pub fn from(mut self, time: LogTime) -> Self {
        self.from = Some(time);
        self
    }

    /// Selects messages that are earlier than this time.
    pub fn before(mut self, time: LogTime) -> Self {
        self.before = Some(time);
        self
    }

    /// Returns whether messages of this topic are selected.
    pub fn has_topic(&self, topic: &str) -> bool {
        let fits = |wanted: &String| match wanted.strip_suffix('*') {
            Some(beginning) => topic.starts_with(beginning),
            None => topic == wanted,
        };
        self.topics.is_empty() || self.topics.iter().any(fits)
    }

    /// Returns whether messages of this time are selected.
    pub fn has_time(&self, time: LogTime) -> bool {
        self.overlaps(time, time)
    }

    /// Returns whether messages of this span of time may be selected, both ends included.
    pub(crate) fn overlaps(&self, first: LogTime, last: LogTime) -> bool {
        self.from.is_none_or(|from| last >= from) && self.before.is_none_or(|before| first < before)
    }

    /// Returns whether messages are excluded.
    pub(crate) fn is_restricted(&self) -> bool {
        *self != Self::default()
    }
}
