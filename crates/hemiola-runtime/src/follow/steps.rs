//! Steps that are those of a recording.

use std::sync::Arc;
use std::time::{Duration, Instant};

use hemiola_model::Time;

use super::changes::RecordedChanges;
use super::messages::publish_again;
use super::script::Transcript;
use crate::record::{ChangeNumber, CyclePart, InputRecord, RunRecord};
use crate::run::Repeated;
use crate::stepper::{Step, Stepped, Stepper};

/// How long it waits for who holds what is to be changed.
const PATIENCE: Duration = Duration::from_secs(1);

/// Where a stepper is in a transcript.
pub struct Script {
    transcript: Transcript,
    next: usize,
    /// The sources that runs took samples of: they give a sample when the first run needs it.
    needed: Vec<Arc<str>>,
    changes: RecordedChanges,
    /// Why it cannot go on.
    failure: Option<String>,
    /// What was different, and did not keep it from going on.
    deviation: Option<String>,
}

impl Script {
    pub fn new(transcript: Transcript, stepped: &[Stepped]) -> Self {
        let inputs = || transcript.runs().iter().flat_map(|run| &run.inputs);
        let is_needed = |name: &str| inputs().any(|input| &*input.from == name && input.last().is_some());
        let names = stepped.iter().map(|stepped| stepped.source.name);
        let needed = names.filter(|name| is_needed(name)).map(Arc::from).collect();
        let changes = RecordedChanges::new(transcript.changes().clone());
        Self { transcript, next: 0, needed, changes, failure: None, deviation: None }
    }

    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    pub fn deviation(&self) -> Option<&str> {
        self.deviation.as_deref()
    }
}

impl Stepper {
    /// The next run of the recording; `None` when there is none, or it cannot be repeated.
    pub fn follow(&mut self) -> Option<Step> {
        let script = self.script.as_mut()?;
        if script.failure.is_some() {
            return None;
        }
        let Some(record) = script.transcript.runs().get(script.next).cloned() else { return self.give_the_rest() };
        script.next += 1;
        match self.repeat(&record) {
            Ok(step) => Some(step),
            Err(failure) => {
                if let Some(script) = &mut self.script {
                    script.failure = Some(failure);
                }
                None
            }
        }
    }

    /// When that, or what is left over, will be.
    pub fn upcoming_of_script(&self) -> Option<Time> {
        let script = self.script.as_ref().filter(|script| script.failure.is_none())?;
        let next = script.transcript.runs().get(script.next).map(|record| record.now);
        let fed = self.sources.iter().filter(|stepped| stepped.source.feed.is_some());
        Some(next.or_else(|| fed.filter_map(|stepped| stepped.next).min())?.max(self.now()))
    }

    fn repeat(&mut self, record: &RunRecord) -> Result<Step, String> {
        let RunRecord { cycle, run, now, .. } = record;
        // In the order of the runs times may go back a little: a clock does not.
        let time = self.now().max(*now);
        self.state.clock().set(time);
        for input in &record.inputs {
            self.give(input).map_err(|reason| format!("run {run} of {cycle} cannot be repeated: {reason}"))?;
        }
        self.give_what_nobody_needs(time);
        let index = self.cycles.iter().position(|known| *known.name == **cycle);
        let index = index.ok_or_else(|| format!("there is no cycle `{cycle}`"))?;
        self.change(index, record);
        match self.cycles[index].repeat(record) {
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
    fn change(&mut self, index: usize, record: &RunRecord) {
        let RunRecord { cycle, run, changes, .. } = record;
        // What was asked for before comes before.
        self.cycles[index].attend();
        for &number in changes {
            if let Err(reason) = self.change_again(index, number) {
                self.note_deviation(format!(
                    "before run {run} of {cycle} something was changed from outside, which cannot be done again: {reason}"
                ));
            }
        }
    }

    fn change_again(&mut self, index: usize, number: ChangeNumber) -> Result<(), String> {
        let Some(script) = &mut self.script else { return Ok(()) };
        let command = script.changes.command(&self.handle, index, number)?;
        let patience = Instant::now() + PATIENCE;
        let mut command = self.cycles[index].obey(command);
        // Who still holds what is to be changed, a recorder perhaps, lets it go soon.
        while command.change().is_none() && Instant::now() < patience {
            std::thread::yield_now();
            command = self.cycles[index].obey(command);
        }
        command.change().map(drop).ok_or_else(|| "what is to be changed is in use".to_owned())
    }

    /// Goes on from a snapshot with these parts: what was changed before it, then what was remembered. Nothing runs yet.
    pub fn resume(&mut self, parts: &[CyclePart]) -> Result<(), String> {
        let changed =
            self.script.as_ref().map(|script| script.transcript.changed_before().to_vec()).unwrap_or_default();
        for (cycle, number) in changed {
            let Some(index) = self.cycles.iter().position(|known| *known.name == *cycle) else { continue };
            if let Err(reason) = self.change_again(index, number) {
                self.note_deviation(format!(
                    "before the snapshot something was changed from outside in {cycle}, which cannot be done again: {reason}"
                ));
            }
        }
        for part in parts {
            if let Some(cycle) = self.cycles.iter_mut().find(|cycle| *cycle.name == *part.cycle) {
                cycle.resume(part)?;
            }
        }
        publish_again(&self.cycles, parts)
    }

    /// The first one counts.
    fn note_deviation(&mut self, deviation: String) {
        if let Some(script) = &mut self.script {
            script.deviation.get_or_insert(deviation);
        }
    }

    /// Has a source deliver its samples up to the one that was taken.
    fn give(&mut self, input: &InputRecord) -> Result<(), String> {
        let Some(stepped) = self.sources.iter_mut().find(|stepped| *stepped.source.name == *input.from) else {
            return Ok(());
        };
        let Some(last) = input.last() else { return Ok(()) };
        // Samples are numbered from zero; what is prepared has the number that the source has now.
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

    /// Sources that no run took anything of give their samples in time.
    fn give_what_nobody_needs(&mut self, time: Time) {
        let needed = self.script.as_ref().map(|script| script.needed.as_slice()).unwrap_or_default();
        for stepped in &mut self.sources {
            if needed.iter().any(|name| **name == *stepped.source.name) {
                continue;
            }
            while let Some(next) = stepped.next.filter(|&next| next <= time) {
                stepped.deliver(next);
                stepped.prepare();
            }
        }
    }

    /// What the sources have left over, for who records it.
    fn give_the_rest(&mut self) -> Option<Step> {
        let fed = self.sources.iter_mut().filter(|stepped| stepped.source.feed.is_some());
        let (time, stepped) = fed.filter_map(|stepped| Some((stepped.next?, stepped))).min_by_key(|(time, _)| *time)?;
        stepped.deliver(time);
        stepped.prepare();
        let time = self.now().max(time);
        self.state.clock().set(time);
        Some(Step { time, cycles: Vec::new() })
    }
}
