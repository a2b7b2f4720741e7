mod contents;
mod description;
mod received;

use std::fmt;
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hemiola_bus::DeclaredService;
use hemiola_model::SourceDescriptor;
use hemiola_model::configuration::{Configuration, CycleConfiguration};
use hemiola_model::module::{ModuleDescriptor, registry};
use hemiola_plan::{
    Durations, Plan, PlanOptions, Resolved, RobotDescription, TaskDuration, TaskGraph, TaskId, Warning, WorkerChoice,
};
use hemiola_trace::Profile;

use super::course::check_course;
use crate::error::RuntimeError;
use crate::observe::{Observation, ValueRequest};
use crate::stand_in::Course;
use crate::watchdog::Heartbeat;
use description::{check_names, check_ports, check_updates, describe};
use received::{check_received, received_sources};

pub use contents::{Provider, TopicEnd, representations};

/// A robot that is assembled and checked, but does not run: configuration, modules, providers,
/// plans.
///
/// ```no_run
/// use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
/// use hemiola_runtime::{Pace, Robot};
///
/// let mut configuration = Configuration::default();
/// configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(83.3)));
/// let robot = Robot::assemble(configuration)?; // of all linked modules
/// let running = robot.start(Pace::RealTime)?;
/// running.wait();
/// # Ok::<(), hemiola_runtime::RuntimeError>(())
/// ```
pub struct Robot {
    pub(crate) configuration: Configuration,
    pub(crate) modules: Arc<Vec<ModuleDescriptor>>,
    pub(crate) sources: Arc<Vec<SourceDescriptor>>,
    pub(crate) system: RobotDescription,
    pub(crate) resolved: Resolved,
    pub(crate) profile: Profile,
    /// The services whose types the program has declared.
    pub(crate) services: Arc<Vec<DeclaredService>>,
    /// The course that it follows. The lock is never contended: it lets several threads refer to a
    /// robot, although the course belongs to one.
    pub(crate) course: Mutex<Course>,
    /// The heartbeat, which is behind a lock for the same reason as the course.
    pub(crate) heartbeat: Mutex<Option<Heartbeat>>,
}

impl Robot {
    /// Assembles all modules and sources that are linked into the program.
    ///
    /// # Errors
    /// Returns an error if the modules do not fit together; it lists every problem with its remedy.
    pub fn assemble(configuration: Configuration) -> Result<Self, RuntimeError> {
        Self::assemble_from(configuration, registry::modules(), registry::sources())
    }

    /// Assembles these modules and sources.
    ///
    /// # Errors
    /// Returns the errors of [`assemble`](Self::assemble).
    pub fn assemble_from(
        configuration: Configuration,
        mut modules: Vec<ModuleDescriptor>,
        mut sources: Vec<SourceDescriptor>,
    ) -> Result<Self, RuntimeError> {
        let enabled = |name: &str| configuration.sources.get(name).and_then(|source| source.enabled) != Some(false);
        sources.retain(|source| enabled(source.name()));
        ModuleDescriptor::share(&mut modules, &sources);
        let received = received_sources(&configuration, &modules, &sources)?;
        sources.extend(received.into_iter().filter(|source| enabled(source.name())));
        check_updates(&modules, &sources)?;
        check_names(&modules, &sources)?;
        check_ports(&modules, &sources)?;
        let system = describe(&configuration, &modules, &sources)?;
        check_received(&configuration, &system)?;
        let resolved = hemiola_plan::resolve(&system).map_err(|problems| RuntimeError::Unresolved { problems })?;
        let (modules, sources) = (Arc::new(modules), Arc::new(sources));
        Ok(Self {
            configuration,
            modules,
            sources,
            system,
            resolved,
            profile: Profile::default(),
            services: Arc::default(),
            course: Mutex::default(),
            heartbeat: Mutex::default(),
        })
    }

    /// Declares services, with the types of their requests and answers: they can be called from
    /// other programs and other processes of the robot, and a replay repeats their answers.
    ///
    /// ```
    /// use hemiola_bus::DeclaredService;
    /// use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
    /// use hemiola_runtime::Robot;
    ///
    /// let mut configuration = Configuration::default();
    /// configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(83.3)));
    /// let robot = Robot::assemble(configuration)?.with_services([DeclaredService::of::<f64, bool>("calibrate")]);
    /// let stepper = robot.into_stepper()?;
    /// assert_eq!(stepper.handle().bus().callable_services()[0].name, "calibrate");
    /// # Ok::<(), hemiola_runtime::RuntimeError>(())
    /// ```
    #[must_use]
    pub fn with_services(mut self, services: impl IntoIterator<Item = DeclaredService>) -> Self {
        self.services = Arc::new(services.into_iter().collect());
        self
    }

    /// Uses durations measured in an earlier run for the first plan.
    #[must_use]
    pub fn with_profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self
    }

    /// Calls `beat` once per `period`, from the thread that watches all others, for as long as the
    /// robot runs on its own threads, so that another process can act when the beats cease. `beat`
    /// must not block.
    #[must_use]
    pub fn with_heartbeat(mut self, period: Duration, beat: impl FnMut() + Send + 'static) -> Self {
        self.heartbeat = Mutex::new(Some(Heartbeat { period, beat: Box::new(beat) }));
        self
    }

    /// Checks that, with the present providers, the robot provides everything that an observer
    /// wants to [observe](crate::RobotHandle::observe).
    ///
    /// # Errors
    /// Returns an error for a representation that nobody provides, or that is opaque.
    pub fn check_observation(&self, observation: &Observation) -> Result<(), RuntimeError> {
        let provided = self.provided();
        for ValueRequest { representation, .. } in &observation.values {
            let descriptor = provided.get(representation.as_str()).ok_or_else(|| RuntimeError::Unknown {
                kind: "representation",
                name: representation.clone(),
                known: provided.keys().map(|&name| name.to_owned()).collect(),
            })?;
            if descriptor.data_type().is_none() {
                return Err(RuntimeError::Opaque { name: representation.clone() });
            }
        }
        Ok(())
    }

    /// Makes the robot follow a recording, which determines what runs when and on which inputs.
    /// Replaces the course that it was to follow before.
    ///
    /// # Errors
    /// Returns [`RuntimeError::Unknown`] if there is no such source, or no cycle provides such a
    /// representation, and [`RuntimeError::OtherRobot`] if the recording's cycles or what they read
    /// from each other are not this robot's, or a source from which they read has no feed.
    pub fn following(mut self, course: Course) -> Result<Self, RuntimeError> {
        self.can_follow(&course)?;
        self.course = Mutex::new(course);
        Ok(self)
    }

    /// Checks that this robot can follow a recording.
    ///
    /// # Errors
    /// Returns the errors of [`following`](Self::following).
    pub fn can_follow(&self, course: &Course) -> Result<(), RuntimeError> {
        check_course(self, course)
    }

    /// Returns the configuration.
    pub fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// Returns cycles, modules and sources as the planner sees them.
    pub fn description(&self) -> &RobotDescription {
        &self.system
    }

    /// Returns the providers of all representations.
    pub fn resolved(&self) -> &Resolved {
        &self.resolved
    }

    /// Returns the warnings, about what deserves attention but is not an error.
    pub fn warnings(&self) -> &[Warning] {
        &self.resolved.warnings
    }

    /// Returns the plan of each cycle, with the known durations, for up to `available` workers.
    pub fn plans(&self, available: NonZeroUsize) -> Vec<Plan> {
        self.resolved
            .cycles
            .iter()
            .map(|cycle| {
                let graph = TaskGraph::of(cycle);
                let durations = self.durations(&graph);
                let options = PlanOptions { workers: self.worker_choice(&cycle.name, available), ..Default::default() };
                Plan::new(graph, &durations, &options)
            })
            .collect()
    }

    /// Returns the known durations of the tasks of a cycle.
    pub fn durations(&self, graph: &TaskGraph) -> Durations {
        durations_from(&self.profile, graph)
    }

    /// Returns the robot without the course that it follows and without the heartbeat that it calls
    /// while it runs.
    pub(crate) fn without_course(&self) -> Self {
        Self {
            configuration: self.configuration.clone(),
            modules: self.modules.clone(),
            sources: self.sources.clone(),
            system: self.system.clone(),
            resolved: self.resolved.clone(),
            profile: self.profile.clone(),
            services: self.services.clone(),
            course: Mutex::default(),
            heartbeat: Mutex::default(),
        }
    }

    pub(crate) fn no_representation(&self, name: &str) -> RuntimeError {
        RuntimeError::Unknown {
            kind: "representation that a cycle provides",
            name: name.to_owned(),
            known: self.resolved.cycles.iter().flat_map(|cycle| cycle.providers.keys().cloned()).collect(),
        }
    }

    pub(crate) fn cycle_configuration(&self, name: &str) -> Option<&CycleConfiguration> {
        self.configuration.cycles.iter().find(|cycle| cycle.name == name)
    }

    pub(crate) fn worker_choice(&self, cycle: &str, available: NonZeroUsize) -> WorkerChoice {
        let fixed = self.cycle_configuration(cycle).and_then(|cycle| cycle.workers).and_then(NonZeroUsize::new);
        fixed.map_or(WorkerChoice::Automatic { available }, WorkerChoice::Fixed)
    }

    /// Returns the modules of a cycle, active or not, in the order of its description.
    pub(crate) fn modules_of(&self, cycle: &str) -> Vec<&ModuleDescriptor> {
        let described = self.system.cycles.iter().find(|described| described.name == cycle);
        let names = described.into_iter().flat_map(|described| &described.modules).map(|module| &module.name);
        names.filter_map(|name| self.modules.iter().find(|module| module.name() == name)).collect()
    }
}

impl fmt::Debug for Robot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cycles: Vec<_> = self.resolved.cycles.iter().map(|cycle| &cycle.name).collect();
        formatter.debug_struct("Robot").field("cycles", &cycles).finish_non_exhaustive()
    }
}

/// Returns the durations that a profile has for the tasks of a graph.
pub fn durations_from(profile: &Profile, graph: &TaskGraph) -> Durations {
    let mut durations = Durations::unknown(graph.tasks().len());
    for (index, task) in graph.tasks().iter().enumerate() {
        if let Some(measured) = profile.task(graph.name(), &task.name) {
            let samples = measured
                .buckets()
                .iter()
                .map(|bucket| (Duration::from_nanos(bucket.nanoseconds), u64::from(bucket.count)))
                .collect();
            durations.set(TaskId(index as u32), TaskDuration::Samples(samples));
        }
    }
    durations
}
