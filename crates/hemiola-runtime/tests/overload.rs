//! A cycle that does not end its run, or has too much work, does not take the cores from everybody
//! else.
#![forbid(unsafe_code)]

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hemiola::prelude::*;
use hemiola_model::configuration::{Configuration, CycleConfiguration, Scheduling, Trigger};
use hemiola_realtime::{KernelThread, Policy, Priority, ThreadSettings, apply_to_this_thread};
use hemiola_runtime::{Pace, Robot, RobotHandle};

#[derive(Representation, Clone, Default)]
struct Scene {
    runs: u32,
}

static IS_HANGING: AtomicBool = AtomicBool::new(false);
static IS_SLOW: AtomicBool = AtomicBool::new(false);
static HAS_PRIORITY: AtomicBool = AtomicBool::new(false);
static WORKED_US: AtomicU64 = AtomicU64::new(0);

/// Longer than the period of 10 ms.
const LONG: Duration = Duration::from_millis(12);

#[derive(Module)]
struct Vision {}

#[module]
impl Vision {
    #[update]
    fn scene(&self, last: Previous<Scene>, scene: &mut Scene) {
        let begin = Instant::now();
        let note_priority = || HAS_PRIORITY.store(KernelThread::current().is_real_time(), Ordering::Relaxed);
        note_priority();
        while IS_HANGING.load(Ordering::Relaxed) {
            note_priority();
        }
        while IS_SLOW.load(Ordering::Relaxed) && begin.elapsed() < LONG {
            std::hint::spin_loop();
        }
        WORKED_US.fetch_add(begin.elapsed().as_micros() as u64, Ordering::Relaxed);
        scene.runs = last.runs + 1;
    }
}

fn robot() -> Robot {
    let mut vision = CycleConfiguration::new("vision", Trigger::Rate(100.0));
    vision.modules = vec!["Vision".into()];
    vision.scheduling = Scheduling::Fifo(10);
    vision.workers = Some(1);
    Robot::assemble(Configuration { cycles: vec![vision], ..Configuration::default() }).unwrap()
}

fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    let patience = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < patience, "{what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn runs(handle: &RobotHandle) -> u64 {
    handle.health()["vision"].runs
}

/// The test must get processor time beside what it tests.
fn may_use_priorities() -> bool {
    let settings = ThreadSettings::new("overload").policy(Policy::Fifo(Priority::new(20).unwrap()));
    let report = apply_to_this_thread(&settings).unwrap();
    if let Some(denial) = report.policy.denial() {
        eprintln!("SKIPPED: {denial}");
    }
    report.policy.is_granted()
}

/// Runs the tests one after the other, because they share the module's switches.
#[test]
fn a_cycle_that_takes_too_much_leaves_others_their_time() {
    if !may_use_priorities() {
        return;
    }
    let running = robot().start(Pace::RealTime).unwrap();
    let handle = running.handle();
    wait_for("vision runs at its priority", || runs(handle) > 3 && HAS_PRIORITY.load(Ordering::Relaxed));

    // A run that does not end shares time until it does.
    IS_HANGING.store(true, Ordering::Relaxed);
    wait_for("the run that hangs has lost its priority", || !HAS_PRIORITY.load(Ordering::Relaxed));
    let messages = || handle.messages().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    wait_for("somebody says so", || messages().contains("a run of cycle `vision` has taken 250 ms and has not ended"));
    assert!(messages().contains("it is running Vision"), "{}", messages());
    IS_HANGING.store(false, Ordering::Relaxed);
    wait_for("vision has its priority again", || HAS_PRIORITY.load(Ordering::Relaxed));

    // Runs that are all too long are followed by rests.
    IS_SLOW.store(true, Ordering::Relaxed);
    let (begin, worked, first) = (Instant::now(), WORKED_US.load(Ordering::Relaxed), runs(handle));
    wait_for("vision goes on", || runs(handle) > first + 100);
    let worked = Duration::from_micros(WORKED_US.load(Ordering::Relaxed) - worked);
    let share = worked.as_secs_f64() / begin.elapsed().as_secs_f64();
    assert!(share < 0.945, "it worked {share:.3} of the time");
    IS_SLOW.store(false, Ordering::Relaxed);
    running.stop();
}
