//! A log whose transcripts, checkpoints, journal and values were changed, lost, repeated or
//! exchanged is replayed to an end, from its beginning or from the middle, or an error says why
//! not. Nothing panics, waits forever, or takes memory for what a message claims.
//!
//! Each input makes a whole robot, which takes its time; the target `script` goes only as far as
//! the robot, and tries much more.
#![no_main]

mod changed_log;
mod robot;

use std::sync::LazyLock;
use std::time::Duration;

use changed_log::Whole;
use hemiola::configuration::{Catalog, Configuration};
use hemiola::{Robot, Time};
use hemiola_recording::replay::{Beginning, Replay, ReplayLog};
use libfuzzer_sys::fuzz_target;

static WHOLE: LazyLock<Whole> = LazyLock::new(|| Whole::record("replay", Duration::from_millis(130), |_| true));

static CONFIGURATION: LazyLock<Configuration> = LazyLock::new(|| {
    let loaded = hemiola::configuration::parse(&robot::configuration(), "robot.toml", &Catalog::linked());
    loaded.expect("it is right").configuration
});

fuzz_target!(|input: &[u8]| {
    let Some((choice, rest)) = input.split_first() else { return };
    let log = match ReplayLog::read(&WHOLE.change(rest)) {
        Ok(log) => log,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    let beginning = match choice % 4 {
        0 => Beginning::OfLog,
        number => Beginning::Before(Time::from_seconds(0.04 * f64::from(number))),
    };
    let take = if choice / 4 % 2 == 0 { vec![] } else { vec!["Pose".to_owned()] };
    let robot = Robot::assemble(CONFIGURATION.clone()).expect("it is right");
    let replay = match Replay::of(robot, &log, beginning, &take) {
        Ok(replay) => replay,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    match replay.robot.into_stepper() {
        Ok(mut stepper) => {
            let mut steps = 2_000;
            while stepper.step().is_some() && steps > 0 {
                steps -= 1;
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
});
