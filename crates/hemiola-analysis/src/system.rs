//! What runs where and has to be done by when: one description of callbacks, chains, executors,
//! cores, and Hemiola's cycles.
//!
//! It comes from a file (`system.toml`, or the same as JSON) or from a program that knows a robot.
//! All names are checked when it is read, so that the analyses find everything in order. FORMAT.md
//! beside this crate's sources explains every key.
//!
//! ```
//! use hemiola_analysis::System;
//!
//! let system = System::from_toml(
//!     r#"
//!     cores = 2
//!
//!     ## The most important chain first.
//!     [[chain]]
//!     name = "brake"
//!     period = "80 ms"
//!     callbacks = [
//!         { name = "camera", takes = "2 ms" },
//!         { name = "detect", takes = "9 ms .. 16 ms" },
//!     ]
//!
//!     [[chain]]
//!     name = "steer"
//!     period = "100 ms"
//!     deadline = "50 ms"
//!     callbacks = [{ name = "lanes", takes = "20 ms" }, { name = "wheel", takes = "3 ms" }]
//!     "#,
//!     "system.toml",
//! )?;
//! assert_eq!(system.chains[1].callbacks[0].name, "lanes");
//! # Ok::<(), hemiola_analysis::system::Problems>(())
//! ```

mod check;
mod deployment;
mod problem;
mod text;
mod work;
mod write;

pub(crate) use deployment::Moved;
pub use problem::{Key, Place, Problem, Problems};
pub use text::Span;
pub use work::Work;

use serde::Deserialize;

pub use crate::picas::{Beginning, Order};
use crate::{Costs, TimeSpan};

/// All that runs on a robot's computer.
///
/// ```
/// use hemiola_analysis::{System, TimeSpan, system::{Beginning, Callback, Chain, Span}};
/// let ms = TimeSpan::milliseconds;
/// let chain = Chain {
///     name: "brake".into(),
///     period: ms(80),
///     begins: Beginning::Timer,
///     offset: None,
///     deadline: None,
///     callbacks: vec![Callback::new("camera", Span::upto(ms(2))), Callback::new("detect", Span { shortest: ms(9), longest: ms(16) })],
/// };
/// let system = System { cores: 2, chains: vec![chain], ..System::default() };
/// assert!(system.check().is_ok());
/// assert!(system.to_toml().contains(r#"{ name = "detect", takes = "9 ms .. 16 ms" }"#));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct System {
    /// How many cores there are, numbered from 0.
    pub cores: usize,
    /// What the computer takes for itself.
    #[serde(default)]
    pub costs: Costs,
    /// Chains of callbacks, the most important one first.
    #[serde(default, rename = "chain")]
    pub chains: Vec<Chain>,
    /// Who runs callbacks.
    #[serde(default, rename = "executor")]
    pub executors: Vec<Executor>,
    /// Hemiola's cycles.
    #[serde(default, rename = "cycle")]
    pub cycles: Vec<Cycle>,
    /// Ways through several cycles and chains.
    #[serde(default, rename = "path")]
    pub paths: Vec<Path>,
}

/// A chain of callbacks; the first is called by a timer or for messages from elsewhere, each other
/// one by a message of the one before.
///
/// ```
/// use hemiola_analysis::{TimeSpan, system::{Beginning, Chain}};
/// let (name, period, begins) = ("brake".into(), TimeSpan::milliseconds(80), Beginning::Timer);
/// let chain = Chain { name, period, begins, offset: None, deadline: None, callbacks: Vec::new() };
/// assert_eq!(chain.due(), Some(TimeSpan::milliseconds(80)));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chain {
    /// What people call it.
    pub name: String,
    /// How often it begins, or the least distance of messages that begin it.
    #[serde(deserialize_with = "crate::time::text::deserialize")]
    pub period: TimeSpan,
    /// What begins it.
    #[serde(default)]
    pub begins: Beginning,
    /// When its timer expires first, relative to all chains and cycles with an offset, if that is
    /// known: it then expires strictly periodically.
    #[serde(default, deserialize_with = "text::optional_time")]
    pub offset: Option<TimeSpan>,
    /// Until when it has to be done, from its begin: its period if there is nothing else, and any
    /// time if it is [`TimeSpan::MAX`].
    #[serde(default, deserialize_with = "text::deadline")]
    pub deadline: Option<TimeSpan>,
    /// Its callbacks, in the order in which they run.
    pub callbacks: Vec<Callback>,
}

/// A callback of a chain.
///
/// ```
/// use hemiola_analysis::{TimeSpan, system::{Callback, Span}};
/// let callback = Callback { executor: Some("vision".into()), ..Callback::new("detect", Span::upto(TimeSpan::milliseconds(16))) };
/// assert_eq!(callback.priority, None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Callback {
    /// What people call it.
    pub name: String,
    /// How long it runs, undisturbed.
    pub takes: Span,
    /// Who runs it, if that has been decided.
    #[serde(default)]
    pub executor: Option<String>,
    /// The larger, the more important among those of its executor, if that has been decided.
    #[serde(default)]
    pub priority: Option<u32>,
}

impl Callback {
    /// A callback without executor and priority yet.
    pub fn new(name: impl Into<String>, takes: Span) -> Self {
        Self { name: name.into(), takes, executor: None, priority: None }
    }
}

/// A thread that runs callbacks, the one with the highest priority first.
///
/// ```
/// use hemiola_analysis::system::Executor;
/// let executor = Executor { name: "vision".into(), core: Some(1), priority: 80, order: Default::default() };
/// assert!((1..=99).contains(&executor.priority));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Executor {
    /// What people call it.
    pub name: String,
    /// The core that it stays on; the kernel moves it among all cores if there is none.
    #[serde(default)]
    pub core: Option<usize>,
    /// Its real-time priority, from 1 to 99: the larger, the more important.
    pub priority: u32,
    /// Which callback is next: `"priority"`, or `"registration"` for ROS 2's default.
    #[serde(default)]
    pub order: Order,
}

/// A cycle of Hemiola: a graph of tasks on a pool of workers.
///
/// ```
/// use hemiola_analysis::{TimeSpan, system::{Begin, Cycle}};
/// let ms = TimeSpan::milliseconds;
/// let cycle = Cycle {
///     name: "motion".into(), begins: Begin::every(ms(12)), deadline: None, workers: 2, cores: Vec::new(), priority: 80,
///     tasks: Vec::new(),
/// };
/// assert_eq!(cycle.workers, 2);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cycle {
    /// What people call it.
    pub name: String,
    /// When it begins.
    pub begins: Begin,
    /// Until when it has to be done, from its begin: its period if there is nothing else.
    #[serde(default, deserialize_with = "text::optional_time")]
    pub deadline: Option<TimeSpan>,
    /// How many threads work for it.
    #[serde(default = "one")]
    pub workers: usize,
    /// The cores among which the kernel moves them freely; all if there are none.
    #[serde(default)]
    pub cores: Vec<usize>,
    /// Their real-time priority, from 1 to 99: the larger, the more important.
    pub priority: u32,
    /// What it does, in any order.
    pub tasks: Vec<Task>,
}

fn one() -> usize {
    1
}

impl Cycle {
    /// How many of the cores it may use.
    pub(crate) fn allowed(&self, cores: usize) -> usize {
        if self.cores.is_empty() { cores } else { self.cores.len() }
    }
}

/// When a cycle begins.
///
/// ```
/// use hemiola_analysis::{TimeSpan, system::Begin};
/// assert_ne!(Begin::every(TimeSpan::milliseconds(12)), Begin::After("camera".into()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "text::WrittenBegin")]
pub enum Begin {
    /// Once per period, or at most that often.
    Every {
        /// The time from one begin to the next.
        period: TimeSpan,
        /// When it begins first, relative to all chains and cycles with an offset, if that is
        /// known.
        offset: Option<TimeSpan>,
    },
    /// Whenever another cycle or a chain of this name has ended.
    After(String),
}

impl Begin {
    /// Once per period, or at most that often.
    pub const fn every(period: TimeSpan) -> Self {
        Self::Every { period, offset: None }
    }
}

/// A task of a cycle.
///
/// ```
/// use hemiola_analysis::{TimeSpan, system::{Span, Task}};
/// let task = Task { after: vec!["imu".into()], ..Task::new("walk", Span::upto(TimeSpan::milliseconds(2))) };
/// assert_eq!(task.priority, None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// What people call it.
    pub name: String,
    /// How long it runs, undisturbed.
    pub takes: Span,
    /// Which tasks of its cycle it waits for.
    #[serde(default)]
    pub after: Vec<String>,
    /// The larger, the more important among those of its cycle; of equals, the one that is listed
    /// first. If its tasks have none, a cycle's bound holds in whatever order free workers take
    /// those that are ready; if they do, it may be smaller.
    #[serde(default)]
    pub priority: Option<u32>,
    /// Whether the worker that makes it ready keeps it while it runs others that are kept, for it
    /// is not worth a hand-over.
    #[serde(default)]
    pub kept: bool,
}

impl Task {
    /// A task that waits for nobody and has no priority.
    pub fn new(name: impl Into<String>, takes: Span) -> Self {
        Self { name: name.into(), takes, after: Vec::new(), priority: None, kept: false }
    }
}

/// A way from a sensor to an actuator through several cycles and chains, each of which reads the
/// latest value of the one before.
///
/// ```
/// use hemiola_analysis::system::Path;
/// let path = Path { through: vec!["cognition".into(), "motion".into()], ..Path::named("ball to kick") };
/// assert_eq!((path.through.len(), path.deadline), (2, None));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Path {
    /// What people call it.
    pub name: String,
    /// The names of cycles and chains, in order.
    pub through: Vec<String>,
    /// The longest that it may take.
    #[serde(default, deserialize_with = "text::optional_time")]
    pub deadline: Option<TimeSpan>,
    /// From when on.
    #[serde(default)]
    pub from: Start,
}

impl Path {
    /// One of this name that leads nowhere yet.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), through: Vec::new(), deadline: None, from: Start::default() }
    }
}

/// From when on the time of a path counts.
///
/// ```
/// use hemiola_analysis::system::Start;
/// assert_eq!(Start::default(), Start::Change);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Start {
    /// From a change in the world just after the first one began: the maximum reaction time, and
    /// the maximum data age.
    #[default]
    Change,
    /// From the release of the first one: how long it takes until what it read has an effect (the
    /// reduced reaction time).
    Sample,
}

impl Chain {
    /// Until when it has to be done, from its begin; nothing if that may be at any time.
    pub fn due(&self) -> Option<TimeSpan> {
        Some(self.deadline.unwrap_or(self.period)).filter(|&due| due < TimeSpan::MAX)
    }
}

impl System {
    /// Reads `system.toml`; `file` is what messages call it.
    ///
    /// # Errors
    /// All that is wrong, each with its place and what to do.
    pub fn from_toml(text: &str, file: &str) -> Result<Self, Problems> {
        let system: Self = toml::from_str(text).map_err(|error| Problems::of_toml(&error, text, file))?;
        system.check().map_err(|problems| problems.located(text, file))?;
        Ok(system)
    }

    /// Reads the same as JSON.
    ///
    /// # Errors
    /// All that is wrong, each with the way to it through the document.
    pub fn from_json(text: &str) -> Result<Self, Problems> {
        let system: Self = serde_json::from_str(text).map_err(|error| Problems::of_json(&error))?;
        system.check()?;
        Ok(system)
    }

    /// Whether all that is named exists once, nothing waits for itself, and numbers make sense.
    ///
    /// # Errors
    /// All that is wrong.
    pub fn check(&self) -> Result<(), Problems> {
        check::check(self)
    }

    /// As text that [`System::from_toml`] reads, and people like to.
    pub fn to_toml(&self) -> String {
        write::to_toml(self)
    }
}
