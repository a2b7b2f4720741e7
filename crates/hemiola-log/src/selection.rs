use crate::channel::LogTime;

/// Which messages of a log are wanted: all, unless something is said.
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
    /// Everything.
    pub fn all() -> Self {
        Self::default()
    }

    /// This topic as well as those named before; with `*` at its end, all that begin so.
    pub fn topic(mut self, topic: impl Into<String>) -> Self {
        self.topics.push(topic.into());
        self
    }

    /// Not earlier.
    pub fn from(mut self, time: LogTime) -> Self {
        self.from = Some(time);
        self
    }

    /// Earlier.
    pub fn before(mut self, time: LogTime) -> Self {
        self.before = Some(time);
        self
    }

    /// Whether messages of this topic are wanted.
    pub fn has_topic(&self, topic: &str) -> bool {
        let fits = |wanted: &String| match wanted.strip_suffix('*') {
            Some(beginning) => topic.starts_with(beginning),
            None => topic == wanted,
        };
        self.topics.is_empty() || self.topics.iter().any(fits)
    }

    /// Whether messages of this time are wanted.
    pub fn has_time(&self, time: LogTime) -> bool {
        self.overlaps(time, time)
    }

    /// Whether messages of this span of time may be wanted, both ends included.
    pub(crate) fn overlaps(&self, first: LogTime, last: LogTime) -> bool {
        self.from.is_none_or(|from| last >= from) && self.before.is_none_or(|before| first < before)
    }

    /// Whether something is left out.
    pub(crate) fn is_restricted(&self) -> bool {
        *self != Self::default()
    }
}
