//! Who is handed what a cycle's runs begin with and leave behind.

use hemiola_model::Time;

use super::core::{Core, RunBefore};
use crate::blackboard::Blackboard;
use crate::observe::parts::CheckpointWriter;
use crate::observe::runs::TranscriptWriter;
use crate::observe::values::TapWriter;
use crate::run::Beginning;

/// The cycle's ends of all that is observed.
pub struct Observers {
    /// Where it passes on values.
    pub values: Option<TapWriter>,
    /// Where it writes down what its runs begin with.
    pub transcript: Option<TranscriptWriter>,
    /// Where it writes down its parts of checkpoints.
    pub checkpoints: Option<CheckpointWriter>,
}

impl Observers {
    /// `None` if nobody observes anything.
    pub fn of(
        values: Option<TapWriter>,
        transcript: Option<TranscriptWriter>,
        checkpoints: Option<CheckpointWriter>,
    ) -> Option<Self> {
        let is_observed = values.is_some() || transcript.is_some() || checkpoints.is_some();
        is_observed.then_some(Self { values, transcript, checkpoints })
    }

    /// Whether this run is the first one after a cut; before it takes its inputs.
    pub fn is_cut(&mut self, run: u32, now: impl FnOnce() -> Time) -> bool {
        self.checkpoints.as_mut().is_some_and(|checkpoints| checkpoints.is_due(run, now()))
    }

    /// Writes down what a run begins with.
    ///
    /// # Safety
    /// By worker 0 of the cycle, when the inputs have been taken and the tasks have not begun.
    pub unsafe fn begin_run(&mut self, beginning: &Beginning<'_>, before: RunBefore, core: &Core) {
        let Core { blackboard, program, imports, .. } = core;
        // SAFETY: promised by the caller.
        unsafe {
            if let Some(checkpoints) = self.checkpoints.as_mut().filter(|_| beginning.is_cut) {
                checkpoints.write_down(beginning, (before.now, before.is_safe), (blackboard, program, imports));
            }
            if let Some(transcript) = &mut self.transcript {
                transcript.write_down(beginning, imports, program);
            }
        }
    }

    /// Passes on what a run has left behind.
    ///
    /// # Safety
    /// By worker 0 of the cycle, between two runs.
    pub unsafe fn end_run(&mut self, blackboard: &Blackboard, run: u32, now: Time) {
        if let Some(values) = &mut self.values {
            // SAFETY: promised by the caller.
            unsafe { values.pass_on(blackboard, run, now) };
        }
    }
}
