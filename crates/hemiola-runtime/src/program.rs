//! A cycle's plan bound to its blackboard and module instances: what the executor runs.

mod build;
mod lineage;

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use hemiola_model::Time;
use hemiola_model::configuration::FailurePolicy;
use hemiola_model::data::DataType;
use hemiola_model::module::cell::Cell;
use hemiola_model::module::{Binding, Context, Failure, Inlet, Outcome, Port, PortCell, PortRole, Scope, Update};
use hemiola_realtime::take_place;
use hemiola_trace::{Core, CycleId, Event, ExchangeId, FailureKind, PlanId, Stamp, TaskId, Ticks};

use crate::blackboard::Blackboard;
use crate::blackboard::provenance::Provenance;
use crate::blackboard::store::Store;
use crate::cycle::Repeated;
use crate::executor::{ExecutableGraph, Tasks};
use crate::module_instance::ModuleInstance;
use crate::origins::{OriginWriter, PUBLISHERS};
use crate::robot_state::RobotState;
use crate::safe_state::Cause;
use crate::taken::TakenRepresentation;
use crate::transcript::MessageRecord;
use crate::worker::WorkerState;

pub use build::{ProgramParts, build};
use lineage::Lineage;

/// See the module. Replaced as a whole when a provider is switched or priorities change.
pub struct Program {
    pub graph: ExecutableGraph,
    pub plan: PlanId,
    cycle: CycleId,
    tasks: Box<[Task]>,
    /// Ends of topics and services that its updates hold.
    ports: Box<[ProgramPort]>,
    /// Stores whose previous value somebody uses.
    aging: Box<[usize]>,
    lineage: Lineage,
    /// The task that provides each store's value, if one does.
    providers: Box<[Option<usize>]>,
    blackboard: Arc<Blackboard>,
    robot: Arc<RobotState>,
    /// Outputs that nobody reads, because another module was chosen to provide them.
    _discarded: DiscardedStores,
    /// Each module once.
    instances: Box<[Arc<ModuleInstance>]>,
}

struct ProgramPort {
    cell: &'static PortCell,
    topic: &'static str,
    /// How many of the same topic come before it.
    number: u32,
    role: PortRole,
    /// Which of the program's subscriptions it is, if it is one.
    subscription: Option<usize>,
}

impl ProgramPort {
    /// # Safety
    /// Between two runs.
    unsafe fn repeat_run(&self, messages: &[MessageRecord]) -> bool {
        let is_own = |record: &&MessageRecord| *record.topic == *self.topic && record.subscriber == self.number;
        let wanted = |publisher| {
            let of_publisher = messages.iter().filter(is_own).filter(|record| record.publisher == publisher);
            of_publisher.map(|record| record.count).sum()
        };
        // SAFETY: promised by the caller.
        unsafe { self.cell.repeat_run(&wanted) }
    }
}

struct Task {
    body: Body,
    trace: TaskId,
}

enum Body {
    Update(Box<UpdateTask>),
    /// Publishes an export: line and providing task of each value. What a source reads leaves the robot's software.
    Publish {
        export: usize,
        lines: Box<[(usize, usize)]>,
        to_source: bool,
    },
}

struct UpdateTask {
    update: Update,
    instance: Arc<ModuleInstance>,
    bindings: Box<[Binding<'static>]>,
    publishers: Box<[UpdatePublisher]>,
    outputs: Box<[StoreRef]>,
    /// What comes from a recording instead.
    taken: Option<Box<TakenOutputs>>,
    on_failure: FailurePolicy,
    /// It provides nothing: what it does leaves the robot's software, and chains end here.
    is_actuator: bool,
}

/// A topic that an update publishes to.
struct UpdatePublisher {
    cell: &'static PortCell,
    origins: OriginWriter,
}

/// What an update does not provide in a replay, though it could.
struct TakenOutputs {
    outputs: Box<[(StoreRef, TakenRepresentation)]>,
    /// It provides something else as well.
    is_called: bool,
}

/// Boxed, so that they stay where they are while the list grows.
pub type DiscardedStores = Vec<Box<Store>>;
/// A cell on the program's blackboard, or of one of its discarded stores.
type CellRef = &'static Cell;
/// A store on the program's blackboard, or a discarded one.
type StoreRef = &'static Store;

/// An update that failed, on its way to whoever puts it into words.
pub struct FailureRecord {
    pub task: TaskId,
    pub instance: Arc<ModuleInstance>,
    pub policy: FailurePolicy,
    pub reason: FailureReason,
}

/// Why an update failed.
pub enum FailureReason {
    Error(Failure),
    Panic { payload: Box<dyn Any + Send>, place: String },
}

impl Program {
    /// Prepares a run: messages, previous values, what values will come from. In a replay the messages are those of the recording, if they are
    /// there. Tells of which runs of those who publish it has heard something new.
    ///
    /// # Safety
    /// By worker 0, between two runs, after the imports were taken.
    pub unsafe fn begin_run(
        &self,
        messages: Option<&[MessageRecord]>,
        tell: &mut dyn FnMut(ExchangeId, u32),
    ) -> Repeated {
        let mut are_there = true;
        // SAFETY: promised by the caller.
        unsafe { self.lineage.look() };
        for port in &self.ports {
            match messages {
                // SAFETY: between two runs.
                None => unsafe { port.cell.begin_run() },
                // SAFETY: as above.
                Some(messages) => are_there &= unsafe { port.repeat_run(messages) },
            }
        }
        for port in &self.ports {
            if let Some(subscription) = port.subscription {
                let mut next = [0; PUBLISHERS];
                let mut note = |inlet: Inlet| {
                    if let Some(next) = next.get_mut(inlet.place as usize) {
                        *next = inlet.end();
                    }
                };
                // SAFETY: between two runs.
                unsafe {
                    port.cell.look(|port| port.inlets(&mut note));
                    self.lineage.hear(subscription, |place| next[place], tell);
                }
            }
        }
        for &store in &self.aging {
            // SAFETY: between two runs.
            unsafe { self.blackboard.store(store).age() };
        }
        // SAFETY: promised by the caller.
        unsafe { self.lineage.begin_run(&self.blackboard.frame().imported) };
        if are_there { Repeated::Exactly } else { Repeated::OtherMessages }
    }

    /// Tells what its subscriptions received: topic, how many of the same topic come before, place of the publisher, how many.
    ///
    /// # Safety
    /// By worker 0, before the tasks begin.
    pub unsafe fn received(&self, tell: &mut dyn FnMut(&'static str, u32, u32, u32)) {
        for &ProgramPort { cell, topic, number, .. } in &self.ports {
            // SAFETY: between two runs.
            unsafe { cell.received(&mut |publisher, count| tell(topic, number, publisher, count)) };
        }
    }

    /// The instance of a module, if it is used.
    pub fn instance(&self, module: &str) -> Option<&ModuleInstance> {
        self.instances.iter().find(|instance| instance.name() == module).map(|instance| &**instance)
    }

    /// Whether somebody uses the previous value of a store.
    pub fn ages(&self, store: usize) -> bool {
        self.aging.contains(&store)
    }

    /// What a store's value came from in the run before this one, which has begun.
    ///
    /// # Safety
    /// By worker 0, before the tasks begin.
    pub unsafe fn provenance_before(&self, store: usize, run: u32) -> Option<&Provenance> {
        // SAFETY: promised by the caller.
        self.providers[store].map(|task| unsafe { self.lineage.before(task, run) })
    }

    /// Notes what a store's value came from in that run.
    ///
    /// # Safety
    /// Before anything runs.
    pub unsafe fn restore_provenance(&self, store: usize, run: u32, provenance: &Provenance) {
        if let Some(task) = self.providers[store] {
            // SAFETY: promised by the caller.
            unsafe { self.lineage.restore(task, run, provenance) };
        }
    }

    /// Its subscriptions: topic, how many ends of the same topic come before, and what the messages are.
    pub fn subscriptions(&self) -> Vec<(&'static str, u32, Option<DataType>)> {
        let subscribing = self.ports.iter().filter(|port| port.role == PortRole::Subscribes);
        // SAFETY: nothing runs yet.
        let described = |port: &ProgramPort| unsafe { port.cell.look(|port| port.message_type()) };
        subscribing.map(|port| (port.topic, port.number, described(port))).collect()
    }

    /// Its publishers: topic, how many ends of the same topic come before, and the place among all publishers of the topic.
    pub fn publishers(&self) -> Vec<(&'static str, u32, u32)> {
        let publishing = self.ports.iter().filter(|port| port.role == PortRole::Publishes);
        // SAFETY: nothing runs yet.
        let place = |port: &ProgramPort| unsafe { port.cell.look(|port| port.place()) };
        publishing.filter_map(|port| Some((port.topic, port.number, place(port)?))).collect()
    }

    /// The number of the next message of a publisher.
    ///
    /// # Safety
    /// By worker 0, between two runs.
    pub unsafe fn published(&self, topic: &str, number: u32) -> u64 {
        let mut next = 0;
        // SAFETY: promised by the caller.
        unsafe { self.look_at_port(topic, number, |port| next = port.published()) };
        next
    }

    /// Looks at a port; `false` if there is none.
    ///
    /// # Safety
    /// By worker 0, between two runs.
    pub unsafe fn look_at_port(&self, topic: &str, number: u32, look: impl FnOnce(&dyn Port)) -> bool {
        let found = self.port(topic, number);
        // SAFETY: promised by the caller.
        found.is_some_and(|port| unsafe {
            port.cell.look(look);
            true
        })
    }

    /// Publishes messages again, or has a subscription forget so many of each publisher.
    ///
    /// # Safety
    /// Before anything runs.
    pub unsafe fn port_cell(&self, topic: &str, number: u32) -> Option<&PortCell> {
        self.port(topic, number).map(|port| port.cell)
    }

    /// How many ends of the same topic come before that of an update's argument.
    pub fn port_number(&self, module: &str, update: usize, argument: usize) -> Option<u32> {
        let cell = self.instance(module)?.ports(update)?.get(argument)?;
        self.ports.iter().find(|port| std::ptr::eq(port.cell, cell)).map(|port| port.number)
    }

    fn port(&self, topic: &str, number: u32) -> Option<&ProgramPort> {
        self.ports.iter().find(|port| port.topic == topic && port.number == number)
    }

    /// Touches what the tasks are called with.
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

    /// Brings every module that has one into its safe state; between two runs.
    pub fn enter_safe_state(&self) {
        // Busy ones are with the watchdog, which does the same.
        self.instances.iter().for_each(|instance| _ = instance.enter_safe_state());
    }

    /// What the results of a task come from.
    ///
    /// # Safety
    /// By the task, or by one that is ordered after it.
    unsafe fn provenance(&self, task: usize) -> &Provenance {
        // SAFETY: promised by the caller.
        unsafe { self.lineage.of(task, self.blackboard.frame().run) }
    }

    /// Does what the update is there for; tells whether that came off.
    fn run_update(&self, task: usize, update: &UpdateTask, worker: &mut WorkerState, scope: &Scope<'_>) -> bool {
        match &update.taken {
            None => self.call_update(task, update, worker, scope),
            Some(taken) => self.take_outputs(task, update, taken, worker, scope),
        }
    }

    /// Takes from a recording what the update would provide; calls it if it provides more than that.
    #[cold]
    fn take_outputs(
        &self,
        task: usize,
        update: &UpdateTask,
        taken: &TakenOutputs,
        worker: &mut WorkerState,
        scope: &Scope<'_>,
    ) -> bool {
        // SAFETY: this is the provider's task, which runs once in a run.
        let has_room = taken.outputs.iter().all(|(store, _)| unsafe { store.begin_write() });
        let is_done = taken.is_called && self.call_update(task, update, worker, scope);
        let (frame, mut is_taken) = (self.blackboard.frame(), false);
        for (store, values) in &taken.outputs {
            // SAFETY: as above; the update has ended.
            let value = has_room.then(|| unsafe { store.writing() });
            let stamp = value.and_then(|value| {
                value.reset();
                values.take(frame.run, frame.clock.now(), value)
            });
            is_taken |= stamp.is_some();
            // SAFETY: as above.
            unsafe {
                match stamp {
                    Some(stamp) => store.commit(stamp),
                    None => store.keep_last(),
                }
            }
        }
        if !taken.is_called {
            // SAFETY: by the provider's task, once in a run.
            unsafe {
                match is_taken {
                    true => self.lineage.renew(task, frame.run, &frame.imported),
                    false => self.lineage.keep(task, frame.run),
                }
            }
        }
        is_done || is_taken
    }

    /// Calls the update; tells whether it did its work.
    fn call_update(&self, task: usize, update: &UpdateTask, worker: &mut WorkerState, scope: &Scope<'_>) -> bool {
        let (frame, trace) = (self.blackboard.frame(), self.tasks[task].trace);
        let Some(pass) = update.instance.pass() else {
            // The cycle had stopped, and the watchdog is making the module safe at this moment.
            self.keep_last(task, update);
            return false;
        };
        for output in &update.outputs {
            // SAFETY: this is the provider's task, which runs once in a run.
            if !unsafe { output.begin_write() } {
                // The sizes rule it out; should it happen all the same, the last values stay.
                self.keep_last(task, update);
                return false;
            }
        }
        // Where something failed before, it is only known afterwards what this derives from.
        let is_told = !self.lineage.deviates();
        if is_told {
            // SAFETY: this is the update's task, and nothing that it derives from changes any more in this run.
            unsafe { self.begin_publishing(task, update) };
        }
        worker.running(Some(trace));
        let outcome = {
            let debug = worker.debug(self.robot.is_watched());
            let context = Context::new(frame.clock, *scope, debug, frame.safe_state);
            catch_unwind(AssertUnwindSafe(|| {
                // SAFETY: `build` bound cells and instance to this update; the plan orders the updates of a module, providers
                // and readers; the executor keeps that order.
                unsafe { update.update.call(&update.instance, as_bindings(&update.bindings), &context) }
            }))
        };
        worker.running(None);
        drop(pass);
        if is_told {
            end_publishing(update, frame.run, worker);
        }
        let reason = match outcome {
            Ok(Outcome::Failed(failure)) => FailureReason::Error(failure),
            Err(payload) => FailureReason::Panic { payload, place: take_place() },
            Ok(_) => {
                // SAFETY: this is the task itself, and the provider's, after the update.
                unsafe {
                    self.lineage.renew(task, frame.run, &frame.imported);
                    let stamp = self.provenance(task).newest().unwrap_or(frame.clock.now());
                    update.outputs.iter().for_each(|output| output.commit(stamp));
                    if !is_told {
                        self.begin_publishing(task, update);
                        end_publishing(update, frame.run, worker);
                    }
                }
                return true;
            }
        };
        self.keep_last(task, update);
        if update.on_failure == FailurePolicy::SafeState {
            self.robot.enter_safe_state(Cause::Failure(trace));
        }
        let kind = match reason {
            FailureReason::Error(_) => FailureKind::Error,
            FailureReason::Panic { .. } => FailureKind::Panic,
        };
        let (at, run) = (Ticks::now(), frame.run);
        worker.trace(Event::Failure { task: trace, kind, run, at });
        worker.trace(Event::Stale { task: trace, run, at });
        let instance = update.instance.clone();
        worker.report(FailureRecord { task: trace, instance, policy: update.on_failure, reason });
        false
    }

    /// Notes what the messages come from that an update publishes from now on.
    ///
    /// # Safety
    /// By the update's task, while it is not called.
    unsafe fn begin_publishing(&self, task: usize, update: &UpdateTask) {
        for UpdatePublisher { cell, origins } in &update.publishers {
            let mut next = 0;
            // SAFETY: promised by the caller.
            unsafe {
                cell.look(|port| next = port.published());
                origins.begin(self.blackboard.frame().run, next, self.provenance(task));
            }
        }
    }

    /// Leaves the last values of an update where they are, marked as stale; by its task.
    fn keep_last(&self, task: usize, update: &UpdateTask) {
        // SAFETY: by the provider's task, once in a run.
        unsafe {
            self.lineage.keep(task, self.blackboard.frame().run);
            update.outputs.iter().for_each(|output| output.keep_last());
        }
    }

    /// Sensor samples have become an effect: one end of each chain, and of each one that messages are part of. `from` are the tasks whose results
    /// it is, in `task` or before.
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
                let event = unsafe { self.blackboard.export(*export).publish(&self.blackboard, lines, run, begin) };
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

/// Tells that an update has published what it does in this run.
fn end_publishing(update: &UpdateTask, run: u32, worker: &mut WorkerState) {
    for exchange in update.publishers.iter().filter_map(|publisher| publisher.origins.end()) {
        worker.trace(Event::Publish { exchange, run, at: Ticks::now() });
    }
}

/// Negative times are before the robot started: no sample is.
fn stamp(time: Time) -> Stamp {
    Stamp(time.nanoseconds().max(0) as u64)
}

/// For one call.
fn as_bindings<'f>(bindings: &'f [Binding<'static>]) -> &'f [Binding<'f>] {
    bindings
}
