//! The errors of the robot's estimates, which only a simulation knows.

use hemiola::prelude::*;
use hemiola_ros::nav_msgs::Odometry;

use super::body::RADIUS;
use super::walls::Wall;
use crate::geometry::{Pose2, normalize_angle};
use crate::representations::MapPose;

/// The true state of the world when a scan was taken. Nothing that the robot does depends on it.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct ScanTruth {
    /// Set if there was a world.
    pub is_there: bool,
    /// The true pose of the robot.
    pub robot: Pose2,
    /// The walls.
    pub walls: Vec<Wall>,
}

/// The errors of the robot's estimates.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct TruthReport {
    /// The distance of the pose on the map from the true pose, in metres.
    pub position_error: f64,
    /// The difference of the heading on the map from the true heading, in radians.
    pub heading_error: f64,
    /// The distance of the pose by odometry alone from the true pose, in metres.
    pub odometry_error: f64,
    /// The root mean square of the position errors so far, in metres.
    pub position_rms: f64,
    /// The largest position error so far, in metres.
    pub position_maximum: f64,
    /// The distance that the robot has really driven, in metres.
    pub driven: f64,
}

/// Compares the robot's estimates with the true state of the simulator.
#[derive(Module)]
pub struct TruthComparison {
    /// The pose at the first scan, and where odometry saw it.
    start: Option<(Pose2, Pose2)>,
    last: Pose2,
    driven: f64,
    squares: f64,
    count: u32,
    maximum: f64,
}

#[module]
impl TruthComparison {
    #[update]
    fn report(
        &mut self,
        truth: &ScanTruth,
        pose: &MapPose,
        odometry: &Odometry,
        debug: &Debug,
        report: &mut TruthReport,
    ) {
        if !truth.is_there {
            return;
        }
        let (real, believed, odometry) = (truth.robot, pose.mean(), Pose2::from(&odometry.pose.pose));
        let (start, odometry_start) = *self.start.get_or_insert((real, odometry));
        let dead_reckoned = start * odometry_start.inverse() * odometry;
        report.position_error = believed.distance(real.position());
        report.heading_error = normalize_angle(believed.heading - real.heading).abs();
        report.odometry_error = dead_reckoned.distance(real.position());
        self.driven += if self.count > 0 { self.last.distance(real.position()) } else { 0.0 };
        self.last = real;
        self.count += 1;
        self.squares += report.position_error.powi(2);
        self.maximum = self.maximum.max(report.position_error);
        report.position_rms = (self.squares / f64::from(self.count)).sqrt();
        report.position_maximum = self.maximum;
        report.driven = self.driven;

        debug.background("map/walls", |canvas| {
            for [from_x, from_y, to_x, to_y] in &truth.walls {
                canvas.line([[*from_x as f32, *from_y as f32], [*to_x as f32, *to_y as f32]], 0x5a6b62);
            }
        });
        debug.draw("map/truth", |canvas| {
            canvas.circle(real.drawn(0.0, 0.0), RADIUS as f32, Color::WHITE);
            canvas.line([real.drawn(0.0, 0.0), real.drawn(RADIUS, 0.0)], Color::WHITE);
        });
        debug.draw("map/odometry", |canvas| {
            canvas.circle(dead_reckoned.drawn(0.0, 0.0), RADIUS as f32, Color::GRAY);
            canvas.line([dead_reckoned.drawn(0.0, 0.0), dead_reckoned.drawn(RADIUS, 0.0)], Color::GRAY);
        });
        debug.plot("truth.position error [m]", report.position_error);
        debug.plot("truth.heading error [rad]", report.heading_error);
        debug.plot("truth.odometry error [m]", report.odometry_error);
    }
}
