//! The program: `cargo run --release -p quadrotor` flies the quadrotor.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use hemiola::{Application, RobotHandle};
use quadrotor::representations::Position;

fn main() -> ExitCode {
    Application::new(concat!(env!("CARGO_MANIFEST_DIR"), "/robot.toml")).live(whereabouts).summary(whereabouts).run()
}

fn whereabouts(robot: &RobotHandle) -> Vec<String> {
    let text = |position: &Position| {
        let [x, y, z] = position.at;
        format!("quadrotor  x {x:5.2} m  y {y:5.2} m  {z:4.2} m above ground")
    };
    robot.with_value(text).into_iter().collect()
}
