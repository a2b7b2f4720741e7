//! One cycle: takes what is new, runs its program, looks at the deadline.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use hemiola_model::module::SafeState;
use hemiola_model::{Clock, Time};
use hemiola_realtime::{KernelThread, Respite};
use hemiola_trace::{CycleId, Event, TickScale, Ticks};

use hemiola_bus::Listener;

use crate::blackboard::Blackboard;
use crate::command::{Command, CommandReader};
use crate::executor::Executor;
use crate::observe::parts::CheckpointWriter;
use crate::observe::runs::TranscriptWriter;
use crate::observe::values::TapWriter;
use crate::program::Program;
use crate::record::{NewChanges, RunRecord};
use crate::robot_state::RobotState;
use crate::run::{Beginning, CycleImport, Repeated, Trigger};
use crate::worker::WorkerState;

/// A cycle, ready to run. Belongs to the thread that waits for its trigger, which is its worker 0.
pub struct Cycle {
    pub name: String,
    pub id: CycleId,
    pub blackboard: Arc<Blackboard>,
    pub imports: Vec<CycleImport>,
    pub executor: Executor<Program>,
    pub program: Box<Program>,
    pub commands: CommandReader,
    pub worker: WorkerState,
    pub deadline: Option<Duration>,
    /// The nominal distance of two triggers.
    pub period: Option<Duration>,
    pub robot: Arc<RobotState>,
    pub health: Arc<Health>,
    pub scale: TickScale,
    pub last_trigger: Option<Time>,
    pub runs: u32,
    /// Notified by the source or topic that triggers it, if one does.
    pub trigger: Option<Arc<Trigger>>,
    /// On the topic that triggers it, if one does.
    pub topic: Option<Listener>,
    pub safe_state_entered: bool,
    /// Those that came into force since the last run.
    pub changes: NewChanges,
    /// What it passes on to a recorder.
    pub tap: Option<TapWriter>,
    /// Where it writes down what its runs begin with.
    pub transcript: Option<TranscriptWriter>,
    /// Where it writes down its part of snapshots.
    pub checkpoints: Option<CheckpointWriter>,
    /// It goes on from a snapshot: its next run finds its inputs.
    pub is_resuming: bool,
    /// Of a cycle with real-time priority: one that cannot keep up must not stop those above it.
    pub respite: Option<Respite>,
}

/// What a watchdog sees of a cycle.
#[derive(Default)]
pub struct Health {
    /// Runs that have ended.
    pub runs: AtomicU64,
    /// Runs that were over after their deadline.
    pub overruns: AtomicU64,
    /// When the last run ended, in nanoseconds of the robot's clock.
    pub last_end: AtomicU64,
    /// Inputs that were lost.
    pub dropped: AtomicU64,
    /// When the present run began, in ticks; 0 between two runs.
    pub begun: AtomicU64,
    /// The kernel's number of the thread that is worker 0; 0 before it has started.
    pub thread: AtomicU32,
}

impl Health {
    /// When the run began that is going on.
    pub fn run_since(&self) -> Option<Ticks> {
        Some(self.begun.load(Ordering::Relaxed)).filter(|&ticks| ticks != 0).map(Ticks)
    }

    /// The thread that is worker 0.
    pub fn thread(&self) -> Option<KernelThread> {
        Some(self.thread.load(Ordering::Relaxed)).filter(|&number| number != 0).map(KernelThread::from_number)
    }

    pub fn last_end(&self) -> Time {
        Time::from_nanoseconds(self.last_end.load(Ordering::Relaxed) as i64)
    }
}

impl Cycle {
    /// Runs the cycle once. `timer` is when its timer was due; a cycle that a source triggers was due when the sample was taken.
    /// No allocation, no lock, no system call but those of the executor.
    pub fn run(&mut self, timer: Option<Time>) {
        let (run, begin) = self.begin();
        let is_cut = self.is_cut(run, None);
        let safe_state = self.robot.safe_state();
        let changes = self.obey_commands(safe_state);
        let sampled = self.take_imports(run, begin);
        let due = timer.or(sampled).unwrap_or_else(|| self.robot.clock().now());
        let due_ticks = match self.robot.clock().due(due) {
            Some(at) => Ticks(self.scale.ticks_at(at.as_nanoseconds()).0.min(begin.0)),
            None => begin,
        };
        self.run_from(&Beginning { run, begin, due, due_ticks, safe_state, changes: &changes, is_cut, messages: None });
    }

    /// Runs the cycle once, on what a run of a recording began with.
    pub fn repeat(&mut self, record: &RunRecord) -> Repeated {
        let (run, begin) = self.begin();
        let is_cut = self.is_cut(run, Some(record.now));
        let changes = self.obey_commands(record.safe_state);
        let is_resuming = std::mem::take(&mut self.is_resuming);
        for CycleImport { from, import, source, .. } in &mut self.imports {
            let Some(input) = record.inputs.iter().find(|input| input.from == *from) else {
                return Repeated::Impossible;
            };
            if is_resuming && source.is_none() {
                import.take_restored(input);
                continue;
            }
            // SAFETY: this is worker 0, between two runs.
            if !unsafe { import.take_recorded(&self.blackboard, input) } {
                return Repeated::Impossible;
            }
        }
        let (due, safe_state, messages) = (record.now, record.safe_state, Some(record.messages.as_slice()));
        self.run_from(&Beginning { run, begin, due, due_ticks: begin, safe_state, changes: &changes, is_cut, messages })
    }

    fn begin(&mut self) -> (u32, Ticks) {
        let begin = Ticks::now();
        self.health.begun.store(begin.0, Ordering::Relaxed);
        let run = self.runs;
        self.runs = self.runs.wrapping_add(1);
        (run, begin)
    }

    /// Whether this run is the first one after a cut; before it takes its inputs.
    fn is_cut(&mut self, run: u32, now: Option<Time>) -> bool {
        let Some(checkpoints) = &mut self.checkpoints else { return false };
        checkpoints.is_due(run, now.unwrap_or_else(|| self.robot.clock().now()))
    }

    /// Runs on the imports that were taken.
    fn run_from(&mut self, beginning: &Beginning<'_>) -> Repeated {
        let &Beginning { run, begin, due, due_ticks, safe_state, is_cut, messages, .. } = beginning;
        self.worker.trace(Event::CycleBegin {
            cycle: self.id,
            plan: self.program.plan,
            run,
            trigger: due_ticks,
            begin,
        });
        let step = self.last_trigger.map_or(self.period.unwrap_or_default(), |last| due.since(last));
        let before = self.last_trigger.replace(due);
        // SAFETY: this is worker 0, between two runs.
        unsafe {
            let frame = self.blackboard.frame_mut();
            frame.clock = Clock::new(due, step, u64::from(run));
            frame.safe_state = safe_state;
            frame.run = run;
        }
        // SAFETY: as above, after the imports were taken.
        let repeated = unsafe {
            self.program.begin_run(messages, &mut |exchange, published| {
                self.worker.trace(Event::Take { exchange, cycle: self.id, run, published, at: begin });
            })
        };
        if let Some(checkpoints) = self.checkpoints.as_mut().filter(|_| is_cut) {
            let cycle = (&*self.blackboard, &*self.program, self.imports.as_slice());
            // SAFETY: as above, and no task has begun.
            unsafe { checkpoints.write_down(beginning, (before, self.safe_state_entered), cycle) };
        }
        if let Some(transcript) = &mut self.transcript {
            // SAFETY: as above, and no task has begun.
            unsafe { transcript.write_down(beginning, &self.imports, &self.program) };
        }
        self.executor.run(&self.program.graph, &*self.program, &mut self.worker);
        self.finish(run, due_ticks);
        if let Some(tap) = &mut self.tap {
            // SAFETY: this is worker 0, between two runs.
            unsafe { tap.pass_on(&self.blackboard, run, due) };
        }
        repeated
    }

    /// The calling thread is worker 0 from now on.
    pub fn settle(&mut self) {
        self.health.thread.store(KernelThread::current().number(), Ordering::Relaxed);
    }

    /// Brings into the caches what a run begins with.
    pub fn rehearse(&mut self) {
        self.program.touch();
        self.executor.rehearse(&self.program.graph, &*self.program, &mut self.worker);
    }

    /// Does what it is asked for while nobody knows when its next run will be. On the thread of its worker 0.
    pub fn attend(&mut self) {
        while let Some(command) = self.commands.next() {
            let done = self.obey(command);
            self.commands.give_back(done);
        }
    }

    /// Does something that comes into force with the next run; tells what is left of it. On the thread of its worker 0.
    pub fn obey(&mut self, command: Command) -> Command {
        // SAFETY: this is worker 0, between two runs.
        let done = unsafe { command.obey(&mut self.program, &self.blackboard) };
        done.change().into_iter().for_each(|change| self.changes.add(change));
        done
    }

    /// Tells which changes have come into force since the last run.
    fn obey_commands(&mut self, safe_state: SafeState) -> NewChanges {
        self.attend();
        if safe_state.is_active() {
            if !std::mem::replace(&mut self.safe_state_entered, true) {
                self.program.enter_safe_state();
            }
        } else {
            self.safe_state_entered = false;
        }
        std::mem::take(&mut self.changes)
    }

    /// Whether its source has brought a sample that was not taken yet, or its topic new messages, which count as heard then.
    pub fn is_triggered(&mut self) -> bool {
        let has_new_sample = self.imports.iter().any(|import| import.is_trigger && import.import.has_new());
        self.topic.as_mut().map_or(has_new_sample, Listener::heard)
    }

    /// Tells the stamp of the sample that triggered the run, if one did.
    fn take_imports(&mut self, run: u32, at: Ticks) -> Option<Time> {
        let mut triggered = None;
        for CycleImport { import, source, is_trigger, .. } in &mut self.imports {
            // SAFETY: this is worker 0, between two runs.
            let taken = unsafe { import.take(&self.blackboard) };
            if let Some(published) = taken.run {
                let (exchange, cycle) = (taken.exchange, self.id);
                self.worker.trace(Event::Take { exchange, cycle, run, published, at });
            }
            if *is_trigger && taken.run.is_some() {
                triggered = import.newest_stamp();
            }
            // A faster publisher overwrites by design; what a trigger brings is meant to be seen.
            let lost = taken.dropped + if *is_trigger { taken.overwritten } else { 0 };
            if lost > 0 {
                self.health.dropped.fetch_add(lost, Ordering::Relaxed);
                if let Some(source) = *source {
                    self.worker.trace(Event::InputDropped { cycle: self.id, source, count: lost as u32, at });
                }
            }
        }
        triggered
    }

    fn finish(&mut self, run: u32, due: Ticks) {
        let at = Ticks::now();
        self.worker.trace(Event::CycleEnd { cycle: self.id, run, at });
        if let Some(deadline) = self.deadline
            && self.scale.nanoseconds_between(due, at) > deadline.as_nanos() as u64
        {
            self.health.overruns.fetch_add(1, Ordering::Relaxed);
            self.worker.trace(Event::Overrun { cycle: self.id, run, at });
        }
        self.health.last_end.store(self.robot.clock().now().nanoseconds().max(0) as u64, Ordering::Relaxed);
        self.health.begun.store(0, Ordering::Relaxed);
        self.health.runs.fetch_add(1, Ordering::Release);
    }

    /// A fingerprint of every value on the blackboard, by representation; opaque ones have none.
    pub fn fingerprints(&self) -> Vec<(&'static str, u64)> {
        let stores = self.blackboard.stores().iter();
        stores
            .filter_map(|store| {
                // SAFETY: `self` is borrowed, so no run is going on.
                let value = unsafe { store.current() };
                hemiola_model::data::fingerprint(value).map(|print| (store.descriptor().name(), print))
            })
            .collect()
    }
}
