//! A constructor that does not return holds up the change that it is called for, and nobody else.

use std::thread;

use hemiola::prelude::*;
use hemiola_plan::WorkerChoice;
use hemiola_runtime::{Change, Observation, Pace, RunningRobot};

use super::gate::Gate;
use super::reentering::{ends, until};
use super::{configuration, cycle, robot};

/// Where constructors hang, one gate for each test.
static GATES: [Gate; 2] = [const { Gate::new() }; 2];

struct Stuck<const GATE: usize>;

impl<const GATE: usize> Default for Stuck<GATE> {
    fn default() -> Self {
        GATES[GATE].pass();
        Self
    }
}

#[derive(Representation, Clone, Default)]
struct Chosen {
    number: u64,
}

#[derive(Module)]
struct ChooseAtOnce {}

#[module]
impl ChooseAtOnce {
    #[update]
    fn chosen(&self, chosen: &mut Chosen) {
        chosen.number = 1;
    }
}

#[derive(Module)]
struct LookForEver {
    #[stateless]
    stuck: Stuck<0>,
}

#[module]
impl LookForEver {
    #[update]
    fn chosen(&self, chosen: &mut Chosen) {
        _ = &self.stuck;
        chosen.number = 2;
    }
}

#[derive(Module)]
struct EndForEver {
    #[stateless]
    stuck: Stuck<1>,
}

#[module]
impl EndForEver {
    #[update]
    fn chosen(&self, chosen: &mut Chosen) {
        _ = &self.stuck;
        chosen.number = 3;
    }
}

/// A robot that can switch to this module, whose constructor hangs behind the gate.
fn running(other: &str) -> RunningRobot {
    let cycles = vec![cycle("main", 200.0, &["ChooseAtOnce", other])];
    robot(configuration(cycles, &[("Chosen", "ChooseAtOnce")]), &[]).start(Pace::RealTime).unwrap()
}

fn provider(running: &RunningRobot) -> String {
    running.handle().with_robot(|robot| robot.provider("Chosen").map(|provider| provider.update)).unwrap()
}

#[test]
fn a_constructor_that_hangs_keeps_nobody_from_looking() {
    ends(|| {
        let running = running("LookForEver");
        let handle = running.handle().clone();
        let closed = GATES[0].close();
        let changing = thread::spawn({
            let handle = handle.clone();
            move || handle.change(Change::provider("Chosen", "LookForEver")).wait()
        });
        until(|| GATES[0].is_holding());

        assert_eq!(provider(&running), "ChooseAtOnce.chosen", "the change has not been made");
        until(|| handle.health()["main"].runs > 3);
        // A cycle that the machine holds up may not answer at once.
        until(|| handle.with_value(|chosen: &Chosen| chosen.number).is_ok_and(|number| number == 1));
        until(|| handle.read("Chosen").is_ok());
        until(|| handle.capture_values().silent.is_empty());
        let mut seen = handle.observe(Observation::of(["Chosen"]).with_journal().with_topics()).unwrap();
        until(|| seen.next_value().is_some());
        _ = (handle.sources(), handle.profile(), handle.report(), handle.messages(), handle.catalog());
        assert!(handle.plan("main", WorkerChoice::Fixed(std::num::NonZeroUsize::MIN)).is_ok());
        assert!(handle.executor("arm").is_ok() && handle.unknown_executors().is_empty());
        handle.change(Change::EnterSafeState).wait().unwrap();
        assert!(handle.is_in_safe_state() && handle.safe_state().is_some());
        handle.change(Change::LeaveSafeState).wait().unwrap();
        assert!(GATES[0].is_holding(), "nobody has waited for the constructor");

        drop(closed);
        changing.join().unwrap().unwrap();
        assert_eq!(provider(&running), "LookForEver.chosen");
        assert!(running.stop().fault().is_none());
    });
}

#[test]
fn a_constructor_that_hangs_does_not_keep_its_robot_from_ending() {
    ends(|| {
        let running = running("EndForEver");
        let handle = running.handle().clone();
        let closed = GATES[1].close();
        let changing = thread::spawn({
            let handle = handle.clone();
            move || _ = handle.change(Change::provider("Chosen", "EndForEver")).wait()
        });
        until(|| GATES[1].is_holding());

        let ended = running.stop();
        assert!(ended.read("Chosen").is_ok() && ended.fault().is_none());
        ended.end_modules();
        assert!(GATES[1].is_holding(), "nobody has waited for the constructor");

        drop(closed);
        changing.join().unwrap();
    });
}
