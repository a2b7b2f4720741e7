//! Tests of the whole robot in simulated time: a minute takes a moment and is always the same.
#![forbid(unsafe_code)]

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hemiola::Robot;
use hemiola::bus::WhenFull;
use hemiola::configuration::{Catalog, LoadOptions, load};
use hemiola::runtime::Stepper;

use hemiola_cart::representations::{Drive, Encoders, Pose, WaypointReached};

/// Held by each test of the whole cart: there is only one board, as with a real cart.
static BOARD: Mutex<()> = Mutex::new(());

/// Returns the robot that `robot.toml` describes, before its first run.
fn cart() -> (MutexGuard<'static, ()>, Stepper) {
    let turn = BOARD.lock().unwrap_or_else(PoisonError::into_inner);
    let options = LoadOptions::new(concat!(env!("CARGO_MANIFEST_DIR"), "/robot.toml"));
    let loaded = load(&options, &Catalog::linked()).unwrap_or_else(|error| panic!("{error}"));
    let robot = Robot::assemble(loaded.configuration).unwrap();
    (turn, robot.into_stepper().unwrap())
}

#[test]
fn the_cart_drives_to_each_waypoint_in_turn() {
    let (_turn, mut cart) = cart();
    let bus = cart.handle().bus();
    let topic = bus.topic::<WaypointReached>("WaypointReached").unwrap();
    let mut reached = topic.queue(16, WhenFull::DropOldest);
    cart.run_for(Duration::from_secs(60));
    let mut numbers = Vec::new();
    while let Some(waypoint) = reached.receive() {
        numbers.push(waypoint.number);
    }
    assert!(numbers.len() >= 4, "{numbers:?}");
    assert!(
        numbers.iter().copied().eq(1..=numbers.len() as u64),
        "{numbers:?}"
    );
    cart.with_value(|pose: &Pose| {
        assert!((-0.2..2.2).contains(&pose.x) && (-0.2..1.2).contains(&pose.y))
    })
    .unwrap();
}

#[test]
fn in_the_safe_state_the_wheels_stand_still() {
    let (_turn, mut cart) = cart();
    cart.run_for(Duration::from_secs(2));
    cart.with_value(|drive: &Drive| assert!(drive.metres_per_second > 0.1))
        .unwrap();
    cart.handle().enter_safe_state();
    cart.run_for(Duration::from_secs(1));
    let ticks = |cart: &Stepper| {
        cart.with_value(|encoders: &Encoders| (encoders.left_ticks, encoders.right_ticks))
    };
    let stopped = ticks(&cart);
    cart.run_for(Duration::from_secs(1));
    assert_eq!(ticks(&cart), stopped);
}
