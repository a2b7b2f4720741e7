//! An update as a task of a program: called on its inputs, or replaced by recorded outputs.

#![expect(unsafe_code, reason = "updates are called on what `build` bound them to")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use hemiola_model::configuration::FailurePolicy;
use hemiola_model::module::{Binding, Context, Outcome, PortCell, Scope, Update};
use hemiola_realtime::take_place;
use hemiola_trace::{Event, FailureKind, Ticks};

use super::{Program, StoreRef};
use crate::blackboard::store::Writing;
use crate::debug::outlet::Call;
use crate::module_instance::ModuleInstance;
use crate::origins::OriginWriter;
use crate::run::{FailureReason, FailureRecord};
use crate::safe_state::Cause;
use crate::stand_in::TakenRepresentation;
use crate::worker::WorkerState;

/// An update as a task: bound to its instance, cells and ports.
pub(super) struct UpdateTask {
    pub(super) update: Update,
    pub(super) instance: Arc<ModuleInstance>,
    pub(super) bindings: Box<[Binding<'static>]>,
    pub(super) publishers: Box<[UpdatePublisher]>,
    pub(super) outputs: Box<[StoreRef]>,
    /// The outputs that are taken from a recording instead, if any.
    pub(super) taken: Option<Box<TakenOutputs>>,
    pub(super) on_failure: FailurePolicy,
    /// Set if it has a `&SafeState` argument.
    pub(super) heeds_safe_state: bool,
    /// Set if it provides nothing, so that its effects leave the robot's software, and chains end
    /// here.
    pub(super) is_actuator: bool,
}

/// A topic to which an update publishes.
pub(super) struct UpdatePublisher {
    pub(super) cell: &'static PortCell,
    pub(super) origins: OriginWriter,
}

/// The outputs that an update could provide, and that are taken from a recording in a replay.
pub(super) struct TakenOutputs {
    pub(super) outputs: Box<[(StoreRef, TakenRepresentation)]>,
    /// Set if it provides something else as well.
    pub(super) is_called: bool,
}

impl Program {
    /// Runs the update, or takes its outputs; returns whether that succeeded.
    pub(super) fn run_update(
        &self,
        task: usize,
        update: &UpdateTask,
        worker: &mut WorkerState,
        scope: &Scope<'_>,
    ) -> bool {
        match &update.taken {
            None => self.call_update(task, update, worker, scope),
            Some(taken) => self.take_outputs(task, update, taken, worker, scope),
        }
    }

    /// Takes the outputs of the update from a recording; calls it if it also provides others.
    #[cold]
    fn take_outputs(
        &self,
        task: usize,
        update: &UpdateTask,
        taken: &TakenOutputs,
        worker: &mut WorkerState,
        scope: &Scope<'_>,
    ) -> bool {
        let stores = taken.outputs.iter().map(|(store, _)| std::slice::from_ref(store));
        // SAFETY: this is the provider's task, which runs once in a run.
        let writing: Vec<_> = stores.map(|store| unsafe { Writing::begin(store) }).collect();
        // The update also writes the outputs that are taken, so there must be room for them.
        let is_called = taken.is_called && writing.iter().all(Option::is_some);
        let is_done = is_called && self.call_update(task, update, worker, scope);
        let (frame, mut is_taken) = (self.blackboard.frame(), false);
        for (writing, (_, values)) in writing.into_iter().zip(&taken.outputs) {
            let Some(mut writing) = writing else { continue };
            let stamp = catch_unwind(AssertUnwindSafe(|| {
                writing.reset();
                writing.values().find_map(|mut value| values.take(frame.run, frame.clock.now(), &mut value))
            }));
            match stamp {
                Ok(Some(stamp)) => {
                    is_taken = true;
                    writing.commit(stamp);
                }
                Ok(None) => {}
                Err(payload) => {
                    self.report(task, update, FailureReason::Panic { payload, place: take_place() }, worker)
                }
            }
        }
        if !is_called {
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

    /// Calls the update; returns whether it succeeded.
    fn call_update(&self, task: usize, update: &UpdateTask, worker: &mut WorkerState, scope: &Scope<'_>) -> bool {
        let (frame, trace) = (self.blackboard.frame(), self.tasks[task].trace);
        // SAFETY: this is the provider's task, which runs once in a run; readers are ordered after
        // it.
        let writing = unsafe { Writing::begin(&update.outputs) };
        let pass = update.instance.pass(frame.safe_state, update.heeds_safe_state);
        let (Some(mut writing), Some(pass)) = (writing, pass) else {
            // Either the module is safe, or the watchdog is making it safe at this moment, because
            // the cycle had stopped; or there is no free value to write to, which the sizes rule
            // out. The last values stay.
            self.keep_last(task);
            return false;
        };
        // If something failed before, the origins of this are only known afterwards.
        let is_told = !self.lineage.deviates();
        if is_told {
            // SAFETY: this is the update's task, and nothing that it derives from changes any more
            // in this run.
            unsafe { self.begin_publishing(task, update) };
        }
        worker.running(Some(trace));
        let outcome = {
            let call = || Call { update: trace, run: frame.run, time: frame.clock.now() };
            let debug = worker.debug(self.robot.is_watched(), call);
            let context = Context::new(frame.clock, *scope, debug, frame.safe_state);
            catch_unwind(AssertUnwindSafe(|| {
                writing.reset();
                // SAFETY: `build` bound cells and instance to this update; the plan orders the
                // updates of a module, providers and readers; the executor keeps that order.
                unsafe { update.update.call(&update.instance, as_bindings(&update.bindings), &context) }
            }))
        };
        worker.running(None);
        drop(pass);
        if is_told {
            // SAFETY: this is the update's task, after the call.
            unsafe { end_publishing(update, frame.run, worker) };
        }
        let reason = match outcome {
            Ok(Outcome::Failed(failure)) => FailureReason::Error(failure),
            Err(payload) => FailureReason::Panic { payload, place: take_place() },
            Ok(_) => {
                // SAFETY: this is the task itself, and the provider's, after the update.
                unsafe {
                    self.lineage.renew(task, frame.run, &frame.imported);
                    writing.commit(self.provenance(task).newest().unwrap_or(frame.clock.now()));
                    if !is_told {
                        self.begin_publishing(task, update);
                        end_publishing(update, frame.run, worker);
                    }
                }
                return true;
            }
        };
        drop(writing);
        self.keep_last(task);
        self.report(task, update, reason, worker);
        false
    }

    /// Notes that an update failed.
    #[cold]
    fn report(&self, task: usize, update: &UpdateTask, reason: FailureReason, worker: &mut WorkerState) {
        let trace = self.tasks[task].trace;
        if update.on_failure == FailurePolicy::SafeState {
            self.robot.enter_safe_state(Cause::Failure(trace));
        }
        let kind = match reason {
            FailureReason::Error(_) => FailureKind::Error,
            FailureReason::Panic { .. } => FailureKind::Panic,
        };
        let (at, run) = (Ticks::now(), self.blackboard.frame().run);
        worker.trace(Event::Failure { task: trace, kind, run, at });
        worker.trace(Event::Stale { task: trace, run, at });
        let instance = update.instance.clone();
        worker.report(FailureRecord { task: trace, instance, policy: update.on_failure, reason });
    }

    /// Notes the origins of the messages that an update publishes from now on.
    ///
    /// # Safety
    /// This is called by the update's task, while the update is not being called.
    unsafe fn begin_publishing(&self, task: usize, update: &UpdateTask) {
        for UpdatePublisher { cell, origins } in &update.publishers {
            // SAFETY: promised by the caller.
            unsafe { origins.begin(self.blackboard.frame().run, cell.published(), self.provenance(task)) };
        }
    }

    /// Notes that the last values of an update stay. Called by its task.
    fn keep_last(&self, task: usize) {
        // SAFETY: by the task, once in a run.
        unsafe { self.lineage.keep(task, self.blackboard.frame().run) };
    }
}

/// Notes that an update has published everything that it publishes in this run.
///
/// # Safety
/// This is called by the update's task, while the update is not being called.
unsafe fn end_publishing(update: &UpdateTask, run: u32, worker: &mut WorkerState) {
    for UpdatePublisher { cell, origins } in &update.publishers {
        // SAFETY: promised by the caller.
        if let Some(exchange) = origins.end(unsafe { cell.published() }) {
            worker.trace(Event::Publish { exchange, run, at: Ticks::now() });
        }
    }
}

/// Shortens the lifetime of bindings to one call.
fn as_bindings<'f>(bindings: &'f [Binding<'static>]) -> &'f [Binding<'f>] {
    bindings
}
