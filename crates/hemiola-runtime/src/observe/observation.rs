//! The request of an observer: what it wants to see of a robot.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use hemiola_realtime::Wakeup;

use crate::debug::interest::Interest;

/// The choice of topics, by their names.
pub type Choice = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// The request of an observer: [`RobotHandle::observe`](crate::RobotHandle::observe).
///
/// ```
/// use hemiola_runtime::Observation;
/// use std::time::Duration;
///
/// // What a page in a browser shows
/// let page = Observation::of(["Ball@10Hz", "RobotPose@10Hz", "UpperImage@2Hz"])
///     .with_journal()
///     .with_debug(["ball.*", "field"])
///     .with_statistics(Duration::from_millis(200));
/// // What a recorder needs, so that runs can be repeated
/// let log = Observation::of(["Ball", "UpperImage"])
///     .with_topics()
///     .with_runs()
///     .with_checkpoints(Duration::from_secs(10))
///     .complete();
/// # _ = (page, log);
/// ```
#[derive(Clone, Default)]
pub struct Observation {
    pub(crate) values: Vec<ValueRequest>,
    pub(crate) topics: Option<Choice>,
    pub(crate) runs: bool,
    pub(crate) parts: Option<PartChoice>,
    pub(crate) debug: Option<Arc<Interest>>,
    pub(crate) journal: bool,
    pub(crate) statistics: Option<Duration>,
    pub(crate) events: bool,
    pub(crate) is_complete: bool,
    pub(crate) wakeup: Option<Arc<Wakeup>>,
}

/// The parts of checkpoints that are requested.
#[derive(Clone, Debug)]
pub(crate) enum PartChoice {
    Every(Duration),
    /// The parts of a cycle before this run and before the next one.
    Around(String, u32),
}

/// A representation that is to be observed. As text it is the name, optionally with the maximum
/// number of values per second on the robot's clock.
///
/// ```
/// use hemiola_runtime::ValueRequest;
///
/// assert_eq!(ValueRequest::from("Image@2Hz"), ValueRequest { rate: Some(2.0), ..ValueRequest::all("Image") });
/// assert_eq!(ValueRequest::from("Image"), ValueRequest::all("Image"));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct ValueRequest {
    /// The name of the representation.
    pub representation: String,
    /// The maximum number of values per second on the robot's clock; `None` for all.
    pub rate: Option<f64>,
}

impl ValueRequest {
    /// Requests every value of a representation.
    pub fn all(representation: impl Into<String>) -> Self {
        Self { representation: representation.into(), rate: None }
    }

    /// Returns the minimum time between two values; zero for all.
    pub(crate) fn period(&self) -> Duration {
        let rate = self.rate.filter(|rate| *rate > 0.0);
        rate.and_then(|rate| Duration::try_from_secs_f64(1.0 / rate).ok()).unwrap_or_default()
    }
}

impl From<&str> for ValueRequest {
    /// Parses a name and a rate. A text that is not a rate is part of the name, so that no such
    /// representation is found.
    fn from(text: &str) -> Self {
        let rated = text.split_once('@').and_then(|(name, rate)| {
            let rate: f64 = rate.trim_end_matches("Hz").trim().parse().ok()?;
            (rate.is_finite() && rate > 0.0).then(|| Self { rate: Some(rate), ..Self::all(name) })
        });
        rated.unwrap_or_else(|| Self::all(text))
    }
}

impl From<String> for ValueRequest {
    fn from(text: String) -> Self {
        text.as_str().into()
    }
}

impl From<&String> for ValueRequest {
    fn from(text: &String) -> Self {
        text.as_str().into()
    }
}

impl Observation {
    /// Requests values of these representations, in any order; those of one run arrive in this
    /// order.
    pub fn of(values: impl IntoIterator<Item = impl Into<ValueRequest>>) -> Self {
        Self { values: values.into_iter().map(Into::into).collect(), ..Self::default() }
    }

    /// Adds messages of all topics whose messages can leave the process, including topics that are
    /// created later.
    #[must_use]
    pub fn with_topics(self) -> Self {
        self.with_topics_named(|_| true)
    }

    /// Adds messages of the topics for whose names `chosen` returns `true`.
    #[must_use]
    pub fn with_topics_named(self, chosen: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        Self { topics: Some(Arc::new(chosen)), ..self }
    }

    /// Adds the records of what each run of each cycle begins with:
    /// [`RunRecord`](crate::RunRecord).
    #[must_use]
    pub fn with_runs(self) -> Self {
        Self { runs: true, ..self }
    }

    /// Adds checkpoints of everything that later runs depend on, once per `period` on the robot's
    /// clock: [`CyclePart`](crate::CyclePart).
    #[must_use]
    pub fn with_checkpoints(self, period: Duration) -> Self {
        Self { parts: Some(PartChoice::Every(period)), ..self }
    }

    /// Adds two parts: what that run of the cycle begins with, including samples of sources, and
    /// what the next run begins with, which shows the state after that run.
    #[must_use]
    pub fn with_checkpoints_around(self, cycle: impl Into<String>, run: u32) -> Self {
        Self { parts: Some(PartChoice::Around(cycle.into(), run)), ..self }
    }

    /// Adds what updates plot, draw and write under these names
    /// ([`Debug`](hemiola_model::module::Debug)). A name is given literally, as a space (`field`
    /// for all of `field/..`), or as a prefix followed by `*`; `*` alone stands for all. Updates
    /// compute nothing else; with no names at all, the robot only learns which names exist:
    /// [`RobotHandle::debug_names`](crate::RobotHandle::debug_names).
    #[must_use]
    pub fn with_debug(self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { debug: Some(Arc::new(Interest::of(names))), ..self }
    }

    /// Adds what updates plot, draw and write under exactly these names, in the form of
    /// [`RobotHandle::debug_names`](crate::RobotHandle::debug_names): the name of an image does not
    /// include its overlays. It replaces [`with_debug`](Self::with_debug).
    #[must_use]
    pub fn with_debug_named(self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { debug: Some(Arc::new(Interest::of_names(names))), ..self }
    }

    /// Adds the journal: the entries that are still kept, then those that come.
    #[must_use]
    pub fn with_journal(self) -> Self {
        Self { journal: true, ..self }
    }

    /// Adds timing statistics, once per period of the world's time.
    #[must_use]
    pub fn with_statistics(self, period: Duration) -> Self {
        Self { statistics: Some(period), ..self }
    }

    /// Adds all events of all workers and sources, from which traces are made.
    #[must_use]
    pub fn with_events(self) -> Self {
        Self { events: true, ..self }
    }

    /// Requests completeness: where something would be dropped, a stepped robot waits for this
    /// observer, which must receive on another thread or between two steps. A robot on threads of
    /// its own does not wait.
    #[must_use]
    pub fn complete(self) -> Self {
        Self { is_complete: true, ..self }
    }

    /// Notifies this event whenever there is something new to receive, and for an observer of
    /// topics whenever one is created, so that the observer can sleep until then. It costs a cycle
    /// one atomic addition per run and per message, and a system call only if somebody sleeps.
    #[must_use]
    pub fn notifying(self, wakeup: Arc<Wakeup>) -> Self {
        Self { wakeup: Some(wakeup), ..self }
    }
}

impl fmt::Debug for Observation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { values, topics, runs, parts, debug, journal, statistics, events, is_complete, wakeup } = self;
        formatter
            .debug_struct("Observation")
            .field("values", values)
            .field("topics", &topics.is_some())
            .field("runs", runs)
            .field("parts", parts)
            .field("debug", debug)
            .field("journal", journal)
            .field("statistics", statistics)
            .field("events", events)
            .field("complete", is_complete)
            .field("notifying", &wakeup.is_some())
            .finish()
    }
}
