//! A robot that waits for something moves nothing until it is there.
#![forbid(unsafe_code)]

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use hemiola::prelude::*;
use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
use hemiola_runtime::{
    Change, JournalEvent, Observation, Pace, PreparedRobot, Robot, RobotHandle, SafeStateCause, SafeStateEntry,
};

static STEPS: AtomicU32 = AtomicU32::new(0);

#[derive(Representation, Clone, Default)]
struct Seen {
    runs: u64,
}

#[derive(Module)]
struct Eyes {}

#[module]
impl Eyes {
    #[update]
    fn look(&self, clock: &Clock, seen: &mut Seen) {
        seen.runs = clock.run();
    }
}

#[derive(Module)]
struct Legs {}

#[module]
impl Legs {
    #[update]
    fn step(&mut self, _seen: &Seen) {
        STEPS.fetch_add(1, Ordering::Relaxed);
    }

    #[safe_state]
    fn relax(&mut self) {}
}

fn robot() -> PreparedRobot {
    let mut motion = CycleConfiguration::new("motion", Trigger::Rate(200.0));
    motion.modules = ["Eyes", "Legs"].map(String::from).into();
    motion.workers = Some(1);
    let configuration = Configuration { cycles: vec![motion], ..Configuration::default() };
    Robot::assemble(configuration).unwrap().prepare(Pace::RealTime).unwrap()
}

fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    let patience = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < patience, "{what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn cause(robot: &RobotHandle) -> Option<SafeStateCause> {
    robot.safe_state().map(|SafeStateEntry { cause, .. }| cause)
}

/// There is one test, because the legs count for the whole process.
#[test]
fn a_robot_that_waits_moves_when_nothing_is_missing_and_no_other_cause_has_come() {
    let prepared = robot();
    let handle = prepared.handle().clone();
    let mut journal = handle.observe(Observation::default().with_journal()).unwrap();
    let [head, arm] = ["host `head`", "host `arm`"].map(|what| handle.wait_in_safe_state(what));
    let running = prepared.begin();
    let runs = || handle.health()["motion"].runs;
    wait_for("its cycle runs", || runs() > 10);
    assert_eq!(cause(&handle), Some(SafeStateCause::Waiting { what: "host `head`".into() }));
    head.end();
    arm.describe("process `gripper`");
    assert_eq!(cause(&handle), Some(SafeStateCause::Waiting { what: "process `gripper`".into() }));
    let before = runs();
    wait_for("its cycle runs", || runs() > before + 10);
    assert_eq!(STEPS.load(Ordering::Relaxed), 0, "it has moved before everything was there");
    arm.end();
    assert_eq!(cause(&handle), None);
    wait_for("the legs step", || STEPS.load(Ordering::Relaxed) > 0);

    // A cause that comes while it waits stays when nothing is missing any more.
    let head = handle.wait_in_safe_state("host `head`");
    handle.enter_safe_state();
    head.end();
    assert_eq!(cause(&handle), Some(SafeStateCause::Request));
    // Whoever follows others out of it goes on waiting, and whoever decides does not.
    let head = handle.wait_in_safe_state("host `head`");
    handle.leave_safe_state_unless_waiting("process `main`");
    assert_eq!(cause(&handle), Some(SafeStateCause::Waiting { what: "host `head`".into() }));
    handle.leave_safe_state();
    assert_eq!(cause(&handle), None);
    head.end();
    running.stop();

    let mut changes = Vec::new();
    while let Some(entry) = journal.next_entry() {
        if let JournalEvent::Change { change, .. } = entry.event {
            changes.push(change);
        }
    }
    let (entered, left) = (Change::EnterSafeState, Change::LeaveSafeState);
    let expected = [entered.clone(), left.clone(), entered.clone(), entered, left];
    assert_eq!(changes, expected, "{:?}", handle.messages());
}
