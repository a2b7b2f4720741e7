//! A description of what runs where and has to be done by when: callbacks, chains, executors,
//! cores, Hemiola's cycles, and links between processes.
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
mod link;
mod problem;
mod text;
mod work;
mod write;

pub(crate) use deployment::Moved;
pub use link::Link;
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
    /// The number of cores, which are numbered from 0.
    pub cores: usize,
    /// What the computer takes for itself.
    #[serde(default)]
    pub costs: Costs,
    /// Chains of callbacks, the most important one first.
    #[serde(default, rename = "chain")]
    pub chains: Vec<Chain>,
    /// The executors, which run callbacks.
    #[serde(default, rename = "executor")]
    pub executors: Vec<Executor>,
    /// Hemiola's cycles.
    #[serde(default, rename = "cycle")]
    pub cycles: Vec<Cycle>,
    /// The links that take what cycles and chains provide to other processes.
    #[serde(default, rename = "link")]
    pub links: Vec<Link>,
    /// The paths through several cycles, chains and links.
    #[serde(default, rename = "path")]
    pub paths: Vec<Path>,
}

/// A chain of callbacks; the first runs when a timer expires or a message from elsewhere arrives,
/// each other one when a message of the one before arrives.
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
    /// The name, as people know it.
    pub name: String,
    /// The time between two begins, or the least distance of messages that begin it.
    #[serde(deserialize_with = "crate::time::text::deserialize")]
    pub period: TimeSpan,
    /// The event that begins it.
    #[serde(default)]
    pub begins: Beginning,
    /// The time at which its timer expires first, relative to all chains and cycles with an offset,
    /// if that is known: it then expires strictly periodically.
    #[serde(default, deserialize_with = "text::optional_time")]
    pub offset: Option<TimeSpan>,
    /// The deadline, counted from its begin: its period if there is none, and no deadline at all if
    /// it is [`TimeSpan::MAX`].
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
    /// The name, as people know it.
    pub name: String,
    /// The undisturbed time.
    pub takes: Span,
    /// The executor that runs it, if that has been decided.
    #[serde(default)]
    pub executor: Option<String>,
    /// The priority, if that has been decided: the larger, the more important among the callbacks
    /// of its executor.
    #[serde(default)]
    pub priority: Option<u32>,
}

impl Callback {
    /// Returns a callback without executor and priority yet.
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
    /// The name, as people know it.
    pub name: String,
    /// The core that it stays on; the kernel moves it among all cores if there is none.
    #[serde(default)]
    pub core: Option<usize>,
    /// Its real-time priority, from 1 to 99: the larger, the more important.
    pub priority: u32,
    /// The order in which callbacks run: `"priority"`, or `"registration"` for ROS 2's default.
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
    /// The name, as people know it.
    pub name: String,
    /// When it begins.
    pub begins: Begin,
    /// The deadline, counted from its begin: its period if there is none.
    #[serde(default, deserialize_with = "text::optional_time")]
    pub deadline: Option<TimeSpan>,
    /// The number of threads that work for it.
    #[serde(default = "one")]
    pub workers: usize,
    /// The cores among which the kernel moves the threads freely; all if the list is empty.
    #[serde(default)]
    pub cores: Vec<usize>,
    /// The real-time priority of the threads, from 1 to 99: the larger, the more important.
    pub priority: u32,
    /// The tasks, in any order.
    pub tasks: Vec<Task>,
}

fn one() -> usize {
    1
}

impl Cycle {
    /// Returns the number of cores that it may use.
    pub(crate) fn allowed(&self, cores: usize) -> usize {
        if self.cores.is_empty() { cores } else { self.cores.len() }
    }
}

/// The times at which a cycle begins.
///
/// ```
/// use hemiola_analysis::{TimeSpan, system::Begin};
/// assert_ne!(Begin::every(TimeSpan::milliseconds(12)), Begin::After("camera".into()));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(try_from = "text::WrittenBegin")]
pub enum Begin {
    /// The cycle begins once per period, or at most that often.
    Every {
        /// The time from one begin to the next.
        period: TimeSpan,
        /// The time of its first begin, relative to all chains and cycles with an offset, if that
        /// is known.
        offset: Option<TimeSpan>,
    },
    /// The cycle begins whenever another cycle or a chain of this name has ended, or a link of this
    /// name has delivered.
    After(String),
}

impl Begin {
    /// Returns a begin once per period, or at most that often.
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
    /// The name, as people know it.
    pub name: String,
    /// The undisturbed time.
    pub takes: Span,
    /// The tasks of its cycle that it waits for.
    #[serde(default)]
    pub after: Vec<String>,
    /// The priority: the larger, the more important among the tasks of its cycle; of equals, the
    /// one that is listed first. If its tasks have none, a cycle's bound holds in whatever order
    /// free workers run those that are ready; if they do, it may be smaller.
    #[serde(default)]
    pub priority: Option<u32>,
    /// Whether the worker that makes it ready keeps it while it runs others that are kept, because
    /// it is not worth a hand-over.
    #[serde(default)]
    pub kept: bool,
}

impl Task {
    /// Returns a task that waits for no other and has no priority.
    pub fn new(name: impl Into<String>, takes: Span) -> Self {
        Self { name: name.into(), takes, after: Vec::new(), priority: None, kept: false }
    }
}

/// A path from a sensor to an actuator through several cycles, chains and links, each of which
/// reads the latest value of the one before.
///
/// ```
/// use hemiola_analysis::system::Path;
/// let path = Path { through: vec!["cognition".into(), "motion".into()], ..Path::named("ball to kick") };
/// assert_eq!((path.through.len(), path.deadline), (2, None));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Path {
    /// The name, as people know it.
    pub name: String,
    /// The names of cycles, chains and links, in order; a link comes after what it is from.
    pub through: Vec<String>,
    /// The longest time that it may take.
    #[serde(default, deserialize_with = "text::optional_time")]
    pub deadline: Option<TimeSpan>,
    /// The event from which on the time counts.
    #[serde(default)]
    pub from: Start,
}

impl Path {
    /// Returns a path of this name that leads nowhere yet.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), through: Vec::new(), deadline: None, from: Start::default() }
    }
}

/// The event from which on the time of a path counts.
///
/// ```
/// use hemiola_analysis::system::Start;
/// assert_eq!(Start::default(), Start::Change);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Start {
    /// A change in the world just after the first part began: the time is the maximum reaction
    /// time, and the maximum data age.
    #[default]
    Change,
    /// The release of the first part: the time until what it read has an effect (the reduced
    /// reaction time).
    Sample,
}

impl Chain {
    /// Returns the time within which it has to be done, from its begin; nothing if that may be at
    /// any time.
    pub fn due(&self) -> Option<TimeSpan> {
        Some(self.deadline.unwrap_or(self.period)).filter(|&due| due < TimeSpan::MAX)
    }
}

impl System {
    /// Reads `system.toml`; `file` is its name in messages.
    ///
    /// # Errors
    /// All problems, each with its place and what to do.
    pub fn from_toml(text: &str, file: &str) -> Result<Self, Problems> {
        let system: Self = toml::from_str(text).map_err(|error| Problems::of_toml(&error, text, file))?;
        system.check().map_err(|problems| problems.located(text, file))?;
        Ok(system)
    }

    /// Reads a system from JSON of the same structure.
    ///
    /// # Errors
    /// All problems, each with the path to it through the document.
    pub fn from_json(text: &str) -> Result<Self, Problems> {
        let system: Self = serde_json::from_str(text).map_err(|error| Problems::of_json(&error))?;
        system.check()?;
        Ok(system)
    }

    /// Checks that all that is named exists once, nothing waits for itself, and numbers make sense.
    ///
    /// # Errors
    /// All problems.
    pub fn check(&self) -> Result<(), Problems> {
        check::check(self)
    }

    /// Returns the system as text that [`System::from_toml`] reads, formatted for people.
    pub fn to_toml(&self) -> String {
        write::to_toml(self)
    }
}
