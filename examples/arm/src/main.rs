//! `cargo run --release -p arm` stacks boxes.
#![forbid(unsafe_code)]

use std::cell::RefCell;
use std::process::ExitCode;

use arm::representations::{Goal, JointAngles};
use arm::{gripper, kinematics};
use hemiola::{Application, RobotHandle};

fn main() -> ExitCode {
    // The thread of the gripper runs as long as this is kept.
    let running = RefCell::new(None);
    Application::new(concat!(env!("CARGO_MANIFEST_DIR"), "/robot.toml"))
        .started(move |robot| match gripper::start(robot) {
            Ok(gripper) => _ = running.replace(Some(gripper)),
            Err(error) => robot.note(format!("there is no gripper: {error}")),
        })
        .live(state)
        .summary(state)
        .run()
}

/// Returns what is shown of the arm while it works, and at its end.
fn state(robot: &RobotHandle) -> Vec<String> {
    let hand = robot.with_value(|joints: &JointAngles| {
        let [x, z] = kinematics::hand(joints.angles);
        format!("hand   x {x:5.2} m  z {z:5.2} m")
    });
    let goal = robot.with_value(|goal: &Goal| format!("task   step {}, {} boxes moved", goal.number, goal.number / 6));
    [hand, goal].into_iter().flatten().collect()
}
