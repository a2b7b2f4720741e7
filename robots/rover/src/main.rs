//! The program of the rover: `cargo run --release -p rover` patrols a flat that it does not know;
//! open the address that it prints. `README.md` beside this folder describes the rest.
#![forbid(unsafe_code)]

use std::process::ExitCode;

use hemiola::{Application, RobotHandle};
use rover::representations::{MapPose, Navigation, ScanMatch};
use rover::simulator::truth::TruthReport;

fn main() -> ExitCode {
    Application::new(concat!(env!("CARGO_MANIFEST_DIR"), "/robot.toml")).live(state).summary(state).run()
}

/// Returns the robot's estimated pose and its goals, and in simulation the errors of the estimates.
fn state(robot: &RobotHandle) -> Vec<String> {
    let mut lines = Vec::new();
    let pose = robot.with_value(MapPose::mean);
    let quality = robot.with_value(|matched: &ScanMatch| matched.quality);
    if let (Ok(pose), Ok(quality)) = (pose, quality) {
        let heading = pose.heading.to_degrees();
        lines.push(format!("pose   x {:6.2} m  y {:6.2} m  {heading:4.0}°   scan fits {quality:.2}", pose.x, pose.y));
    }
    if let Ok(navigation) = robot.with_value(Navigation::clone) {
        let Navigation { reached, failed, remaining, number, .. } = navigation;
        lines.push(format!("goals  {reached} reached, {failed} given up; {remaining:.1} m to number {number}"));
    }
    if let Ok(truth) = robot.with_value(TruthReport::clone) {
        let [now, rms, most] = [truth.position_error, truth.position_rms, truth.position_maximum].map(|m| 100.0 * m);
        lines.push(format!(
            "truth  pose {now:.1} cm off (rms {rms:.1}, most {most:.1}), odometry alone {:.0} cm; driven {:.1} m",
            100.0 * truth.odometry_error,
            truth.driven
        ));
    }
    lines
}
