//! Tests of the whole robot in simulated time.
#![forbid(unsafe_code)]

use std::time::Duration;

use hemiola::Robot;
use hemiola::configuration::{Catalog, LoadOptions, load};
use hemiola::runtime::Stepper;
use quadrotor::representations::{Inertial, Position};

fn quadrotor() -> Stepper {
    let options = LoadOptions::new(concat!(env!("CARGO_MANIFEST_DIR"), "/robot.toml"));
    let loaded = load(&options, &Catalog::linked()).unwrap_or_else(|error| panic!("{error}"));
    Robot::assemble(loaded.configuration).unwrap().into_stepper().unwrap()
}

fn position(robot: &Stepper) -> Position {
    robot.with_value(Position::clone).unwrap()
}

#[test]
fn it_takes_off_and_flies_to_the_corners_of_a_square() {
    let mut robot = quadrotor();
    let corners = [[4.0, 0.0], [4.0, 4.0], [0.0, 4.0], [0.0, 0.0]];
    let mut visited = [false; 4];
    robot.run_for(Duration::from_secs(5));
    for _ in 0..250 {
        robot.run_for(Duration::from_millis(100));
        let [x, y, z] = position(&robot).at;
        assert!((1.5..2.5).contains(&z), "{z} m above ground");
        for (corner, visited) in corners.iter().zip(&mut visited) {
            *visited |= (x - corner[0]).hypot(y - corner[1]) < 0.3;
        }
    }
    assert_eq!(visited, [true; 4]);
}

#[test]
fn gusts_hardly_incline_it_while_it_hovers() {
    let mut robot = quadrotor();
    robot.run_for(Duration::from_millis(100));
    for _ in 0..20 {
        robot.run_for(Duration::from_millis(100));
        let angles = robot.with_value(|inertial: &Inertial| inertial.angles).unwrap();
        assert!(angles.iter().all(|angle| angle.abs() < 0.6), "{angles:?}");
    }
}

#[test]
fn in_the_safe_state_it_sinks_to_the_ground() {
    let mut robot = quadrotor();
    robot.run_for(Duration::from_secs(10));
    robot.handle().enter_safe_state();
    let mut fastest: f64 = 0.0;
    for _ in 0..100 {
        robot.run_for(Duration::from_millis(100));
        fastest = fastest.min(position(&robot).velocity[2]);
    }
    assert_eq!(position(&robot).at[2], 0.0, "it has landed");
    assert!(fastest > -1.5, "{fastest} m/s");
}
