//! Tests of the module, and of the whole node without ROS 2.
#![forbid(unsafe_code)]

use std::time::Duration;

use hemiola::Robot;
use hemiola::configuration::{Catalog, LoadOptions, load};
use hemiola::prelude::*;
use hemiola_ros::geometry_msgs::Twist;
use hemiola_ros::nav_msgs::Odometry;
use hemiola_ros::sensor_msgs::LaserScan;
use hemiola_ros::std_srvs::SetBoolRequest;

use hemiola_node::avoider::{Avoidance, Avoider, AvoiderParameters};

/// Returns a scan with a ray for each degree, and the range at each angle.
fn scan(range: impl Fn(f32) -> f32) -> LaserScan {
    let angles = (-180..180).map(|degree| (degree as f32).to_radians());
    LaserScan {
        angle_min: -std::f32::consts::PI,
        angle_increment: 1.0_f32.to_radians(),
        range_min: 0.05,
        range_max: 10.0,
        ranges: angles.map(range).collect(),
        ..LaserScan::default()
    }
}

/// A module in a test, at a speed in metres per second and with a scan of an age.
struct Drive {
    avoider: Avoider,
    speed: f64,
    age: Duration,
}

impl Drive {
    fn new() -> Self {
        Self {
            avoider: Avoider::create(AvoiderParameters::default()),
            speed: 0.0,
            age: Duration::ZERO,
        }
    }

    /// Runs the module once, and returns its command.
    fn command(&mut self, scan: &LaserScan, requests: &[bool]) -> Twist {
        let now = Time::from_seconds(10.0);
        let mut odometry = Odometry::default();
        odometry.twist.twist.linear.x = self.speed;
        let requests = requests.iter().map(|data| SetBoolRequest { data: *data });
        let mut command = Twist::default();
        self.avoider.avoid(
            Fresh::new(scan, Time::from_seconds(10.0 - self.age.as_secs_f64()), now),
            &odometry,
            &Subscription::of(requests),
            &SafeState::Inactive,
            &mut Avoidance::default(),
            &mut command,
        );
        command
    }
}

#[test]
fn it_turns_to_the_free_side_and_sooner_the_faster_it_is() {
    let mut drive = Drive::new();
    let wall = scan(|angle| if angle < 0.0 { 0.6 } else { 2.0 });
    assert!(drive.command(&wall, &[]).linear.x > 0.0);
    drive.speed = 0.5;
    let command = drive.command(&wall, &[]);
    assert!(command.linear.x == 0.0 && command.angular.z > 0.0);
}

#[test]
fn it_stands_still_while_it_is_blind_or_disabled() {
    let (mut drive, free) = (Drive::new(), scan(|_| 9.0));
    drive.age = Duration::from_millis(400);
    assert_eq!(drive.command(&free, &[]), Twist::default());
    drive.age = Duration::ZERO;
    assert_eq!(drive.command(&free, &[false]), Twist::default());
    assert_eq!(drive.command(&free, &[]), Twist::default());
    assert!(drive.command(&free, &[true]).linear.x > 0.0);
}

#[test]
fn the_whole_node_stands_still_until_there_is_a_scan() {
    let options = LoadOptions::new(concat!(env!("CARGO_MANIFEST_DIR"), "/robot.toml"));
    let loaded = load(&options, &Catalog::linked()).unwrap_or_else(|error| panic!("{error}"));
    let mut node = Robot::assemble(loaded.configuration)
        .unwrap()
        .into_stepper()
        .unwrap();
    node.run_for(Duration::from_secs(1));
    let command = node.with_value(Twist::clone).unwrap();
    assert_eq!(command, Twist::default());
}
