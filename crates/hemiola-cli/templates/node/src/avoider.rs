//! Keeps the robot away from obstacles.

use std::time::Duration;

use hemiola::prelude::*;
use hemiola_ros::geometry_msgs::Twist;
use hemiola_ros::nav_msgs::Odometry;
use hemiola_ros::sensor_msgs::LaserScan;
use hemiola_ros::std_srvs::SetBoolRequest;

/// The parameters, with `ros2 param set /hemiola_node Avoider.speed 0.2` or in robot.toml.
#[derive(Parameters)]
pub struct AvoiderParameters {
    /// The speed if nothing is ahead.
    #[parameter(default = 0.3, range = 0.0..=1.0, unit = "m/s")]
    pub speed: f64,
    /// The turn rate away from an obstacle.
    #[parameter(default = 0.8, range = 0.1..=3.0, unit = "rad/s")]
    pub turning: f64,
    /// The distance to an obstacle at which the robot, when it stands, turns away.
    #[parameter(default = 0.5, range = 0.1..=5.0, unit = "m")]
    pub distance: f64,
    /// The deceleration with which the robot can brake: a fast robot turns away sooner.
    #[parameter(default = 0.5, range = 0.1..=5.0, unit = "m/s²")]
    pub braking: f64,
}

/// The state of the avoidance, a message of this package: `hemiola_node/msg/Avoidance`.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct Avoidance {
    /// The distance to the nearest obstacle ahead, in metres; infinite if there is none.
    pub nearest: f64,
    /// Set if an obstacle is too near to drive on.
    pub blocked: bool,
    /// Set if somebody has switched the avoidance off.
    pub disabled: bool,
}

/// Drives ahead, and turns away from obstacles.
#[derive(Module)]
pub struct Avoider {
    #[parameters]
    pub parameters: AvoiderParameters,
    /// Begins as `false`, as all state begins with its default value.
    pub disabled: bool,
}

#[module]
impl Avoider {
    #[update]
    pub fn avoid(
        &mut self,
        scan: Fresh<LaserScan>,
        odometry: &Odometry,
        requests: &Subscription<SetBoolRequest>,
        safe_state: &SafeState,
        avoidance: &mut Avoidance,
        command: &mut Twist,
    ) {
        if let Some(request) = requests.last() {
            self.disabled = !request.data;
        }
        let speed = odometry.twist.twist.linear.x;
        let needed = self.parameters.distance + speed * speed / (2.0 * self.parameters.braking);
        let (left, right) = (nearest(&scan, 0.0, AHEAD), nearest(&scan, -AHEAD, 0.0));
        avoidance.nearest = left.min(right);
        avoidance.blocked = avoidance.nearest < needed;
        avoidance.disabled = self.disabled;
        let blind = scan.is_stale() || scan.age() > TOO_OLD;
        if blind || self.disabled || safe_state.is_active() {
            return; // `command` starts as its default: the robot stands still
        }
        if avoidance.blocked {
            let turning = self.parameters.turning;
            command.angular.z = if left > right { turning } else { -turning };
        } else {
            command.linear.x = self.parameters.speed;
        }
    }
}

/// Returns the distance to the nearest obstacle between two angles.
fn nearest(scan: &LaserScan, from: f32, to: f32) -> f64 {
    let angle = |ray: usize| scan.angle_min + ray as f32 * scan.angle_increment;
    let rays = scan.ranges.iter().enumerate();
    let seen = rays.filter(|(ray, range)| {
        (from..=to).contains(&angle(*ray)) && (scan.range_min..=scan.range_max).contains(*range)
    });
    seen.map(|(_, range)| f64::from(*range))
        .fold(f64::INFINITY, f64::min)
}

/// The angle to both sides that counts as ahead, in radians.
const AHEAD: f32 = 0.5;
/// The age from which on a scan says nothing about what is ahead now.
const TOO_OLD: Duration = Duration::from_millis(300);
