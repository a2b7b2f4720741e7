//! What was measured, from run to run: in the file that `output.profile` names, and at the end of
//! logs.

use std::path::Path;

use hemiola_log::{Entry, LogReader};
use hemiola_realtime::Calibration;
use hemiola_recording::names::PROFILE;
use hemiola_recording::this_program;
use hemiola_trace::{CostProfile, Profile};

use crate::error::InsightError;

/// Of a file that `run` keeps, or of a log: of all that it holds, the last one.
pub fn read(path: &Path) -> Result<Profile, InsightError> {
    if path.extension().is_none_or(|extension| extension != "mcap") {
        return Ok(Profile::load(path)?);
    }
    let mut log = LogReader::open(path)?;
    let mut found = None;
    while let Some(entry) = log.next_entry() {
        // What is damaged holds nothing that could be trusted; what comes after it may.
        if let Ok(Entry::Attachment(attachment)) = entry
            && attachment.name == PROFILE
        {
            let mut text = Vec::new();
            log.read_attachment(&attachment, &mut text)?;
            found = Some(text);
        }
    }
    let Some(text) = found else {
        return Err(InsightError::NoProfile { log: path.to_owned() });
    };
    Profile::from_json(&text).map_err(|error| InsightError::InvalidProfile { log: path.to_owned(), error })
}

/// What is known after a run: the same program's runs in real time add up. What another program took, or a run that was
/// not in real time, only serves to plan, and only where nothing better is known: such a run has other priorities, other
/// load beside it, and perhaps another machine.
pub fn after_run(known: Option<Profile>, mut measured: Profile, is_in_real_time: bool) -> Profile {
    if !is_in_real_time {
        return known.unwrap_or_else(|| measured.without_latencies());
    }
    measured.program = this_program();
    match known {
        Some(mut known) if known.program == measured.program => {
            known.merge(&measured);
            known
        }
        Some(mut known) => {
            known.update(measured);
            known
        }
        None => measured,
    }
}

/// What profiles call the time to hand a task to another worker.
pub const HAND_OVER: &str = "hand_over";
/// What profiles call the time until a thread that is woken runs.
pub const WAKE_UP: &str = "wake_up";
/// What profiles call the time by which timers are late.
pub const TIMER_LATENESS: &str = "timer_lateness";
/// What profiles call the cost of being preempted.
pub const PREEMPTION: &str = "preemption";

/// With what this machine takes for itself, if the profile of this program does not have that yet:
/// it takes three quarters of a second once.
pub fn calibrated(known: Option<Profile>) -> Profile {
    let mut profile = known.unwrap_or_default();
    if profile.program == this_program() && !profile.costs.is_empty() {
        return profile;
    }
    let Calibration { hand_over, wake_up, timer_lateness, preemption, .. } = Calibration::measure();
    let measured =
        [(HAND_OVER, hand_over), (WAKE_UP, wake_up), (TIMER_LATENESS, timer_lateness), (PREEMPTION, preemption)];
    for (name, distribution) in measured {
        let Some(distribution) = distribution else { continue };
        let [p99, maximum] =
            [distribution.p99, distribution.maximum].map(|cost| cost.as_nanos().try_into().unwrap_or(u64::MAX));
        profile.costs.insert(name.to_owned(), CostProfile { samples: distribution.samples, p99, maximum });
    }
    profile
}

#[cfg(test)]
mod tests {
    use hemiola_trace::{Distribution, Measured};

    use super::*;

    fn run_of(program: &str, nanoseconds: u64) -> Profile {
        let mut execution = Distribution::new();
        execution.record(nanoseconds);
        let mut profile = Profile::default();
        profile.program = program.to_owned();
        profile.insert("motion", "walk", &execution);
        profile.cycle_mut("motion").response = Measured::from(&execution);
        profile
    }

    #[test]
    fn runs_of_this_program_add_up_and_those_of_another_one_are_replaced() {
        let first = after_run(None, run_of("", 500), true);
        let second = after_run(Some(first), run_of("", 300), true);
        let walk = second.task("motion", "walk").unwrap();
        assert_eq!((walk.count(), walk.maximum()), (2, 500));
        let other = after_run(Some(run_of("another", 900)), run_of("", 300), true);
        assert_eq!(other.task("motion", "walk").unwrap().maximum(), 300);
        assert_eq!(other.program, this_program());
    }

    #[test]
    fn a_run_that_was_not_in_real_time_says_nothing_of_the_robot() {
        let known = after_run(None, run_of("", 500), true);
        let after = after_run(Some(known.clone()), run_of("", 900), false);
        assert_eq!(after, known);

        // Where nothing is known it serves to plan, until the robot has run.
        let stepped = after_run(None, run_of("", 900), false);
        assert_eq!(stepped.task("motion", "walk").unwrap().maximum(), 900);
        assert!(stepped.program.is_empty());
        let known = after_run(Some(stepped), run_of("", 500), true);
        assert_eq!(known.task("motion", "walk").unwrap().maximum(), 500);
        assert_eq!(known.program, this_program());
    }
}
