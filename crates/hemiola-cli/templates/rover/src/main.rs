//! The program: `cargo run --release` drives the rover, `cargo run -- --help` lists all commands.
//! In another terminal, `cargo run -- top` shows both of its processes.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use hemiola::{Application, RobotHandle};

use hemiola_rover::representations::{Navigation, Pose};

fn main() -> ExitCode {
    Application::new(concat!(env!("CARGO_MANIFEST_DIR"), "/robot.toml"))
        .live(whereabouts)
        .summary(whereabouts)
        .run()
}

/// Returns the lines that this process shows while the rover drives, and in the summary at the end.
fn whereabouts(robot: &RobotHandle) -> Vec<String> {
    let pose = robot.with_value(|Pose { x, y, heading }: &Pose| {
        let degrees = heading.to_degrees().rem_euclid(360.0);
        format!("rover  x {x:5.2} m  y {y:5.2} m  {degrees:3.0}°")
    });
    let goals = robot.with_value(|it: &Navigation| format!("goals  {} reached", it.reached));
    [pose, goals].into_iter().flatten().collect()
}
