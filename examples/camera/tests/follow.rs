//! The whole robot, on its own clock: half a minute takes some seconds, and is the same every time.
#![forbid(unsafe_code)]

use std::time::Duration;

use camera::representations::{BallTrack, CameraImage, ServoCommand};
use camera::score::Score;
use camera::simulator::HeadTruth;
use hemiola::Robot;
use hemiola::configuration::{Catalog, LoadOptions, load};
use hemiola::runtime::Stepper;

/// The robot that `robot.toml` describes, before its first run, with what is put over that.
fn robot(assignments: &[String]) -> Stepper {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/robot.toml");
    let options = LoadOptions { assignments: assignments.to_vec(), ..LoadOptions::new(path) };
    let loaded = load(&options, &Catalog::linked()).unwrap_or_else(|error| panic!("{error}"));
    Robot::assemble(loaded.configuration).unwrap().into_stepper().unwrap()
}

/// The figures are printed with `--nocapture`.
#[test]
fn the_ball_is_found_wherever_it_is_clear_and_the_head_follows_it() {
    println!("seed  clear  found  phantoms  track rms / most  head rms / most  hidden rms / most");
    for seed in 1..=3 {
        let mut robot = robot(&[format!("source.Camera.parameters.seed={seed}")]);
        robot.run_for(Duration::from_secs(20));
        let Score { clear, found, phantoms, track, head, hidden } = robot.with_value(Score::clone).unwrap();
        let [track_rms, head_rms] = [&track, &head].map(|errors| errors.root_mean_square().to_degrees());
        let errors = [&track, &head, &hidden].map(|errors| {
            let [rms, most] = [errors.root_mean_square(), errors.greatest].map(f64::to_degrees);
            format!("{rms:6.2} / {most:6.2}°")
        });
        println!("{seed:4}  {clear:5}  {found:5}  {phantoms:8}  {}", errors.join("  "));
        assert!(clear > 300, "seed {seed}: the ball is clear in {clear} of 600 images only");
        assert!(found == clear && phantoms == 0, "seed {seed}: {found} of {clear} found, {phantoms} phantoms");
        assert!(track_rms < 0.15 && head_rms < 1.5, "seed {seed}: off by {track_rms}°, {head_rms}°");
        assert!(head.count > 300, "seed {seed}: it followed the ball in {} images only", head.count);
    }
}

#[test]
fn it_follows_the_blue_ball_when_it_is_told_to() {
    let mut robot = robot(&["module.Segmenter.hue=223".to_owned()]);
    robot.run_for(Duration::from_secs(8));
    let track = robot.with_value(BallTrack::clone).unwrap();
    let truth = robot.with_value(|head: &HeadTruth| head.direction).unwrap();
    // It lies on the floor on the right.
    assert!(track.is_known && track.direction.azimuth < -0.5 && track.direction.elevation < -0.15);
    assert!(track.direction.apart(truth).to_degrees() < 0.5, "{truth:?} instead of {:?}", track.direction);
}

#[test]
fn in_the_safe_state_the_head_stands_still() {
    let mut robot = robot(&[]);
    let rates = |robot: &Stepper| robot.with_value(|head: &HeadTruth| head.rates).unwrap();
    robot.run_for(Duration::from_secs(4));
    assert!(rates(&robot).azimuth.abs() > 0.01, "it moves");
    robot.handle().enter_safe_state();
    robot.run_for(Duration::from_secs(1));
    let command = robot.with_value(ServoCommand::clone).unwrap();
    assert_eq!((command.rates.azimuth, command.rates.elevation), (0.0, 0.0));
    assert!(rates(&robot).azimuth.abs() < 1e-9);
    assert!(robot.with_value(|image: &CameraImage| image.image.data.len()).unwrap() > 0, "and still sees");
}

/// The fingerprints of all values of every cycle that ran, run by run.
fn history(workers: usize) -> Vec<(usize, Vec<(&'static str, u64)>)> {
    let mut robot = robot(&["vision", "head"].map(|cycle| format!("cycle.{cycle}.workers={workers}")));
    let mut history = Vec::new();
    while robot.now().seconds() < 5.0 {
        let step = robot.step().expect("a simulation does not end");
        history.extend(step.cycles.into_iter().map(|cycle| (cycle, robot.fingerprints(cycle))));
    }
    history
}

#[test]
fn any_number_of_workers_gives_the_same_bits() {
    let expected = history(1);
    assert!(expected.len() > 600, "only {} runs were compared", expected.len());
    for workers in [2, 3] {
        let found = history(workers);
        assert_eq!(found.len(), expected.len(), "{workers} workers: another number of runs");
        let difference = found.iter().zip(&expected).position(|(found, expected)| found != expected);
        assert_eq!(difference, None, "{workers} workers: a run differs");
    }
}
