//! The program: `cargo run --release` starts the robot, `cargo run -- --help` lists all commands.
#![forbid(unsafe_code)]

use std::cell::RefCell;
use std::process::ExitCode;

use hemiola::{Application, RobotHandle};

use hemiola_humanoid::representations::{Ball, BodySensors};
use hemiola_humanoid::voice;

fn main() -> ExitCode {
    // The voice's callback runs until this is dropped.
    let running = RefCell::new(None);
    Application::new(concat!(env!("CARGO_MANIFEST_DIR"), "/robot.toml"))
        .started(move |robot| match voice::start(robot) {
            Ok(voice) => _ = running.replace(Some(voice)),
            Err(error) => robot.note(format!("cannot start the voice: {error}")),
        })
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
