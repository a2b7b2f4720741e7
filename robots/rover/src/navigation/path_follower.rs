//! The velocity that follows a path, by pure pursuit (Coulter: Implementation of the Pure Pursuit
//! Path Tracking Algorithm, CMU-RI-TR-92-01, 1992).

use std::f64::consts::FRAC_PI_3;

use hemiola::prelude::*;
use hemiola_ros::geometry_msgs::Twist;
use hemiola_ros::nav_msgs::Path;
use hemiola_ros::sensor_msgs::LaserScan;

use super::scan::hits;
use crate::geometry::{Pose2, drawn, normalize_angle};
use crate::representations::{MapPose, Navigation};

/// Parameters of [`PathFollower`].
#[derive(Parameters)]
pub struct PathFollowerParameters {
    /// The distance of the point on the path to which the robot steers.
    #[parameter(default = 0.45, range = 0.1..=3.0, unit = "m")]
    look_ahead: f64,
    /// The maximum speed.
    #[parameter(default = 0.5, range = 0.0..=3.0, unit = "m/s")]
    speed: f64,
    /// The maximum turn rate.
    #[parameter(default = 1.2, range = 0.0..=6.0, unit = "rad/s")]
    turn_rate: f64,
    /// The deceleration before goals and obstacles.
    #[parameter(default = 0.4, range = 0.05..=5.0, unit = "m/s²")]
    deceleration: f64,
    /// The rate of turns on the spot, per radian that is left.
    #[parameter(default = 1.5, range = 0.1..=10.0, unit = "1/s")]
    turn_gain: f64,
    /// Half the width of the way ahead that has to be free.
    #[parameter(default = 0.2, range = 0.05..=2.0, unit = "m")]
    half_width: f64,
    /// The distance from obstacles at which the robot's centre stops.
    #[parameter(default = 0.28, range = 0.05..=2.0, unit = "m")]
    clearance: f64,
    /// The distance from the goal within which the robot turns on the spot.
    #[parameter(default = 0.08, range = 0.01..=1.0, unit = "m")]
    arrived: f64,
}

/// Steers along the path, turns to the heading of the goal at the end, and never drives too fast to
/// stop before the obstacles in the scan.
#[derive(Module)]
pub struct PathFollower {
    #[parameters]
    parameters: PathFollowerParameters,
}

#[module]
impl PathFollower {
    #[update]
    pub(super) fn twist(
        &self,
        path: &Path,
        pose: &MapPose,
        navigation: &Navigation,
        scan: &LaserScan,
        debug: &Debug,
        twist: &mut Twist,
    ) {
        let Some(goal) = navigation.goal else { return };
        let pose = pose.mean();
        let to_goal = pose.distance(goal.position());
        let (speed, turn_rate) = if to_goal < self.parameters.arrived {
            (0.0, self.turn(normalize_angle(goal.heading - pose.heading)))
        } else if path.poses.is_empty() {
            (0.0, 0.0)
        } else {
            let target = self.target(path, pose, goal);
            debug.draw("map/target", |canvas| canvas.line([pose.drawn(0.0, 0.0), drawn(target)], Color::CYAN));
            self.pursue(pose.inverse().transform(target), to_goal)
        };
        twist.linear.x = speed.min(self.stoppable(scan));
        twist.angular.z = turn_rate.clamp(-self.parameters.turn_rate, self.parameters.turn_rate);
    }

    /// Returns the first point beyond the nearest one of the path that is far enough away.
    fn target(&self, path: &Path, pose: Pose2, goal: Pose2) -> [f64; 2] {
        let place = |number: usize| Pose2::from(&path.poses[number].pose).position();
        let nearest = (0..path.poses.len())
            .min_by(|one, other| pose.distance(place(*one)).total_cmp(&pose.distance(place(*other))));
        let ahead = (nearest.unwrap_or(0)..path.poses.len()).map(place);
        ahead.into_iter().find(|at| pose.distance(*at) >= self.parameters.look_ahead).unwrap_or(goal.position())
    }

    /// Returns speed and turn rate for the arc to a point, which is relative to the robot.
    fn pursue(&self, [x, y]: [f64; 2], to_goal: f64) -> (f64, f64) {
        let angle = y.atan2(x);
        if angle.abs() > FRAC_PI_3 {
            return (0.0, self.turn(angle));
        }
        let curvature = 2.0 * y / (x * x + y * y).max(1e-6);
        let in_time = (2.0 * self.parameters.deceleration * to_goal).sqrt();
        let round_the_bend = self.parameters.turn_rate / curvature.abs().max(1e-6);
        let speed = self.parameters.speed.min(in_time).min(round_the_bend);
        (speed, speed * curvature)
    }

    fn turn(&self, angle: f64) -> f64 {
        self.parameters.turn_gain * angle
    }

    /// Returns the maximum speed from which the robot can stop before obstacles.
    fn stoppable(&self, scan: &LaserScan) -> f64 {
        let PathFollowerParameters { half_width, clearance, deceleration, .. } = self.parameters;
        let in_the_way = hits(scan, f64::INFINITY).filter(|[x, y]| *x > 0.0 && y.abs() < half_width);
        let room = in_the_way.map(|[x, _]| x - clearance).fold(f64::INFINITY, f64::min);
        (2.0 * deceleration * room.max(0.0)).sqrt()
    }
}
