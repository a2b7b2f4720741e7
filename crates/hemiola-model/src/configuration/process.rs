use std::time::Duration;

use super::{Configuration, LossPolicy};

/// A part of a robot that runs in a process of its own: `docs/book/src/processes.md`.
///
/// ```
/// use hemiola_model::configuration::{Configuration, CycleConfiguration, ProcessConfiguration, Trigger};
///
/// let mut robot = Configuration::default();
/// for cycle in ["motion", "cognition"] {
///     robot.cycles.push(CycleConfiguration::new(cycle, Trigger::Rate(30.0)));
/// }
/// robot.processes.push(ProcessConfiguration::new("vision", ["cognition".to_owned()]));
/// assert_eq!(robot.process_names(), ["main", "vision"]);
/// assert_eq!(robot.process_of("motion"), Some("main"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessConfiguration {
    /// The name of the process.
    pub name: String,
    /// The cycles that run in it.
    pub cycles: Vec<String>,
    /// The sources that run in it, besides those that trigger its cycles.
    pub sources: Vec<String>,
    /// The services that are served in it, for all processes.
    pub services: Vec<String>,
    /// The host that it runs on; `None`: the first one, if there are several.
    pub host: Option<String>,
    /// The limit on how often it is restarted when it has died; `None`: the robot ends then.
    pub restart: Option<RestartLimit>,
    /// The time within which it begins when it is started: it has created its modules by then.
    pub begin_within: Duration,
    /// The reaction of the other processes when it has died. With [`LossPolicy::SafeState`] they
    /// begin in their safe state, too, until it has begun.
    pub on_loss: LossPolicy,
}

/// The limit on the restarts of a process.
///
/// See [`ProcessConfiguration`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RestartLimit {
    /// The maximum number of restarts.
    pub count: u32,
    /// The time in which they are counted.
    pub within: Duration,
}

/// The process of the cycles that no other process names.
const MAIN: &str = "main";

impl ProcessConfiguration {
    /// The default of [`begin_within`](Self::begin_within).
    pub const BEGIN_WITHIN: Duration = Duration::from_secs(60);

    /// Creates a process with these cycles, which is not restarted when it has died.
    pub fn new(name: impl Into<String>, cycles: impl Into<Vec<String>>) -> Self {
        Self {
            name: name.into(),
            cycles: cycles.into(),
            sources: Vec::new(),
            services: Vec::new(),
            host: None,
            restart: None,
            begin_within: Self::BEGIN_WITHIN,
            on_loss: LossPolicy::default(),
        }
    }
}

impl Configuration {
    /// Returns the names of the robot's processes; empty if it is a single process. Cycles that no
    /// process names run in the process `main`, which comes first then.
    pub fn process_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.processes.iter().map(|process| process.name.as_str()).collect();
        let is_left = |cycle: &str| !self.processes.iter().any(|process| process.cycles.iter().any(|it| it == cycle));
        if !names.is_empty() && !names.contains(&MAIN) && self.cycles.iter().any(|cycle| is_left(&cycle.name)) {
            names.insert(0, MAIN);
        }
        names
    }

    /// Returns whether the robot must not run without a process: it is in its safe state if that
    /// is lost, and until it has been met.
    ///
    /// ```
    /// use hemiola_model::configuration::{Configuration, LossPolicy, ProcessConfiguration};
    ///
    /// let mut robot = Configuration::default();
    /// let brakes = ProcessConfiguration { on_loss: LossPolicy::SafeState, ..ProcessConfiguration::new("brakes", []) };
    /// robot.processes = vec![brakes, ProcessConfiguration::new("vision", [])];
    /// assert!(robot.is_needed("brakes") && !robot.is_needed("vision"));
    /// ```
    pub fn is_needed(&self, process: &str) -> bool {
        let needed = |known: &&ProcessConfiguration| known.on_loss == LossPolicy::SafeState;
        self.processes.iter().filter(needed).any(|known| known.name == process)
    }

    /// Returns whether a link leads to another process of the robot that this is a part of.
    pub fn is_between_parts(&self, link: &str) -> bool {
        self.parts.iter().any(|part| part == link)
    }

    /// Returns the name of the process in which a cycle runs; `None` if the robot is a single
    /// process.
    pub fn process_of(&self, cycle: &str) -> Option<&str> {
        let names_it = |process: &&ProcessConfiguration| process.cycles.iter().any(|name| name == cycle);
        let named = self.processes.iter().find(names_it).map(|process| process.name.as_str());
        named.or((!self.processes.is_empty()).then_some(MAIN))
    }
}
