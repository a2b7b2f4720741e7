//! The content of `robot.toml`, checked and typed. `hemiola-config` reads it from files; tests
//! create it by hand.

mod analysis;
mod condition;
mod host;
mod incoming;
mod link;
mod log;
mod page;
mod process;
mod ros2;

pub use analysis::{Admission, AnalysisConfiguration, ChainConfiguration};
pub use condition::{Comparison, Condition, FieldStep, Operator};
pub use host::HostConfiguration;
pub use incoming::Incoming;
pub use link::{
    Keep, LinkAddress, LinkConfiguration, LinkEnd, LinkGroup, LossPolicy, Received, Sent, Subject, SubjectKind,
};
pub use log::{LogChannelConfiguration, LogCompression, LogConfiguration, LogExtent};
pub use page::PageConfiguration;
pub use process::{ProcessConfiguration, RestartLimit};
pub use ros2::{
    Ros2Action, Ros2Configuration, Ros2History, Ros2Liveliness, Ros2Published, Ros2Quality, Ros2Router, Ros2SafeState,
    Ros2Service, Ros2Subscribed,
};

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::Value;

/// The configuration of a robot: its cycles, and everything that deviates from the defaults.
///
/// ```
/// use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
///
/// let mut configuration = Configuration::default();
/// configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(83.3)));
/// assert_eq!(configuration.cycles[0].workers, None); // the plan chooses
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Configuration {
    /// The cycles, in the order of the file.
    pub cycles: Vec<CycleConfiguration>,
    /// The sources by name; sources that are not named run with their defaults.
    pub sources: BTreeMap<String, SourceConfiguration>,
    /// The module or source that provides a representation, where several could.
    pub providers: BTreeMap<String, String>,
    /// The modules by name; modules that are not named run with their defaults.
    pub modules: BTreeMap<String, ModuleConfiguration>,
    /// The executors by name; executors that are not named run as the program configures them.
    pub executors: BTreeMap<String, ExecutorConfiguration>,
    /// The settings of the robot's safe state.
    pub safe_state: SafeStateConfiguration,
    /// The guard that stops all actuators when the robot's process dies; `None`: there is none.
    pub guard: Option<GuardConfiguration>,
    /// The door through which people and tools reach the running robot.
    pub page: PageConfiguration,
    /// Links to other programs, in the order of the file.
    pub links: Vec<LinkConfiguration>,
    /// The robot's node in a ROS 2 system; `None`: it has none.
    pub ros2: Option<Ros2Configuration>,
    /// The hosts that the processes run on, in the order of the file; empty: they run on one.
    pub hosts: Vec<HostConfiguration>,
    /// The processes into which the robot is divided, in the order of the file; empty: it is a
    /// single process.
    pub processes: Vec<ProcessConfiguration>,
    /// The process whose part of a robot this is; `None`: it is a whole robot.
    pub process: Option<String>,
    /// The names of all processes of that robot; empty: it is a whole robot.
    pub parts: Vec<String>,
    /// The names of those processes that run on other hosts.
    pub distant: Vec<String>,
    /// The services that another process of that robot serves.
    pub served_elsewhere: Vec<String>,
    /// The files that are written while the robot runs.
    pub output: OutputConfiguration,
    /// The settings by which runs are recorded.
    pub log: LogConfiguration,
    /// The data that a replay takes from a log, and where it finds them.
    pub replay: ReplayConfiguration,
    /// The deadlines of chains from sensors to actuators, in the order in which they are shown.
    pub chains: Vec<ChainConfiguration>,
    /// The assumptions on which bounds rest.
    pub analysis: AnalysisConfiguration,
}

impl Configuration {
    /// Returns how the thread of a source is scheduled: as robot.toml sets it, or else one priority
    /// above the most important cycle that it triggers. A late sample delays the run that waits for
    /// it, whatever the priority of the run's cycle.
    ///
    /// ```
    /// use hemiola_model::configuration::{Configuration, CycleConfiguration, Scheduling, Trigger};
    ///
    /// let mut configuration = Configuration::default();
    /// configuration.cycles.push(CycleConfiguration {
    ///     scheduling: Scheduling::Fifo(80),
    ///     ..CycleConfiguration::new("motion", Trigger::Source("Body".into()))
    /// });
    /// assert_eq!(configuration.source_scheduling("Body"), Scheduling::Fifo(81));
    /// assert_eq!(configuration.source_scheduling("Lidar"), Scheduling::TimeSharing); // it triggers nothing
    /// ```
    pub fn source_scheduling(&self, source: &str) -> Scheduling {
        let said = self.sources.get(source).and_then(|source| source.scheduling);
        said.unwrap_or_else(|| match self.most_important_triggered_by(source) {
            Some((_, priority)) => Scheduling::Fifo(priority.saturating_add(1).min(HIGHEST_PRIORITY)),
            None => Scheduling::TimeSharing,
        })
    }

    /// Returns the most important cycle of those that a source triggers, with its real-time
    /// priority; `None` if all of them share time.
    ///
    /// ```
    /// use hemiola_model::configuration::{Configuration, CycleConfiguration, Scheduling, Trigger};
    ///
    /// let mut configuration = Configuration::default();
    /// configuration.cycles.push(CycleConfiguration {
    ///     scheduling: Scheduling::Fifo(80),
    ///     ..CycleConfiguration::new("motion", Trigger::Source("Body".into()))
    /// });
    /// let (cycle, priority) = configuration.most_important_triggered_by("Body").unwrap();
    /// assert_eq!((cycle.name.as_str(), priority), ("motion", 80));
    /// ```
    pub fn most_important_triggered_by(&self, source: &str) -> Option<(&CycleConfiguration, u8)> {
        let triggered = |cycle: &&CycleConfiguration| matches!(&cycle.trigger, Trigger::Source(name) if name == source);
        let all = self.cycles.iter().rev().filter(triggered);
        // The result is the first of those that are equal.
        all.filter_map(|cycle| Some((cycle, cycle.scheduling.priority()?))).max_by_key(|(_, priority)| *priority)
    }
}

/// The highest real-time priority that there is.
const HIGHEST_PRIORITY: u8 = 99;

impl Scheduling {
    /// Returns the real-time priority; `None` for threads that share time, or have a reservation.
    ///
    /// ```
    /// use hemiola_model::configuration::Scheduling;
    ///
    /// assert_eq!(Scheduling::RoundRobin(20).priority(), Some(20));
    /// assert_eq!(Scheduling::TimeSharing.priority(), None);
    /// ```
    pub fn priority(self) -> Option<u8> {
        match self {
            Self::Fifo(priority) | Self::RoundRobin(priority) => Some(priority),
            Self::Reservation { .. } | Self::TimeSharing => None,
        }
    }
}

/// The data that a replay takes from a log, and where it finds them.
///
/// ```
/// use hemiola_model::configuration::ReplayConfiguration;
///
/// let percepts = ReplayConfiguration { take: vec!["BallPercept".into()], ..ReplayConfiguration::default() };
/// assert!(percepts.mappings.is_empty()); // the log is one of this robot
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReplayConfiguration {
    /// The representations of modules that are taken from the log, not computed anew.
    pub take: Vec<String>,
    /// The representations of sources that logs of other robots have elsewhere, and where they are.
    pub mappings: BTreeMap<String, ReplayMapping>,
}

/// The place, in the logs of another robot, of the data that a source of this one provides.
///
/// ```
/// use hemiola_model::configuration::{FieldMapping, ReplayMapping};
/// use std::collections::BTreeMap;
///
/// let turning = FieldMapping { from: "angular_velocity".into(), scale: 1.0, offset: 0.0 };
/// let imu = ReplayMapping { topic: "/imu/data".into(), fields: BTreeMap::from([("gyroscope".into(), turning)]) };
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReplayMapping {
    /// The topic that the data comes from.
    pub topic: String,
    /// The fields of the representation that have another name in the log's messages; all others
    /// are found by their names.
    pub fields: BTreeMap<String, FieldMapping>,
}

/// The origin of a field, and its conversion.
///
/// ```
/// use hemiola_model::configuration::FieldMapping;
///
/// let celsius = FieldMapping { from: "kelvin".into(), scale: 1.0, offset: -273.15 };
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FieldMapping {
    /// The path to the field in the log's messages: `pose.position.x`, `ranges[3]`.
    pub from: String,
    /// The factor by which a number is multiplied.
    pub scale: f64,
    /// The number that is added to the product.
    pub offset: f64,
}

/// The configuration of one cycle.
///
/// ```
/// use hemiola_model::configuration::{CycleConfiguration, Scheduling, Trigger};
/// use std::time::Duration;
///
/// let motion = CycleConfiguration {
///     deadline: Some(Duration::from_millis(12)),
///     scheduling: Scheduling::Fifo(80),
///     ..CycleConfiguration::new("motion", Trigger::Rate(83.3))
/// };
/// assert!(motion.cores.is_empty()); // it may run on all
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CycleConfiguration {
    /// The name of the cycle.
    pub name: String,
    /// The event that starts a run.
    pub trigger: Trigger,
    /// The modules that run in the cycle: names (`BallFinder`), or Rust paths that contain them
    /// (`nao::motion`). Empty: all modules, which is right when there is one cycle.
    pub modules: Vec<String>,
    /// The time after its trigger by which a run must have ended.
    pub deadline: Option<Duration>,
    /// The scheduling of the cycle's threads.
    pub scheduling: Scheduling,
    /// The processor cores that the cycle's threads may use; empty: all.
    pub cores: Vec<usize>,
    /// The number of workers; `None`: the plan chooses it.
    pub workers: Option<usize>,
    /// The time without the end of a run after which the robot enters its safe state; `None`: there
    /// is no watchdog.
    pub watchdog: Option<Duration>,
    /// The number of values that `Samples<T>` arguments of this cycle can hold.
    pub sample_capacity: usize,
}

/// The event that starts a run of a cycle.
///
/// ```
/// use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
///
/// let mut robot = Configuration::default();
/// robot.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(83.3)));
/// robot.cycles.push(CycleConfiguration::new("cognition", Trigger::Source("UpperCamera".into())));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Trigger {
    /// A timer with this many periods a second.
    Rate(f64),
    /// Each new sample of the source of this name.
    Source(String),
    /// New messages of the topic of this name, all that have arrived at once.
    Topic(String),
}

/// The scheduling policy of a thread.
///
/// See [`CycleConfiguration`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheduling {
    /// `SCHED_FIFO` with this priority, 1 (lowest) to 99.
    Fifo(u8),
    /// `SCHED_RR` with this priority, 1 (lowest) to 99.
    RoundRobin(u8),
    /// `SCHED_DEADLINE`: processor time that the kernel reserves, before all priorities.
    Reservation {
        /// The processor time of every period.
        budget: Duration,
        /// The period.
        period: Duration,
    },
    /// The kernel's default, fair scheduling.
    #[default]
    TimeSharing,
}

/// The configuration of one source.
///
/// ```
/// use hemiola_model::configuration::{Configuration, SourceConfiguration};
///
/// let slower = SourceConfiguration { rate: Some(15.0), ..SourceConfiguration::default() };
/// let mut configuration = Configuration::default();
/// configuration.sources.insert("UpperCamera".into(), slower);
/// assert_eq!(configuration.sources["UpperCamera"].enabled, None); // it runs
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SourceConfiguration {
    /// The parameters of the source.
    pub parameters: BTreeMap<String, Value>,
    /// The number of samples per second, instead of the source's own rate.
    pub rate: Option<f64>,
    /// The scheduling of the source's thread, if robot.toml sets it;
    /// [`Configuration::source_scheduling`] returns what applies otherwise.
    pub scheduling: Option<Scheduling>,
    /// The processor cores that the source's thread may use; empty: all.
    pub cores: Vec<usize>,
    /// Set to `false` to disable the source, which then provides nothing.
    pub enabled: Option<bool>,
    /// The file, line and column of the source's table, for messages.
    pub place: Option<String>,
}

/// The configuration of one module.
///
/// ```
/// use hemiola_model::configuration::{FailurePolicy, ModuleConfiguration};
///
/// let critical = ModuleConfiguration { on_failure: FailurePolicy::SafeState, ..ModuleConfiguration::default() };
/// assert!(critical.parameters.is_empty()); // all at their defaults
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModuleConfiguration {
    /// The parameters of the module.
    pub parameters: BTreeMap<String, Value>,
    /// The reaction to an update that fails.
    pub on_failure: FailurePolicy,
    /// The file, line and column of the module's table, for messages.
    pub place: Option<String>,
}

/// The configuration of an executor beside the cycles: it takes precedence over what the program
/// sets.
///
/// ```
/// use hemiola_model::configuration::{ExecutorConfiguration, Scheduling};
///
/// let arm = ExecutorConfiguration { scheduling: Some(Scheduling::Fifo(60)), ..ExecutorConfiguration::default() };
/// assert!(arm.cores.is_empty() && arm.callbacks.is_empty()); // as the program says
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExecutorConfiguration {
    /// The scheduling of the executor's thread.
    pub scheduling: Option<Scheduling>,
    /// The processor cores that the executor's thread may use; empty: as the program sets.
    pub cores: Vec<usize>,
    /// The priorities of callbacks by name: the larger, the more important. A timer also goes by
    /// the part of its name before ` at `.
    pub callbacks: BTreeMap<String, u16>,
}

impl ExecutorConfiguration {
    /// Returns the priority of the callback of that name, if it is configured here.
    ///
    /// ```
    /// use hemiola_model::configuration::ExecutorConfiguration;
    ///
    /// let callbacks = [("Reach".to_owned(), 10), ("every 10ms".to_owned(), 20)].into();
    /// let arm = ExecutorConfiguration { callbacks, ..ExecutorConfiguration::default() };
    /// assert_eq!(arm.priority_of("every 10ms at src/arm.rs:57:9"), Some(20));
    /// assert_eq!(arm.priority_of("Grip"), None);
    /// ```
    pub fn priority_of(&self, callback: &str) -> Option<u16> {
        // Mostly there are none, and taking a name apart is a quarter of adding a subscription.
        if self.callbacks.is_empty() {
            return None;
        }
        let names = [callback, without_number(callback), without_place(callback)];
        names.into_iter().find_map(|name| self.callbacks.get(name).copied())
    }
}

/// Returns the name of a callback without the place in the program where it was added, which
/// changes with every line above it.
///
/// ```
/// use hemiola_model::configuration::without_place;
/// assert_eq!(without_place("every 10ms at src/arm.rs:57:9"), "every 10ms");
/// ```
pub fn without_place(callback: &str) -> &str {
    callback.split_once(" at ").map_or(callback, |(name, _)| name)
}

/// Returns the name of a callback without the number that distinguishes it from others of the same
/// name, as in `Reach (2)`.
///
/// ```
/// use hemiola_model::configuration::without_number;
/// assert_eq!(without_number("Reach (2)"), "Reach");
/// assert_eq!(without_number("Reach (far)"), "Reach (far)");
/// ```
pub fn without_number(callback: &str) -> &str {
    let number = |text: &str| text.strip_suffix(')').is_some_and(|digits| digits.parse::<usize>().is_ok());
    callback.rsplit_once(" (").filter(|(_, rest)| number(rest)).map_or(callback, |(name, _)| name)
}

/// The reaction to an update that returns an error or panics. In any case its representations keep
/// their last value and are marked stale, and the cycle goes on.
///
/// See [`ModuleConfiguration`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FailurePolicy {
    /// Nothing more is done.
    #[default]
    KeepLast,
    /// The module is replaced by a new instance.
    Restart,
    /// The robot enters its safe state.
    SafeState,
}

/// The settings of the robot's safe state.
///
/// See [`Configuration::safe_state`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SafeStateConfiguration {
    /// The time after the robot's end within which all actuators are safe (500 ms by default), even
    /// if a cycle hangs; then the process ends.
    pub within: Duration,
}

impl Default for SafeStateConfiguration {
    fn default() -> Self {
        Self { within: Duration::from_millis(500) }
    }
}

/// A process beside the robot, which stops all actuators when the robot's own process dies.
///
/// ```
/// use hemiola_model::configuration::GuardConfiguration;
///
/// let guard = GuardConfiguration::new(["./stop-motors".to_owned()]);
/// assert_eq!((guard.beat.as_millis(), guard.restarts), (100, 0));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardConfiguration {
    /// The command that the guard runs: a program, and its arguments.
    pub command: Vec<String>,
    /// The time without a sign of life after which the robot is considered dead.
    pub beat: Duration,
    /// The maximum number of times that the robot is restarted.
    pub restarts: u32,
}

impl GuardConfiguration {
    /// Creates a guard that runs this command, and does not restart the robot.
    pub fn new(command: impl Into<Vec<String>>) -> Self {
        Self { command: command.into(), beat: Duration::from_millis(100), restarts: 0 }
    }
}

/// The files that are written while the robot runs.
///
/// ```
/// use hemiola_model::configuration::OutputConfiguration;
///
/// let output = OutputConfiguration { trace: Some("game.pftrace".into()), ..OutputConfiguration::default() };
/// assert_eq!(output.statistics, None); // shown at the end, not written
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OutputConfiguration {
    /// The trace of the whole run, for Perfetto; `None`: the command line takes the next free name
    /// in `traces/` beside robot.toml.
    pub trace: Option<PathBuf>,
    /// The file that keeps measured durations between runs, so that the first plan is a good one;
    /// `None`: they are not kept.
    pub profile: Option<PathBuf>,
    /// The file for the statistics at the end, as JSON; `None`: they are only shown.
    pub statistics: Option<PathBuf>,
}

impl CycleConfiguration {
    /// Creates a cycle with defaults for everything else.
    pub fn new(name: impl Into<String>, trigger: Trigger) -> Self {
        Self {
            name: name.into(),
            trigger,
            modules: Vec::new(),
            deadline: None,
            scheduling: Scheduling::default(),
            cores: Vec::new(),
            workers: None,
            watchdog: None,
            sample_capacity: 32,
        }
    }

    /// Returns whether the module `name` in the Rust module `path` runs in this cycle.
    ///
    /// ```
    /// use hemiola_model::configuration::{CycleConfiguration, Trigger};
    ///
    /// let mut motion = CycleConfiguration::new("motion", Trigger::Rate(83.3));
    /// assert!(motion.runs("Walk", "nao::motion::walk")); // a lone cycle runs all
    /// motion.modules = vec!["nao::motion".into(), "BallFinder".into()];
    /// assert!(motion.runs("Walk", "nao::motion::walk") && motion.runs("BallFinder", "nao::cognition"));
    /// assert!(!motion.runs("Walk", "nao::motion_planning")); // whole path segments only
    /// ```
    pub fn runs(&self, name: &str, path: &str) -> bool {
        self.modules.is_empty() || self.modules.iter().any(|entry| names_module(entry, name, path))
    }
}

/// Returns whether an entry of a cycle's `modules` denotes the module `name` in the Rust module
/// `path`: it is the name, the path, the beginning of the path, or all of `path::Name`.
pub fn names_module(entry: &str, name: &str, path: &str) -> bool {
    if entry == name {
        return true;
    }
    match path.strip_prefix(entry) {
        Some(rest) => rest.is_empty() || rest.starts_with("::"),
        None => entry.strip_prefix(path).and_then(|rest| rest.strip_prefix("::")) == Some(name),
    }
}
