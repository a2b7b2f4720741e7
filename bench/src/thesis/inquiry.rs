//! The inquiry that all questions share: it runs and predicts cycles, and notes what the system
//! refused.

use std::num::NonZeroUsize;
use std::time::Duration;

use super::cycle::Cycle;
use super::experiment::{self, Outcome, Setting};
use super::prediction::{self, Cores};
use super::report::{Origin, Question};
use super::subject::Subject;
use crate::contest::host::Host;
use crate::contestant::ContestantError;

/// An inquiry: it runs what the questions ask for.
pub struct Inquiry {
    pub subject: Subject,
    /// The time for which each way is run.
    pub duration: Duration,
    /// The time that the machine's host took from the runs.
    pub host: Host,
    /// The settings that the system refused, each once.
    pub denials: Vec<String>,
}

/// The number of simulated runs of cognition.
pub const SIMULATED_RUNS: usize = 300;

impl Inquiry {
    pub fn new(subject: Subject, duration: Duration) -> Self {
        Self { subject, duration, host: Host::default(), denials: Vec::new() }
    }

    /// Measures all tasks again.
    pub fn begin_pass(&mut self) -> Result<(), ContestantError> {
        self.subject = self.subject.profiled_again()?;
        Ok(())
    }

    /// Runs motion and cognition in the same way.
    pub fn both(
        &mut self,
        question: &mut Question,
        way: &str,
        setting: Setting,
    ) -> Result<Vec<Outcome>, ContestantError> {
        self.pair(question, way, [setting; 2])
    }

    /// Runs motion and cognition, each in its own way.
    pub fn pair(
        &mut self,
        question: &mut Question,
        way: &str,
        settings: [Setting; 2],
    ) -> Result<Vec<Outcome>, ContestantError> {
        let cycles = [self.subject.motion.clone(), self.subject.cognition.clone()];
        let outcomes = self.run(&[(&cycles[0], settings[0]), (&cycles[1], settings[1])])?;
        cycles.iter().zip(&outcomes).for_each(|(cycle, outcome)| add_frames(question, way, cycle, outcome));
        Ok(outcomes)
    }

    /// Runs cycles at the same time; again if the host took too much of it.
    pub fn run(&mut self, cycles: &[(&Cycle, Setting)]) -> Result<Vec<Outcome>, ContestantError> {
        self.run_for(cycles, self.duration)
    }

    pub fn run_for(
        &mut self,
        cycles: &[(&Cycle, Setting)],
        duration: Duration,
    ) -> Result<Vec<Outcome>, ContestantError> {
        let outcomes = self.host.hold(|| experiment::run(cycles, duration))?;
        for denial in outcomes.iter().flat_map(|outcome| &outcome.denials) {
            if !self.denials.contains(denial) {
                self.denials.push(denial.clone());
            }
        }
        Ok(outcomes)
    }
}

/// Adds the measured responses of each kind of frame.
pub fn add_frames(question: &mut Question, way: &str, cycle: &Cycle, outcome: &Outcome) {
    for (frame, response) in cycle.frames.iter().zip(&outcome.response) {
        question.add(way, frame.name, Origin::Measured, response);
    }
}

/// Returns both cycles with the durations of a run of both, as far as nothing interrupted them:
/// only motion can, so that its own all count.
pub fn as_measured(cycles: &[Cycle; 2], outcomes: &[Outcome]) -> [Cycle; 2] {
    let others = [&[], outcomes[0].runs.as_slice()];
    [0, 1].map(|index| cycles[index].as_measured(&outcomes[index].events, others[index]))
}

/// Predicts both cycles in these settings; `None` where a loop runs one of them.
pub fn predict(
    cycles: &[Cycle; 2],
    settings: [Setting; 2],
    number: usize,
    lead: Duration,
) -> Option<prediction::Prediction> {
    let [motion, cognition] = cycles;
    // The plans are those of the runs; the simulated durations are those of the frames.
    let plans = (settings[0].plan(motion)?, settings[1].plan(cognition)?);
    let cores = Cores { number, cognition: settings[1].placement, lead };
    Some(prediction::both((motion, &plans.0), (cognition, &plans.1), cores, SIMULATED_RUNS))
}

/// Returns the cores that this process may use.
pub fn available_cores() -> usize {
    std::thread::available_parallelism().map_or(1, NonZeroUsize::get)
}

/// Returns all pairs of 1 to `most` workers.
pub fn pairs(most: usize) -> impl Iterator<Item = (usize, usize)> {
    (1..=most).flat_map(move |motion| (1..=most).map(move |cognition| (motion, cognition)))
}

pub fn count(workers: usize) -> String {
    format!("{workers} {}", if workers == 1 { "worker" } else { "workers" })
}

pub fn signed_time(ns: f64) -> String {
    format!("{}{}", if ns < 0.0 { "-" } else { "+" }, crate::report::time(ns.abs()))
}
