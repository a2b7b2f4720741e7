//! The program: `cargo run --release` drives the cart, `cargo run -- --help` lists all commands.
#![forbid(unsafe_code)]

use std::cell::RefCell;
use std::process::ExitCode;

use hemiola::{Application, RobotHandle};

use hemiola_cart::logbook;
use hemiola_cart::representations::{Goal, Pose};

fn main() -> ExitCode {
    // The logbook's callbacks run until this is dropped.
    let running = RefCell::new(None);
    Application::new(concat!(env!("CARGO_MANIFEST_DIR"), "/robot.toml"))
        .started(move |robot| match logbook::start(robot) {
            Ok(logbook) => _ = running.replace(Some(logbook)),
            Err(error) => robot.note(format!("cannot start the logbook: {error}")),
        })
        .live(whereabouts)
        .summary(whereabouts)
        .run()
}

/// Returns the lines that are shown while the cart drives, and in the summary at the end.
fn whereabouts(robot: &RobotHandle) -> Vec<String> {
    let pose = robot.with_value(|Pose { x, y, heading }: &Pose| {
        let degrees = heading.to_degrees().rem_euclid(360.0);
        format!("x {x:5.2} m  y {y:5.2} m  {degrees:3.0}°")
    });
    let goal = robot.with_value(|goal: &Goal| format!("to ({:.2}, {:.2})", goal.x, goal.y));
    match (pose, goal) {
        (Ok(pose), Ok(goal)) => vec![format!("cart  {pose}  {goal}")],
        _ => Vec::new(), // the cycles have not run yet
    }
}
