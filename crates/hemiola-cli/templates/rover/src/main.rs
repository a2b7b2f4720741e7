//! The program: `cargo run --release` drives the rover, `cargo run -- --help` lists all commands.
//! In another terminal, `cargo run -- top` shows both of its processes.
#![forbid(unsafe_code)]

use std::cell::RefCell;
use std::process::ExitCode;

use hemiola::{Application, RobotHandle};

use hemiola_rover::announcer;
use hemiola_rover::representations::{Navigation, Pose};

fn main() -> ExitCode {
    // The announcer's callback runs until this is dropped. Each process has one; messages come in
    // that of navigation, where the planner publishes them.
    let running = RefCell::new(None);
    Application::new(concat!(env!("CARGO_MANIFEST_DIR"), "/robot.toml"))
        .started(move |robot| match announcer::start(robot) {
            Ok(announcer) => _ = running.replace(Some(announcer)),
            Err(error) => robot.note(format!("cannot start the announcer: {error}")),
        })
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
