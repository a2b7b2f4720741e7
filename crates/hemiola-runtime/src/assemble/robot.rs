use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use hemiola_bus::Bus;
use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger, names_module};
use hemiola_model::module::{Access, ArgumentKind, ModuleDescriptor, PortRole, Update, registry};
use hemiola_model::{RepresentationDescriptor, SourceDescriptor};
use hemiola_plan::{
    CycleDescription, Durations, ModuleDescription, Plan, PlanOptions, Resolved, SampleDescription, SourceDescription,
    System, TaskDuration, TaskGraph, TaskId, UpdateDescription, UpdateId, Warning, WorkerChoice,
};
use hemiola_trace::Profile;

use super::course::check_course;
use super::periods::source_period;
use super::recording::Recording;
use crate::error::RuntimeError;
use crate::observe::values::TapRequest;
use crate::ports::Ports;
use crate::stand_in::Course;

/// A robot that is put together and checked, but does not run: configuration, modules, who provides what, plans.
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
    pub(crate) sources: Vec<SourceDescriptor>,
    pub(crate) system: System,
    pub(crate) resolved: Resolved,
    pub(crate) profile: Profile,
    pub(crate) taps: Vec<TapRequest>,
    /// What is written down from the beginning.
    pub(crate) recording: Recording,
    /// What it follows.
    pub(crate) course: Course,
}

/// Who provides a representation: [`Robot::provider`].
///
/// ```
/// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
/// # use hemiola_runtime::Robot;
/// # let mut configuration = Configuration::default();
/// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
/// let robot = Robot::assemble(configuration)?;
/// assert!(robot.provider("Ball").is_none()); // nobody does
/// # Ok::<(), hemiola_runtime::RuntimeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Provider {
    /// The cycle that it runs in.
    pub cycle: String,
    /// The module and its update.
    pub update: String,
    /// What the update provides besides.
    pub others: Vec<String>,
    /// What the representation is.
    pub descriptor: &'static RepresentationDescriptor,
}

impl Robot {
    /// Puts together all modules and sources that are linked into the program.
    ///
    /// # Errors
    /// The modules do not fit together; the error says all that is wrong and how to mend it.
    pub fn assemble(configuration: Configuration) -> Result<Self, RuntimeError> {
        Self::assemble_from(configuration, registry::modules(), registry::sources())
    }

    /// Puts together these modules and sources.
    ///
    /// # Errors
    /// As [`assemble`](Self::assemble).
    pub fn assemble_from(
        configuration: Configuration,
        modules: Vec<ModuleDescriptor>,
        mut sources: Vec<SourceDescriptor>,
    ) -> Result<Self, RuntimeError> {
        let enabled = |name: &str| configuration.sources.get(name).and_then(|source| source.enabled) != Some(false);
        sources.retain(|source| enabled(source.name()));
        check_updates(&modules, &sources)?;
        check_names(&modules, &sources)?;
        check_ports(&modules, &sources)?;
        let system = describe(&configuration, &modules, &sources)?;
        let resolved = hemiola_plan::resolve(&system).map_err(|problems| RuntimeError::Unresolved { problems })?;
        let modules = Arc::new(modules);
        Ok(Self {
            configuration,
            modules,
            sources,
            system,
            resolved,
            profile: Profile::default(),
            taps: Vec::new(),
            recording: Recording::default(),
            course: Course::default(),
        })
    }

    /// Uses durations measured in an earlier run for the first plan.
    #[must_use]
    pub fn with_profile(mut self, profile: Profile) -> Self {
        self.profile = profile;
        self
    }

    /// Passes values on to a recorder: see [`Tap`](crate::Tap). Replaces what was asked for before.
    ///
    /// # Errors
    /// A representation that nobody provides, or that is opaque.
    pub fn tapped(mut self, requests: Vec<TapRequest>) -> Result<Self, RuntimeError> {
        let provided = self.provided();
        for TapRequest { representation, .. } in &requests {
            let descriptor = provided.get(representation.as_str()).ok_or_else(|| RuntimeError::Unknown {
                kind: "representation",
                name: representation.clone(),
                known: provided.keys().map(|&name| name.to_owned()).collect(),
            })?;
            if descriptor.data_type().is_none() {
                return Err(RuntimeError::Opaque { name: representation.clone() });
            }
        }
        self.taps = requests;
        Ok(self)
    }

    /// Who provides a representation now; `None` if no cycle does.
    pub fn provider(&self, representation: &str) -> Option<Provider> {
        let mut cycles = self.resolved.cycles.iter();
        let (cycle, id) = cycles.find_map(|cycle| Some((cycle, cycle.providers.get(representation)?)))?;
        let update = cycle.updates.iter().find(|update| update.id == *id)?;
        Some(Provider {
            cycle: cycle.name.clone(),
            update: format!("{}.{}", update.module, update.name),
            others: update.provides.iter().filter(|name| *name != representation).cloned().collect(),
            descriptor: self.provided().remove(representation)?,
        })
    }

    /// Writes down, from its beginning, what its runs begin with. Replaces what was asked for before.
    ///
    /// ```
    /// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
    /// # use hemiola_runtime::{Course, Recording, Robot, Script};
    /// # use std::time::Duration;
    /// # let robot = || {
    /// #     let mut configuration = Configuration::default();
    /// #     configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
    /// #     Robot::assemble(configuration)
    /// # };
    /// let mut stepper = robot()?.recorded(Recording::of_runs()).into_stepper()?;
    /// let mut tap = stepper.handle().take_tap().expect("something is to be recorded");
    /// stepper.run_for(Duration::from_secs(1));
    ///
    /// let script = Script::of(std::iter::from_fn(|| tap.next_run()));
    /// let mut again = robot()?.following(Course::of(script))?.into_stepper()?;
    /// while again.step().is_some() {}
    /// assert_eq!(again.now(), stepper.now());
    /// # Ok::<(), hemiola_runtime::RuntimeError>(())
    /// ```
    #[must_use]
    pub fn recorded(mut self, recording: Recording) -> Self {
        self.recording = recording;
        self
    }

    /// Follows a recording instead of deciding by itself what runs when, and on what. Replaces what it was to
    /// follow before.
    ///
    /// # Errors
    /// [`RuntimeError::Unknown`]: there is no such source, or no cycle provides such a representation.
    /// [`RuntimeError::OtherRobot`]: the recording's cycles or what they read from each other are not this
    /// robot's, or a source that they read from has no feed.
    pub fn following(mut self, course: Course) -> Result<Self, RuntimeError> {
        self.can_follow(&course)?;
        self.course = course;
        Ok(self)
    }

    /// Whether this robot can follow a recording.
    ///
    /// # Errors
    /// The same as of [`following`](Self::following).
    pub fn can_follow(&self, course: &Course) -> Result<(), RuntimeError> {
        check_course(self, course)
    }

    /// What each source provides, by its name.
    pub fn samples(&self) -> Vec<(&'static str, Vec<&'static RepresentationDescriptor>)> {
        let sources = self.sources.iter();
        sources
            .map(|source| (source.name(), representations(source.sample(), ArgumentKind::Provides).collect()))
            .collect()
    }

    /// The sources, each with the distance of two samples if the framework paces it.
    pub fn source_periods(&self) -> Vec<(&'static str, Option<Duration>)> {
        self.sources.iter().map(|source| (source.name(), source_period(self, source.name()))).collect()
    }

    /// The names of all representations that somebody provides and that can leave the process.
    pub fn recordable(&self) -> Vec<String> {
        let provided = self.provided().into_values();
        provided.filter(|descriptor| descriptor.data_type().is_some()).map(|it| it.name().to_owned()).collect()
    }

    /// The names of all topics that a module or source publishes or subscribes to.
    pub fn topics(&self) -> Vec<&'static str> {
        topics(&self.modules, &self.sources).into_iter().collect()
    }

    /// Which of the updates that run publish or subscribe to what.
    pub fn topic_ends(&self) -> Vec<TopicEnd> {
        let mut ends = Vec::new();
        for (cycle, resolved) in self.resolved.cycles.iter().enumerate() {
            let modules = self.modules_of(&resolved.name);
            for update in &resolved.updates {
                let ports = modules[update.id.module].updates()[update.id.update].arguments().iter();
                let ports = ports.filter_map(|argument| argument.port());
                ends.extend(ports.map(|port| TopicEnd {
                    topic: port.name(),
                    cycle,
                    update: update.id,
                    role: port.role(),
                }));
            }
        }
        ends.retain(|end| end.role != PortRole::Calls);
        ends
    }

    /// The topics that a source publishes to.
    pub fn told_by(&self, source: &str) -> Vec<&'static str> {
        let arguments =
            self.sources.iter().filter(|known| known.name() == source).flat_map(|it| it.sample().arguments());
        let ports = arguments.filter_map(|argument| argument.port());
        ports.filter(|port| port.role() == PortRole::Publishes).map(|port| port.name()).collect()
    }

    /// What a representation is that somebody provides.
    pub fn representation(&self, name: &str) -> Option<&'static RepresentationDescriptor> {
        self.provided().get(name).copied()
    }

    /// What the messages of a topic are that a module publishes or subscribes to.
    pub fn message(&self, topic: &str) -> Option<&'static RepresentationDescriptor> {
        let arguments = self.modules.iter().flat_map(|module| module.updates()).flat_map(|update| update.arguments());
        let mut ports = arguments.filter_map(|argument| argument.port());
        ports.find(|port| port.name() == topic).and_then(|port| port.message())
    }

    /// What the cycles and sources provide now.
    fn provided(&self) -> BTreeMap<&'static str, &'static RepresentationDescriptor> {
        let samples = self.sources.iter().map(|source| source.sample());
        let sampled = samples.flat_map(|sample| representations(sample, ArgumentKind::Provides));
        let by_cycles = self.resolved.cycles.iter().flat_map(|cycle| {
            let updates = self.modules_of(&cycle.name).into_iter().flat_map(|module| module.updates());
            let provided = updates.flat_map(|update| representations(update, ArgumentKind::Provides));
            provided.filter(|descriptor| cycle.providers.contains_key(descriptor.name())).collect::<Vec<_>>()
        });
        sampled.chain(by_cycles).map(|descriptor| (descriptor.name(), descriptor)).collect()
    }

    /// The configuration.
    pub fn configuration(&self) -> &Configuration {
        &self.configuration
    }

    /// Cycles, modules and sources as the planner sees them.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// Who provides what.
    pub fn resolved(&self) -> &Resolved {
        &self.resolved
    }

    /// What is worth a look, though nothing is wrong.
    pub fn warnings(&self) -> &[Warning] {
        &self.resolved.warnings
    }

    /// The plan of each cycle, with the durations that are known, for up to `available` workers.
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

    /// What is known of the durations of a cycle's tasks.
    pub fn durations(&self, graph: &TaskGraph) -> Durations {
        durations_from(&self.profile, graph)
    }

    pub(crate) fn cycle_configuration(&self, name: &str) -> Option<&CycleConfiguration> {
        self.configuration.cycles.iter().find(|cycle| cycle.name == name)
    }

    pub(crate) fn worker_choice(&self, cycle: &str, available: NonZeroUsize) -> WorkerChoice {
        let fixed = self.cycle_configuration(cycle).and_then(|cycle| cycle.workers).and_then(NonZeroUsize::new);
        fixed.map_or(WorkerChoice::Automatic { available }, WorkerChoice::Fixed)
    }

    /// The modules of a cycle, active or not, in the order of its description.
    pub(crate) fn modules_of(&self, cycle: &str) -> Vec<&ModuleDescriptor> {
        let described = self.system.cycles.iter().find(|described| described.name == cycle);
        let names = described.into_iter().flat_map(|described| &described.modules).map(|module| &module.name);
        names.filter_map(|name| self.modules.iter().find(|module| module.name() == name)).collect()
    }
}

/// An update's end of a topic: [`Robot::topic_ends`].
///
/// ```
/// use hemiola_model::module::PortRole;
/// use hemiola_plan::UpdateId;
/// use hemiola_runtime::TopicEnd;
///
/// let update = UpdateId { module: 0, update: 0 };
/// let end = TopicEnd { topic: "WhistleHeard", cycle: 0, update, role: PortRole::Publishes };
/// assert_ne!(end.role, PortRole::Subscribes);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TopicEnd {
    /// The topic.
    pub topic: &'static str,
    /// The place of the update's cycle among those of [`Robot::resolved`].
    pub cycle: usize,
    /// The update.
    pub update: UpdateId,
    /// Whether it publishes or subscribes.
    pub role: PortRole,
}

impl fmt::Debug for Robot {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cycles: Vec<_> = self.resolved.cycles.iter().map(|cycle| &cycle.name).collect();
        formatter.debug_struct("Robot").field("cycles", &cycles).finish_non_exhaustive()
    }
}

/// What a profile knows of the durations of a graph's tasks.
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

/// Which modules of all belong to a cycle.
fn select<'m>(
    cycle: &CycleConfiguration,
    modules: &'m [ModuleDescriptor],
) -> Result<Vec<&'m ModuleDescriptor>, RuntimeError> {
    if cycle.modules.is_empty() {
        return Ok(modules.iter().collect());
    }
    for pattern in &cycle.modules {
        if !modules.iter().any(|module| names_module(pattern, module.name(), module.path())) {
            return Err(RuntimeError::NoSuchModule { cycle: cycle.name.clone(), pattern: pattern.clone() });
        }
    }
    Ok(modules.iter().filter(|module| cycle.runs(module.name(), module.path())).collect())
}

fn describe(
    configuration: &Configuration,
    modules: &[ModuleDescriptor],
    sources: &[SourceDescriptor],
) -> Result<System, RuntimeError> {
    let mut system = System { providers: configuration.providers.clone(), ..System::default() };
    let mut used = Vec::new();
    for cycle in &configuration.cycles {
        let selected = select(cycle, modules)?;
        used.extend(selected.iter().map(|module| module.name()));
        let trigger = match &cycle.trigger {
            Trigger::Rate(_) => hemiola_plan::Trigger::Rate,
            Trigger::Topic(topic) => {
                let known = topics(modules, sources);
                if !known.contains(topic.as_str()) {
                    return Err(RuntimeError::NoSuchTopic {
                        cycle: cycle.name.clone(),
                        topic: topic.clone(),
                        known: known.into_iter().map(str::to_owned).collect(),
                    });
                }
                hemiola_plan::Trigger::Rate
            }
            Trigger::Source(name) => {
                if !sources.iter().any(|source| source.name() == name) {
                    return Err(RuntimeError::NoSuchSource {
                        cycle: cycle.name.clone(),
                        source_name: name.clone(),
                        known: sources.iter().map(|source| source.name().to_owned()).collect(),
                    });
                }
                hemiola_plan::Trigger::Sample { source: name.clone(), sample: SAMPLE.to_owned() }
            }
        };
        let modules = selected.into_iter().map(describe_module).collect();
        system.cycles.push(CycleDescription { name: cycle.name.clone(), modules, trigger });
    }
    system.sources = sources.iter().map(describe_source).collect();
    system.spare = modules.iter().filter(|module| !used.contains(&module.name())).map(describe_module).collect();
    Ok(system)
}

/// The topics that any of them publishes or subscribes to.
fn topics(modules: &[ModuleDescriptor], sources: &[SourceDescriptor]) -> BTreeSet<&'static str> {
    let updates =
        modules.iter().flat_map(|module| module.updates()).chain(sources.iter().map(|source| source.sample()));
    let ports = updates.flat_map(|update| update.arguments()).filter_map(|argument| argument.port());
    ports.filter(|port| port.role() != PortRole::Calls).map(|port| port.name()).collect()
}

/// A source is one stream of samples.
pub(crate) const SAMPLE: &str = "sample";

fn describe_module(module: &ModuleDescriptor) -> ModuleDescription {
    let mut description = ModuleDescription::new(module.name()).at(module.location());
    for update in module.updates() {
        let access = match update.access() {
            Access::Exclusive => hemiola_plan::Access::Exclusive,
            Access::Concurrent => hemiola_plan::Access::Concurrent,
        };
        description = description.with(
            UpdateDescription::new(update.name(), access)
                .requires(names(update, ArgumentKind::Requires))
                .uses(names(update, ArgumentKind::Uses))
                .collects(names(update, ArgumentKind::Collects))
                .provides(names(update, ArgumentKind::Provides)),
        );
    }
    description
}

fn describe_source(source: &SourceDescriptor) -> SourceDescription {
    let reads = [ArgumentKind::Requires, ArgumentKind::Uses, ArgumentKind::Collects];
    let sample = SampleDescription {
        name: SAMPLE.to_owned(),
        provides: names(source.sample(), ArgumentKind::Provides).collect(),
        reads: reads.into_iter().flat_map(|kind| names(source.sample(), kind)).collect(),
    };
    SourceDescription { name: source.name().to_owned(), samples: vec![sample] }
}

/// The names of the representations that an update asks for in this way.
pub(crate) fn names(update: &Update, kind: ArgumentKind) -> impl Iterator<Item = String> + '_ {
    representations(update, kind).map(|representation| representation.name().to_owned())
}

/// The representations that an update asks for in this way.
pub(crate) fn representations(
    update: &Update,
    kind: ArgumentKind,
) -> impl Iterator<Item = &'static RepresentationDescriptor> + '_ {
    update
        .arguments()
        .iter()
        .filter(move |argument| argument.kind() == kind)
        .filter_map(|argument| argument.representation())
}

/// Whether all updates and sample methods can be called.
fn check_updates(modules: &[ModuleDescriptor], sources: &[SourceDescriptor]) -> Result<(), RuntimeError> {
    let of_modules = modules.iter().flat_map(ModuleDescriptor::refusals);
    let refusals: Vec<_> = of_modules.chain(sources.iter().filter_map(SourceDescriptor::refusal)).collect();
    if refusals.is_empty() { Ok(()) } else { Err(RuntimeError::Refused { refusals }) }
}

/// Representations are known by name: one name, one type.
fn check_names(modules: &[ModuleDescriptor], sources: &[SourceDescriptor]) -> Result<(), RuntimeError> {
    let mut known: BTreeMap<&str, &RepresentationDescriptor> = BTreeMap::new();
    let updates =
        modules.iter().flat_map(|module| module.updates()).chain(sources.iter().map(|source| source.sample()));
    for representation in updates.flat_map(|update| update.arguments()).filter_map(|argument| argument.representation())
    {
        let first = known.entry(representation.name()).or_insert(representation);
        if **first != *representation {
            return Err(RuntimeError::SameName { name: representation.name().to_owned() });
        }
    }
    Ok(())
}

/// Topics and services are known by name, too: one name, one type of messages, or of requests and answers.
fn check_ports(modules: &[ModuleDescriptor], sources: &[SourceDescriptor]) -> Result<(), RuntimeError> {
    let bus = Bus::new();
    let updates = modules.iter().flat_map(|module| module.updates().iter().map(|update| (module.name(), update)));
    let samples = sources.iter().map(|source| (source.name(), source.sample()));
    // A topic exists as long as somebody holds it: they must all be there at once.
    let connected = updates.chain(samples).map(|(owner, update)| Ports::connect(owner, update, &bus));
    connected.collect::<Result<Vec<_>, _>>().map(drop)
}
