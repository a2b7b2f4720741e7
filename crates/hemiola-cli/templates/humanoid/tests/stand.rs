//! Tests of the whole robot in simulated time: a minute takes a moment and is always the same.
#![forbid(unsafe_code)]

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hemiola::Robot;
use hemiola::bus::WhenFull;
use hemiola::configuration::{Catalog, LoadOptions, load};
use hemiola::runtime::Stepper;

use hemiola_humanoid::body::{FOOT, HALF_VIEW, HEIGHT};
use hemiola_humanoid::representations::{Ball, BallSighted, BodySensors, CentreOfMass};

/// Held by each test of the whole humanoid: there is only one body, as with a real humanoid.
static BODY: Mutex<()> = Mutex::new(());

/// Returns the robot that `robot.toml` describes with some values changed, before its first run.
fn humanoid(assignments: &[&str]) -> (MutexGuard<'static, ()>, Stepper) {
    let turn = BODY.lock().unwrap_or_else(PoisonError::into_inner);
    let options = LoadOptions {
        assignments: assignments.iter().map(ToString::to_string).collect(),
        ..LoadOptions::new(concat!(env!("CARGO_MANIFEST_DIR"), "/robot.toml"))
    };
    let loaded = load(&options, &Catalog::linked()).unwrap_or_else(|error| panic!("{error}"));
    let robot = Robot::assemble(loaded.configuration).unwrap();
    (turn, robot.into_stepper().unwrap())
}

#[test]
fn pushed_again_and_again_it_stands_and_looks_at_the_ball() {
    let (_turn, mut humanoid) = humanoid(&[]);
    let bus = humanoid.handle().bus();
    let topic = bus.topic::<BallSighted>("BallSighted").unwrap();
    let mut messages = topic.queue(4, WhenFull::DropOldest);
    humanoid.run_for(Duration::from_secs(2));
    assert!(messages.receive().is_some(), "the ball came in sight");
    let mut farthest = 0.0_f64;
    for _ in 0..300 {
        humanoid.run_for(Duration::from_millis(100));
        let position = humanoid
            .with_value(|centre: &CentreOfMass| centre.position)
            .unwrap();
        farthest = farthest.max(position.abs());
        let seen = humanoid.with_value(|ball: &Ball| ball.clone()).unwrap();
        let head = humanoid.with_value(|body: &BodySensors| body.head).unwrap();
        assert!(
            seen.seen && (seen.bearing - head).abs() < HALF_VIEW / 2.0,
            "head at {head}"
        );
    }
    assert!(messages.receive().is_none(), "and was not lost again");
    assert!(
        (0.005..FOOT).contains(&farthest),
        "it is pushed, and does not fall: {farthest}"
    );
}

#[test]
fn pushed_too_hard_it_falls() {
    let (_turn, mut humanoid) = humanoid(&["source.Body.parameters.push=0.8"]);
    humanoid.run_for(Duration::from_secs(4));
    let lean = humanoid.with_value(|body: &BodySensors| body.lean).unwrap();
    assert!(HEIGHT * lean.tan().abs() > FOOT, "{lean}");
}

#[test]
fn in_the_safe_state_it_sits() {
    let (_turn, mut humanoid) = humanoid(&[]);
    humanoid.run_for(Duration::from_millis(2100));
    humanoid.handle().enter_safe_state();
    humanoid.run_for(Duration::from_secs(5));
    let body = humanoid.with_value(BodySensors::clone).unwrap();
    assert_eq!((body.lean, body.lean_rate), (0.0, 0.0));
}
