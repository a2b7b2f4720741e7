use std::f64::consts::FRAC_PI_2;

use proptest::prelude::*;

use super::walls::{Wall, distance, range};
use super::*;
use crate::drive::TRACK;
use crate::geometry::Pose2;
use crate::representations::MotorCommand;

const STEP: f64 = 0.01;

fn body(parameters: BodyParameters) -> Body {
    Body::new(parameters)
}

/// Returns the parameters of a body without errors.
fn perfect(walls: Vec<Wall>) -> BodyParameters {
    BodyParameters { walls, wheel_noise: 0.0, slips: 0.0, gyro_noise: 0.0, gyro_bias: 0.0, ..BodyParameters::default() }
}

proptest! {
    #[test]
    fn a_ray_ends_on_the_wall_that_it_meets(
        wall in [-9.0..9.0_f64, -9.0..9.0, -9.0..9.0, -9.0..9.0],
        from in [-9.0..9.0_f64, -9.0..9.0],
        along in 0.01..0.99,
    ) {
        let aim: [f64; 2] = [wall[0] + along * (wall[2] - wall[0]), wall[1] + along * (wall[3] - wall[1])];
        let (way, height) = ((aim[0] - from[0]).hypot(aim[1] - from[1]), distance(&[wall], from));
        // Excludes rays that only graze the wall.
        prop_assume!(height > 0.01 && way < 100.0 * height);
        let angle = (aim[1] - from[1]).atan2(aim[0] - from[0]);
        let found = range(&[wall], from, angle);
        prop_assert!(found.is_some_and(|found| (found - way).abs() < 1e-6), "{found:?} instead of {way}");
        prop_assert!(height <= way + 1e-9);
    }

    #[test]
    fn the_same_seed_and_commands_give_the_same_bits(seed: u64, commands in proptest::collection::vec((-0.6..0.6, -0.6..0.6), 1..50)) {
        let parameters = BodyParameters { seed, ..BodyParameters::default() };
        let (mut one, mut other) = (body(parameters.clone()), body(parameters));
        for (left, right) in commands {
            let command = MotorCommand { left, right };
            one.step(&command, STEP);
            other.step(&command, STEP);
            prop_assert_eq!(one.pose(), other.pose());
            prop_assert_eq!(one.gyroscope().to_bits(), other.gyroscope().to_bits());
        }
    }

    #[test]
    fn nobody_drives_through_a_wall(seed: u64, heading in -3.1..3.1) {
        let square = vec![[-1.0, -1.0, 1.0, -1.0], [1.0, -1.0, 1.0, 1.0], [1.0, 1.0, -1.0, 1.0], [-1.0, 1.0, -1.0, -1.0]];
        let mut body = body(BodyParameters { seed, walls: square, start: [0.0, 0.0, heading], ..BodyParameters::default() });
        for _ in 0..500 {
            body.step(&MotorCommand { left: 0.5, right: 0.52 }, STEP);
            let Pose2 { x, y, .. } = body.pose();
            prop_assert!(x.abs() < 1.0 && y.abs() < 1.0, "({x}, {y})");
        }
    }
}

#[test]
fn a_perfect_body_turns_as_its_wheels_do() {
    let mut body = body(perfect(Vec::new()));
    // A quarter of a turn on the spot, once the motors have reached their speed.
    let rim = 0.3;
    let (mut turned, mut counted) = (0.0, 0.0);
    while body.pose().heading < FRAC_PI_2 {
        body.step(&MotorCommand { left: -rim, right: rim }, STEP);
        turned += body.gyroscope() * STEP;
        counted += body.wheel_speeds(STEP).angular * STEP;
    }
    let pose = body.pose();
    assert!(pose.x.abs() < 1e-9 && pose.y.abs() < 1e-9, "{pose:?}");
    assert!((turned - pose.heading).abs() < 1e-9, "the gyroscope says {turned}");
    assert!((counted - pose.heading).abs() < 2.0 * 2e-5 / TRACK, "the encoders say {counted}");
}

#[test]
fn random_numbers_are_spread_as_they_should_be() {
    let mut random = Random::new(7, 1);
    let numbers: Vec<f64> = (0..100_000).map(|_| random.normal()).collect();
    let mean = numbers.iter().sum::<f64>() / 1e5;
    let variance = numbers.iter().map(|number| (number - mean).powi(2)).sum::<f64>() / 1e5;
    let beyond = numbers.iter().filter(|number| number.abs() > 2.0).count() as f64 / 1e5;
    assert!(mean.abs() < 0.01 && (variance - 1.0).abs() < 0.02 && (beyond - 0.0455).abs() < 0.003);
    assert!((0..1000).map(|_| random.uniform()).all(|number| (0.0..1.0).contains(&number)));
    assert_ne!(Random::new(7, 1).uniform(), Random::new(7, 2).uniform());
}
