//! The delay from a value's time to the frame that shows it, frames a second, and how a page that
//! slept catches up.

use std::fmt::Write as _;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;

use super::browser::Browser;
use super::door::PLOTS;
use super::median;
use super::robot::{LiveRobot, RobotProgram};
use crate::bar::{Bar, Limit};
use crate::error::BenchError;

/// The time from a value's time to the end of the frame that shows it, in milliseconds.
#[derive(Deserialize)]
struct Pixels {
    values: u64,
    p50: f64,
    p95: f64,
    most: f64,
    /// The uncertainty of the offset between the clocks of page and robot.
    clock_error: f64,
    frames: f64,
}

#[derive(Deserialize)]
struct Frames {
    /// The number of frames per second.
    frames: f64,
    /// The time that a frame takes on the page's thread, in milliseconds.
    painting: f64,
    /// The number of points that a plot shows.
    points: f64,
}

/// The figures of a page that slept, in seconds and milliseconds.
#[derive(Deserialize)]
struct Sleep {
    slept: f64,
    /// The number of frames that it made while it slept.
    restless: u64,
    caught_up: f64,
}

/// The figures of a round.
struct Round {
    nao: Pixels,
    waves: Pixels,
    frames: Frames,
    sleep: Sleep,
}

/// The limits for these figures.
const MOST_LATE_MS: f64 = 50.0;
const LEAST_FRAMES: f64 = 60.0;
const MOST_TO_CATCH_UP_MS: f64 = 1000.0;

/// The numbers of the NAO that are plotted while it plays: those of motion, whose values are
/// committed within a millisecond of their time. Cognition's are committed when its images are
/// processed, and figures of timing are gathered twenty times a second.
const NAO: [&str; 4] =
    ["JointAngles.positions[0]", "JointAngles.positions[6]", "JointAngles.positions[12]", "JointAngles.positions[18]"];

/// Measures both robots, and returns the figures as text.
pub fn measure(
    nao: &RobotProgram,
    waves: &RobotProgram,
    browser: &mut Browser,
    length: Duration,
    sleep: Duration,
    rounds: usize,
) -> Result<String, BenchError> {
    let seconds = length.as_secs();
    let waved: Vec<String> = (0..PLOTS).map(|number| format!("Waves.values[{number}]")).collect();
    let mut all = Vec::new();
    for _ in 0..rounds {
        let running = LiveRobot::start(nao, 2 * length + PATIENCE)?;
        let url = running.page();
        let wish = json!({"do": "pixels", "url": url, "fields": NAO, "seconds": seconds, "clock": "TorsoPose"});
        let of_nao = browser.measure(&wish, length)?;
        drop(running);
        let running = LiveRobot::start(waves, 3 * length + sleep + PATIENCE)?;
        let url = running.page();
        let few = &waved[..NAO.len()];
        let wish = json!({"do": "pixels", "url": url, "fields": few, "seconds": seconds, "clock": "Waves"});
        let of_waves = browser.measure(&wish, length)?;
        let wish = json!({"do": "frames", "url": url, "fields": waved, "seconds": seconds});
        let frames = browser.measure(&wish, length)?;
        let wish = json!({"do": "sleep", "url": url, "fields": few, "seconds": sleep.as_secs(), "clock": "Waves"});
        let slept = browser.measure(&wish, sleep)?;
        all.push(Round { nao: of_nao, waves: of_waves, frames, sleep: slept });
    }
    Ok(text(&all))
}

const PATIENCE: Duration = Duration::from_secs(180);

fn text(rounds: &[Round]) -> String {
    let of = |pick: fn(&Round) -> f64| median(rounds.iter().map(pick));
    let mut text = format!("delays of a page (medians of {} rounds)\n", rounds.len());
    for (label, pick) in [
        ("the NAO, 4 plots", (|round| &round.nao) as fn(&Round) -> &Pixels),
        ("waves at 1 kHz, 4 plots", |round| &round.waves),
    ] {
        let of = |what: fn(&Pixels) -> f64| median(rounds.iter().map(|round| what(pick(round))));
        // Writing to a string cannot fail.
        _ = writeln!(
            text,
            "  {label}: from a value's time to the frame that has it {:.1} ms (median), {:.1} (p95), {:.1} (maximum), of {:.0} values; \
             clocks agree to {:.2} ms; {:.1} frames a second",
            of(|pixels| pixels.p50),
            of(|pixels| pixels.p95),
            of(|pixels| pixels.most),
            of(|pixels| pixels.values as f64),
            of(|pixels| pixels.clock_error),
            of(|pixels| pixels.frames)
        );
    }
    _ = writeln!(
        text,
        "  {PLOTS} plots of {:.0} points: {:.1} frames a second, {:.1} ms of the page's thread for one",
        of(|round| round.frames.points),
        of(|round| round.frames.frames),
        of(|round| round.frames.painting)
    );
    _ = writeln!(
        text,
        "  asleep for {:.0} s ({:.0} frames meanwhile): shows the present again after {:.0} ms",
        of(|round| round.sleep.slept),
        of(|round| round.sleep.restless as f64),
        of(|round| round.sleep.caught_up)
    );
    let late = [of(|round| round.nao.p95), of(|round| round.waves.p95)];
    let frames = of(|round| round.frames.frames);
    let caught_up = of(|round| round.sleep.caught_up);
    let at_most = |what, most, is| Bar { what, limit: Limit::AtMost(most), is, unit: " ms" }.to_string();
    text += &at_most("from a value's time to its frame, p95, the NAO", MOST_LATE_MS, late[0]);
    text += &at_most("from a value's time to its frame, p95, waves", MOST_LATE_MS, late[1]);
    // A display of 60 Hz never shows more than that, so that one frame may be missing.
    let limit = Limit::AtLeast(LEAST_FRAMES - 1.0);
    text += &Bar { what: "20 plots of 10,000 points", limit, is: frames, unit: " frames/s" }.to_string();
    text + &at_most("after sleep", MOST_TO_CATCH_UP_MS, caught_up)
}
