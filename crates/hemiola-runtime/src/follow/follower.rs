//! The position of a robot in the script that it follows, and the steps that it takes there.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hemiola_model::Time;

use super::changes::RecordedChanges;
use super::messages::publish_again;
use super::stand_ins::StandIns;
use crate::cycle::Core;
use crate::record::{ChangeNumber, InputRecord, RunRecord};
use crate::run::Repeated;
use crate::script::Script;
use crate::stage::{Stage, Step};

/// The time for which it waits until what is to be changed is released.
const PATIENCE: Duration = Duration::from_secs(1);

/// A follower, which makes a robot repeat the runs of a script.
pub struct Follower {
    script: Script,
    next: usize,
    /// The sources whose samples runs have taken: they deliver a sample when the first run needs
    /// it.
    needed: Vec<Arc<str>>,
    changes: RecordedChanges,
    /// The publishers of messages that no cycle publishes.
    stand_ins: StandIns,
    /// The reason why it cannot continue.
    failure: Option<String>,
    /// The first difference from the script that did not prevent it from continuing.
    deviation: Option<String>,
}

impl Follower {
    pub fn new(script: Script, stand_ins: StandIns, stage: &Stage) -> Self {
        let inputs = || script.runs().iter().flat_map(|run| &run.inputs);
        let is_needed = |name: &str| inputs().any(|input| &*input.from == name && input.last().is_some());
        let names = stage.sources.iter().map(|stepped| stepped.source.name);
        let needed = names.filter(|name| is_needed(name)).map(Arc::from).collect();
        let changes = RecordedChanges::new(script.changes().clone());
        Self { script, next: 0, needed, changes, stand_ins, failure: None, deviation: None }
    }

    /// Prepares for the first run. Resumes from the checkpoint with which the script begins, if it
    /// does: makes the changes before it, then restores the recorded state. Nothing runs yet.
    ///
    /// # Errors
    /// Returns an error with the reason in words.
    pub fn resume(&mut self, stage: &mut Stage) -> Result<(), String> {
        for (cycle, number) in self.script.changed_before().to_vec() {
            let Some(index) = stage.cycles.iter().position(|known| *known.core.name == *cycle) else { continue };
            if let Err(reason) = self.change_again(stage, index, number) {
                self.note_deviation(format!(
                    "before the checkpoint something was changed from outside in {cycle}, which cannot be done again: {reason}"
                ));
            }
        }
        let parts = self.script.parts().clone();
        for part in parts.iter() {
            if let Some(cycle) = stage.cycles.iter_mut().find(|cycle| *cycle.core.name == *part.cycle) {
                cycle.resume(part)?;
            }
        }
        for cycle in &mut stage.cycles {
            let Core { program, executor, .. } = &mut cycle.core;
            program.prepare_to_repeat(&mut executor.between_runs());
        }
        publish_again(&mut stage.cycles, &parts)
    }

    /// Returns the reason why it cannot continue; `None` as long as it can.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// Returns the first difference that did not prevent it from continuing.
    pub fn deviation(&self) -> Option<&str> {
        self.deviation.as_deref()
    }

    /// Repeats the next run; returns `None` if there is none, or it cannot be repeated.
    pub fn step(&mut self, stage: &mut Stage) -> Option<Step> {
        if self.failure.is_some() {
            return None;
        }
        let Some(record) = self.script.runs().get(self.next).cloned() else { return give_the_rest(stage) };
        self.next += 1;
        match self.repeat(stage, &record) {
            Ok(step) => Some(step),
            Err(failure) => {
                self.failure = Some(failure);
                None
            }
        }
    }

    /// Returns the time of the next run, or of a sample that is left over.
    pub fn upcoming(&self, stage: &Stage) -> Option<Time> {
        if self.failure.is_some() {
            return None;
        }
        let next = self.script.runs().get(self.next).map(|record| record.now);
        let fed = stage.sources.iter().filter(|stepped| stepped.source.feed.is_some());
        Some(next.or_else(|| fed.filter_map(|stepped| stepped.next).min())?.max(stage.now()))
    }

    fn repeat(&mut self, stage: &mut Stage, record: &RunRecord) -> Result<Step, String> {
        let RunRecord { cycle, run, now, .. } = record;
        // In the order of the runs times may go back a little, but a clock does not.
        let time = stage.now().max(*now);
        stage.state.clock().set(time);
        for input in &record.inputs {
            give(stage, input).map_err(|reason| format!("run {run} of {cycle} cannot be repeated: {reason}"))?;
        }
        self.give_what_nobody_needs(stage, time);
        let index = stage.cycles.iter().position(|known| *known.core.name == **cycle);
        let index = index.ok_or_else(|| format!("there is no cycle `{cycle}`"))?;
        self.change(stage, index, record);
        // A change may have created subscriptions.
        if let Err(reason) = self.stand_ins.publish(record, stage.state.bus()) {
            self.note_deviation(format!("run {run} of {cycle} received what cannot be published again: {reason}"));
        }
        match stage.cycles[index].repeat(record) {
            Repeated::Exactly => {}
            Repeated::OtherMessages => self.note_deviation(format!(
                "run {run} of {cycle} received messages that no module has published by now: they came from outside, or were lost"
            )),
            Repeated::Impossible => {
                return Err(format!(
                    "run {run} of {cycle} cannot be repeated: what it took was not published by the runs before it"
                ));
            }
        }
        Ok(Step { time, cycles: vec![index] })
    }

    /// Makes the changes from outside that came into force with this run.
    fn change(&mut self, stage: &mut Stage, index: usize, record: &RunRecord) {
        let RunRecord { cycle, run, changes, .. } = record;
        // Commands that were posted earlier are executed first.
        stage.cycles[index].attend();
        for &number in changes {
            if let Err(reason) = self.change_again(stage, index, number) {
                self.note_deviation(format!(
                    "before run {run} of {cycle} something was changed from outside, which cannot be done again: {reason}"
                ));
            }
        }
    }

    fn change_again(&mut self, stage: &mut Stage, index: usize, number: ChangeNumber) -> Result<(), String> {
        let command = self.changes.command(&stage.handle, index, number)?;
        let patience = Instant::now() + PATIENCE;
        let mut command = stage.cycles[index].obey(command);
        // Whoever holds what is to be changed, perhaps a recorder, releases it soon.
        while command.change().is_none() && Instant::now() < patience {
            std::thread::yield_now();
            command = stage.cycles[index].obey(command);
        }
        command.change().map(drop).ok_or_else(|| "what is to be changed is in use".to_owned())
    }

    /// Notes a difference from the script; the first one counts.
    fn note_deviation(&mut self, deviation: String) {
        self.deviation.get_or_insert(deviation);
    }

    /// Lets sources whose samples no run has taken deliver their samples in time.
    fn give_what_nobody_needs(&self, stage: &mut Stage, time: Time) {
        for stepped in &mut stage.sources {
            if self.needed.iter().any(|name| **name == *stepped.source.name) {
                continue;
            }
            while let Some(next) = stepped.next.filter(|&next| next <= time) {
                stepped.deliver(next);
                stepped.prepare();
            }
        }
    }
}

/// Makes a source deliver its samples up to the one that was taken.
fn give(stage: &mut Stage, input: &InputRecord) -> Result<(), String> {
    let Some(stepped) = stage.sources.iter_mut().find(|stepped| *stepped.source.name == *input.from) else {
        return Ok(());
    };
    let Some(last) = input.last() else { return Ok(()) };
    // Samples are numbered from zero; the prepared one has the source's current number.
    while stepped.delivered.is_none_or(|delivered| delivered < last) {
        let next = stepped.source.samples;
        let Some(time) = stepped.next.filter(|_| next <= last) else {
            return Err(format!("sample {last} of source {} is not in the log", input.from));
        };
        stepped.deliver(time);
        stepped.prepare();
    }
    Ok(())
}

/// Delivers the next sample that remains in the sources, for whoever records it.
fn give_the_rest(stage: &mut Stage) -> Option<Step> {
    let fed = stage.sources.iter_mut().filter(|stepped| stepped.source.feed.is_some());
    let (time, stepped) = fed.filter_map(|stepped| Some((stepped.next?, stepped))).min_by_key(|(time, _)| *time)?;
    stepped.deliver(time);
    stepped.prepare();
    let time = stage.now().max(time);
    stage.state.clock().set(time);
    Some(Step { time, cycles: Vec::new() })
}
