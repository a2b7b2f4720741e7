//! What `robot.toml` says, checked and typed. `hemiola-config` reads it from files; tests make it
//! by hand.

mod analysis;
mod condition;
mod link;
mod log;
mod page;

pub use analysis::{Admission, AnalysisConfiguration, ChainConfiguration};
pub use condition::{Comparison, Condition, FieldStep, Operator};
pub use link::{Keep, LinkAddress, LinkConfiguration, LinkEnd, SentTopic};
pub use log::{LogChannelConfiguration, LogCompression, LogConfiguration, LogExtent};
pub use page::PageConfiguration;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use crate::Value;

/// A robot: its cycles, and what deviates from the defaults.
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
    /// In the order of the file.
    pub cycles: Vec<CycleConfiguration>,
    /// By name; sources that are not named run with their defaults.
    pub sources: BTreeMap<String, SourceConfiguration>,
    /// Representation to module or source, where several could provide it.
    pub providers: BTreeMap<String, String>,
    /// By name; modules that are not named run with their defaults.
    pub modules: BTreeMap<String, ModuleConfiguration>,
    /// By name; executors that are not named run as the program says.
    pub executors: BTreeMap<String, ExecutorConfiguration>,
    /// How the robot is made safe.
    pub safe_state: SafeStateConfiguration,
    /// Who stops what moves when the robot's process dies; `None`: nobody does.
    pub guard: Option<GuardConfiguration>,
    /// Where people and tools reach the running robot.
    pub page: PageConfiguration,
    /// Links to other programs, in the order of the file.
    pub links: Vec<LinkConfiguration>,
    /// What is written while the robot runs.
    pub output: OutputConfiguration,
    /// What is recorded.
    pub log: LogConfiguration,
    /// What a replay takes from a log, and where.
    pub replay: ReplayConfiguration,
    /// Deadlines of chains from sensors to actuators, in the order in which they are shown.
    pub chains: Vec<ChainConfiguration>,
    /// What bounds rest on.
    pub analysis: AnalysisConfiguration,
}

impl Configuration {
    /// How the thread of a source is scheduled: as robot.toml says, or else one priority above the
    /// most important cycle that it triggers. A sample that is late makes the run late that waits
    /// for it, whatever the priority of the run's cycle.
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

    /// The most important cycle of those that a source triggers, with its real-time priority;
    /// `None` if all of them share time.
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
        // The first of those that are equal.
        all.filter_map(|cycle| Some((cycle, cycle.scheduling.priority()?))).max_by_key(|(_, priority)| *priority)
    }
}

/// The highest real-time priority that there is.
const HIGHEST_PRIORITY: u8 = 99;

impl Scheduling {
    /// The real-time priority; `None` for threads that share time.
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
            Self::TimeSharing => None,
        }
    }
}

/// What a replay takes from a log, and where.
///
/// ```
/// use hemiola_model::configuration::ReplayConfiguration;
///
/// let percepts = ReplayConfiguration { take: vec!["BallPercept".into()], ..ReplayConfiguration::default() };
/// assert!(percepts.mappings.is_empty()); // the log is one of this robot
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReplayConfiguration {
    /// Representations of modules that are not computed anew.
    pub take: Vec<String>,
    /// Representations of sources, and where logs of other robots have them.
    pub mappings: BTreeMap<String, ReplayMapping>,
}

/// Where the logs of another robot have what a source of this one provides.
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
    /// The topic that it comes from.
    pub topic: String,
    /// Fields of the representation that are not called so in the log's messages; all others go by
    /// their names.
    pub fields: BTreeMap<String, FieldMapping>,
}

/// Where a field comes from.
///
/// ```
/// use hemiola_model::configuration::FieldMapping;
///
/// let celsius = FieldMapping { from: "kelvin".into(), scale: 1.0, offset: -273.15 };
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FieldMapping {
    /// The way to it in the log's messages: `pose.position.x`, `ranges[3]`.
    pub from: String,
    /// A number is multiplied by it,
    pub scale: f64,
    /// and then this is added.
    pub offset: f64,
}

/// One cycle.
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
    /// Its name.
    pub name: String,
    /// What starts a run.
    pub trigger: Trigger,
    /// Which modules run in it: names (`BallFinder`) or Rust paths that contain them
    /// (`nao::motion`). Empty: all, which is right when there is one cycle.
    pub modules: Vec<String>,
    /// A run shall be over so long after its trigger.
    pub deadline: Option<Duration>,
    /// How its threads are scheduled.
    pub scheduling: Scheduling,
    /// The processor cores that its threads may use; empty: all.
    pub cores: Vec<usize>,
    /// How many workers; `None`: the plan chooses.
    pub workers: Option<usize>,
    /// The robot enters its safe state when no run has ended for so long; `None`: nobody watches.
    pub watchdog: Option<Duration>,
    /// How many values `Samples<T>` arguments of this cycle can hold.
    pub sample_capacity: usize,
}

/// What starts a run of a cycle.
///
/// ```
/// use hemiola_model::configuration::{CycleConfiguration, Trigger};
///
/// let motion = CycleConfiguration::new("motion", Trigger::Rate(83.3));
/// let cognition = CycleConfiguration::new("cognition", Trigger::Source("UpperCamera".into()));
/// assert_ne!(motion.trigger, cognition.trigger);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum Trigger {
    /// So many times a second.
    Rate(f64),
    /// Each new sample of this source.
    Source(String),
    /// New messages of this topic, all that have arrived at once.
    Topic(String),
}

/// How threads are scheduled.
///
/// ```
/// use hemiola_model::configuration::Scheduling;
///
/// assert_eq!(Scheduling::default(), Scheduling::TimeSharing); // needs no permission, gives no promise
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheduling {
    /// `SCHED_FIFO` with this priority, 1 (lowest) to 99.
    Fifo(u8),
    /// `SCHED_RR` with this priority, 1 (lowest) to 99.
    RoundRobin(u8),
    /// The kernel's default, fair scheduling.
    #[default]
    TimeSharing,
}

/// One source.
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
    /// Its parameters.
    pub parameters: BTreeMap<String, Value>,
    /// Samples per second instead of its own rate.
    pub rate: Option<f64>,
    /// How its thread is scheduled, if robot.toml says so; [`Configuration::source_scheduling`]
    /// tells what holds otherwise.
    pub scheduling: Option<Scheduling>,
    /// The processor cores that its thread may use; empty: all.
    pub cores: Vec<usize>,
    /// `false`: it does not run, and provides nothing.
    pub enabled: Option<bool>,
    /// File, line and column of its table, for messages.
    pub place: Option<String>,
}

/// One module.
///
/// ```
/// use hemiola_model::configuration::{FailurePolicy, ModuleConfiguration};
///
/// let critical = ModuleConfiguration { on_failure: FailurePolicy::SafeState, ..ModuleConfiguration::default() };
/// assert!(critical.parameters.is_empty()); // all at their defaults
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ModuleConfiguration {
    /// Its parameters.
    pub parameters: BTreeMap<String, Value>,
    /// What happens when an update fails.
    pub on_failure: FailurePolicy,
    /// File, line and column of its table, for messages.
    pub place: Option<String>,
}

/// An executor beside the cycles: what goes before what the program says of it.
///
/// ```
/// use hemiola_model::configuration::{ExecutorConfiguration, Scheduling};
///
/// let arm = ExecutorConfiguration { scheduling: Some(Scheduling::Fifo(60)), ..ExecutorConfiguration::default() };
/// assert!(arm.cores.is_empty() && arm.callbacks.is_empty()); // as the program says
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExecutorConfiguration {
    /// How its thread is scheduled.
    pub scheduling: Option<Scheduling>,
    /// The processor cores that its thread may use; empty: as the program says.
    pub cores: Vec<usize>,
    /// How important its callbacks are, by name: the larger, the more. Timers are also called by
    /// what comes before ` at `.
    pub callbacks: BTreeMap<String, u16>,
}

impl ExecutorConfiguration {
    /// How important the callback of that name is, if this says so.
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
        let names = [callback, without_number(callback), without_place(callback)];
        names.into_iter().find_map(|name| self.callbacks.get(name).copied())
    }
}

/// The name of a callback without where in the program it was added, which changes with every line
/// above it.
///
/// ```
/// use hemiola_model::configuration::without_place;
/// assert_eq!(without_place("every 10ms at src/arm.rs:57:9"), "every 10ms");
/// ```
pub fn without_place(callback: &str) -> &str {
    callback.split_once(" at ").map_or(callback, |(name, _)| name)
}

/// The name of a callback without the number that tells it from others of the same name:
/// `Reach (2)`.
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

/// What happens when an update returns an error or panics. In any case its representations keep
/// their last value, are marked stale, and the cycle goes on.
///
/// ```
/// use hemiola_model::configuration::{FailurePolicy, ModuleConfiguration};
///
/// assert_eq!(ModuleConfiguration::default().on_failure, FailurePolicy::KeepLast);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FailurePolicy {
    /// Nothing more.
    #[default]
    KeepLast,
    /// The module is replaced by a new instance.
    Restart,
    /// The robot enters its safe state.
    SafeState,
}

/// How the robot is made safe.
///
/// ```
/// use hemiola_model::configuration::SafeStateConfiguration;
///
/// assert_eq!(SafeStateConfiguration::default().within.as_millis(), 500);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SafeStateConfiguration {
    /// What moves is safe so long after the robot's end at the latest, also where a cycle hangs;
    /// then the process ends.
    pub within: Duration,
}

impl Default for SafeStateConfiguration {
    fn default() -> Self {
        Self { within: Duration::from_millis(500) }
    }
}

/// A process beside the robot, which stops what moves when the robot's own process dies.
///
/// ```
/// use hemiola_model::configuration::GuardConfiguration;
///
/// let guard = GuardConfiguration::new(["./stop-motors".to_owned()]);
/// assert_eq!((guard.beat.as_millis(), guard.restarts), (100, 0));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GuardConfiguration {
    /// What it runs: a program, and its arguments.
    pub command: Vec<String>,
    /// The robot is taken for dead when it has shown no life for so long.
    pub beat: Duration,
    /// How often the robot is started again at most.
    pub restarts: u32,
}

impl GuardConfiguration {
    /// One that runs this command, and does not start the robot again.
    pub fn new(command: impl Into<Vec<String>>) -> Self {
        Self { command: command.into(), beat: Duration::from_millis(100), restarts: 0 }
    }
}

/// What is written while the robot runs.
///
/// ```
/// use hemiola_model::configuration::OutputConfiguration;
///
/// let output = OutputConfiguration { trace: Some("game.pftrace".into()), ..OutputConfiguration::default() };
/// assert_eq!(output.statistics, None); // shown at the end, not written
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OutputConfiguration {
    /// The trace of the whole run, for Perfetto; `None`: the command line takes the next
    /// free name in `traces/` beside robot.toml.
    pub trace: Option<PathBuf>,
    /// Where measured durations are kept between runs, so that the first plan is a good one;
    /// `None`: they are not.
    pub profile: Option<PathBuf>,
    /// The statistics at the end, as JSON; `None`: they are only shown.
    pub statistics: Option<PathBuf>,
}

impl CycleConfiguration {
    /// A cycle with defaults for all else.
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

    /// Whether the module `name`, which stands in the Rust module `path`, runs in this cycle.
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

/// Whether an entry of a cycle's `modules` means the module `name` in the Rust module `path`: it is
/// the name, the path, the beginning of the path, or all of `path::Name`.
pub fn names_module(entry: &str, name: &str, path: &str) -> bool {
    if entry == name {
        return true;
    }
    match path.strip_prefix(entry) {
        Some(rest) => rest.is_empty() || rest.starts_with("::"),
        None => entry.strip_prefix(path).and_then(|rest| rest.strip_prefix("::")) == Some(name),
    }
}
