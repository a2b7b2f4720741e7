//! A cycle's plan bound to its blackboard and module instances, which the executor runs.

#![expect(unsafe_code, reason = "what values come from is read by tasks that the plan orders")]

mod build;
mod ends;
mod lineage;
mod update;

use std::ops::Deref;
use std::sync::Arc;

use hemiola_model::module::cell::Cell;
use hemiola_model::module::{BetweenRuns, Inlet, Place, PortCell, PortRole, Scope};
use hemiola_model::{RepresentationDescriptor, Time};
use hemiola_trace::{Core, CycleId, Event, ExchangeId, PlanId, Stamp, TaskId, Ticks};

use crate::blackboard::Blackboard;
use crate::blackboard::provenance::Provenance;
use crate::blackboard::store::Store;
use crate::executor::{ExecutableGraph, Tasks};
use crate::module_instance::ModuleInstance;
use crate::origins::{PUBLISHERS, index_of};
use crate::record::MessageRecord;
use crate::robot_state::RobotState;
use crate::run::{CycleImport, Repeated};
use crate::worker::WorkerState;

pub use build::{ProgramParts, build, outlive_cell, outlive_port, outlive_store};
pub use ends::{PublisherEnd, Received, SubscriptionEnd};
use lineage::Lineage;
use update::UpdateTask;

/// The parts on which, and with which, a run of a cycle computes.
#[derive(Clone, Copy)]
pub struct World<'r> {
    pub blackboard: &'r Blackboard,
    pub program: &'r Program,
    pub imports: &'r [CycleImport],
}

/// A program, and the graph by which it is run. It is replaced as a whole when a provider is
/// switched or priorities change.
///
/// A run has the graph to itself, and shares the program with all workers, so the two are separate.
pub struct Planned {
    pub graph: ExecutableGraph,
    pub program: Program,
}

impl Deref for Planned {
    type Target = Program;

    fn deref(&self) -> &Program {
        &self.program
    }
}

/// A program: a plan bound to a blackboard and module instances.
pub struct Program {
    pub plan: PlanId,
    cycle: CycleId,
    tasks: Box<[Task]>,
    /// The ends of topics and services that its updates hold.
    ports: Box<[ProgramPort]>,
    /// The stores whose previous value is used.
    aging: Box<[usize]>,
    lineage: Lineage,
    /// The imports that its updates read.
    reads: Box<[usize]>,
    /// The task that provides each store's value, if one does.
    providers: Box<[Option<usize>]>,
    blackboard: Arc<Blackboard>,
    robot: Arc<RobotState>,
    /// The outputs that are not read, because another module was chosen to provide them.
    _discarded: DiscardedStores,
    /// The instances, each listed once.
    instances: Box<[Arc<ModuleInstance>]>,
    /// The instances that have a safe state.
    actuators: Box<[Arc<ModuleInstance>]>,
}

struct ProgramPort {
    cell: &'static PortCell,
    /// The topic; of a client, the one that has its answers.
    topic: &'static str,
    /// The number of earlier ends of the same topic.
    number: u32,
    role: PortRole,
    /// The descriptor of the messages.
    message: Option<&'static RepresentationDescriptor>,
    /// The number among the program's subscriptions, if it is one.
    subscription: Option<usize>,
}

impl ProgramPort {
    fn repeat_run(&self, messages: &[MessageRecord], between: &mut BetweenRuns<'_>) -> bool {
        let is_own = |record: &&MessageRecord| *record.topic == *self.topic && record.subscriber == self.number;
        let wanted: Vec<_> = messages.iter().filter(is_own).map(MessageRecord::inlet).collect();
        self.cell.repeat_run(between, &wanted)
    }
}

struct Task {
    body: Body,
    trace: TaskId,
}

enum Body {
    Update(Box<UpdateTask>),
    /// Publishes an export: line and providing task of each value. Values for a source leave the
    /// robot's software.
    Publish {
        export: usize,
        lines: Box<[(usize, usize)]>,
        to_source: bool,
    },
}

/// Stores that are discarded, in boxes, so that their addresses do not change while the list grows.
pub type DiscardedStores = Vec<Box<Store>>;
/// A cell on the program's blackboard, or of one of its discarded stores.
type CellRef = &'static Cell;
/// A store on the program's blackboard, or a discarded one.
pub type StoreRef = &'static Store;

impl Program {
    /// Prepares a run: messages, previous values, and the origins of values. In a replay the
    /// messages are those of the recording, if they are there. Calls `tell` for the publishers'
    /// runs of which something new was received.
    ///
    /// Called after the imports were read.
    pub fn begin_run(
        &self,
        messages: Option<&[MessageRecord]>,
        between: &mut BetweenRuns<'_>,
        tell: &mut dyn FnMut(ExchangeId, u32),
    ) -> Repeated {
        let mut are_there = true;
        self.lineage.look(between);
        for port in &self.ports {
            match messages {
                None => port.cell.begin_run(between),
                Some(messages) => are_there &= port.repeat_run(messages, between),
            }
        }
        for port in &self.ports {
            if let Some(subscription) = port.subscription {
                let mut next = [0; PUBLISHERS];
                let mut note = |inlet: Inlet| {
                    if let Some(next) = index_of(inlet.place).and_then(|index| next.get_mut(index)) {
                        *next = inlet.end();
                    }
                };
                port.cell.port(between).inlets(&mut note);
                self.lineage.hear(subscription, |index| next[index], between, tell);
            }
        }
        for &store in &self.aging {
            self.blackboard.store(store).age(between);
        }
        self.lineage.begin_run(&self.blackboard.frame().imported, between);
        if are_there { Repeated::Exactly } else { Repeated::OtherMessages }
    }

    /// Replaces another program. An import that this one reads and the other one did not, and of
    /// which nothing has arrived, shows its default as stale.
    pub fn succeed(&self, before: &Self, between: &mut BetweenRuns<'_>) {
        for &import in self.reads.iter().filter(|import| !before.reads.contains(import)) {
            let imported = self.blackboard.imported(import);
            if !imported.has_arrived(between) {
                imported.show_default(between);
            }
        }
    }

    /// Calls `tell` for what each of its subscriptions received, and each of its clients.
    pub fn received(&self, between: &BetweenRuns<'_>, tell: &mut dyn FnMut(Received)) {
        let receiving = self.ports.iter().filter(|port| port.role != PortRole::Publishes);
        for &ProgramPort { cell, topic, number: subscriber, .. } in receiving {
            if let Some(record) = cell.port(between).record() {
                record.received(&mut |inlet| tell(Received { topic, subscriber, inlet }));
            }
        }
    }

    /// Lets the clients of services receive what a replay publishes from now on.
    pub fn prepare_to_repeat(&self, between: &mut BetweenRuns<'_>) {
        let clients = self.ports.iter().filter(|port| port.role == PortRole::Calls);
        clients.for_each(|client| _ = client.cell.repeat_run(between, &[]));
    }

    /// Returns the instance of a module, if it is used.
    pub fn instance(&self, module: &str) -> Option<&ModuleInstance> {
        self.instances.iter().find(|instance| instance.name() == module).map(|instance| &**instance)
    }

    /// Returns whether the previous value of a store is used.
    pub fn ages(&self, store: usize) -> bool {
        self.aging.contains(&store)
    }

    /// Returns the origins of a store's value in the run before this one, whose tasks have not
    /// begun.
    pub fn provenance_before<'b>(
        &'b self,
        store: usize,
        run: u32,
        between: &'b BetweenRuns<'_>,
    ) -> Option<&'b Provenance> {
        self.providers[store].map(|task| self.lineage.before(task, run, between))
    }

    /// Notes the origins of a store's value in that run.
    pub fn restore_provenance(&self, store: usize, run: u32, provenance: &Provenance, between: &mut BetweenRuns<'_>) {
        if let Some(task) = self.providers[store] {
            self.lineage.restore(task, run, provenance, between);
        }
    }

    /// Returns all subscriptions of the cycle.
    pub fn subscriptions(&self, between: &BetweenRuns<'_>) -> Vec<SubscriptionEnd> {
        let subscribing = self.ports.iter().filter(|port| port.role == PortRole::Subscribes);
        let described = |port: &ProgramPort| {
            let recorded = port.cell.port(between).record().and(port.message);
            recorded.and_then(RepresentationDescriptor::data_type)
        };
        let end =
            |port: &ProgramPort| SubscriptionEnd { topic: port.topic, number: port.number, data_type: described(port) };
        subscribing.map(end).collect()
    }

    /// Returns all publishers of the cycle.
    pub fn publishers(&self, between: &BetweenRuns<'_>) -> Vec<PublisherEnd> {
        let publishing = self.ports.iter().filter(|port| port.role == PortRole::Publishes);
        let end = |port: &ProgramPort| {
            let Some(Place::Cycle(place)) = port.cell.port(between).place() else { return None };
            Some(PublisherEnd { topic: port.topic, number: port.number, place })
        };
        publishing.filter_map(end).collect()
    }

    /// Returns the number of the next message of a publisher.
    pub fn published(&self, topic: &str, number: u32, between: &BetweenRuns<'_>) -> u64 {
        self.port_cell(topic, number).map_or(0, |port| port.port(between).published())
    }

    /// Returns an end of a topic.
    pub fn port_cell(&self, topic: &str, number: u32) -> Option<&PortCell> {
        self.port(topic, number).map(|port| port.cell)
    }

    /// Returns the number of ends of the same topic that precede the one of an update's argument.
    pub fn port_number(&self, module: &str, update: usize, argument: usize) -> Option<u32> {
        let cell = self.instance(module)?.ports(update)?.get(argument)?;
        self.ports.iter().find(|port| std::ptr::eq(port.cell, cell)).map(|port| port.number)
    }

    fn port(&self, topic: &str, number: u32) -> Option<&ProgramPort> {
        self.ports.iter().find(|port| port.topic == topic && port.number == number)
    }

    /// Touches the data with which the tasks are called.
    pub fn touch(&self) {
        for task in &self.tasks {
            if let Body::Update(update) = &task.body {
                std::hint::black_box((
                    update.bindings.first(),
                    update.outputs.first(),
                    Arc::strong_count(&update.instance),
                ));
            }
        }
    }

    /// Puts every module that has a safe state and is not in it into its safe state; called between
    /// two runs.
    pub fn enter_safe_state(&self) {
        // Modules that are in use are used by the watchdog, which does the same.
        self.actuators.iter().for_each(|actuator| _ = actuator.enter_safe_state());
    }

    /// Makes the modules that are in their safe state leave it; returns whether there were any.
    pub fn leave_safe_state(&self, between: &mut BetweenRuns<'_>) -> bool {
        let mut was_safe = false;
        for actuator in self.actuators.iter().filter(|actuator| actuator.is_safe()) {
            actuator.leave_safe_state(between);
            was_safe = true;
        }
        was_safe
    }

    /// Restores that the modules were in their safe state when their states were recorded.
    pub fn resume_safe_state(&self, between: &mut BetweenRuns<'_>) {
        self.actuators.iter().for_each(|actuator| actuator.resume_safe_state(between));
    }

    /// Returns the origins of the results of a task.
    ///
    /// # Safety
    /// This is called by the task, or by one that is ordered after it.
    unsafe fn provenance(&self, task: usize) -> &Provenance {
        // SAFETY: promised by the caller.
        unsafe { self.lineage.of(task, self.blackboard.frame().run) }
    }

    /// Traces that sensor samples have had an effect: the end of each chain, and of each chain to
    /// which messages belong. `from` are the tasks whose results these are, in `task` or before.
    fn trace_arrivals(
        &self,
        task: usize,
        from: impl Iterator<Item = usize> + Clone,
        at: Ticks,
        worker: &mut WorkerState,
    ) {
        let (now, output) = (stamp(self.robot.clock().now()), self.tasks[task].trace);
        // SAFETY: by the task or one that is ordered after it.
        let from = from.map(|task| unsafe { self.provenance(task) });
        let mut tell = |id, spans: &mut dyn Iterator<Item = (Time, Time)>| {
            let span = spans.reduce(|all, span| (all.0.min(span.0), all.1.max(span.1)));
            if let Some((oldest, newest)) = span {
                worker.trace(Event::arrival(output, id, at, now, stamp(oldest), stamp(newest)));
            }
        };
        for (source, (&read, &heard)) in self.robot.source_ids().iter().zip(self.robot.heard_ids()).enumerate() {
            tell(read, &mut from.clone().filter_map(|provenance| provenance.span(source)));
            tell(heard, &mut from.clone().filter_map(|provenance| provenance.heard(source)));
        }
    }
}

impl Tasks for Program {
    type Worker = WorkerState;

    fn run(&self, task: usize, ready: Ticks, begin: Ticks, worker: &mut WorkerState, scope: &Scope<'_>) -> Ticks {
        let Task { body, trace } = &self.tasks[task];
        let run = self.blackboard.frame().run;
        let is_done = match body {
            Body::Update(update) => self.run_update(task, update, worker, scope),
            Body::Publish { export, lines, .. } => {
                // SAFETY: the plan orders this task after the providers.
                let lines = lines.iter().map(|&(line, provider)| (line, unsafe { self.provenance(provider) }));
                // SAFETY: as above, and this is the one task that publishes this export.
                let event = unsafe { self.blackboard.publish(*export, lines, run, begin) };
                worker.trace(event);
                true
            }
        };
        let end = Ticks::now();
        worker.trace(Event::TaskRun { task: *trace, core: Core::current(), run, ready, begin, end });
        match body {
            Body::Update(update) if update.is_actuator && is_done => {
                self.trace_arrivals(task, std::iter::once(task), end, worker);
            }
            Body::Publish { lines, to_source: true, .. } => {
                self.trace_arrivals(task, lines.iter().map(|&(_, provider)| provider), end, worker);
            }
            _ => {}
        }
        end
    }

    fn woken(&self, asked: Ticks, at: Ticks, worker: &mut WorkerState) {
        worker.trace(Event::Woken { cycle: self.cycle, run: self.blackboard.frame().run, asked, at });
    }
}

/// Returns a stamp of a trace. Negative times are before the robot started, and no sample has one.
fn stamp(time: Time) -> Stamp {
    Stamp(time.nanoseconds().max(0) as u64)
}
