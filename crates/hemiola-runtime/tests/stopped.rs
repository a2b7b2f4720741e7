//! In the safe state nothing undoes the effect of a `#[safe_state]` method.
#![forbid(unsafe_code)]

use std::sync::atomic::{AtomicU32, Ordering};

use hemiola::prelude::*;
use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
use hemiola_runtime::{Change, Robot, Stepper};

static SENT: AtomicU32 = AtomicU32::new(0);
static STOPPED: AtomicU32 = AtomicU32::new(0);
static SAT_DOWN: AtomicU32 = AtomicU32::new(0);
static BROKEN: AtomicU32 = AtomicU32::new(0);

#[derive(Representation, Clone, Default)]
struct Speed {
    runs: u32,
}

/// A module that also provides a value, the last of which stays.
#[derive(Module)]
struct Wheels {
    runs: u32,
}

#[module]
impl Wheels {
    #[update]
    fn send(&mut self, speed: &mut Speed) {
        self.runs += 1;
        speed.runs = self.runs;
        SENT.fetch_add(1, Ordering::Relaxed);
    }

    #[safe_state]
    fn stop(&mut self) {
        STOPPED.fetch_add(1, Ordering::Relaxed);
    }
}

/// A module whose update handles the safe state.
#[derive(Module)]
struct Legs {}

#[module]
impl Legs {
    #[update]
    fn sit_down(&mut self, safe_state: &SafeState) {
        SAT_DOWN.fetch_add(u32::from(safe_state.is_active()), Ordering::Relaxed);
    }

    #[safe_state]
    fn brace(&mut self) -> Result<(), &'static str> {
        BROKEN.fetch_add(1, Ordering::Relaxed);
        Err("a joint does not answer")
    }
}

fn counts() -> [u32; 4] {
    [&SENT, &STOPPED, &SAT_DOWN, &BROKEN].map(|count| count.load(Ordering::Relaxed))
}

fn step(stepper: &mut Stepper, steps: u32) {
    for _ in 0..steps {
        stepper.step().unwrap();
    }
}

/// There is one test, because the modules count for the whole process.
#[test]
fn modules_that_were_stopped_are_not_updated_unless_they_know_of_it() {
    let cycle = CycleConfiguration::new("motion", Trigger::Rate(100.0));
    let robot = Robot::assemble(Configuration { cycles: vec![cycle], ..Configuration::default() }).unwrap();
    let mut stepper = robot.into_stepper().unwrap();
    let handle = stepper.handle().clone();
    step(&mut stepper, 5);
    assert_eq!(counts(), [5, 0, 0, 0]);

    handle.enter_safe_state();
    step(&mut stepper, 5);
    assert_eq!(counts(), [5, 1, 5, 1]);
    stepper.with_value(|speed: &Speed| assert_eq!(speed.runs, 5, "the last value stays")).unwrap();
    let fault = handle.fault().expect("a method that failed is a fault").to_string();
    assert!(fault.contains("Legs") && fault.contains("a joint does not answer"), "{fault}");

    // An instance that is created in the safe state is stopped like any other.
    drop(handle.change(Change::Restart { module: "Wheels".into() }));
    step(&mut stepper, 5);
    assert_eq!(counts(), [5, 2, 10, 1]);

    handle.leave_safe_state();
    step(&mut stepper, 5);
    assert_eq!(counts(), [10, 2, 10, 1]);
    stepper.with_value(|speed: &Speed| assert_eq!(speed.runs, 5, "it began anew")).unwrap();

    drop(stepper);
    assert_eq!(counts(), [10, 3, 10, 2], "the robot has ended");
}
