//! A cycle: reads its inputs, runs its program, checks the deadline.

mod core;
mod guard;

use hemiola_model::Time;
use hemiola_trace::Ticks;

use crate::command::Command;
use crate::observe::{Outlets, Provided};
use crate::program::World;
use crate::record::RunRecord;
use crate::run::{Beginning, Repeated};

pub use self::core::{Core, Progress, RunBefore};
pub use guard::{Guard, Health};

/// A cycle, ready to run. It belongs to the thread that waits for its trigger, which is its worker
/// 0.
pub struct Cycle {
    pub core: Core,
    /// The cycle's end for all its observers.
    pub outlets: Outlets,
    pub guard: Guard,
}

impl Cycle {
    /// Runs the cycle once. `timer` is the time at which its timer was due; a cycle that a source
    /// triggers was due when the sample was taken. No allocation, no lock, no system call except
    /// those of the executor.
    pub fn run(&mut self, timer: Option<Time>) {
        let (run, begin) = self.begin();
        self.show_beginning(run, None);
        let core = &mut self.core;
        let changes = core.obey_commands();
        let safe_state = core.heed_safe_state();
        let inputs = core.take_imports(run, begin);
        self.guard.note_lost(inputs.lost);
        let clock = core.robot.clock();
        let due = timer.or(inputs.trigger).unwrap_or_else(|| clock.now());
        let due_ticks = match clock.due(due) {
            Some(at) => Ticks(core.scale.ticks_at(at.as_nanoseconds()).0.min(begin.0)),
            None => begin,
        };
        self.run_from(&Beginning { run, begin, due, due_ticks, safe_state, changes: &changes, messages: None });
    }

    /// Runs the cycle once, on the inputs of a recorded run.
    pub fn repeat(&mut self, record: &RunRecord) -> Repeated {
        let (run, begin) = self.begin();
        self.show_beginning(run, Some(record.now));
        let changes = self.core.obey_commands();
        self.core.follow_safe_state(record.safe_state);
        if !self.core.take_recorded(record) {
            return Repeated::Impossible;
        }
        let (due, safe_state, messages) = (record.now, record.safe_state, Some(record.messages.as_slice()));
        self.run_from(&Beginning { run, begin, due, due_ticks: begin, safe_state, changes: &changes, messages })
    }

    fn begin(&mut self) -> (u32, Ticks) {
        let begin = Ticks::now();
        self.guard.begin_run(begin);
        (self.core.count_run(), begin)
    }

    /// Admits observers, and lets their parts be written before the run reads its inputs.
    fn show_beginning(&mut self, run: u32, now: Option<Time>) {
        self.admit_observers();
        let Self { core, outlets, .. } = self;
        outlets.begin_run(run, || now.unwrap_or_else(|| core.robot.clock().now()));
    }

    /// Admits those that want to observe the cycle. Called between two runs.
    fn admit_observers(&mut self) {
        let Self { core, outlets, .. } = self;
        outlets.attend(&core.blackboard, core.progress.last_run(), &mut core.executor.between_runs());
    }

    /// Runs on the imports that were read.
    fn run_from(&mut self, beginning: &Beginning<'_>) -> Repeated {
        let &Beginning { run, due, due_ticks, .. } = beginning;
        let (repeated, before) = self.core.begin_run(beginning);
        let Core { blackboard, program, imports, executor, .. } = &mut self.core;
        let world = World { blackboard, program, imports };
        self.outlets.write_down(beginning, before, world, &executor.between_runs());
        self.core.execute();
        let at = self.guard.end_run(&mut self.core, run, due_ticks);
        let Core { blackboard, executor, .. } = &mut self.core;
        self.outlets.pass_on(blackboard, Provided { run, now: due, at }, &executor.between_runs());
        repeated
    }

    /// Makes the calling thread worker 0.
    pub fn settle(&mut self) {
        self.guard.settle();
    }

    /// Executes the commands that were posted, also while the time of the next run is unknown.
    /// Changes for which a run has no room are left for the next one. Called on the thread of its
    /// worker 0.
    /// Returns whether everything was executed: some of it may be in use.
    pub fn attend(&mut self) -> bool {
        self.admit_observers();
        self.core.attend();
        !self.core.commands.is_trying()
    }

    /// Shows observers the cycle's present values, if it has run. Returns whether all have been
    /// shown to all of them.
    pub fn show_present(&mut self) -> bool {
        let Self { core, outlets, .. } = self;
        let Some((run, now)) = core.progress.present_run() else { return true };
        outlets.show_present(&core.blackboard, run, now, &core.executor.between_runs())
    }

    /// Executes a command that comes into force with the next run; returns what is left of it.
    /// Called on the thread of its worker 0.
    pub fn obey(&mut self, command: Command) -> Command {
        self.core.obey(command)
    }

    /// Returns whether its source has a sample that was not read yet, or its topic new messages,
    /// which count as seen then.
    pub fn is_triggered(&mut self) -> bool {
        self.core.is_triggered()
    }
}
