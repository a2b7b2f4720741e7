use super::*;
use crate::representations::MotorCommand;
use crate::simulator::{Body, BodyParameters};
use std::time::Duration;

const STEP: f64 = 0.01;

/// Where the robot is at the end, what the filter believes, and what wheels alone would.
struct Drive {
    real: Pose2,
    believed: Belief,
    wheels: Pose2,
}

/// Half a minute of bends, stops and turns on the spot on an empty floor.
fn drive(seed: u64) -> Drive {
    let mut body = Body::new(BodyParameters { seed, ..BodyParameters::default() });
    let mut filter = OdometryFilter::create(OdometryFilterParameters::default());
    let mut wheels_alone = Pose2::default();
    for step in 0..3000_u64 {
        let (speed, turn) = [(0.4, 0.0), (0.4, 0.6), (0.0, 0.0), (0.0, -0.9), (0.5, -0.3)][step as usize / 120 % 5];
        let command = MotorCommand { left: speed - turn * TRACK / 2.0, right: speed + turn * TRACK / 2.0 };
        body.step(&command, STEP);
        let wheels = body.wheel_speeds(STEP);
        let mut imu = Imu::default();
        imu.angular_velocity.z = body.gyroscope();
        let clock = Clock::new(Time::from_seconds(step as f64 * STEP), Duration::from_millis(10), step);
        let (mut odometry, mut transform) = Default::default();
        filter.odometry(&wheels, &imu, &clock, &Debug::default(), &mut odometry, &mut transform);
        let (way, turn) = (wheels.linear * STEP, wheels.angular * STEP / 2.0);
        wheels_alone = wheels_alone * Pose2::new(0.0, 0.0, turn) * Pose2::new(way, 0.0, turn);
    }
    Drive { real: body.pose(), believed: filter.belief.unwrap(), wheels: wheels_alone }
}

impl Drive {
    fn error(&self) -> [f64; 3] {
        let [x, y, heading, ..] = self.believed.mean;
        [x - self.real.x, y - self.real.y, normalize_angle(heading - self.real.heading)]
    }

    /// The normalised estimation error squared of the pose (Bar-Shalom, Li, Kirubarajan 2001,
    /// section 5.4).
    fn nees(&self) -> f64 {
        let covariance = std::array::from_fn(|row| std::array::from_fn(|column| self.believed.covariance[row][column]));
        let error = self.error();
        let weighted = solve(covariance, error);
        error.iter().zip(weighted).map(|(error, weighted)| error * weighted).sum()
    }
}

/// Solves a system of equations with a positive definite matrix by elimination.
fn solve(mut matrix: [[f64; 3]; 3], mut right: [f64; 3]) -> [f64; 3] {
    for pivot in 0..3 {
        for row in 0..3 {
            if row != pivot {
                let factor = matrix[row][pivot] / matrix[pivot][pivot];
                (0..3).for_each(|column| matrix[row][column] -= factor * matrix[pivot][column]);
                right[row] -= factor * right[pivot];
            }
        }
    }
    std::array::from_fn(|row| right[row] / matrix[row][row])
}

/// With 100 runs of 3 degrees of freedom, the mean of a consistent filter is within these bounds
/// with a probability of 99 %: the quantiles of chi-square with 300 degrees, by 100.
const BOUNDS: std::ops::RangeInclusive<f64> = 2.407..=3.668;

#[test]
fn the_filter_is_as_wrong_as_it_says() {
    let mean = (1..=100).map(|seed| drive(seed).nees()).sum::<f64>() / 100.0;
    println!("NEES {mean:.2}, {} to {} expected", BOUNDS.start(), BOUNDS.end());
    assert!(BOUNDS.contains(&mean), "NEES {mean:.2} is not within {BOUNDS:?}");
}

#[test]
fn with_the_gyroscope_the_heading_is_better_than_by_wheels_alone() {
    let rms =
        |error: fn(&Drive) -> f64| ((1..=100).map(|seed| error(&drive(seed)).powi(2)).sum::<f64>() / 100.0).sqrt();
    let filtered = rms(|drive| drive.error()[2]);
    let wheels = rms(|drive| normalize_angle(drive.wheels.heading - drive.real.heading));
    println!("heading after 30 s: {filtered:.4} rad, by wheels alone {wheels:.4} rad");
    assert!(filtered < 0.7 * wheels, "{filtered} rad, by wheels alone {wheels} rad");
}

#[test]
fn who_drives_a_circle_comes_back() {
    let mut filter = OdometryFilter::create(OdometryFilterParameters::default());
    let (seconds, radius) = (10.0, 0.8);
    let turn_rate = std::f64::consts::TAU / seconds;
    let wheels = WheelSpeeds { linear: radius * turn_rate, angular: turn_rate };
    let mut imu = Imu::default();
    imu.angular_velocity.z = turn_rate;
    let mut farthest: f64 = 0.0;
    for run in 0..1000 {
        let clock = Clock::new(Time::from_seconds(run as f64 * STEP), Duration::from_millis(10), run);
        let (mut odometry, mut transform): (Odometry, OdomToBase) = Default::default();
        filter.odometry(&wheels, &imu, &clock, &Debug::default(), &mut odometry, &mut transform);
        let pose = Pose2::from(&odometry.pose.pose);
        farthest = farthest.max(pose.distance([0.0, 0.0]));
        assert!((pose.distance([0.0, radius]) - radius).abs() < 1e-4, "{pose:?} is off the circle");
        assert_eq!((odometry.header.frame_id.as_str(), odometry.child_frame_id.as_str()), (ODOM, BASE));
        let placed = &transform.tf.transforms[0].transform.translation;
        assert_eq!([placed.x, placed.y], pose.position());
    }
    assert!((farthest - 2.0 * radius).abs() < 1e-3, "{farthest}");
    let [x, y, heading, ..] = filter.belief.unwrap().mean;
    assert!(x.hypot(y) < 1e-3 && heading.abs() < 1e-6, "{x} {y} {heading}");
}
