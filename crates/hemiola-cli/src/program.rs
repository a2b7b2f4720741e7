//! The parts of a robot's program, besides the modules that are linked into it.

use hemiola_bus::DeclaredService;
use hemiola_config::Base;
use hemiola_runtime::RobotHandle;

/// The configuration that commands begin with, and what the robot adds to them.
pub struct Program {
    /// The robot's own configuration, unless the command line selects another one.
    pub base: Base,
    /// The services that may be called from outside.
    pub services: Vec<DeclaredService>,
    pub started: Option<Start>,
    pub live: Lines,
    pub summary: Lines,
    /// Set if the process does nothing but run this program, so that a guard process can supervise
    /// it.
    pub is_process: bool,
    /// Set if the program has a robot's modules.
    pub has_robot: bool,
}

/// A closure that is called when the robot has started.
type Start = Box<dyn Fn(&RobotHandle)>;
/// A closure with the lines that a robot adds to what is shown.
type Lines = Option<Box<dyn Fn(&RobotHandle) -> Vec<String>>>;

impl Program {
    pub fn new(base: Base) -> Self {
        Self {
            base,
            services: Vec::new(),
            started: None,
            live: None,
            summary: None,
            is_process: false,
            has_robot: true,
        }
    }

    /// Creates a program that has no robot of its own.
    #[cfg(feature = "tools")]
    pub fn without_robot(base: Base) -> Self {
        Self { has_robot: false, ..Self::new(base) }
    }

    pub fn note_start(&self, handle: &RobotHandle) {
        self.started.iter().for_each(|start| start(handle));
    }

    pub fn live_lines(&self, handle: &RobotHandle) -> Vec<String> {
        self.live.as_ref().map(|lines| lines(handle)).unwrap_or_default()
    }

    pub fn summary_lines(&self, handle: &RobotHandle) -> Vec<String> {
        self.summary.as_ref().map(|lines| lines(handle)).unwrap_or_default()
    }
}
