//! The simulator as sources: the body advances the world, the lidar reads it.

use std::f64::consts::{PI, TAU};

use hemiola::prelude::*;
use hemiola_ros::sensor_msgs::{Imu, LaserScan};

use super::body::{Body, BodyParameters};
use super::random::Random;
use super::truth::ScanTruth;
use super::walls::{Wall, range};
use crate::geometry::Pose2;
use crate::representations::{BASE, MotorCommand, WheelSpeeds};

/// The state of the world, for sensors in any process.
#[derive(Representation, Clone, Debug, Default, PartialEq)]
pub struct SimulatedWorld {
    /// Set from the first sample of the body on, which may be in another process.
    pub is_there: bool,
    /// The true pose of the robot.
    pub robot: Pose2,
    /// The walls.
    pub walls: Vec<Wall>,
}

/// The wheels and the gyroscope, which read the motor commands and advance the world.
#[derive(Source)]
pub struct SimulatedBody {
    #[parameters]
    parameters: BodyParameters,
    body: Option<Body>,
}

const PERIOD: f64 = 0.01;
/// The maximum number of periods in a sample; beyond that, the world has stood still.
const MOST_PERIODS: f64 = 10.0;

#[source]
impl SimulatedBody {
    #[sample(rate = 100.0)]
    fn sample(
        &mut self,
        clock: &Clock,
        command: Fresh<MotorCommand>,
        wheels: &mut WheelSpeeds,
        imu: &mut Imu,
        world: &mut SimulatedWorld,
    ) {
        let body = self.body.get_or_insert_with(|| Body::new(self.parameters.clone()));
        let is_old = command.is_stale() || command.age().as_secs_f64() > self.parameters.command_timeout;
        let command = if is_old { MotorCommand::default() } else { (*command).clone() };
        // More than one if the machine delayed this source: the world does not wait.
        let periods = (f64::from(clock.step_seconds()) / PERIOD).round().clamp(1.0, MOST_PERIODS);
        (0..periods as u32).for_each(|_| body.step(&command, PERIOD));
        *wheels = body.wheel_speeds(PERIOD);
        measure(body.gyroscope(), clock.now(), imu);
        world.is_there = true;
        world.robot = body.pose();
        world.walls.extend_from_slice(body.walls());
    }
}

fn measure(turn_rate: f64, now: Time, imu: &mut Imu) {
    imu.header.stamp = now;
    imu.header.frame_id.push_str(BASE);
    imu.angular_velocity.z = turn_rate;
    // The orientation is not measured, which ROS marks by -1.
    imu.orientation_covariance[0] = -1.0;
    imu.linear_acceleration_covariance[0] = -1.0;
}

/// A rotating laser on top of the robot.
#[derive(Source)]
pub struct SimulatedLidar {
    #[parameters]
    parameters: LidarParameters,
    random: Option<Random>,
}

/// Parameters of [`SimulatedLidar`].
#[derive(Parameters)]
pub struct LidarParameters {
    /// The seed of the noise.
    #[parameter(default = 1)]
    pub seed: u64,
    /// The number of rays per turn.
    #[parameter(default = 360, range = 4..=4096)]
    pub rays: u32,
    /// The maximum range.
    #[parameter(default = 8.0, range = 0.5..=100.0, unit = "m")]
    pub range: f64,
    /// The standard deviation of a range.
    #[parameter(default = 0.01, range = 0.0..=1.0, unit = "m")]
    pub noise: f64,
}

#[source]
impl SimulatedLidar {
    #[sample(rate = 10.0)]
    pub(crate) fn sample(
        &mut self,
        clock: &Clock,
        world: &SimulatedWorld,
        scan: &mut LaserScan,
        truth: &mut ScanTruth,
    ) {
        let LidarParameters { seed, rays, range: farthest, noise } = self.parameters;
        let random = self.random.get_or_insert_with(|| Random::new(seed, 2));
        let step = TAU / f64::from(rays);
        scan.header.stamp = clock.now();
        scan.header.frame_id.push_str(BASE);
        scan.angle_min = -PI as f32;
        scan.angle_max = (PI - step) as f32;
        scan.angle_increment = step as f32;
        scan.scan_time = 0.1;
        scan.range_min = 0.05;
        scan.range_max = farthest as f32;
        scan.ranges.extend((0..rays).map(|ray| {
            let angle = world.robot.heading - PI + step * f64::from(ray);
            let seen = range(&world.walls, world.robot.position(), angle).filter(|range| *range < farthest);
            // REP-117 requires infinity where nothing is within reach.
            seen.map_or(f32::INFINITY, |range| (range + noise * random.normal()).clamp(0.05, farthest) as f32)
        }));
        truth.is_there = world.is_there;
        truth.robot = world.robot;
        truth.walls.extend_from_slice(&world.walls);
    }
}
