//! Makes everything that a robot needs to run: blackboards, channels between them, instances, programs, workers.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hemiola_bus::exchange::queue;
use hemiola_bus::{Bus, RobotClock};
use hemiola_model::configuration::{FailurePolicy, Scheduling, Trigger as CycleTrigger};
use hemiola_model::module::StateForm;
use hemiola_model::{SourceRate, Time};
use hemiola_plan::{Consumer, Plan, ResolvedCycle};
use hemiola_realtime::{Affinity, CoreId, KernelThread, Policy, Priority, Respite, ThreadSettings};
use hemiola_trace::{Catalog, Ring, TickScale, WorkerId, by_messages};

use super::robot::Robot;
use super::sources::{publishers, source_runner};
use super::wiring::Wiring;
use crate::command::mailbox;
use crate::controls::{Controls, CycleControl, FIRST_LESSON};
use crate::cycle::{Cycle, Health};
use crate::error::RuntimeError;
use crate::executor::Executor;
use crate::follow::Transcript;
use crate::module_instance::ModuleInstance;
use crate::monitor::Monitor;
use crate::observe::parts::{self, Cut, When};
use crate::observe::runs::transcript;
use crate::observe::values::{self, WhenFull, tap};
use crate::ports::Ports;
use crate::program::{ProgramParts, build};
use crate::record::NewChanges;
use crate::robot_state::RobotState;
use crate::run::{CycleImport, Trigger};
use crate::source::{SourceRecords, SourceRunner};
use crate::watchdog::{Actuators, Demotion, Silence, Watchdog};
use crate::worker::WorkerState;

/// A robot whose parts exist and wait for somebody to run them.
pub struct Launched {
    pub cycles: Vec<Cycle>,
    pub sources: Vec<SourceRunner>,
    pub controls: Controls,
    pub monitor: Monitor,
    /// Workers that have their threads already: all but the first of each cycle.
    pub helpers: Vec<(WorkerId, KernelThread)>,
    /// If any cycle shall be watched.
    pub watchdog: Watchdog,
    pub state: Arc<RobotState>,
}

/// No cycle gets more workers than this without being asked to.
const MOST_WORKERS: usize = 8;
/// So many samples of a source are told of, if nobody listens for a while.
const SOURCE_EVENTS: usize = 4096;

pub fn launch(mut robot: Robot, clock: RobotClock) -> Result<Launched, RuntimeError> {
    let cores = std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
    let available = cores.min(NonZeroUsize::new(MOST_WORKERS).unwrap_or(cores));
    let catalog = Catalog::new("robot");
    let scale = TickScale::calibrate();
    let source_ids = robot.sources.iter().map(|source| catalog.source(source.name())).collect::<Result<Vec<_>, _>>()?;
    let heard = robot.sources.iter().map(|source| catalog.source(&by_messages(source.name())));
    let heard_ids = heard.collect::<Result<Vec<_>, _>>()?;
    let taken = std::mem::take(&mut robot.taken);
    let state = Arc::new(RobotState::new(Bus::with_timing(), clock, source_ids, heard_ids, taken));

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
    let mut wiring = Wiring::of(&robot, &catalog, &cycle_ids)?;

    let mut monitor = Monitor::new(catalog.clone(), scale.clone(), state.clock().clone());
    let plans = robot.plans(available);
    let on_failure: BTreeMap<String, FailurePolicy> =
        robot.configuration.modules.iter().map(|(name, module)| (name.clone(), module.on_failure)).collect();
    let triggers = triggers(&robot);
    let mut cycles = Vec::new();
    let mut controls = Vec::new();
    let (mut silences, mut demotions, mut all_helpers) = (Vec::new(), Vec::new(), Vec::new());
    for (index, (resolved, plan)) in robot.resolved.cycles.iter().zip(&plans).enumerate() {
        let configuration = &robot.configuration.cycles[index];
        let modules = robot.modules_of(&resolved.name);
        let instances = instances(&robot, resolved, &BTreeMap::new(), state.bus())?;
        let blackboard = &wiring.blackboards[index];
        let program = build(&ProgramParts {
            cycle: resolved,
            plan,
            modules: &modules,
            instances: &instances,
            on_failure: &on_failure,
            blackboard,
            exports: &group_exports(resolved, &wiring.exports[index])?,
            robot: &state,
            catalog: &catalog,
            cycle_id: cycle_ids[index],
        })?;
        let pool = pool_size(plan, configuration.workers, available);
        let mut executor = Executor::new();
        let (mut running, mut helpers) = (Vec::new(), Vec::new());
        for worker in 1..pool {
            let (worker_state, outputs) = WorkerState::new();
            running.push(outputs.running.clone());
            let name = format!("{} {worker}", resolved.name);
            let settings = thread_settings(&name, configuration.scheduling, &configuration.cores);
            let report = executor.add_worker(settings, worker_state)?;
            monitor.note_denials(report.denials());
            let id = catalog.worker(cycle_ids[index], worker, worker as u32 + 1)?;
            helpers.extend(report.thread);
            all_helpers.extend(report.thread.map(|thread| (id, thread)));
            monitor.add_worker(id, outputs);
        }
        let (worker, outputs) = WorkerState::new();
        running.push(outputs.running.clone());
        monitor.add_worker(catalog.worker(cycle_ids[index], 0, 0)?, outputs);
        let (mailbox, commands) = mailbox(blackboard.clone());
        let health = Arc::new(Health::default());
        let actuators: Actuators = Arc::new(Mutex::new(actuators(&instances)));
        if let Some(limit) = configuration.watchdog {
            silences.push(Silence {
                cycle: cycle_ids[index],
                limit,
                health: health.clone(),
                trigger: triggers.get(&index).cloned(),
                running: running.clone(),
                actuators: actuators.clone(),
                busy: None,
            });
        }
        if let Some(policy) = real_time_policy(configuration.scheduling) {
            demotions.push(Demotion {
                cycle: cycle_ids[index],
                policy,
                health: health.clone(),
                demoted: Vec::with_capacity(pool),
                helpers,
                running,
                scale: scale.clone(),
            });
        }
        let cycle_imports = std::mem::take(&mut wiring.imports[index])
            .into_iter()
            .map(|(from, import)| {
                let source = from.checked_sub(robot.configuration.cycles.len());
                CycleImport {
                    from: wiring.names[from].clone(),
                    import,
                    source: source.map(|source| state.source_ids()[source]),
                    is_trigger: source.is_some_and(|source| {
                        configuration.trigger == CycleTrigger::Source(robot.sources[source].name().to_owned())
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
            changes: NewChanges::default(),
            // When all have their blackboards.
            tap: None,
            transcript: None,
            checkpoints: None,
            is_resuming: false,
            respite: real_time_policy(configuration.scheduling).map(|_| Respite::default()),
        });
        controls.push(CycleControl {
            name: resolved.name.clone(),
            id: cycle_ids[index],
            blackboard: blackboard.clone(),
            mailbox: Arc::new(Mutex::new(mailbox)),
            instances,
            health,
            actuators,
            exports: wiring.exports[index].clone(),
            pool,
            next_lesson: FIRST_LESSON,
        });
    }

    let mut sources = Vec::new();
    let mut feeds = std::mem::take(&mut robot.feeds);
    for number in 0..robot.sources.len() {
        let feed = feeds.remove(robot.sources[number].name());
        let (failures, reader) = queue(64);
        let events = Ring::with_capacity(SOURCE_EVENTS);
        monitor.add_source(catalog.source_thread(state.source_ids()[number])?, events.reader(), reader);
        let records = SourceRecords { failures, events };
        let mut runner = source_runner(&robot, number, &mut wiring, &triggers, &state, records, feed)?;
        if let Some(&first) = cycle_ids.first() {
            runner.publishers = publishers(&runner, &catalog, first)?;
        }
        sources.push(runner);
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
    // A stepped clock stands still: no time of the world belongs to its times.
    let full = state.clock().due(Time::ZERO).map_or(WhenFull::Wait, |_| WhenFull::Drop);
    let mut taps = Vec::new();
    let of_cycles = cycles.iter_mut().map(|cycle| (cycle.name.as_str(), &cycle.blackboard, &mut cycle.tap));
    let of_sources = sources.iter_mut().map(|source| (source.name, &source.blackboard, &mut source.tap));
    for (node, (owner, blackboard, end)) in of_cycles.chain(of_sources).enumerate() {
        if let Some((writer, line)) = tap(owner, blackboard, &robot.taps, tap_depth(&robot, node), full) {
            *end = Some(writer);
            taps.push(line);
        }
    }
    let mut transcripts = Vec::new();
    if robot.is_transcribed {
        let order = Arc::default();
        for (cycle, inputs) in cycles.iter_mut().zip(wiring.inputs) {
            let (writer, line) = transcript(&cycle.name, inputs, &order, full);
            cycle.transcript = Some(writer);
            transcripts.push(line);
        }
    }
    // Those of a recording that is followed have their numbers already.
    let next_change = robot.transcript.as_ref().map_or(0, Transcript::next_change);
    let restarted_by_recording = robot.transcript.iter().flat_map(Transcript::restarted).collect();
    let mut checkpoints = Vec::new();
    let wanted = Arc::default();
    for cycle in &mut cycles {
        let when = match (&robot.extraction, robot.snapshot_period) {
            (Some((extracted, run)), _) if *extracted == cycle.name => When::Runs(*run),
            (None, Some(period)) => When::Every(Cut::new(Arc::clone(&wanted)), period),
            _ => continue,
        };
        let modules = modules_with_state(&robot, &cycle.name);
        let parts = (&*cycle.blackboard, &*cycle.program, cycle.imports.as_slice());
        let (writer, line) = parts::checkpoints(&cycle.name, &modules, parts, robot.sources.len(), when, full);
        cycle.checkpoints = Some(writer);
        checkpoints.push(line);
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
        taps,
        transcripts,
        next_change,
        restarted_by_recording,
        checkpoints,
    };
    let (reports, reader) = queue(16);
    monitor.set_watchdog(reader);
    let watchdog = Watchdog { silences, demotions, robot: state.clone(), reports };
    Ok(Launched { cycles, sources, controls, monitor, helpers: all_helpers, watchdog, state })
}

/// The modules that a cycle uses, or may use, and whether what they remember can be written down.
fn modules_with_state(robot: &Robot, cycle: &str) -> Vec<(&'static str, StateForm)> {
    robot.modules_of(cycle).into_iter().map(|module| (module.name(), module.state())).collect()
}

/// The nominal distance of two runs.
fn period_of(robot: &Robot, cycle: &hemiola_model::configuration::CycleConfiguration) -> Option<Duration> {
    let rate = match &cycle.trigger {
        CycleTrigger::Rate(rate) => Some(*rate),
        CycleTrigger::Topic(_) => None,
        CycleTrigger::Source(name) => return source_period(robot, name),
    };
    period(rate)
}

/// The nominal distance of two samples.
pub fn source_period(robot: &Robot, name: &str) -> Option<Duration> {
    let configured = robot.configuration.sources.get(name).and_then(|source| source.rate);
    period(configured.or_else(|| {
        let source = robot.sources.iter().find(|source| source.name() == name)?;
        match source.rate() {
            SourceRate::Hertz(rate) => Some(rate),
            SourceRate::OwnStamps => None,
        }
    }))
}

fn period(rate: Option<f64>) -> Option<Duration> {
    rate.filter(|rate| rate.is_finite() && *rate > 0.0).map(|rate| Duration::from_secs_f64(1.0 / rate))
}

/// How many values of each representation may be on their way from a cycle or, after all cycles, a source to a recorder.
pub(super) fn tap_depth(robot: &Robot, node: usize) -> usize {
    let cycles = &robot.configuration.cycles;
    match cycles.get(node) {
        Some(cycle) => values::depth(period_of(robot, cycle), values::AWAY),
        None => {
            let source = robot.sources.get(node - cycles.len());
            values::depth(source.and_then(|source| source_period(robot, source.name())), values::AWAY_FROM_SOURCE)
        }
    }
}

fn pool_size(plan: &Plan, fixed: Option<usize>, available: NonZeroUsize) -> usize {
    fixed.unwrap_or(available.get()).max(plan.workers()).clamp(1, crate::executor::MAXIMUM_WORKERS)
}

/// How a thread of that name shall run.
pub fn thread_settings(name: &str, scheduling: Scheduling, cores: &[usize]) -> ThreadSettings {
    let settings = ThreadSettings::new(name).prefaulted_stack(256 * 1024);
    let settings = match real_time_policy(scheduling) {
        Some(policy) => settings.policy(policy),
        None => settings,
    };
    if cores.is_empty() { settings } else { settings.affinity(Affinity::of(cores.iter().map(|&core| CoreId(core)))) }
}

/// None for threads that share time.
fn real_time_policy(scheduling: Scheduling) -> Option<Policy> {
    match scheduling {
        Scheduling::Fifo(level) => Some(Policy::Fifo(Priority::nearest(level))),
        Scheduling::RoundRobin(level) => Some(Policy::RoundRobin(Priority::nearest(level))),
        Scheduling::TimeSharing => None,
    }
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
    for module in robot.modules_of(&cycle.name).into_iter().filter(|module| used.contains(module.name())) {
        let instance = match existing.get(module.name()) {
            Some(instance) => instance.clone(),
            None => {
                let parameters = robot.configuration.modules.get(module.name());
                let parameters = parameters.map(|module| module.parameters.clone()).unwrap_or_default();
                let created = module.create(&parameters);
                let failed = |error| RuntimeError::of_creation(module.name(), error);
                let ports = module.updates().iter().map(|update| Ports::connect(module.name(), update, bus));
                Arc::new(ModuleInstance::new(created.map_err(failed)?, ports.collect::<Result<_, _>>()?))
            }
        };
        instances.insert(module.name(), instance);
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

/// The trigger of each cycle that a source or a topic triggers, by the cycle's number.
fn triggers(robot: &Robot) -> BTreeMap<usize, Arc<Trigger>> {
    let cycles = robot.configuration.cycles.iter().enumerate();
    cycles
        .filter(|(_, cycle)| !matches!(cycle.trigger, CycleTrigger::Rate(_)))
        .map(|(index, _)| (index, Arc::new(Trigger::default())))
        .collect()
}
