//! Tests of the whole robot in its simulated game, from the sensors to the goal, in simulated time.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hemiola::configuration::{Catalog, LoadOptions, load};
use hemiola::runtime::{Change, Observation, Observer, Robot, Stepper};
use nao::representations::modeling::BallModel;
use nao::simulator::truth_comparison::TruthReport;

const SEEDS: u64 = 10;
const CYCLES: [&str; 3] = ["motion", "audio", "cognition"];
/// The number of the cycle in which the ball is modelled, by the order in robot.toml.
const COGNITION: usize = 2;

/// Returns the robot of `robot.toml` in the game that follows from the seed.
fn robot(seed: u64, workers: usize) -> Stepper {
    let workers = CYCLES.iter().map(|cycle| format!("cycle.{cycle}.workers={workers}"));
    let assignments = workers.chain([format!("source.SimulatedBody.parameters.seed={seed}")]).collect();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/robot.toml");
    let loaded = load(&LoadOptions { assignments, ..LoadOptions::new(path) }, &Catalog::linked());
    let configuration = loaded.unwrap_or_else(|error| panic!("{error}")).configuration;
    Robot::assemble(configuration).expect("the robot is complete").into_stepper().expect("the robot can be made")
}

/// Plays until the simulation ends: soon after the goal, or after a minute.
fn play(seed: u64) -> TruthReport {
    let mut stepper = robot(seed, 1);
    while stepper.step().is_some() {}
    stepper.with_value(TruthReport::clone).expect("the robot compares its beliefs with the truth")
}

/// Plays all games, on all cores.
fn play_all() -> Vec<(u64, TruthReport)> {
    let (next, reports) = (AtomicU64::new(1), Mutex::new(Vec::new()));
    let player = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed > SEEDS {
                break;
            }
            let report = play(seed);
            reports.lock().expect("no player has panicked").push((seed, report));
        }
    };
    std::thread::scope(|scope| {
        let players = std::thread::available_parallelism().map_or(1, usize::from);
        for _ in 0..players {
            scope.spawn(player);
        }
    });
    let mut reports = reports.into_inner().expect("no player has panicked");
    reports.sort_by_key(|(seed, _)| *seed);
    reports
}

#[test]
fn the_goal_is_scored_in_at_least_nine_of_ten_games_by_a_robot_that_knows_where_it_is() {
    let reports = play_all();
    println!("seed  goals    first  pose rms  ball rms  falls");
    for (seed, report) in &reports {
        let TruthReport { score, scored_at, position_rms, ball_rms, falls, .. } = report;
        let first = scored_at.map_or_else(|| "-".to_owned(), |time| format!("{time:.1} s"));
        println!("{seed:4}  {score:5}  {first:>7}  {position_rms:6.2} m  {ball_rms:6.2} m  {falls:5}");
    }
    let count = |holds: fn(&TruthReport) -> bool| reports.iter().filter(|(_, report)| holds(report)).count();
    assert!(count(|report| report.score > 0) >= 9, "goals in {} games", count(|report| report.score > 0));
    assert!(count(|report| report.position_rms < 0.3) >= 9, "the robot is lost in more than one game");
    assert!(count(|report| report.ball_rms < 1.0) >= 9, "the ball is elsewhere in more than one game");
    assert!(count(|report| report.falls == 0) >= 9, "the robot falls in more than one game");
}

/// The observation of a run: a trace is written, plots and drawings are kept, and plans follow
/// measurements.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Watched {
    No,
    Yes,
}

/// Returns the fingerprints of all representations of every cycle, run by run.
fn history(workers: usize, watched: Watched) -> Vec<(usize, Vec<(&'static str, u64)>)> {
    let mut stepper = robot(3, workers);
    let trace = std::env::temp_dir().join(format!("nao-{}-{workers}.pftrace", std::process::id()));
    if watched == Watched::Yes {
        let traced = Change::Trace { file: Some(trace.clone()) };
        stepper.handle().change(traced).wait().expect("a temporary file");
    }
    let plots = Observation::default().with_debug(["*"]);
    let mut plots = (watched == Watched::Yes).then(|| stepper.handle().observe(plots).expect("plots are there"));
    let mut history = Vec::new();
    while stepper.now().seconds() < 1.5 {
        let step = stepper.step().expect("the game lasts longer");
        history.extend(step.cycles.into_iter().map(|cycle| (cycle, stepper.fingerprints(cycle))));
    }
    if watched == Watched::Yes {
        stepper.handle().change(Change::Trace { file: None }).wait().expect("it was started");
        assert!(std::fs::metadata(&trace).expect("it is there").len() > 100_000);
        assert!(plots.as_mut().and_then(Observer::next_debug).is_some());
        std::fs::remove_file(trace).expect("it can go");
    }
    history
}

#[test]
fn the_same_inputs_give_the_same_bits_with_any_number_of_workers_and_whoever_watches() {
    let expected = history(1, Watched::No);
    let values: usize = expected.iter().map(|(_, values)| values.len()).sum();
    assert!(values > 5000, "only {values} values were compared");
    for (workers, watched) in
        [(1, Watched::Yes), (2, Watched::No), (2, Watched::Yes), (3, Watched::No), (8, Watched::Yes)]
    {
        let found = history(workers, watched);
        assert_eq!(found.len(), expected.len(), "{workers} workers, watched: {watched:?}: another number of runs");
        for (run, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let (cycle, values) = expected;
            let difference = values.iter().zip(&found.1).find(|(expected, found)| expected != found);
            let difference = difference.map(|((name, _), _)| *name);
            assert_eq!(
                difference, None,
                "{workers} workers, watched: {watched:?}, run {run}, cycle {}",
                CYCLES[*cycle]
            );
            assert_eq!(found, expected, "{workers} workers, watched: {watched:?}, run {run}");
        }
    }
}

/// Steps until the robot has known for a second where the ball is.
fn find_the_ball(stepper: &mut Stepper) {
    let mut known_since = stepper.now();
    while stepper.now().since(known_since).as_secs_f32() < 1.0 {
        assert!(stepper.now().seconds() < 30.0, "the ball is not found");
        stepper.step().expect("the game lasts longer");
        if stepper.with_value(|ball: &BallModel| ball.position.is_some()) != Some(true) {
            known_since = stepper.now();
        }
    }
}

/// Makes a module the provider of the ball, and returns for the next three seconds how far off the
/// ball is in each run of cognition, in metres; `None` where it is not known.
fn with_ball_by(stepper: &mut Stepper, module: &str) -> Vec<Option<f32>> {
    let mut switched = stepper.handle().change(Change::provider("BallModel", module));
    let end = stepper.now() + Duration::from_secs(3);
    let mut errors = Vec::new();
    while stepper.now() < end {
        let step = stepper.step().expect("the game lasts longer");
        if step.cycles.contains(&COGNITION) {
            // A change is refused at once or in force from the next run on.
            assert!(matches!(switched.poll(), Some(Ok(()))), "{module} is not the provider");
            errors.push(stepper.with_value(|report: &TruthReport| report.ball_error).expect("it is provided"));
        }
    }
    errors
}

/// `BallModes` begins with the ball of its predecessor. `BallFilter` goes on meanwhile, as it alone
/// provides `BallHypotheses`.
#[test]
fn the_ball_model_is_switched_while_the_robot_plays_and_back_and_the_ball_stays_known() {
    let play = |seed: u64| {
        let mut stepper = robot(seed, 1);
        find_the_ball(&mut stepper);
        ["BallModes", "BallFilter"].map(|module| with_ball_by(&mut stepper, module))
    };
    for seed in [5, 21, 22] {
        let courses = play(seed);
        for (errors, module) in courses.iter().zip(["BallModes", "BallFilter"]) {
            let mut known: Vec<f32> = errors.iter().copied().flatten().collect();
            known.sort_by(f32::total_cmp);
            let median = known.get(known.len() / 2);
            println!("seed {seed}, {module}: {} of {} runs, off by {median:?} m", known.len(), errors.len());
            assert!(errors[..10].iter().all(Option::is_some), "seed {seed}, {module}: {errors:?}");
            assert!(known.len() * 10 >= errors.len() * 9, "seed {seed}, {module}: {errors:?}");
            assert!(median.is_some_and(|median| *median < 0.5), "seed {seed}, {module}: {errors:?}");
        }
        assert_eq!(play(seed), courses, "a switched robot plays the same to the bit");
    }
}
