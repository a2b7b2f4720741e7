//! Numbers as large, as small and as wrong as they come, and observers that keep what they should
//! give back.

use std::mem;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use hemiola::prelude::*;
use hemiola_model::configuration::Trigger;
use hemiola_runtime::{Change, Observation, Pace, ValueRequest};

use super::{configuration, cycle, robot};

#[derive(Representation, Clone, Default)]
struct Turn {
    number: u64,
}

#[derive(Module)]
struct Turns {}

#[module]
impl Turns {
    #[update]
    fn turn(&self, last: Previous<Turn>, turn: &mut Turn) {
        turn.number = last.number + 1;
    }

    #[update]
    fn stand(&self, turn: &Turn, still: &mut Still) {
        still.number = turn.number;
        while STANDS.load(Ordering::Relaxed) {
            IS_STANDING.store(true, Ordering::Relaxed);
            thread::sleep(Duration::from_millis(1));
        }
    }
}

#[derive(Representation, Clone, Default)]
struct Still {
    number: u64,
}

/// Makes `Turns.stand` hang while it is `true`.
static STANDS: AtomicBool = AtomicBool::new(false);
/// Becomes `true` when `Turns.stand` hangs.
static IS_STANDING: AtomicBool = AtomicBool::new(false);

#[derive(Module)]
struct OtherTurns {}

#[module]
impl OtherTurns {
    #[update]
    fn turned(&self, last: Previous<Turned>, turned: &mut Turned) {
        turned.number = last.number + 1;
    }
}

#[derive(Representation, Clone, Default)]
struct Turned {
    number: u64,
}

#[test]
fn a_rate_that_is_none_is_refused_or_never_due() {
    for rate in [0.0, -0.0, -1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e300, 1e-300, f64::MIN_POSITIVE, 1e18] {
        let make = || {
            let mut cycle = cycle("main", 100.0, &["OtherTurns"]);
            cycle.trigger = Trigger::Rate(rate);
            hemiola_runtime::Robot::assemble_from(
                configuration(vec![cycle], &[]),
                hemiola_model::module::registry::modules(),
                Vec::new(),
            )
        };
        let Ok(stepped) = make() else { continue };
        if let Ok(mut stepper) = stepped.into_stepper() {
            for _ in 0..10 {
                stepper.step();
            }
        }
        let Ok(running) = make().unwrap().start(Pace::RealTime) else { continue };
        thread::sleep(Duration::from_millis(20));
        let ended = running.stop();
        assert!(ended.fault().is_none(), "{rate}: {:?}", ended.fault());
    }
}

#[test]
fn periods_and_patience_may_be_as_long_as_can_be_said() {
    let running = robot(configuration(vec![cycle("main", 500.0, &["OtherTurns"])], &[]), &[]).start(Pace::RealTime);
    let running = running.unwrap();
    let handle = running.handle();
    let rates = [f64::NAN, f64::INFINITY, -1.0, 0.0, 1e-300, 1e300];
    let requests = rates.map(|rate| ValueRequest { rate: Some(rate), ..ValueRequest::all("Turned") });
    let observation = Observation::of(requests).with_statistics(Duration::MAX).with_checkpoints(Duration::MAX);
    let seen = handle.observe(observation).unwrap();
    let value = hemiola::data::Value::Table([("number".to_owned(), hemiola::data::Value::Integer(7))].into());
    handle.change(Change::Override { representation: "Turned".into(), value }).wait_for(Duration::MAX).unwrap();
    thread::sleep(Duration::from_millis(120));
    drop(seen);
    assert!(running.stop().fault().is_none());
}

#[test]
fn whoever_forgets_what_it_sees_leaves_the_provider_values_to_write_to() {
    let running = robot(configuration(vec![cycle("main", 1000.0, &["OtherTurns"])], &[]), &[]).start(Pace::RealTime);
    let running = running.unwrap();
    for _ in 0..200 {
        let mut seen = running.handle().observe(Observation::of(["Turned"])).unwrap();
        let begin = Instant::now();
        loop {
            match seen.next_value() {
                Some(value) => break mem::forget(value),
                None => assert!(begin.elapsed() < Duration::from_secs(60), "nothing is provided any more"),
            }
        }
    }
    assert!(running.stop().messages().iter().all(|message| !message.text.contains("Turned")));
}

#[test]
fn whoever_asks_a_cycle_that_hangs_again_and_again_leaves_nothing_behind() {
    let running = robot(configuration(vec![cycle("main", 1000.0, &["Turns"])], &[]), &[]).start(Pace::RealTime);
    let running = running.unwrap();
    STANDS.store(true, Ordering::Relaxed);
    let begin = Instant::now();
    while !IS_STANDING.load(Ordering::Relaxed) {
        assert!(begin.elapsed() < Duration::from_secs(60), "it does not run");
        thread::sleep(Duration::from_millis(1));
    }
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..3 {
                    assert!(running.handle().read("Turn").is_err());
                }
            });
        }
    });
    for _ in 0..1000 {
        drop(running.handle().observe(Observation::of(["Turn"])).unwrap());
    }
    STANDS.store(false, Ordering::Relaxed);
    let begin = Instant::now();
    while running.handle().read("Turn").is_err() {
        assert!(begin.elapsed() < Duration::from_secs(60), "it does not go on");
    }
    assert!(running.stop().fault().is_none());
}
