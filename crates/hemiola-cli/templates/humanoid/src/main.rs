//! The program: `cargo run --release` starts the robot, `cargo run -- --help` lists all commands.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use hemiola::{Application, RobotHandle};

use hemiola_humanoid::representations::{Ball, BodySensors};

fn main() -> ExitCode {
    Application::new(concat!(env!("CARGO_MANIFEST_DIR"), "/robot.toml"))
        .live(state)
        .summary(state)
        .run()
}

/// Returns the lines that are shown while the robot runs, and in the summary at the end.
fn state(robot: &RobotHandle) -> Vec<String> {
    let body = robot.with_value(|body: &BodySensors| {
        let [lean, head] = [body.lean, body.head].map(f64::to_degrees);
        format!("body  leans {lean:5.1}°, its head is at {head:5.1}°")
    });
    let ball = robot.with_value(|ball: &Ball| match ball.seen {
        true => format!("ball  seen at {:5.1}°", ball.bearing.to_degrees()),
        false => "ball  not seen".to_owned(),
    });
    [body, ball].into_iter().flatten().collect()
}
