//! Transcripts, checkpoints and journal of a log that were changed, lost, repeated or exchanged are
//! a script that a robot can follow, from its beginning or from a checkpoint, or an error says why
//! not. Nothing panics, or takes memory for what a message claims.
//!
//! The robot is made once and never runs: the target `replay` has it run, and tries much less.
#![no_main]

mod changed_log;
mod robot;

use std::time::Duration;

use changed_log::{Whole, tells};
use hemiola::configuration::{Catalog, parse};
use hemiola::{Robot, Time};
use hemiola_model::ValueMut;
use hemiola_recording::replay::ReplayLog;
use hemiola_runtime::{Course, Feed};
use libfuzzer_sys::fuzz_target;

thread_local! {
    static SETUP: (Whole, Robot) = {
        let loaded = parse(&robot::configuration(), "robot.toml", &Catalog::linked()).expect("it is right");
        let robot = Robot::assemble(loaded.configuration).expect("it is right");
        (Whole::record("script", Duration::from_millis(110), tells), robot)
    };
}

/// In the place of a source.
struct NoSamples;

impl Feed for NoSamples {
    fn sample(&mut self, _: &mut [ValueMut<'_>]) -> Result<Option<Time>, String> {
        Ok(None)
    }
}

fuzz_target!(|input: &[u8]| {
    let Some((choice, rest)) = input.split_first() else { return };
    SETUP.with(|(whole, robot)| {
        let log = match ReplayLog::read(&whole.change(rest)) {
            Ok(log) => log,
            Err(error) => return assert!(!error.to_string().is_empty()),
        };
        let script = match log.script() {
            Ok(script) => script,
            Err(error) => return assert!(!error.to_string().is_empty()),
        };
        let time = (choice % 4 > 0).then(|| Time::from_seconds(0.04 * f64::from(choice % 4)));
        if let Some(refusal) = log.checkpoints().refusal(time) {
            assert!(!refusal.to_string().is_empty());
        }
        let script = match log.checkpoints().parts(log.split(), robot, time) {
            Ok(Some(resumed)) if choice / 4 % 2 == 0 => script.since(&resumed.parts),
            Ok(_) => script.clone(),
            Err(error) => return assert!(!error.to_string().is_empty()),
        };
        assert!(script.runs().len() <= script.written().len());
        if let Some(break_off) = script.break_off() {
            assert!(!break_off.to_string().is_empty());
        }
        let mut course = Course::default();
        for source in script.first_samples().keys() {
            course = course.feeding(&**source, Box::new(NoSamples));
        }
        if let Err(error) = robot.can_follow(&course.repeating(script)) {
            assert!(!error.to_string().is_empty());
        }
    });
});
