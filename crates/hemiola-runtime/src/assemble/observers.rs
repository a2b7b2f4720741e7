//! Both ends of what is observed from the beginning: that of each cycle or source, and the recorder's.

use std::sync::Arc;

use hemiola_model::Time;

use super::periods::{period_of, source_period};
use super::recording::Checkpoints;
use super::robot::Robot;
use crate::blackboard::Blackboard;
use crate::cycle::Observers;
use crate::observe::parts::{CheckpointLine, Cut, When, checkpoints};
use crate::observe::runs::{TranscriptLine, TranscriptWriter, transcript};
use crate::observe::values::{self, TapLine, TapWriter, WhenFull, tap};
use crate::program::Program;
use crate::record::InputRecord;
use crate::robot_state::RobotState;
use crate::run::CycleImport;
use crate::sync::AtomicU32;
use crate::sync::AtomicU64;

/// The recorder's ends, while the others are made.
pub(super) struct ObserverEnds {
    when_full: WhenFull,
    /// Orders the runs of all cycles.
    order: Arc<AtomicU64>,
    /// How many checkpoints there should be.
    wanted: Arc<AtomicU32>,
    pub values: Vec<TapLine>,
    pub transcripts: Vec<TranscriptLine>,
    pub checkpoints: Vec<CheckpointLine>,
}

/// A cycle, as far as it can be observed.
pub(super) struct Observed<'c> {
    /// Its number.
    pub node: usize,
    pub name: &'c str,
    pub blackboard: &'c Arc<Blackboard>,
    pub program: &'c Program,
    pub imports: &'c [CycleImport],
    /// What it reads from elsewhere, with nothing taken.
    pub inputs: Vec<InputRecord>,
}

impl ObserverEnds {
    pub fn of(state: &RobotState) -> Self {
        // A stepped clock stands still: no time of the world belongs to its times.
        let when_full = state.clock().due(Time::ZERO).map_or(WhenFull::Wait, |_| WhenFull::Drop);
        let (values, transcripts, checkpoints) = (Vec::new(), Vec::new(), Vec::new());
        Self { when_full, order: Arc::default(), wanted: Arc::default(), values, transcripts, checkpoints }
    }

    /// The ends of a cycle.
    pub fn cycle(&mut self, robot: &Robot, mut cycle: Observed<'_>) -> Option<Observers> {
        let values = self.values(robot, cycle.node, cycle.name, cycle.blackboard);
        let inputs = std::mem::take(&mut cycle.inputs);
        let transcript = robot.recording.has_transcripts.then(|| self.transcript(cycle.name, inputs));
        let checkpoints = self.when(robot, cycle.name).map(|when| {
            let modules = robot.modules_of(cycle.name).into_iter();
            let states: Vec<_> = modules.map(|module| (module.name(), module.state())).collect();
            let parts = (&**cycle.blackboard, cycle.program, cycle.imports);
            let (writer, line) = checkpoints(cycle.name, &states, parts, robot.sources.len(), when, self.when_full);
            self.checkpoints.push(line);
            writer
        });
        Observers::of(values, transcript, checkpoints)
    }

    /// Where a cycle or, after all cycles, a source passes on values.
    pub fn values(
        &mut self,
        robot: &Robot,
        node: usize,
        owner: &str,
        blackboard: &Arc<Blackboard>,
    ) -> Option<TapWriter> {
        let (writer, line) = tap(owner, blackboard, &robot.taps, tap_depth(robot, node), self.when_full)?;
        self.values.push(line);
        Some(writer)
    }

    fn transcript(&mut self, cycle: &str, inputs: Vec<InputRecord>) -> TranscriptWriter {
        let (writer, line) = transcript(cycle, inputs, &self.order, self.when_full);
        self.transcripts.push(line);
        writer
    }

    /// When a cycle writes down its parts of checkpoints, if it does.
    fn when(&self, robot: &Robot, cycle: &str) -> Option<When> {
        match &robot.recording.checkpoints {
            Checkpoints::Around { cycle: extracted, run } if *extracted == cycle => Some(When::Runs(*run)),
            Checkpoints::Every(period) => Some(When::Every(Cut::new(Arc::clone(&self.wanted)), *period)),
            Checkpoints::Never | Checkpoints::Around { .. } => None,
        }
    }
}

/// How many values of each representation may be on their way from a cycle or, after all cycles, a source to a recorder.
pub fn tap_depth(robot: &Robot, node: usize) -> usize {
    let cycles = &robot.configuration.cycles;
    match cycles.get(node) {
        Some(cycle) => values::depth(period_of(robot, cycle), values::AWAY),
        None => {
            let source = robot.sources.get(node - cycles.len());
            values::depth(source.and_then(|source| source_period(robot, source.name())), values::AWAY_FROM_SOURCE)
        }
    }
}
