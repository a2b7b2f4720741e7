//! A cycle's plan bound to its blackboard and module instances: what the executor runs.

mod build;

use std::any::Any;
use std::cell::UnsafeCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use hemiola_model::configuration::FailurePolicy;
use hemiola_model::module::cell::Cell;
use hemiola_model::module::{Context, Failure, Outcome, Scope, Update};
use hemiola_trace::{Core, Event, FailureKind, PlanId, Stamp, TaskId, Ticks};

use crate::blackboard::Blackboard;
use crate::blackboard::provenance::Provenance;
use crate::blackboard::store::Store;
use crate::executor::{ExecutableGraph, Tasks};
use crate::failure::take_place;
use crate::module_instance::ModuleInstance;
use crate::robot_state::RobotState;
use crate::worker::WorkerState;

pub use build::{ProgramParts, build};

/// See the module. Replaced as a whole when a provider is switched or priorities change.
pub struct Program {
    pub graph: ExecutableGraph,
    pub plan: PlanId,
    tasks: Box<[Task]>,
    /// Stores whose previous value somebody uses.
    aging: Box<[usize]>,
    /// Distinct sets of imports that values derive from, and what they were in this run.
    origins: Box<[Origin]>,
    blackboard: Arc<Blackboard>,
    robot: Arc<RobotState>,
    /// Outputs that nobody reads, because another module was chosen to provide them.
    _discarded: DiscardedStores,
    /// Each module once.
    instances: Box<[Arc<ModuleInstance>]>,
}

/// Values that derive from the same imports have the same provenance.
struct Origin {
    imports: Box<[usize]>,
    provenance: UnsafeCell<Provenance>,
}

struct Task {
    body: Body,
    trace: TaskId,
    origin: usize,
}

enum Body {
    Update(Box<UpdateTask>),
    /// Publishes an export: line and origin of each value. What a source reads leaves the robot's software.
    Publish {
        export: usize,
        lines: Box<[(usize, usize)]>,
        to_source: bool,
    },
}

struct UpdateTask {
    update: Update,
    instance: Arc<ModuleInstance>,
    cells: Box<[Option<CellRef>]>,
    outputs: Box<[StoreRef]>,
    on_failure: FailurePolicy,
    /// It provides nothing: what it does leaves the robot's software, and chains end here.
    is_actuator: bool,
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

// SAFETY: the origins' provenance is written by worker 0 before a run and only read within one; all else is Send and Sync.
unsafe impl Sync for Program {}
// SAFETY: as above.
unsafe impl Send for Program {}

impl Program {
    /// Prepares a run: previous values, what values will come from.
    ///
    /// # Safety
    /// By worker 0, between two runs, after the imports were taken.
    pub unsafe fn begin_run(&self) {
        for &store in &self.aging {
            // SAFETY: between two runs.
            unsafe { self.blackboard.store(store).age() };
        }
        let imported = &self.blackboard.frame().imported;
        for origin in &self.origins {
            // SAFETY: between two runs, by worker 0 alone.
            let provenance = unsafe { &mut *origin.provenance.get() };
            provenance.clear();
            origin.imports.iter().for_each(|&import| provenance.merge(&imported[import]));
        }
    }

    /// Brings every module that has one into its safe state; between two runs.
    pub fn enter_safe_state(&self) {
        // Busy ones are with the watchdog, which does the same.
        self.instances.iter().for_each(|instance| _ = instance.enter_safe_state());
    }

    fn provenance(&self, origin: usize) -> &Provenance {
        // SAFETY: it is not written within a run.
        unsafe { &*self.origins[origin].provenance.get() }
    }

    fn run_update(&self, task: &Task, update: &UpdateTask, worker: &mut WorkerState, scope: &Scope<'_>) {
        let frame = self.blackboard.frame();
        let Some(pass) = update.instance.pass() else {
            // The cycle had stopped, and the watchdog is making the module safe at this moment.
            // SAFETY: this is the provider's task.
            return update.outputs.iter().for_each(|output| unsafe { output.keep_last() });
        };
        for output in &update.outputs {
            // SAFETY: this is the provider's task, which runs once in a run.
            if !unsafe { output.begin_write() } {
                // The sizes rule it out; should it happen all the same, the last values stay.
                // SAFETY: this is the provider's task.
                return update.outputs.iter().for_each(|output| unsafe { output.keep_last() });
            }
        }
        worker.running(Some(task.trace));
        let outcome = {
            let debug = worker.debug(self.robot.is_watched());
            let context = Context::new(frame.clock, *scope, debug, frame.safe_state);
            catch_unwind(AssertUnwindSafe(|| {
                // SAFETY: `build` bound cells and instance to this update; the plan orders the updates of a module, providers
                // and readers; the executor keeps that order.
                unsafe { update.update.call(&update.instance, as_cells(&update.cells), &context) }
            }))
        };
        worker.running(None);
        drop(pass);
        let reason = match outcome {
            Ok(Outcome::Failed(failure)) => FailureReason::Error(failure),
            Err(payload) => FailureReason::Panic { payload, place: take_place() },
            Ok(_) => {
                let stamp = self.provenance(task.origin).newest().unwrap_or(frame.clock.now());
                // SAFETY: this is the provider's task, after the update.
                return update.outputs.iter().for_each(|output| unsafe { output.commit(stamp) });
            }
        };
        // SAFETY: as above.
        update.outputs.iter().for_each(|output| unsafe { output.keep_last() });
        if update.on_failure == FailurePolicy::SafeState {
            self.robot.enter_safe_state();
        }
        let kind = match reason {
            FailureReason::Error(_) => FailureKind::Error,
            FailureReason::Panic { .. } => FailureKind::Panic,
        };
        let (at, run) = (Ticks::now(), frame.run);
        worker.trace(Event::Failure { task: task.trace, kind, run, at });
        worker.trace(Event::Stale { task: task.trace, run, at });
        let instance = update.instance.clone();
        worker.report(FailureRecord { task: task.trace, instance, policy: update.on_failure, reason });
    }

    /// Sensor samples have become an effect: one end of each chain.
    fn trace_arrivals(
        &self,
        task: &Task,
        origins: impl Iterator<Item = usize> + Clone,
        at: Ticks,
        worker: &mut WorkerState,
    ) {
        let now = stamp(self.robot.clock().now());
        for (source, id) in self.robot.source_ids().iter().enumerate() {
            let spans = origins.clone().filter_map(|origin| self.provenance(origin).span(source));
            let span = spans.reduce(|all, span| (all.0.min(span.0), all.1.max(span.1)));
            if let Some((oldest, newest)) = span {
                worker.trace(Event::arrival(task.trace, *id, at, now, stamp(oldest), stamp(newest)));
            }
        }
    }
}

impl Tasks for Program {
    type Worker = WorkerState;

    fn run(&self, task: usize, ready: Ticks, begin: Ticks, worker: &mut WorkerState, scope: &Scope<'_>) -> Ticks {
        let task = &self.tasks[task];
        let run = self.blackboard.frame().run;
        match &task.body {
            Body::Update(update) => self.run_update(task, update, worker, scope),
            Body::Publish { export, lines, .. } => {
                let lines = lines.iter().map(|&(line, origin)| (line, self.provenance(origin)));
                // SAFETY: this is the one task that publishes this export; the plan orders it after the providers.
                let event = unsafe { self.blackboard.export(*export).publish(&self.blackboard, lines, run, begin) };
                worker.trace(event);
            }
        }
        let end = Ticks::now();
        worker.trace(Event::TaskRun { task: task.trace, core: Core::current(), run, ready, begin, end });
        match &task.body {
            Body::Update(update) if update.is_actuator => {
                self.trace_arrivals(task, std::iter::once(task.origin), end, worker);
            }
            Body::Publish { lines, to_source: true, .. } => {
                self.trace_arrivals(task, lines.iter().map(|&(_, origin)| origin), end, worker);
            }
            _ => {}
        }
        end
    }
}

/// Negative times are before the robot started: no sample is.
fn stamp(time: hemiola_model::Time) -> Stamp {
    Stamp(time.nanoseconds().max(0) as u64)
}

fn as_cells(cells: &[Option<CellRef>]) -> &[Option<&Cell>] {
    cells
}
