//! The whole arm, on its own clock: half a minute takes a moment, and is the same every time.
#![forbid(unsafe_code)]

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use arm::kinematics::hand;
use arm::representations::{Grip, JointAngles};
use hemiola::Robot;
use hemiola::bus::WhenFull;
use hemiola::configuration::{Catalog, LoadOptions, load};
use hemiola::runtime::Stepper;

/// There is one board, so that tests of the whole arm take turns, as with a real one.
static BOARD: Mutex<()> = Mutex::new(());

/// The file that stands for the pin of the brake.
fn brake() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("arm.brake")
}

/// The robot that `robot.toml` describes, before its first run.
fn arm() -> (MutexGuard<'static, ()>, Stepper) {
    let turn = BOARD.lock().unwrap_or_else(PoisonError::into_inner);
    let options = LoadOptions {
        assignments: vec![format!("module.Motors.brake={}", brake().display())],
        ..LoadOptions::new(concat!(env!("CARGO_MANIFEST_DIR"), "/robot.toml"))
    };
    let loaded = load(&options, &Catalog::linked()).unwrap_or_else(|error| panic!("{error}"));
    (turn, Robot::assemble(loaded.configuration).unwrap().into_stepper().unwrap())
}

fn angles(arm: &Stepper) -> [f64; 2] {
    arm.with_value(|joints: &JointAngles| joints.angles).unwrap()
}

#[test]
fn the_gripper_closes_and_opens_where_the_boxes_are() {
    let (_turn, mut arm) = arm();
    let bus = arm.handle().bus();
    let topic = bus.topic::<Grip>("Grip").unwrap();
    let mut grips = topic.queue(4, WhenFull::DropOldest);
    let mut places = Vec::new();
    for _ in 0..900 {
        arm.run_for(Duration::from_millis(50));
        let Some(grip) = grips.receive() else { continue };
        let [x, z] = hand(angles(&arm));
        let off = (x - grip.at[0]).hypot(z - grip.at[1]);
        assert!(off < 0.003, "{} m beside ({:.2}, {:.2})", off, grip.at[0], grip.at[1]);
        places.push((grip.close, grip.at));
    }
    assert!(places.len() >= 12, "{places:?}");
    assert!(places.iter().step_by(2).all(|(close, _)| *close), "{places:?}");
    // The box that was stacked last is put back first.
    let stacked: Vec<_> = places[..6].iter().map(|(_, at)| at).rev().collect();
    assert_eq!(stacked, places[6..12].iter().map(|(_, at)| at).collect::<Vec<_>>());
}

#[test]
fn in_the_safe_state_the_brake_holds_the_arm_and_then_it_goes_on() {
    let (_turn, mut arm) = arm();
    arm.run_for(Duration::from_millis(1500));
    assert_eq!(std::fs::read_to_string(brake()).unwrap(), "released\n");
    arm.handle().enter_safe_state();
    arm.run_for(Duration::from_millis(20));
    let held = angles(&arm);
    arm.run_for(Duration::from_secs(2));
    assert_eq!(angles(&arm), held, "it does not fall");
    assert_eq!(std::fs::read_to_string(brake()).unwrap(), "engaged\n");

    arm.handle().leave_safe_state();
    let mut fastest: f64 = 0.0;
    for _ in 0..200 {
        arm.run_for(Duration::from_millis(10));
        let rates = arm.with_value(|joints: &JointAngles| joints.rates).unwrap();
        fastest = rates.iter().fold(fastest, |fastest, rate| fastest.max(rate.abs()));
    }
    assert!(angles(&arm) != held && fastest < 2.5, "it goes on without a jerk: {fastest} rad/s");
}
