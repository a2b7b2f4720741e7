//! A robot during its assembly: what all its parts are created from, and what they contribute to
//! others.

#![expect(unsafe_code, reason = "making a witness is a promise: nothing runs yet")]

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use hemiola_bus::{Bus, RobotClock};
use hemiola_model::configuration::{Configuration, FailurePolicy, Scheduling, Trigger as CycleTrigger};
use hemiola_model::module::{ArgumentKind, BetweenRuns};
use hemiola_plan::Plan;
use hemiola_realtime::{KernelThread, Wakeup};
use hemiola_trace::{Catalog, CycleId, TickScale, WorkerId, by_messages, to_topic};

use super::feedback::feedback;
use super::periods::period_of;
use super::robot::{Robot, representations};
use super::wiring::{Wiring, most_samples};
use crate::coherence::Coherence;
use crate::error::RuntimeError;
use crate::inlet::{Intake, SourceInlet, inlet};
use crate::monitor::Monitor;
use crate::origins::TopicInlet;
use crate::robot_state::RobotState;
use crate::run::Trigger;
use crate::script::Script;
use crate::stand_in::Taken;
use crate::sync::AtomicU64;
use crate::watchdog::{Demotion, Silence};

/// A robot during its assembly.
pub(super) struct Assembly<'r> {
    pub robot: &'r Robot,
    pub state: Arc<RobotState>,
    pub catalog: Catalog,
    pub scale: TickScale,
    /// The number of workers that a cycle may have unless it asks for more.
    pub available: NonZeroUsize,
    /// The numbers of the cycles in traces.
    pub cycle_ids: Vec<CycleId>,
    /// The triggers, by the number of the cycle that they trigger.
    pub triggers: BTreeMap<usize, Arc<Trigger>>,
    pub plans: Vec<Plan>,
    pub on_failure: BTreeMap<String, FailurePolicy>,
    pub wiring: Wiring,
    /// The receiving ends of sources that are fed from outside, by their numbers.
    pub intakes: BTreeMap<usize, Intake>,
    /// The sources whose values are read together.
    pub coherences: Coherences,
    /// The witness that none of the robot's cycles and sources runs during the assembly.
    pub between: BetweenRuns<'static>,
    /// The counter that orders the runs of all cycles, for observers.
    pub order: Arc<AtomicU64>,
    pub monitor: Monitor,
    pub silences: Vec<Silence>,
    pub demotions: Vec<Demotion>,
    /// The workers that already have their threads.
    pub helpers: Vec<(WorkerId, KernelThread)>,
}

/// The maximum number of workers that a cycle gets without asking for more.
const MOST_WORKERS: usize = 8;

impl<'r> Assembly<'r> {
    pub fn of(
        robot: &'r Robot,
        clock: RobotClock,
        taken: Taken,
        script: Option<&Script>,
    ) -> Result<Self, RuntimeError> {
        let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let available = cores.min(NonZeroUsize::new(MOST_WORKERS).unwrap_or(cores));
        let catalog = Catalog::new("robot");
        let scale = TickScale::calibrate();
        let (coherences, triggers) = (coherences(robot), triggers(robot));
        for coherence in coherences.values() {
            coherence.notify(triggered_together(robot, coherence, &coherences, &triggers));
        }
        let (inlets, intakes) = inlets(robot, &coherences)?;
        let state = robot_state(robot, &catalog, &scale, clock, taken)?.with_inlets(inlets);
        let cycle_ids = cycle_ids(robot, &catalog)?;
        let topic_inlets = topic_inlets(robot, &catalog, &state, &cycle_ids)?;
        let state = Arc::new(state.with_topic_inlets(topic_inlets));
        let modules = robot.configuration.modules.iter();
        let mut monitor = Monitor::new(catalog.clone(), scale.clone(), state.clock().clone());
        monitor.set_faults(state.faults().clone());
        // SAFETY: nothing runs yet, and nothing starts while this exists: what is created here is
        // started when everything is there.
        let mut between = unsafe { BetweenRuns::assume() };
        Ok(Self {
            wiring: Wiring::of(robot, &catalog, &cycle_ids, script, &coherences, &mut between)?,
            intakes,
            coherences,
            between,
            order: Arc::default(),
            monitor,
            plans: robot.plans(available),
            on_failure: modules.map(|(name, module)| (name.clone(), module.on_failure)).collect(),
            triggers,
            silences: Vec::new(),
            demotions: Vec::new(),
            helpers: Vec::new(),
            robot,
            state,
            catalog,
            scale,
            available,
            cycle_ids,
        })
    }
}

fn robot_state(
    robot: &Robot,
    catalog: &Catalog,
    scale: &TickScale,
    clock: RobotClock,
    taken: Taken,
) -> Result<RobotState, RuntimeError> {
    let begins = robot.begins();
    let source_ids = begins.iter().map(|begin| catalog.source(begin)).collect::<Result<Vec<_>, _>>()?;
    let heard = begins.iter().map(|begin| catalog.source(&by_messages(begin)));
    let heard_ids = heard.collect::<Result<Vec<_>, _>>()?;
    let bus = Bus::timed_by(scale.clone());
    robot.configuration.served_elsewhere.iter().for_each(|service| bus.leave_service(service));
    // Modules connect to services that are declared by then.
    robot.services.iter().for_each(|service| service.allow(&bus));
    Ok(RobotState::new(bus, clock, source_ids, heard_ids, taken).with_feedback(feedback(robot)))
}

/// The coherence of sources whose values are read together, by their numbers among all nodes.
pub(super) type Coherences = BTreeMap<usize, Arc<Coherence>>;

/// Finds the sources that receive what one cycle or source of another process provides. Those of
/// which somebody collects all samples are read for themselves.
fn coherences(robot: &Robot) -> Coherences {
    let collected = most_samples(robot);
    let mut together: BTreeMap<(String, &str), Vec<usize>> = BTreeMap::new();
    for incoming in robot.configuration.incoming() {
        let node = robot.sources.iter().position(|source| source.name() == incoming.source);
        let node = node.filter(|number| !collected.contains_key(number));
        if let (Some(number), Some(provider)) = (node, &incoming.received.provider) {
            let node = robot.configuration.cycles.len() + number;
            together.entry((incoming.carrier, provider)).or_default().push(node);
        }
    }
    let several = together.into_values().filter(|nodes| nodes.len() > 1);
    several
        .flat_map(|nodes| {
            let coherence = Arc::new(Coherence::default());
            nodes.into_iter().map(move |node| (node, coherence.clone()))
        })
        .collect()
}

/// Returns the events on which the cycles sleep that wait for one of these values.
fn triggered_together(
    robot: &Robot,
    coherence: &Arc<Coherence>,
    coherences: &Coherences,
    triggers: &BTreeMap<usize, Arc<Trigger>>,
) -> Vec<Arc<Wakeup>> {
    let Configuration { cycles, .. } = &robot.configuration;
    let nodes = coherences.iter().filter(|(_, known)| *known == coherence);
    let names: Vec<_> = nodes.map(|(node, _)| robot.sources[node - cycles.len()].name()).collect();
    let waits = |cycle: &usize| matches!(&cycles[*cycle].trigger, CycleTrigger::Source(source) if names.contains(&source.as_str()));
    triggers.iter().filter(|(cycle, _)| waits(cycle)).map(|(_, trigger)| trigger.wakeup.clone()).collect()
}

/// The ends of inlets: by the name of the source, and by its number.
type Inlets = (BTreeMap<&'static str, SourceInlet>, BTreeMap<usize, Intake>);

/// Creates both ends of the inlet of each source that is fed from outside.
fn inlets(robot: &Robot, coherences: &Coherences) -> Result<Inlets, RuntimeError> {
    let (mut inlets, mut intakes) = (BTreeMap::new(), BTreeMap::new());
    let most = most_samples(robot);
    let cycles = robot.configuration.cycles.len();
    for (number, source) in robot.sources.iter().enumerate().filter(|(_, source)| source.is_fed()) {
        let coherence = coherences.get(&(cycles + number));
        for representation in representations(source.sample(), ArgumentKind::Provides) {
            let (inlet, intake) = inlet(representation, most.get(&number).copied().unwrap_or(1), coherence.cloned())?;
            inlets.insert(source.name(), inlet);
            intakes.insert(number, intake);
        }
    }
    Ok((inlets, intakes))
}

/// Creates the inlets of topics that come from other processes. Traces list these exchanges with a
/// cycle, like all others.
fn topic_inlets(
    robot: &Robot,
    catalog: &Catalog,
    state: &RobotState,
    cycles: &[CycleId],
) -> Result<BTreeMap<String, TopicInlet>, RuntimeError> {
    let Some(&listed_with) = cycles.first() else { return Ok(BTreeMap::new()) };
    let received = robot.received_topics().into_iter().zip(robot.sources.len()..);
    let inlet = |((begin, topic), number): ((String, &'static str), usize)| {
        let exchange = catalog.exchange(listed_with, &to_topic(&begin, topic))?;
        let inlet = TopicInlet::new(state.origins().of(topic), number, state.shape(), exchange);
        Ok((begin, inlet))
    };
    received.map(inlet).collect()
}

fn cycle_ids(robot: &Robot, catalog: &Catalog) -> Result<Vec<CycleId>, RuntimeError> {
    let described = robot.configuration.cycles.iter().map(|cycle| {
        let priority = match cycle.scheduling {
            Scheduling::Fifo(priority) | Scheduling::RoundRobin(priority) => i32::from(priority),
            Scheduling::Reservation { .. } | Scheduling::TimeSharing => 0,
        };
        let described = hemiola_trace::Cycle::named(&cycle.name);
        described.deadline(cycle.deadline).period(period_of(robot, cycle)).priority(priority)
    });
    Ok(described.map(|cycle| catalog.cycle(cycle)).collect::<Result<_, _>>()?)
}

/// Creates the trigger of each cycle that a source or a topic triggers, by the number of the cycle.
fn triggers(robot: &Robot) -> BTreeMap<usize, Arc<Trigger>> {
    let cycles = robot.configuration.cycles.iter().enumerate();
    cycles
        .filter(|(_, cycle)| !matches!(cycle.trigger, CycleTrigger::Rate(_)))
        .map(|(index, _)| (index, Arc::new(Trigger::default())))
        .collect()
}
