//! `cargo run --release` drives; `cargo run -- --help` says what else this program can do.
#![forbid(unsafe_code)]

use std::cell::RefCell;
use std::process::ExitCode;

use hemiola::{Application, RobotHandle};

use hemiola_cart::logbook;
use hemiola_cart::representations::{Goal, Pose};

fn main() -> ExitCode {
    // Its callbacks run as long as this is kept.
    let running = RefCell::new(None);
    Application::new(concat!(env!("CARGO_MANIFEST_DIR"), "/robot.toml"))
        .started(move |robot| match logbook::start(robot) {
            Ok(logbook) => _ = running.replace(Some(logbook)),
            Err(error) => robot.note(format!("there is no logbook: {error}")),
        })
        .live(whereabouts)
        .summary(whereabouts)
        .run()
}

/// Returns what is shown of the cart while it drives, and at its end.
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
