//! The core of a cycle: a program on a blackboard, with its inputs and its commands.

#![expect(unsafe_code, reason = "making a witness is a promise: whoever has the cycle runs it")]

use std::mem;
use std::sync::Arc;
use std::time::Duration;

use hemiola_bus::Listener;
use hemiola_model::module::{BetweenRuns, SafeState};
use hemiola_model::{Clock, Time};
use hemiola_trace::{CycleId, Event, TickScale, Ticks};

use crate::blackboard::Blackboard;
use crate::coherence::Views;
use crate::command::Command;
use crate::executor::Executor;
use crate::mailbox::CommandReader;
use crate::program::{Planned, Program};
use crate::record::{NewChanges, RunRecord};
use crate::robot_state::RobotState;
use crate::run::{Beginning, CycleImport, Repeated, Trigger};
use crate::worker::WorkerState;

/// The parts that a cycle needs for its runs.
pub struct Core {
    pub name: String,
    pub id: CycleId,
    pub blackboard: Arc<Blackboard>,
    pub imports: Vec<CycleImport>,
    /// The views by which some of the imports are read together.
    pub views: Views,
    /// Set if they have been acquired for the next run.
    pub is_prepared: bool,
    pub executor: Executor<Program>,
    pub program: Box<Planned>,
    pub commands: CommandReader,
    pub worker: WorkerState,
    /// The nominal time between two triggers.
    pub period: Option<Duration>,
    pub robot: Arc<RobotState>,
    pub scale: TickScale,
    /// The trigger that a source or topic notifies, if one does.
    pub trigger: Option<Arc<Trigger>>,
    /// The listener on the topic that triggers it, if one does.
    pub topic: Option<Listener>,
    pub progress: Progress,
}

/// The progress of a cycle.
#[derive(Default)]
pub struct Progress {
    /// The number of the next run.
    pub runs: u32,
    pub last_trigger: Option<Time>,
    /// The changes that came into force since the last run.
    pub changes: NewChanges,
    /// Set if the cycle resumes from a checkpoint, so that its next run finds its inputs.
    pub is_resuming: bool,
}

/// The outcome of reading the inputs of a run.
#[derive(Default)]
pub struct TakenInputs {
    /// The stamp of the sample that triggered the run, if one did.
    pub trigger: Option<Time>,
    /// The number of inputs that were lost.
    pub lost: u64,
}

/// The facts about the previous run.
#[derive(Clone, Copy)]
pub struct RunBefore {
    /// The time on the cycle's clock in that run.
    pub now: Option<Time>,
    /// Set if its modules have entered the safe state, and not left it.
    pub is_safe: bool,
}

impl Progress {
    /// Returns the number of the last run that began, and the time on its clock.
    pub fn last_run(&self) -> (u32, Time) {
        (self.runs.wrapping_sub(1), self.last_trigger.unwrap_or_default())
    }

    /// Returns the same as [`last_run`](Self::last_run), if there was a run.
    pub fn present_run(&self) -> Option<(u32, Time)> {
        self.last_trigger.map(|_| self.last_run())
    }
}

impl Core {
    /// Counts the run that begins, and returns its number.
    pub(super) fn count_run(&mut self) -> u32 {
        let run = self.progress.runs;
        self.progress.runs = run.wrapping_add(1);
        run
    }

    /// Prepares the tasks on the inputs that were read.
    pub(super) fn begin_run(&mut self, beginning: &Beginning<'_>) -> (Repeated, RunBefore) {
        let &Beginning { run, begin, due, due_ticks, safe_state, messages, .. } = beginning;
        let (cycle, plan) = (self.id, self.program.plan);
        self.worker.trace(Event::CycleBegin { cycle, plan, run, trigger: due_ticks, begin });
        let step = self.progress.last_trigger.map_or(self.period.unwrap_or_default(), |last| due.since(last));
        let before = RunBefore { now: self.progress.last_trigger.replace(due), is_safe: safe_state.is_active() };
        let mut between = self.executor.between_runs();
        let frame = self.blackboard.frame_mut(&mut between);
        frame.clock = Clock::new(due, step, u64::from(run));
        frame.safe_state = safe_state;
        frame.run = run;
        let repeated = self.program.begin_run(messages, &mut between, &mut |exchange, published| {
            self.worker.trace(Event::Take { exchange, cycle, run, published, at: begin });
        });
        (repeated, before)
    }

    /// Runs the tasks.
    pub(super) fn execute(&mut self) {
        let Planned { graph, program } = &mut *self.program;
        self.executor.run(graph, program, &mut self.worker);
    }

    /// Brings what a run begins with into the caches.
    pub fn rehearse(&mut self) {
        self.program.touch();
        self.executor.rehearse(&self.program.graph, &self.program.program, &mut self.worker);
    }

    /// Executes the commands that were posted, also while the time of the next run is unknown.
    /// Changes for which a run has no room are left for the next one. Called on the thread of its
    /// worker 0.
    pub fn attend(&mut self) {
        while !self.progress.changes.is_full()
            && let Some(command) = self.commands.next()
        {
            let done = self.obey(command);
            if !self.commands.give_back(done) {
                break;
            }
        }
    }

    /// Executes a command that comes into force with the next run; returns what is left of it.
    /// Called on the thread of its worker 0.
    pub fn obey(&mut self, command: Command) -> Command {
        let done = command.obey(&mut self.program, &self.blackboard, &mut self.executor.between_runs());
        done.change().into_iter().for_each(|change| self.progress.changes.add(change));
        done
    }

    /// Executes the commands that were posted, and returns the changes that have come into force
    /// since the last run.
    pub(super) fn obey_commands(&mut self) -> NewChanges {
        self.attend();
        mem::take(&mut self.progress.changes)
    }

    /// Makes modules that move something enter the safe state, or leave it; returns whether the
    /// robot is in it.
    pub(super) fn heed_safe_state(&mut self) -> SafeState {
        let safe_state = self.robot.safe_state();
        let has_left = self.follow_safe_state(safe_state);
        // A thread that tried to make a module safe just before it left has found it safe already,
        // and has noted before that the robot is to be in its safe state.
        if has_left && self.robot.safe_state().is_active() {
            self.follow_safe_state(SafeState::Active);
            return SafeState::Active;
        }
        safe_state
    }

    /// Makes modules that move something enter the safe state, or leave it; returns whether any has
    /// left it.
    pub(super) fn follow_safe_state(&mut self, safe_state: SafeState) -> bool {
        if safe_state.is_active() {
            self.program.enter_safe_state();
            return false;
        }
        self.program.leave_safe_state(&mut self.executor.between_runs())
    }

    /// Returns whether its source has a sample that was not read yet, or its topic new messages,
    /// which count as seen then.
    pub fn is_triggered(&mut self) -> bool {
        self.acquire_imports();
        let Self { imports, views, .. } = self;
        let has_new_sample = imports.iter().any(|import| import.is_trigger && import.import.has_new(views));
        // What triggers a run is read by it, whatever arrives until then.
        self.is_prepared = has_new_sample;
        self.topic.as_mut().map_or(has_new_sample, Listener::heard)
    }

    /// Gives up reading inputs together.
    pub fn read_one_by_one(&mut self) {
        self.views = Views::default();
        self.imports.iter_mut().for_each(|import| import.import.by_view(None));
    }

    /// Acquires what is new of the inputs that are read together.
    fn acquire_imports(&mut self) {
        let Self { imports, views, .. } = self;
        if !views.is_empty() {
            views.open();
            imports.iter_mut().for_each(|import| import.import.acquire(views));
            views.close();
        }
    }

    /// Reads what is new of all inputs from elsewhere.
    pub(super) fn take_imports(&mut self, run: u32, at: Ticks) -> TakenInputs {
        if !mem::take(&mut self.is_prepared) {
            self.acquire_imports();
        }
        let mut inputs = TakenInputs::default();
        for CycleImport { import, source, is_trigger, .. } in &mut self.imports {
            let taken = import.take(&self.views, &self.blackboard, &mut self.executor.between_runs());
            if let Some(published) = taken.run {
                let (exchange, cycle) = (taken.exchange, self.id);
                self.worker.trace(Event::Take { exchange, cycle, run, published, at });
            }
            if *is_trigger && taken.run.is_some() {
                inputs.trigger = import.newest_stamp();
            }
            // A faster publisher overwrites by design; but what triggers a run is meant to be read.
            let lost = taken.dropped + if *is_trigger { taken.overwritten } else { 0 };
            if lost > 0 {
                inputs.lost += lost;
                if let Some(source) = *source {
                    self.worker.trace(Event::InputDropped { cycle: self.id, source, count: lost as u32, at });
                }
            }
        }
        inputs
    }

    /// Reads what a recorded run read; returns `false` if it was not published.
    pub(super) fn take_recorded(&mut self, record: &RunRecord) -> bool {
        let is_resuming = mem::take(&mut self.progress.is_resuming);
        for CycleImport { from, import, source, .. } in &mut self.imports {
            let Some(input) = record.inputs.iter().find(|input| input.from == *from) else { return false };
            if is_resuming && source.is_none() {
                import.take_restored(input);
                continue;
            }
            if !import.take_recorded(&self.blackboard, input, &mut self.executor.between_runs()) {
                return false;
            }
        }
        true
    }

    /// Returns a fingerprint of every value on the blackboard, by representation; opaque ones have
    /// none.
    pub fn fingerprints(&self) -> Vec<(&'static str, u64)> {
        // SAFETY: `self` is borrowed, so no run is in progress.
        let between = unsafe { BetweenRuns::assume() };
        let stores = self.blackboard.stores().iter();
        stores
            .filter_map(|store| {
                let value = store.current(&between);
                value.fingerprint().map(|print| (store.descriptor().name(), print))
            })
            .collect()
    }
}
