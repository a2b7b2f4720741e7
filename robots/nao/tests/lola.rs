//! Tests of the whole robot with the overlay `lola`, on its own threads, over the real wire, with
//! the simulated body at the other end.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use hemiola::configuration::{Catalog, LoadOptions, load};
use hemiola::runtime::{Pace, Robot, RunningRobot};
use nao::lola::simulator::{BodyPace, LolaSimulator, Statistics};
use nao::representations::body::{LineReport, PowerPhase, PowerState};
use nao::robot::JOINTS;
use nao::simulator::Scenario;

/// The maximum wait for anything, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(60);
const PACE: BodyPace = BodyPace::Answered(Duration::from_secs(10));
const LIMP: [f32; JOINTS] = [0.0; JOINTS];

fn socket(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("nao-robot-{name}-{}", std::process::id()));
    _ = std::fs::remove_file(&path);
    path
}

fn body(socket: &Path) -> LolaSimulator {
    LolaSimulator::bind(socket, 1, Scenario::AloneInTheMiddle).unwrap()
}

/// Starts the robot of `robot.toml` with the overlay and these assignments.
fn robot(socket: &Path, assignments: &[&str]) -> RunningRobot {
    let place = format!("source.Lola.parameters.socket='{}'", socket.display());
    let assignments = assignments.iter().map(|text| (*text).to_owned()).chain([place]).collect();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/robot.toml");
    let options = LoadOptions { overlays: vec!["lola".to_owned()], assignments, ..LoadOptions::new(path) };
    let loaded = load(&options, &Catalog::linked()).unwrap_or_else(|error| panic!("{error}"));
    Robot::assemble(loaded.configuration).unwrap().start(Pace::default()).unwrap()
}

/// A busy computer is no reason for the safe state in tests that are about something else.
const PATIENT: [&str; 2] = ["cycle.motion.watchdog='60 s'", "source.Lola.parameters.patience=30.0"];

/// Runs the body until a condition holds. The button is pressed when the first client is there.
fn run_until(body: &mut LolaSimulator, what: &str, mut holds: impl FnMut(&mut LolaSimulator) -> bool) {
    let begin = Instant::now();
    body.serve(PACE, |body| {
        assert!(begin.elapsed() < PATIENCE, "{what}: not within {PATIENCE:?}; {:?}", body.statistics());
        holds(body)
    });
}

/// Runs the body until the robot stands and follows its requests.
fn stand_up(body: &mut LolaSimulator, robot: &RunningRobot) {
    run_until(body, "there is a client", |body| body.statistics().commands > 5);
    assert_eq!(body.request().stiffness, LIMP, "limp until the button is pressed");
    body.press_chest_button(5);
    run_until(body, "the joints have power", |_| {
        robot.handle().with_value(|power: &PowerState| power.phase == PowerPhase::On).unwrap_or(false)
    });
}

#[test]
fn a_robot_with_the_overlay_stands_up_walks_and_its_joints_reach_what_is_requested() {
    let socket = socket("walks");
    let mut body = body(&socket);
    let robot = robot(&socket, &[&PATIENT[..], &["module.TrialWalk.forward=0.1"]].concat());
    stand_up(&mut body, &robot);
    // It stands for two seconds before it walks.
    let mut cycles = 0;
    run_until(&mut body, "it stands", |_| {
        cycles += 1;
        cycles >= 100
    });
    let (wanted, state) = (body.request().clone(), body.state());
    let legs_and_arms = (0..JOINTS).filter(|joint| wanted.stiffness[*joint] > 0.0).collect::<Vec<_>>();
    assert!(legs_and_arms.len() >= 20, "{:?}", wanted.stiffness);
    for joint in legs_and_arms {
        let error = state.position[joint] - wanted.positions[joint];
        assert!(error.abs() < 0.01, "joint {joint} is {error} rad from where it is requested");
    }
    assert_eq!(body.lights().chest, Some([0.0, 1.0, 0.0]), "green: it has power");

    run_until(&mut body, "it walks", |body| body.truth().robot.translation.x > 0.3 || body.truth().fallen);
    let truth = body.truth();
    println!("at {:?} after {:.1} s, {:?}", truth.robot, truth.time, body.statistics());
    assert!(!truth.fallen, "{truth:?}");
    let Statistics { garbage, clients, .. } = body.statistics();
    assert_eq!((garbage, clients), (0, 1));
    robot.stop();
    body.cycle();
    assert_eq!(body.request().stiffness, LIMP, "limp when the robot has ended");
}

#[test]
fn in_the_safe_state_it_crouches_and_is_limp_however_early_it_ends() {
    let socket = socket("crouches");
    let mut body = body(&socket);
    let robot = robot(&socket, &PATIENT);
    stand_up(&mut body, &robot);
    robot.handle().enter_safe_state();
    let mut cycles = 0;
    run_until(&mut body, "it crouches", |_| {
        cycles += 1;
        cycles >= 100
    });
    let knee = nao::robot::Joint::LeftKneePitch.index();
    assert!(body.request().stiffness[knee] > 0.9, "it has power for the way down");
    assert_eq!(body.lights().chest, Some([1.0, 0.0, 0.0]), "red: it is in its safe state");
    robot.stop();
    body.cycle();
    assert_eq!(body.request().stiffness, LIMP);
}

#[test]
fn a_body_that_restarts_gets_no_power_after_the_safe_state_of_its_loss() {
    let socket = socket("restarts");
    let mut first = body(&socket);
    let robot = robot(&socket, &["source.Lola.parameters.patience=0.05", "cycle.motion.watchdog='5 s'"]);
    stand_up(&mut first, &robot);
    let states = |robot: &RunningRobot| robot.handle().with_value(|report: &LineReport| report.states).unwrap();
    let before = states(&robot);
    drop(first);
    let begin = Instant::now();
    while !robot.handle().is_in_safe_state() {
        assert!(begin.elapsed() < PATIENCE, "the watchdog does not bark");
        thread::sleep(Duration::from_millis(5));
    }
    let mut second = body(&socket);
    second.press_chest_button(u32::MAX);
    let mut largest: f32 = 0.0;
    run_until(&mut second, "the new body is found", |body| {
        largest = body.request().stiffness.iter().fold(largest, |largest, stiffness| largest.max(*stiffness));
        body.statistics().commands >= 200
    });
    assert_eq!(largest, 0.0, "a body that was away is where nobody knows");
    assert!(states(&robot) > before);
    let connections = robot.handle().with_value(|report: &LineReport| report.connections).unwrap();
    assert!(connections >= 2);
    robot.stop();
}

#[test]
fn a_body_that_stalls_for_a_moment_is_found_again_and_rises_from_where_it_is() {
    let socket = socket("stalls");
    let mut body = body(&socket);
    let robot = robot(&socket, &["cycle.motion.watchdog='60 s'"]);
    stand_up(&mut body, &robot);
    let clients = body.statistics().clients;
    let begin = Instant::now();
    let stalls = || robot.handle().with_value(|report: &LineReport| report.stalls).unwrap();
    // Nothing is read or sent meanwhile. The statistics come with the next state.
    thread::sleep(Duration::from_millis(300));
    let mut has_risen = false;
    run_until(&mut body, "it stands again", |body| {
        let phase = robot.handle().with_value(|power: &PowerState| power.phase).unwrap();
        has_risen |= phase == PowerPhase::Rising;
        body.statistics().clients > clients && has_risen && phase == PowerPhase::On
    });
    println!("it stands again {:?} after the body had stalled", begin.elapsed());
    assert!(stalls() >= 1);
    assert!(!robot.handle().is_in_safe_state() && !body.truth().fallen);
    robot.stop();
}

/// The real rate, and what a cycle takes over the wire: to look at, as it depends on the machine.
#[test]
fn at_the_real_rate_states_are_answered_within_their_cycle() {
    let socket = socket("rate");
    let mut body = body(&socket);
    let robot = robot(&socket, &PATIENT);
    stand_up(&mut body, &robot);
    let (before, begin) = (body.statistics(), Instant::now());
    body.serve(BodyPace::RealTime, |body| body.statistics().cycles >= before.cycles + 500);
    let (after, lasted) = (body.statistics(), begin.elapsed());
    let [cycles, states, unanswered] =
        [after.cycles - before.cycles, after.states - before.states, after.unanswered - before.unanswered];
    let rate = cycles as f64 / lasted.as_secs_f64();
    println!("{rate:.2} cycles per second; of {states} states {unanswered} were not answered within 12 ms");
    assert_eq!((cycles, states, after.garbage), (500, 500, 0));
    let report = robot.handle().with_value(LineReport::clone).unwrap();
    println!("{report:?}");
    assert_eq!((report.connections, report.stalls, report.garbage), (1, 0, 0));
    robot.stop();
}
