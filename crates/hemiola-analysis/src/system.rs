//! A description of what runs where and what deadlines it has: callbacks, chains, executors, cores,
//! Hemiola's cycles, and links between processes.
//!
//! It comes from a file (`system.toml`, or the same as JSON) or from a program that knows a robot.
//! All names are checked when it is read, so that the analyses can rely on them. FORMAT.md in this
//! crate's folder explains every key.
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
mod reservation;
mod text;
mod work;
mod write;

pub(crate) use deployment::Moved;
pub use link::Link;
pub use problem::{Key, Place, Problem, Problems};
pub use reservation::Reservation;
pub use text::Span;
pub use work::Work;

use serde::Deserialize;

pub use crate::picas::Order;
use crate::{Costs, TimeSpan};

/// Everything that runs on a robot's computer.
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
    /// The overheads of the computer.
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
    /// The links that carry what cycles and chains provide to other processes.
    #[serde(default, rename = "link")]
    pub links: Vec<Link>,
    /// The paths through several cycles, chains and links.
    #[serde(default, rename = "path")]
    pub paths: Vec<Path>,
}

/// A chain of callbacks; the first runs when a timer expires, a message from elsewhere arrives, or
/// another part of the system has ended; each other one when a message from the previous one
/// arrives.
///
/// ```
/// use hemiola_analysis::{System, TimeSpan, system::{Beginning, Chain}};
/// let (name, period, begins) = ("brake".into(), TimeSpan::milliseconds(80), Beginning::Timer);
/// let chain = Chain { name, period, begins, offset: None, deadline: None, callbacks: Vec::new() };
/// assert_eq!(System { chains: vec![chain.clone()], ..System::default() }.due(&chain), Some(TimeSpan::milliseconds(80)));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Chain {
    /// The name, as people know it.
    pub name: String,
    /// The period with which it begins, or the least distance between messages that begin it. It is
    /// zero, and not written, if the chain begins after something: see [`System::period_of`].
    #[serde(default, deserialize_with = "text::time")]
    pub period: TimeSpan,
    /// The event that begins it.
    #[serde(default)]
    pub begins: Beginning,
    /// The time at which its timer expires first, relative to all chains and cycles with an offset,
    /// if that is known: it then expires strictly periodically.
    #[serde(default, deserialize_with = "text::optional_time")]
    pub offset: Option<TimeSpan>,
    /// The deadline, relative to its release: its period if there is none, and no deadline at all
    /// if it is [`TimeSpan::MAX`].
    #[serde(default, deserialize_with = "text::deadline")]
    pub deadline: Option<TimeSpan>,
    /// The callbacks, in the order in which they run.
    pub callbacks: Vec<Callback>,
}

/// The event that begins a chain.
///
/// ```
/// use hemiola_analysis::{Analysis, System, TimeSpan, system::Beginning};
/// let text = r#"
///     cores = 2
///     [[executor]]
///     name = "arm"
///     core = 0
///     priority = 60
///     [[executor]]
///     name = "planner"
///     core = 1
///     priority = 40
///     ## A timer of the arm asks the planner, whose answer is a message to the arm.
///     [[chain]]
///     name = "grasp"
///     period = "50 ms"
///     callbacks = [
///         { name = "ask", takes = "1 ms", executor = "arm", priority = 1 },
///         { name = "plan", takes = "9 ms", executor = "planner", priority = 1 },
///         { name = "answered", takes = "2 ms", executor = "arm", priority = 2 },
///     ]
///     ## The last callback also publishes to a logger.
///     [[chain]]
///     name = "log"
///     begins = { after = "grasp" }
///     callbacks = [{ name = "write", takes = "3 ms", executor = "planner", priority = 2 }]
///     [[path]]
///     name = "grasped to logged"
///     through = ["grasp", "log"]
///     from = "sample"
/// "#;
/// let system = System::from_toml(text, "system.toml").unwrap();
/// assert_eq!(system.chains[1].begins, Beginning::After("grasp".into()));
/// let analysis = Analysis::of(&system);
/// let bound = |name| analysis.find(name).unwrap().bound.clone();
/// // The logger goes first, unless the next planning has begun; and so does the timer of the arm.
/// assert_eq!((bound("grasp"), bound("log")), (Ok(TimeSpan::milliseconds(16)), Ok(TimeSpan::milliseconds(12))));
/// assert_eq!(bound("grasped to logged"), Ok(TimeSpan::milliseconds(16 + 12)));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Beginning {
    /// A timer expires while its executor is awake.
    #[default]
    Timer,
    /// A message from any publisher, or a timer, that may have to wake up its executor.
    WakeUp,
    /// Another chain or a cycle of this name has ended, or a link of this name has delivered, which
    /// sends the chain a message each time.
    After(String),
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
    /// The execution time without interference.
    pub takes: Span,
    /// The node that it belongs to: one executor runs all callbacks of a node, whatever chains they
    /// are of. Without a name it is a node of its own.
    #[serde(default)]
    pub node: Option<String>,
    /// The executor that runs it, if that has been decided.
    #[serde(default)]
    pub executor: Option<String>,
    /// The priority among the callbacks of its executor, if that has been decided; a larger number
    /// is a higher priority.
    #[serde(default)]
    pub priority: Option<u32>,
}

impl Callback {
    /// Returns a callback without executor and priority yet.
    pub fn new(name: impl Into<String>, takes: Span) -> Self {
        Self { name: name.into(), takes, node: None, executor: None, priority: None }
    }
}

/// A thread that runs callbacks, the one with the highest priority first.
///
/// ```
/// use hemiola_analysis::system::Executor;
/// let executor = Executor { core: Some(1), ..Executor::new("vision", 80) };
/// assert!((1..=99).contains(&executor.priority));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Executor {
    /// The name, as people know it.
    pub name: String,
    /// The core to which it is pinned; without one, the kernel migrates it among all cores.
    #[serde(default)]
    pub core: Option<usize>,
    /// The real-time priority, from 1 to 99, the highest; 0 with a reservation.
    #[serde(default)]
    pub priority: u32,
    /// The processor time that the kernel reserves for it, instead of a priority.
    #[serde(default)]
    pub reservation: Option<Reservation>,
    /// The order in which callbacks run: `"priority"`, or `"registration"` for ROS 2's default.
    #[serde(default)]
    pub order: Order,
}

impl Executor {
    /// Returns an executor with a real-time priority that the kernel migrates among all cores, and
    /// that chooses callbacks by their priorities.
    pub fn new(name: impl Into<String>, priority: u32) -> Self {
        Self { name: name.into(), core: None, priority, reservation: None, order: Order::default() }
    }

    /// Returns the level at which the kernel schedules the thread: its priority; above all of them
    /// if it has a reservation.
    pub(crate) fn level(&self) -> u32 {
        if self.reservation.is_some() { ABOVE_PRIORITIES } else { self.priority }
    }
}

/// The level of threads with a reservation: Linux runs them before those with a priority, of which
/// 99 is the highest.
const ABOVE_PRIORITIES: u32 = 100;

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
    /// The event that begins it.
    pub begins: Begin,
    /// The deadline, relative to its release: its period if there is none.
    #[serde(default, deserialize_with = "text::optional_time")]
    pub deadline: Option<TimeSpan>,
    /// The number of threads that work for it.
    #[serde(default = "one")]
    pub workers: usize,
    /// The cores among which the kernel migrates the threads; all if the list is empty.
    #[serde(default)]
    pub cores: Vec<usize>,
    /// The real-time priority of the threads, from 1 to 99, the highest.
    pub priority: u32,
    /// The tasks, in any order.
    pub tasks: Vec<Task>,
}

fn one() -> usize {
    1
}

impl Cycle {
    /// Returns the number of cores that the cycle may use.
    pub(crate) fn allowed(&self, cores: usize) -> usize {
        if self.cores.is_empty() { cores } else { self.cores.len() }
    }
}

/// The event that begins a cycle.
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
        /// The time from one release to the next.
        period: TimeSpan,
        /// The time at which it first begins, relative to all chains and cycles with an offset, if
        /// that is known.
        offset: Option<TimeSpan>,
    },
    /// The cycle begins whenever another cycle or a chain of this name has ended, or a link of this
    /// name has delivered.
    After(String),
}

impl Begin {
    /// Returns the event that occurs once per period, or at most that often.
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
    /// The execution time without interference.
    pub takes: Span,
    /// The tasks of its cycle that it waits for.
    #[serde(default)]
    pub after: Vec<String>,
    /// The priority among the tasks of its cycle; a larger number is a higher priority, and of
    /// equals the one that is listed first comes first. If its tasks have none, a cycle's bound
    /// holds in whatever order free workers run those that are ready; if they do, it may be
    /// smaller.
    #[serde(default)]
    pub priority: Option<u32>,
    /// Set if the worker that makes it ready keeps it while it runs others that are kept, because
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
    /// The names of cycles, chains and links, in order; a link comes after the part from which it
    /// delivers.
    pub through: Vec<String>,
    /// The longest time that the path may take.
    #[serde(default, deserialize_with = "text::optional_time")]
    pub deadline: Option<TimeSpan>,
    /// The event from which the time counts.
    #[serde(default)]
    pub from: Start,
}

impl Path {
    /// Returns a path of this name that has no parts yet.
    pub fn named(name: impl Into<String>) -> Self {
        Self { name: name.into(), through: Vec::new(), deadline: None, from: Start::default() }
    }
}

/// The event from which the time of a path counts.
///
/// ```
/// use hemiola_analysis::system::Start;
/// assert_eq!(Start::default(), Start::Change);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Start {
    /// A change in the world just after the first part began: the time is both the maximum reaction
    /// time and the maximum data age.
    #[default]
    Change,
    /// The release of the first part: the time until what it read has an effect (the reduced
    /// reaction time).
    Sample,
}

impl System {
    /// Reads `system.toml`; `file` is its name in messages.
    ///
    /// # Errors
    /// Returns all problems, each with its place and a remedy.
    pub fn from_toml(text: &str, file: &str) -> Result<Self, Problems> {
        let system: Self = toml::from_str(text).map_err(|error| Problems::of_toml(&error, text, file))?;
        system.check().map_err(|problems| problems.located(text, file))?;
        Ok(system)
    }

    /// Reads a system from JSON of the same structure.
    ///
    /// # Errors
    /// Returns all problems, each with its path through the document.
    pub fn from_json(text: &str) -> Result<Self, Problems> {
        let system: Self = serde_json::from_str(text).map_err(|error| Problems::of_json(&error))?;
        system.check()?;
        Ok(system)
    }

    /// Checks that everything that is named exists once, nothing waits for itself, and numbers are
    /// valid.
    ///
    /// # Errors
    /// Returns all problems.
    pub fn check(&self) -> Result<(), Problems> {
        check::check(self)
    }

    /// Returns the time between two releases of a chain or cycle, or between two deliveries of a
    /// link: its own, or that of what it begins after. It is `None` if nothing has this name, or if
    /// all that it begins after begin after each other.
    ///
    /// ```
    /// use hemiola_analysis::{System, TimeSpan};
    /// let text = r#"
    ///     cores = 1
    ///     [[chain]]
    ///     name = "bumper"
    ///     period = "20 ms"
    ///     callbacks = [{ name = "read", takes = "1 ms" }]
    ///     [[chain]]
    ///     name = "retreat"
    ///     begins = { after = "bumper" }
    ///     callbacks = [{ name = "turn", takes = "1 ms" }]
    /// "#;
    /// let system = System::from_toml(text, "system.toml").unwrap();
    /// assert_eq!(system.period_of("retreat"), Some(TimeSpan::milliseconds(20)));
    /// ```
    pub fn period_of(&self, name: &str) -> Option<TimeSpan> {
        let mut name = name;
        for _ in 0..=self.stations().len() {
            name = if let Some(chain) = self.chains.iter().find(|chain| chain.name == name) {
                let Beginning::After(before) = &chain.begins else { return Some(chain.period) };
                before
            } else if let Some(cycle) = self.cycles.iter().find(|cycle| cycle.name == name) {
                match &cycle.begins {
                    Begin::Every { period, .. } => return Some(*period),
                    Begin::After(before) => before,
                }
            } else {
                &self.link(name)?.from
            };
        }
        None
    }

    /// Returns the deadline of a chain relative to its release; `None` if it has none.
    pub fn due(&self, chain: &Chain) -> Option<TimeSpan> {
        chain.deadline.or_else(|| self.period_of(&chain.name)).filter(|&due| due < TimeSpan::MAX)
    }

    /// Returns the same system in which each chain has its period, also one that begins after
    /// something.
    pub(crate) fn with_periods(&self) -> Self {
        let mut system = self.clone();
        for chain in system.chains.iter_mut().filter(|chain| matches!(chain.begins, Beginning::After(_))) {
            chain.period = self.period_of(&chain.name).unwrap_or(TimeSpan::MAX);
        }
        system
    }

    /// Returns the system as JSON that [`System::from_json`] reads.
    pub fn to_json(&self) -> serde_json::Value {
        toml::from_str(&self.to_toml()).unwrap_or_default()
    }

    /// Returns the system as text that [`System::from_toml`] reads, formatted for people.
    pub fn to_toml(&self) -> String {
        write::to_toml(self)
    }
}
