//! The bounds that a running robot watches rest on measurements of this very robot.
#![forbid(unsafe_code)]

use hemiola::prelude::*;
use hemiola_insight::{profile, watched_bounds};
use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
use hemiola_runtime::Robot;
use hemiola_trace::{Conditions, Pace, ProfileHistory};

#[derive(Representation, Clone, Default)]
struct Torque {
    volts: f64,
}

#[derive(Module)]
struct Regulator;

#[module]
impl Regulator {
    #[update]
    fn torque(&self, torque: &mut Torque) {
        torque.volts = 1.0;
    }
}

/// Returns the conditions of a run in real time with this gain.
fn with_gain(gain: &str) -> Conditions {
    let computed = [("module.Regulator.gain".to_owned(), gain.to_owned())].into();
    Conditions { pace: Pace::RealTime, computed, ..Conditions::default() }
}

#[test]
fn bounds_are_watched_once_this_very_robot_was_measured() {
    let mut configuration = Configuration::default();
    configuration.cycles.push(CycleConfiguration::new("control", Trigger::Rate(100.0)));
    let mut stepper = Robot::assemble(configuration).unwrap().into_stepper().unwrap();
    stepper.run_until(Time::from_seconds(1.0));
    let handle = stepper.handle();
    let bounds = |history: &ProfileHistory, gain| {
        let known = history.known(&with_gain(gain));
        handle.with_robot(|robot| watched_bounds(robot, &known))
    };
    let mut history = ProfileHistory::default();
    let lacking = bounds(&history, "1").unwrap_err();
    assert!(lacking.contains("never measured: control: Regulator.torque"), "{lacking}");

    profile::add_run(&mut history, &with_gain("1"), handle.measured(), true);
    let known = bounds(&history, "1").unwrap();
    assert!(known.responses.contains_key("control"), "{known:?}");
    assert!(known.executions.contains_key(&("control".to_owned(), "Regulator.torque".to_owned())), "{known:?}");

    let lacking = bounds(&history, "2").unwrap_err();
    assert!(lacking.contains("measured with another build, machine or configuration: control: "), "{lacking}");
    // What the run itself has measured is enough.
    profile::add_run(&mut history, &with_gain("2"), handle.measured(), true);
    assert!(bounds(&history, "2").is_ok());
}
