//! Tests of the whole robot in simulated time: a minute takes a moment and is always the same.
#![forbid(unsafe_code)]

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hemiola::Robot;
use hemiola::bus::WhenFull;
use hemiola::configuration::{Catalog, LoadOptions, load};
use hemiola::runtime::Stepper;

use hemiola_rover::representations::{GoalReached, Navigation, Pose};
use hemiola_rover::world::{RADIUS, World};

/// Held by each test of the whole rover: there is only one board, as with a real rover.
static BOARD: Mutex<()> = Mutex::new(());

/// Returns the robot that `robot.toml` describes, as a single process, before its first run.
fn rover() -> (MutexGuard<'static, ()>, Stepper) {
    let turn = BOARD.lock().unwrap_or_else(PoisonError::into_inner);
    let options = LoadOptions::new(concat!(env!("CARGO_MANIFEST_DIR"), "/robot.toml"));
    let loaded = load(&options, &Catalog::linked()).unwrap_or_else(|error| panic!("{error}"));
    let robot = Robot::assemble(loaded.configuration).unwrap();
    (turn, robot.into_stepper().unwrap())
}

#[test]
fn the_rover_reaches_its_goals_and_touches_nothing() {
    let (_turn, mut rover) = rover();
    let bus = rover.handle().bus();
    let topic = bus.topic::<GoalReached>("GoalReached").unwrap();
    let mut messages = topic.queue(16, WhenFull::DropOldest);
    for _ in 0..600 {
        rover.run_for(Duration::from_millis(100));
        rover
            .with_value(|world: &World| {
                let nearest = (0..36).map(|ray| world.free(f64::from(ray).to_radians() * 10.0));
                assert!(
                    nearest.fold(f64::INFINITY, f64::min) > RADIUS,
                    "at {:?}",
                    world.rover
                );
            })
            .unwrap();
    }
    let reached = rover.with_value(|it: &Navigation| it.reached).unwrap();
    assert!(reached >= 4, "{reached} goals reached");
    let mut numbers = Vec::new();
    while let Some(goal) = messages.receive() {
        numbers.push(goal.number);
    }
    assert!(numbers.iter().copied().eq(1..=reached), "{numbers:?}");
    // It knows where it is, although its gyroscope is biased.
    let [x, y, heading] = rover.with_value(|world: &World| world.rover).unwrap();
    let pose = rover.with_value(Pose::clone).unwrap();
    assert!((pose.x - x).hypot(pose.y - y) < 0.1 && (pose.heading - heading).abs() < 0.05);
}

#[test]
fn in_the_safe_state_the_rover_stands_still() {
    let (_turn, mut rover) = rover();
    let place = |rover: &Stepper| rover.with_value(|world: &World| world.rover).unwrap();
    rover.run_for(Duration::from_secs(2));
    assert!(place(&rover)[0] > 1.3, "it drives");
    rover.handle().enter_safe_state();
    rover.run_for(Duration::from_secs(1));
    let stopped = place(&rover);
    rover.run_for(Duration::from_secs(1));
    let now = place(&rover);
    let moved = now
        .iter()
        .zip(stopped)
        .map(|(now, then)| (now - then).abs());
    assert!(moved.fold(0.0, f64::max) < 1e-6);
}
