//! Makes everything that a robot needs to run: blackboards, channels between them, instances, programs, workers.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hemiola_bus::RobotClock;
use hemiola_model::configuration::{FailurePolicy, Scheduling, Trigger as CycleTrigger};
use hemiola_model::module::{ArgumentKind, Binding, Update};
use hemiola_model::{RepresentationDescriptor, SourceRate};
use hemiola_plan::{Consumer, Origin, Plan, ResolvedCycle};
use hemiola_realtime::{Affinity, CoreId, Policy, Priority, ThreadSettings};
use hemiola_trace::{Catalog, CycleId, TickScale};

use crate::blackboard::Blackboard;
use crate::blackboard::channel::{Export, Import, Line, UnboundImport, channel};
use crate::blackboard::provenance::Provenance;
use crate::blackboard::store::Store;
use crate::command::mailbox;
use crate::controls::{Controls, CycleControl, FIRST_LESSON};
use crate::cycle::{Cycle, CycleImport, Health};
use crate::error::RuntimeError;
use crate::executor::Executor;
use crate::module_instance::ModuleInstance;
use crate::monitor::Monitor;
use crate::ports::Ports;
use crate::program::{ProgramParts, build};
use crate::robot::{Robot, representations};
use crate::robot_state::RobotState;
use crate::source::{SourceExport, SourceRunner, Trigger};
use crate::watchdog::{Actuators, Watchdog, WatchedCycle};
use crate::worker::WorkerState;
use hemiola_bus::Bus;
use hemiola_bus::exchange::queue;

/// A robot whose parts exist and wait for somebody to run them.
pub struct Launched {
    pub cycles: Vec<Cycle>,
    pub sources: Vec<SourceRunner>,
    pub controls: Controls,
    pub monitor: Monitor,
    /// If any cycle shall be watched.
    pub watchdog: Option<Watchdog>,
    pub state: Arc<RobotState>,
}

/// Cycles first, then sources: all that has a blackboard.
struct Node {
    consumer: Consumer,
    provides: Vec<&'static RepresentationDescriptor>,
    /// What it may read from elsewhere, and whether as samples.
    reads: BTreeMap<&'static str, Read>,
}

struct Read {
    descriptor: &'static RepresentationDescriptor,
    samples: bool,
    /// The number of the node that it comes from.
    from: usize,
}

/// No cycle gets more workers than this without being asked to.
const MOST_WORKERS: usize = 8;

pub fn launch(robot: Robot, clock: RobotClock) -> Result<Launched, RuntimeError> {
    let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let available = cores.min(NonZeroUsize::new(MOST_WORKERS).unwrap_or(cores));
    let catalog = Catalog::new("robot");
    let scale = TickScale::calibrate();
    let nodes = nodes(&robot);
    let source_count = robot.sources.len();
    let source_ids = robot.sources.iter().map(|source| catalog.source(source.name)).collect::<Result<Vec<_>, _>>()?;
    let state = Arc::new(RobotState::new(Bus::with_timing(), clock, source_ids));

    let mut cycle_ids = Vec::new();
    for cycle in &robot.configuration.cycles {
        let period = period_of(&robot, cycle);
        let priority = match cycle.scheduling {
            Scheduling::Fifo(priority) | Scheduling::RoundRobin(priority) => i32::from(priority),
            Scheduling::TimeSharing => 0,
        };
        let described = hemiola_trace::Cycle::named(&cycle.name).deadline(cycle.deadline).period(period);
        cycle_ids.push(catalog.cycle(described.priority(priority))?);
    }
    let wiring = Wiring::of(&robot, &nodes, source_count, &catalog, &cycle_ids)?;
    let Wiring { blackboards, mut imports, exports } = wiring;

    let mut monitor = Monitor::new(catalog.clone(), scale.clone());
    let plans = robot.plans(available);
    let on_failure: BTreeMap<String, FailurePolicy> =
        robot.configuration.modules.iter().map(|(name, module)| (name.clone(), module.on_failure)).collect();
    let triggers = triggers(&robot);
    let mut cycles = Vec::new();
    let mut controls = Vec::new();
    let mut watched = Vec::new();
    for (index, (resolved, plan)) in robot.resolved.cycles.iter().zip(&plans).enumerate() {
        let configuration = &robot.configuration.cycles[index];
        let modules = robot.modules_of(&resolved.name);
        let instances = instances(&robot, resolved, &BTreeMap::new(), state.bus())?;
        let blackboard = &blackboards[index];
        let program = build(&ProgramParts {
            cycle: resolved,
            plan,
            modules: &modules,
            instances: &instances,
            on_failure: &on_failure,
            blackboard,
            exports: &group_exports(resolved, &exports[index])?,
            robot: &state,
            catalog: &catalog,
            cycle_id: cycle_ids[index],
        })?;
        let pool = pool_size(plan, configuration.workers, available);
        let mut executor = Executor::new();
        let mut running = Vec::new();
        for worker in 1..pool {
            let (worker_state, outputs) = WorkerState::new();
            running.push(outputs.running.clone());
            let name = format!("{} {worker}", resolved.name);
            let settings = thread_settings(&name, configuration.scheduling, &configuration.cores);
            let report = executor.add_worker(settings, worker_state)?;
            monitor.note_denials(report.denials());
            monitor.add_worker(catalog.worker(cycle_ids[index], worker, worker as u32 + 1)?, outputs);
        }
        let (worker, outputs) = WorkerState::new();
        running.push(outputs.running.clone());
        monitor.add_worker(catalog.worker(cycle_ids[index], 0, 0)?, outputs);
        let (mailbox, commands) = mailbox(blackboard.clone());
        let health = Arc::new(Health::default());
        let actuators: Actuators = Arc::new(Mutex::new(actuators(&instances)));
        if let Some(limit) = configuration.watchdog {
            watched.push(WatchedCycle {
                id: cycle_ids[index],
                limit,
                health: health.clone(),
                trigger: triggers.get(&index).cloned(),
                running,
                actuators: actuators.clone(),
                busy: None,
            });
        }
        let cycle_imports = std::mem::take(&mut imports[index])
            .into_iter()
            .map(|(from, import)| {
                let source = from.checked_sub(robot.configuration.cycles.len());
                CycleImport {
                    import,
                    source: source.map(|source| state.source_ids()[source]),
                    is_trigger: source.is_some_and(|source| {
                        configuration.trigger == CycleTrigger::Source(robot.sources[source].name.to_owned())
                    }),
                }
            })
            .collect();
        cycles.push(Cycle {
            name: resolved.name.clone(),
            id: cycle_ids[index],
            blackboard: blackboard.clone(),
            imports: cycle_imports,
            executor,
            program: Box::new(program),
            commands,
            worker,
            deadline: configuration.deadline,
            period: period_of(&robot, configuration),
            robot: state.clone(),
            health: health.clone(),
            scale: scale.clone(),
            last_trigger: None,
            runs: 0,
            trigger: triggers.get(&index).cloned(),
            // When all modules and sources have joined their topics.
            topic: None,
            safe_state_entered: false,
        });
        controls.push(CycleControl {
            name: resolved.name.clone(),
            id: cycle_ids[index],
            blackboard: blackboard.clone(),
            mailbox: Arc::new(Mutex::new(mailbox)),
            instances,
            health,
            actuators,
            exports: exports[index].clone(),
            pool,
            next_lesson: FIRST_LESSON,
        });
    }

    let mut sources = Vec::new();
    for (number, descriptor) in robot.sources.iter().enumerate() {
        let node = robot.configuration.cycles.len() + number;
        let blackboard = &blackboards[node];
        let configuration = robot.configuration.sources.get(descriptor.name).cloned().unwrap_or_default();
        let instance = descriptor
            .create(&configuration.parameters)
            .map_err(|errors| RuntimeError::Parameters { name: descriptor.name.to_owned(), errors })?;
        let ports = Ports::connect(descriptor.name, &descriptor.sample, state.bus())?;
        let (failures, reader) = queue(64);
        monitor.add_source(reader);
        sources.push(SourceRunner {
            name: descriptor.name,
            number,
            rate: configuration.rate.map_or(descriptor.rate, SourceRate::Hertz),
            bindings: bind_source(&descriptor.sample, blackboard, &ports)?,
            ports,
            outputs: representations(&descriptor.sample, ArgumentKind::Provides)
                .filter_map(|provided| blackboard.store_of(provided.name()))
                .collect(),
            update: descriptor.sample.clone(),
            instance,
            blackboard: blackboard.clone(),
            imports: std::mem::take(&mut imports[node]).into_iter().map(|(_, import)| import).collect(),
            exports: source_exports(&robot, descriptor.name, &exports[node], blackboard, &triggers),
            robot: state.clone(),
            provenance: Provenance::none(source_count),
            samples: 0,
            last: None,
            failures,
            settings: thread_settings(descriptor.name, configuration.scheduling, &configuration.cores),
        });
    }
    for (index, (cycle, configuration)) in cycles.iter_mut().zip(&robot.configuration.cycles).enumerate() {
        if let (CycleTrigger::Topic(topic), Some(trigger)) = (&configuration.trigger, triggers.get(&index)) {
            let listener = state.bus().listen(topic, trigger.wakeup.clone().into());
            cycle.topic = Some(listener.ok_or_else(|| RuntimeError::NoSuchTopic {
                cycle: configuration.name.clone(),
                topic: topic.clone(),
                known: state.bus().topics().into_iter().map(|topic| topic.name).collect(),
            })?);
        }
    }
    let parameters =
        robot.configuration.modules.iter().map(|(name, module)| (name.clone(), module.parameters.clone())).collect();
    let source_blackboards = sources.iter().map(|source: &SourceRunner| source.blackboard.clone()).collect();
    let controls = Controls {
        robot,
        cycles: controls,
        sources: source_blackboards,
        state: state.clone(),
        catalog,
        available,
        parameters,
    };
    let watchdog = (!watched.is_empty()).then(|| {
        let (reports, reader) = queue(16);
        monitor.set_watchdog(reader);
        Watchdog { cycles: watched, robot: state.clone(), reports }
    });
    Ok(Launched { cycles, sources, controls, monitor, watchdog, state })
}

/// The nominal distance of two runs.
fn period_of(robot: &Robot, cycle: &hemiola_model::configuration::CycleConfiguration) -> Option<Duration> {
    let rate = match &cycle.trigger {
        CycleTrigger::Rate(rate) => Some(*rate),
        CycleTrigger::Topic(_) => None,
        CycleTrigger::Source(name) => {
            robot.configuration.sources.get(name).and_then(|source| source.rate).or_else(|| {
                let source = robot.sources.iter().find(|source| source.name == name)?;
                match source.rate {
                    SourceRate::Hertz(rate) => Some(rate),
                    SourceRate::OwnStamps => None,
                }
            })
        }
    };
    rate.filter(|rate| rate.is_finite() && *rate > 0.0).map(|rate| Duration::from_secs_f64(1.0 / rate))
}

fn pool_size(plan: &Plan, fixed: Option<usize>, available: NonZeroUsize) -> usize {
    fixed.unwrap_or(available.get()).max(plan.workers()).clamp(1, crate::executor::MAXIMUM_WORKERS)
}

/// How a thread of that name shall run.
pub fn thread_settings(name: &str, scheduling: Scheduling, cores: &[usize]) -> ThreadSettings {
    let priority = |level: u8| Priority::new(level.clamp(1, 99)).unwrap_or(Priority::LOWEST);
    let settings = ThreadSettings::new(name).prefaulted_stack(256 * 1024);
    let settings = match scheduling {
        Scheduling::Fifo(level) => settings.policy(Policy::Fifo(priority(level))),
        Scheduling::RoundRobin(level) => settings.policy(Policy::RoundRobin(priority(level))),
        Scheduling::TimeSharing => settings,
    };
    if cores.is_empty() { settings } else { settings.affinity(Affinity::of(cores.iter().map(|&core| CoreId(core)))) }
}

/// Instances of all modules that a cycle uses: those that exist, and new ones.
pub fn instances(
    robot: &Robot,
    cycle: &ResolvedCycle,
    existing: &BTreeMap<&'static str, Arc<ModuleInstance>>,
    bus: &Bus,
) -> Result<BTreeMap<&'static str, Arc<ModuleInstance>>, RuntimeError> {
    let used: BTreeSet<&str> = cycle.updates.iter().map(|update| update.module.as_str()).collect();
    let mut instances = BTreeMap::new();
    for module in robot.modules_of(&cycle.name).into_iter().filter(|module| used.contains(module.name)) {
        let instance = match existing.get(module.name) {
            Some(instance) => instance.clone(),
            None => {
                let parameters = robot.configuration.modules.get(module.name);
                let parameters = parameters.map(|module| module.parameters.clone()).unwrap_or_default();
                let created = module.create(&parameters);
                let failed = |errors| RuntimeError::Parameters { name: module.name.to_owned(), errors };
                let ports = module.updates.iter().map(|update| Ports::connect(module.name, update, bus));
                Arc::new(ModuleInstance::new(created.map_err(failed)?, ports.collect::<Result<_, _>>()?))
            }
        };
        instances.insert(module.name, instance);
    }
    Ok(instances)
}

/// Those modules that have a safe state.
pub fn actuators(instances: &BTreeMap<&'static str, Arc<ModuleInstance>>) -> Vec<Arc<ModuleInstance>> {
    instances.values().filter(|instance| instance.has_safe_state()).cloned().collect()
}

/// The export of each publish group.
pub fn group_exports(cycle: &ResolvedCycle, exports: &BTreeMap<Consumer, usize>) -> Result<Vec<usize>, RuntimeError> {
    let export = |consumer: &Consumer| {
        exports.get(consumer).copied().ok_or_else(|| RuntimeError::NeedsRestart {
            what: format!("publishing from `{}` to `{consumer}`", cycle.name),
            why: "nothing was published there when the robot started".to_owned(),
        })
    };
    cycle.publishes.iter().map(|group| export(&group.consumer)).collect()
}

fn bind_source(
    sample: &Update,
    blackboard: &Arc<Blackboard>,
    ports: &Ports,
) -> Result<Box<[Binding<'static>]>, RuntimeError> {
    let bind = |(index, argument): (usize, &hemiola_model::module::ArgumentDescriptor)| {
        if let Some(port) = ports.get(index) {
            // SAFETY: the runner keeps the ports, which are boxed, as long as this reference.
            return Ok(Binding::Port(unsafe { &*std::ptr::from_ref(port) }));
        }
        let Some(representation) = argument.representation else { return Ok(Binding::Service) };
        let name = representation.name();
        let cell = match argument.kind {
            ArgumentKind::Provides => blackboard.store_of(name).map(|index| blackboard.store(index).cell()),
            _ => blackboard.imported_of(name).map(|index| blackboard.imported(index)),
        };
        let cell = cell.ok_or_else(|| RuntimeError::internal(&format!("`{name}` has no place on the blackboard")))?;
        // SAFETY: the runner keeps the blackboard that owns the cell as long as this reference.
        Ok(Binding::Cell(unsafe { &*std::ptr::from_ref(cell) }))
    };
    sample.arguments.iter().enumerate().map(bind).collect()
}

/// The trigger of each cycle that a source or a topic triggers, by the cycle's number.
fn triggers(robot: &Robot) -> BTreeMap<usize, Arc<Trigger>> {
    let cycles = robot.configuration.cycles.iter().enumerate();
    cycles
        .filter(|(_, cycle)| !matches!(cycle.trigger, CycleTrigger::Rate(_)))
        .map(|(index, _)| (index, Arc::new(Trigger::default())))
        .collect()
}

fn source_exports(
    robot: &Robot,
    source: &str,
    exports: &BTreeMap<Consumer, usize>,
    blackboard: &Blackboard,
    triggers: &BTreeMap<usize, Arc<Trigger>>,
) -> Vec<SourceExport> {
    exports
        .iter()
        .map(|(consumer, &export)| {
            let cycle =
                robot.configuration.cycles.iter().position(|cycle| *consumer == Consumer::Cycle(cycle.name.clone()));
            let triggered = cycle
                .filter(|&cycle| robot.configuration.cycles[cycle].trigger == CycleTrigger::Source(source.to_owned()));
            SourceExport {
                export,
                lines: blackboard.lines(export),
                trigger: triggered.and_then(|cycle| triggers.get(&cycle).cloned()),
            }
        })
        .collect()
}

/// All blackboards, and the channels between them.
struct Wiring {
    blackboards: Vec<Arc<Blackboard>>,
    /// Per node: where each import comes from.
    imports: Vec<Vec<(usize, Import)>>,
    exports: Vec<BTreeMap<Consumer, usize>>,
}

impl Wiring {
    fn of(
        robot: &Robot,
        nodes: &[Node],
        sources: usize,
        catalog: &Catalog,
        cycles: &[CycleId],
    ) -> Result<Self, RuntimeError> {
        let count = nodes.len();
        let capacity =
            |node: usize| robot.configuration.cycles.get(node).map_or(32, |cycle| cycle.sample_capacity.max(1));
        let mut exports: Vec<Vec<Export>> = (0..count).map(|_| Vec::new()).collect();
        let mut export_of: Vec<BTreeMap<Consumer, usize>> = vec![BTreeMap::new(); count];
        let mut unbound: Vec<Vec<(usize, UnboundImport)>> = (0..count).map(|_| Vec::new()).collect();
        let mut holds: Vec<Vec<usize>> = nodes.iter().map(|node| vec![0; node.provides.len()]).collect();
        for (consumer, node) in nodes.iter().enumerate() {
            for publisher in 0..count {
                let lines: Vec<Line> = node
                    .reads
                    .values()
                    .enumerate()
                    .filter(|(_, read)| read.from == publisher)
                    .filter_map(|(imported, read)| {
                        let provides = &nodes[publisher].provides;
                        let store = provides.iter().position(|provided| provided.name() == read.descriptor.name())?;
                        Some(Line { store, imported, samples: read.samples.then(|| capacity(consumer)) })
                    })
                    .collect();
                // A cycle that a source triggers needs its snapshots as triggers even if it reads none of its values.
                let triggers = robot.configuration.cycles.get(consumer).is_some_and(|cycle| {
                    nodes[publisher].consumer
                        == Consumer::Source(match &cycle.trigger {
                            CycleTrigger::Source(name) => name.clone(),
                            CycleTrigger::Rate(_) | CycleTrigger::Topic(_) => String::new(),
                        })
                });
                if lines.is_empty() && !triggers {
                    continue;
                }
                for line in &lines {
                    holds[publisher][line.store] += line.holds();
                }
                let name = format!("{} to {}", nodes[publisher].consumer, node.consumer);
                let publisher_id = cycles.get(publisher).copied();
                // Traces know exchanges of cycles; what comes from a source is listed with its reader, and what goes from source to
                // source with the first cycle.
                let owner = publisher_id.or(cycles.get(consumer).copied()).or(cycles.first().copied());
                let Some(owner) = owner else { continue };
                let (export, import) = channel(&lines, sources, catalog.exchange(owner, &name)?);
                export_of[publisher].insert(node.consumer.clone(), exports[publisher].len());
                exports[publisher].push(export);
                unbound[consumer].push((publisher, import));
            }
        }
        let blackboards: Vec<Arc<Blackboard>> = nodes
            .iter()
            .zip(exports)
            .zip(&holds)
            .map(|((node, exports), holds)| {
                let stores = node.provides.iter().zip(holds).map(|(descriptor, &holds)| Store::new(descriptor, holds));
                let imported: Vec<_> = node.reads.values().map(|read| read.descriptor).collect();
                Arc::new(Blackboard::new(stores.collect(), &imported, exports, sources))
            })
            .collect();
        let imports: Vec<Vec<(usize, Import)>> = unbound
            .into_iter()
            .enumerate()
            .map(|(consumer, imports)| {
                let bind = |(publisher, import): (usize, UnboundImport)| {
                    let import = import.bind(blackboards[publisher].clone());
                    // SAFETY: nothing runs yet.
                    unsafe { import.reserve(&blackboards[consumer]) };
                    (publisher, import)
                };
                imports.into_iter().map(bind).collect()
            })
            .collect();
        Ok(Self { blackboards, imports, exports: export_of })
    }
}

/// What each cycle and source may provide and read, whatever providers are chosen later.
fn nodes(robot: &Robot) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::new();
    let cycle_updates = |name: &str| -> Vec<&Update> {
        robot.modules_of(name).into_iter().flat_map(|module| &module.updates).collect()
    };
    for cycle in &robot.resolved.cycles {
        nodes.push(Node {
            consumer: Consumer::Cycle(cycle.name.clone()),
            provides: provided(&cycle_updates(&cycle.name)),
            reads: BTreeMap::new(),
        });
    }
    for source in &robot.sources {
        nodes.push(Node {
            consumer: Consumer::Source(source.name.to_owned()),
            provides: provided(&[&source.sample]),
            reads: BTreeMap::new(),
        });
    }
    for index in 0..nodes.len() {
        let (updates, resolved) = match robot.resolved.cycles.get(index) {
            Some(cycle) => (cycle_updates(&cycle.name), Some(cycle)),
            None => (vec![&robot.sources[index - robot.resolved.cycles.len()].sample], None),
        };
        let mut reads: BTreeMap<&'static str, Read> = BTreeMap::new();
        for argument in updates.iter().flat_map(|update| &update.arguments) {
            let Some(descriptor) = argument.representation else { continue };
            if argument.kind == ArgumentKind::Provides {
                continue;
            }
            let name = descriptor.name();
            let input = resolved.and_then(|cycle| cycle.inputs.iter().find(|input| input.representation == name));
            let from = match input {
                Some(input) => node_of(&nodes, &input.origin),
                // Not read from elsewhere now, but a switch of providers may change that.
                None if nodes[index].provides.iter().any(|provided| provided.name() == name) => None,
                None => provider_elsewhere(robot, &nodes, index, name),
            };
            if let Some(from) = from {
                let samples = argument.kind == ArgumentKind::Collects;
                let read = reads.entry(name).or_insert(Read { descriptor, samples, from });
                read.samples |= samples;
            }
        }
        nodes[index].reads = reads;
    }
    nodes
}

/// The node that provides a representation to a source, or to a module that is not active now.
fn provider_elsewhere(robot: &Robot, nodes: &[Node], reader: usize, name: &str) -> Option<usize> {
    let provides_now = |index: usize| match robot.resolved.cycles.get(index) {
        Some(cycle) => cycle.providers.contains_key(name),
        None => nodes[index].provides.iter().any(|provided| provided.name() == name),
    };
    let could_provide = |index: &usize| nodes[*index].provides.iter().any(|provided| provided.name() == name);
    let others = || (0..nodes.len()).filter(|&index| index != reader);
    others().find(|&index| provides_now(index)).or_else(|| others().find(could_provide))
}

fn node_of(nodes: &[Node], origin: &Origin) -> Option<usize> {
    let consumer = match origin {
        Origin::Trigger { source, .. } | Origin::Sample { source, .. } => Consumer::Source(source.clone()),
        Origin::Cycle(name) => Consumer::Cycle(name.clone()),
    };
    nodes.iter().position(|node| node.consumer == consumer)
}

fn provided(updates: &[&Update]) -> Vec<&'static RepresentationDescriptor> {
    let mut provided: Vec<&'static RepresentationDescriptor> = Vec::new();
    for descriptor in updates.iter().flat_map(|update| representations(update, ArgumentKind::Provides)) {
        if !provided.iter().any(|known| known.name() == descriptor.name()) {
            provided.push(descriptor);
        }
    }
    provided
}
