//! `cargo run --release -p camera` follows the ball; the page at the address that it prints shows
//! what the camera sees.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use camera::representations::BallTrack;
use camera::score::Score;
use hemiola::{Application, RobotHandle};

fn main() -> ExitCode {
    Application::new(concat!(env!("CARGO_MANIFEST_DIR"), "/robot.toml")).live(state).summary(state).run()
}

/// Returns what is shown of the robot while it runs, and at its end.
fn state(robot: &RobotHandle) -> Vec<String> {
    let track = robot.with_value(|track: &BallTrack| {
        let [left, up] = [track.direction.azimuth, track.direction.elevation].map(f64::to_degrees);
        match track.is_known {
            true => format!("ball   {left:5.1}° left  {up:5.1}° up  {:4.2} m away", track.distance),
            false => "ball   not seen: the head searches".to_owned(),
        }
    });
    let score = robot.with_value(|score: &Score| {
        let Score { clear, found, phantoms, track, head, .. } = score;
        let [track, head] = [track, head].map(|errors| errors.root_mean_square().to_degrees());
        format!("truth  found in {found} of {clear} clear images, {phantoms} phantoms; off: track {track:.2}°, head {head:.2}°")
    });
    [track, score].into_iter().flatten().collect()
}
