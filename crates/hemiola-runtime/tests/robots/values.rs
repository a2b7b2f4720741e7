//! Reading the values of a running robot does not disturb it.
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hemiola::data::Value;
use hemiola::prelude::*;
use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
use hemiola_runtime::{Pace, Robot};

#[derive(Representation, Clone, Default)]
struct Step {
    number: u64,
    /// Runs before which nothing was stepped.
    gaps: u64,
}

#[derive(Representation, Clone, Default)]
struct Foot {
    steps: u64,
}

#[derive(Representation, Clone, Default)]
#[representation(opaque)]
struct Network {
    _weights: Vec<f32>,
}

#[derive(Representation, Clone, Default)]
struct Pose {
    turns: u64,
}

#[derive(Module)]
struct Walk {}

#[module]
impl Walk {
    #[update]
    fn step(&self, clock: &Clock, last: Previous<Step>, step: &mut Step) {
        step.number = clock.run() + 1;
        step.gaps = last.gaps + u64::from(last.number != clock.run());
    }

    #[update]
    fn foot(&self, step: &Step, foot: &mut Foot, _network: &mut Network) {
        foot.steps = step.number;
    }
}

#[derive(Module)]
struct Locate {}

#[module]
impl Locate {
    #[update]
    fn pose(&self, last: Previous<Pose>, pose: &mut Pose) {
        pose.turns = last.turns + 1;
    }
}

fn robot() -> Robot {
    let cycle = |name: &str, rate: f64, module: &str| {
        let mut cycle = CycleConfiguration::new(name, Trigger::Rate(rate));
        cycle.modules = vec![module.into()];
        cycle
    };
    let cycles = vec![cycle("motion", 1000.0, "Walk"), cycle("cognition", 100.0, "Locate")];
    crate::assemble(module_path!(), Configuration { cycles, ..Configuration::default() }).unwrap()
}

fn number(value: &Value) -> i64 {
    let &Value::Integer(number) = value else { panic!("{value} is no number") };
    number
}

#[test]
fn a_capture_holds_what_each_cycle_had_at_the_end_of_one_run() {
    let running = robot().start(Pace::RealTime).unwrap();
    while running.handle().health().values().any(|cycle| cycle.runs < 3) {
        std::thread::yield_now();
    }
    let mut last = 0;
    let patience = Instant::now() + Duration::from_secs(60);
    for _ in 0..20 {
        // On a busy machine a cycle may not run while it is waited for.
        let captured = loop {
            let captured = running.handle().capture_values();
            if captured.silent.is_empty() {
                break captured;
            }
            assert!(Instant::now() < patience, "{:?} do not run", captured.silent);
        };
        let motion = &captured.cycles["motion"];
        assert_eq!(motion.keys().collect::<Vec<_>>(), ["Foot", "Step"], "opaque ones have no text form");
        let steps = number(motion["Step"].get("number").unwrap());
        assert_eq!(motion["Foot"].get("steps").map(number), Some(steps), "of the same run");
        assert!(steps > last && number(captured.cycles["cognition"]["Pose"].get("turns").unwrap()) > 0);
        last = steps;
    }
    let handle = running.stop();
    let ended = &handle.capture_values().cycles["motion"]["Step"];
    assert_eq!(ended.get("number").map(number), Some(handle.health()["motion"].runs as i64));
}

#[test]
fn a_cycle_that_does_not_run_is_missing_and_holds_nobody_up_for_long() {
    let stepper = robot().into_stepper().unwrap(); // nobody steps
    let captured = stepper.handle().capture_values();
    assert_eq!((captured.silent.as_slice(), captured.cycles.len()), (&["motion".into(), "cognition".into()][..], 0));
}

#[test]
fn any_number_of_readers_that_take_their_time_leave_providers_a_value_to_write_to() {
    let running = robot().start(Pace::RealTime).unwrap();
    let (handle, done) = (running.handle(), AtomicBool::new(false));
    std::thread::scope(|scope| {
        for reader in 0..6 {
            let done = &done;
            scope.spawn(move || {
                while !done.load(Ordering::Relaxed) {
                    if reader == 0 {
                        handle.capture_values();
                    } else {
                        // Whoever finds it in use for long continues without it.
                        _ = handle.with_value(|_: &Step| std::thread::sleep(Duration::from_millis(7)));
                    }
                }
            });
        }
        while handle.health()["motion"].runs < 500 {
            std::thread::sleep(Duration::from_millis(5));
        }
        done.store(true, Ordering::Relaxed);
    });
    let handle = running.stop();
    assert!(handle.messages().iter().all(|message| !message.text.contains("Walk")), "{:?}", handle.messages());
    let step = handle.with_value(Step::clone).unwrap();
    assert_eq!((step.number, step.gaps), (handle.health()["motion"].runs, 0));
}
