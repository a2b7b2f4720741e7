//! One cycle: takes what is new, runs its program, looks at the deadline.

mod core;
mod guard;
mod observers;

use hemiola_model::Time;
use hemiola_trace::Ticks;

use crate::command::Command;
use crate::record::RunRecord;
use crate::run::{Beginning, Repeated};

pub use self::core::{Core, Progress};
pub use guard::{Guard, Health};
pub use observers::Observers;

/// A cycle, ready to run. Belongs to the thread that waits for its trigger, which is its worker 0.
pub struct Cycle {
    pub core: Core,
    /// `None` if nobody observes anything.
    pub observers: Option<Observers>,
    pub guard: Guard,
}

impl Cycle {
    /// Runs the cycle once. `timer` is when its timer was due; a cycle that a source triggers was due when the sample was taken.
    /// No allocation, no lock, no system call but those of the executor.
    pub fn run(&mut self, timer: Option<Time>) {
        let (run, begin) = self.begin();
        let is_cut = self.is_cut(run, None);
        let core = &mut self.core;
        let safe_state = core.robot.safe_state();
        let changes = core.obey_commands(safe_state);
        let inputs = core.take_imports(run, begin);
        self.guard.note_lost(inputs.lost);
        let clock = core.robot.clock();
        let due = timer.or(inputs.trigger).unwrap_or_else(|| clock.now());
        let due_ticks = match clock.due(due) {
            Some(at) => Ticks(core.scale.ticks_at(at.as_nanoseconds()).0.min(begin.0)),
            None => begin,
        };
        self.run_from(&Beginning { run, begin, due, due_ticks, safe_state, changes: &changes, is_cut, messages: None });
    }

    /// Runs the cycle once, on what a run of a recording began with.
    pub fn repeat(&mut self, record: &RunRecord) -> Repeated {
        let (run, begin) = self.begin();
        let is_cut = self.is_cut(run, Some(record.now));
        let changes = self.core.obey_commands(record.safe_state);
        if !self.core.take_recorded(record) {
            return Repeated::Impossible;
        }
        let (due, safe_state, messages) = (record.now, record.safe_state, Some(record.messages.as_slice()));
        self.run_from(&Beginning { run, begin, due, due_ticks: begin, safe_state, changes: &changes, is_cut, messages })
    }

    fn begin(&mut self) -> (u32, Ticks) {
        let begin = Ticks::now();
        self.guard.begin_run(begin);
        (self.core.count_run(), begin)
    }

    /// Whether this run is the first one after a cut; before it takes its inputs.
    fn is_cut(&mut self, run: u32, now: Option<Time>) -> bool {
        let Self { core, observers: Some(observers), .. } = self else { return false };
        observers.is_cut(run, || now.unwrap_or_else(|| core.robot.clock().now()))
    }

    /// Runs on the imports that were taken.
    fn run_from(&mut self, beginning: &Beginning<'_>) -> Repeated {
        let &Beginning { run, due, due_ticks, .. } = beginning;
        let (repeated, before) = self.core.begin_run(beginning);
        if let Some(observers) = &mut self.observers {
            let Core { blackboard, program, imports, executor, .. } = &mut self.core;
            observers.begin_run(beginning, before, (blackboard, program, imports), &executor.between_runs());
        }
        self.core.execute();
        self.guard.end_run(&mut self.core, run, due_ticks);
        if let Some(observers) = &mut self.observers {
            let Core { blackboard, executor, .. } = &mut self.core;
            observers.end_run(blackboard, run, due, &executor.between_runs());
        }
        repeated
    }

    /// The calling thread is worker 0 from now on.
    pub fn settle(&mut self) {
        self.guard.settle();
    }

    /// Does what it is asked for while nobody knows when its next run will be. On the thread of its worker 0.
    pub fn attend(&mut self) {
        self.core.attend();
    }

    /// Does something that comes into force with the next run; tells what is left of it. On the thread of its worker 0.
    pub fn obey(&mut self, command: Command) -> Command {
        self.core.obey(command)
    }

    /// Whether its source has brought a sample that was not taken yet, or its topic new messages, which count as heard then.
    pub fn is_triggered(&mut self) -> bool {
        self.core.is_triggered()
    }
}
