//! A program that observes a running robot and changes it.

use std::time::Duration;

use hemiola::RobotHandle;
use hemiola::prelude::*;
use hemiola::runtime::{Change, LatencyBounds, Observation, RuntimeError, Seen};

use crate::bumper::Mood;

// ANCHOR: observe
/// Returns in how many runs the cart was grumpy, among those that this observer received.
pub fn grumpy_runs(robot: &RobotHandle, runs: usize) -> Result<usize, RuntimeError> {
    let mut seen = robot.observe(Observation::of(["Mood"]).with_topics().with_journal())?;
    let (mut counted, mut grumpy) = (0, 0);
    while counted < runs {
        match seen.next() {
            Some(Seen::Value(value)) => {
                counted += 1;
                grumpy += usize::from(value.get::<Mood>().is_some_and(|mood| mood.grumpy));
            }
            Some(_) => {} // a message, or an entry of the journal
            None => std::thread::sleep(Duration::from_millis(10)),
        }
    }
    Ok(grumpy)
}
// ANCHOR_END: observe

// ANCHOR: change
/// Makes the cart patient.
pub fn calm(robot: &RobotHandle) -> Result<(), RuntimeError> {
    let change = robot.change(Change::parameter("Grump", "threshold", 0.8));
    change.wait() // or poll it from time to time, or drop it: it is applied all the same
}
// ANCHOR_END: change

// ANCHOR: bounds
/// Has the robot report every latency that exceeds one of these bounds from now on.
pub fn watch(robot: &RobotHandle) {
    let bounds = LatencyBounds::default()
        .response("motion", Duration::from_millis(9))
        .data_age("Imu", "Legs.request", Duration::from_millis(15))
        .execution("motion", "WalkEngine.joints", Duration::from_millis(2));
    robot.watch_bounds(bounds);
}
// ANCHOR_END: bounds

#[derive(Parameters)]
pub struct GrumpParameters {
    /// The value above which the cart is grumpy.
    #[parameter(default = 0.2, range = 0.0..=1.0)]
    threshold: f64,
}

/// A module that is grumpy while its clock shows more than the threshold, in seconds.
#[derive(Module)]
pub struct Grump {
    #[parameters]
    parameters: GrumpParameters,
}

#[module]
impl Grump {
    #[update]
    fn mood(&self, clock: &Clock, mood: &mut Mood) {
        mood.grumpy = clock.now().seconds() % 1.0 > self.parameters.threshold;
    }
}

#[cfg(test)]
mod tests {
    use hemiola::configuration::{Catalog, parse};
    use hemiola::runtime::{Pace, Robot};

    use super::*;

    #[test]
    fn somebody_looks_and_changes_something() {
        let text = "[cycle.mind]\nrate = 100.0\nmodules = ['Grump']\n[source.RangeFinder]\nenabled = false\n";
        let loaded = parse(text, "robot.toml", &Catalog::linked()).unwrap();
        let running = Robot::assemble(loaded.configuration).unwrap().start(Pace::RealTime).unwrap();
        assert!(grumpy_runs(running.handle(), 10).unwrap() <= 10);
        calm(running.handle()).unwrap();
        watch(running.handle());
        assert!(running.handle().exceedances().is_empty());
        running.stop();
    }
}
