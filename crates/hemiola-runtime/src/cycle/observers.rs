//! Who is handed what a cycle's runs begin with and leave behind.

use hemiola_model::Time;
use hemiola_model::module::BetweenRuns;

use super::core::RunBefore;
use crate::blackboard::Blackboard;
use crate::observe::parts::CheckpointWriter;
use crate::observe::runs::TranscriptWriter;
use crate::observe::values::TapWriter;
use crate::program::Program;
use crate::run::{Beginning, CycleImport};

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

    /// Writes down what a run begins with, when the inputs have been taken and the tasks have not begun.
    pub fn begin_run(
        &mut self,
        beginning: &Beginning<'_>,
        before: RunBefore,
        (blackboard, program, imports): (&Blackboard, &Program, &[CycleImport]),
        between: &BetweenRuns<'_>,
    ) {
        if let Some(checkpoints) = self.checkpoints.as_mut().filter(|_| beginning.is_cut) {
            let world = (blackboard, program, imports);
            checkpoints.write_down(beginning, (before.now, before.is_safe), world, between);
        }
        if let Some(transcript) = &mut self.transcript {
            transcript.write_down(beginning, imports, program, between);
        }
    }

    /// Passes on what a run has left behind.
    pub fn end_run(&mut self, blackboard: &Blackboard, run: u32, now: Time, between: &BetweenRuns<'_>) {
        if let Some(values) = &mut self.values {
            values.pass_on(blackboard, run, now, between);
        }
    }
}
