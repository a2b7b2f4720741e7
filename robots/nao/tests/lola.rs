//! Tests of the whole robot with the overlay `lola`, on its own threads, over the real wire, with
//! the simulated body at the other end.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use hemiola::configuration::{Catalog, LoadOptions, load};
use hemiola::runtime::{Change, Pace, Robot, RunningRobot};
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

/// The body, which runs on a thread of its own: whoever reads values of the robot waits for it.
struct Body {
    simulator: Arc<Mutex<LolaSimulator>>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Body {
    /// Runs the body at a pace in which each state is answered, however busy the machine is.
    fn start(socket: &Path) -> Self {
        Self::of(LolaSimulator::bind(socket, 1, Scenario::AloneInTheMiddle).unwrap())
    }

    fn of(simulator: LolaSimulator) -> Self {
        let (simulator, is_over) = (Arc::new(Mutex::new(simulator)), Arc::new(AtomicBool::new(false)));
        let (body, end) = (simulator.clone(), is_over.clone());
        let run = move || {
            while !end.load(Ordering::Relaxed) {
                body.lock().unwrap().serve(PACE, |_| true);
                // Others want the lock, too, and a lock is not fair.
                thread::sleep(Duration::from_millis(1));
            }
        };
        Self { simulator, is_over, thread: Some(thread::spawn(run)) }
    }

    /// Stops the body between two cycles, until the guard is dropped.
    fn stopped(&self) -> MutexGuard<'_, LolaSimulator> {
        self.simulator.lock().unwrap()
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        self.thread.take().into_iter().for_each(|thread| thread.join().unwrap());
    }
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

/// Waits until a condition holds for the body.
fn until(body: &Body, what: &str, mut holds: impl FnMut(&LolaSimulator) -> bool) {
    let begin = Instant::now();
    while !holds(&body.stopped()) {
        assert!(begin.elapsed() < PATIENCE, "{what}: not within {PATIENCE:?}; {:?}", body.stopped().statistics());
        thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until the robot says that its joints are in this phase.
fn until_phase(robot: &RunningRobot, phase: PowerPhase) {
    let begin = Instant::now();
    while robot.handle().with_value(|power: &PowerState| power.phase).ok() != Some(phase) {
        assert!(begin.elapsed() < PATIENCE, "it is never {phase:?}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Waits until the robot stands and follows its requests.
fn stand_up(body: &Body, robot: &RunningRobot) {
    until(body, "there is a client", |body| body.statistics().commands > 5);
    assert_eq!(body.stopped().request().stiffness, LIMP, "limp until the button is pressed");
    body.stopped().press_chest_button(5);
    until_phase(robot, PowerPhase::On);
}

/// Waits for this number of cycles of the body.
fn after_cycles(body: &Body, count: u64) {
    let before = body.stopped().statistics().cycles;
    until(body, "it goes on", |body| body.statistics().cycles >= before + count);
}

/// Ends the robot, and returns what its source has counted.
fn end(robot: RunningRobot) -> LineReport {
    let handle = robot.handle().clone();
    robot.stop();
    handle.with_value(LineReport::clone).unwrap()
}

#[test]
fn a_robot_with_the_overlay_stands_up_walks_and_its_joints_reach_what_is_requested() {
    let socket = socket("walks");
    let body = Body::start(&socket);
    let robot = robot(&socket, &PATIENT);
    stand_up(&body, &robot);
    after_cycles(&body, 200);
    let (wanted, state) = {
        let body = body.stopped();
        assert_eq!(body.lights().chest, Some([0.0, 1.0, 0.0]), "green: it has power");
        (body.request().clone(), body.state().clone())
    };
    let legs_and_arms = (0..JOINTS).filter(|joint| wanted.stiffness[*joint] > 0.0).collect::<Vec<_>>();
    assert!(legs_and_arms.len() >= 20, "{:?}", wanted.stiffness);
    for joint in legs_and_arms {
        let error = state.position[joint] - wanted.positions[joint];
        assert!(error.abs() < 0.01, "joint {joint} is {error} rad from where it is requested");
    }

    robot.handle().change(Change::parameter("TrialWalk", "forward", 0.1)).wait().unwrap();
    until(&body, "it walks", |body| body.truth().robot.translation.x > 0.3 || body.truth().fallen);
    let truth = body.stopped().truth();
    println!("at {:?} after {:.1} s, {:?}", truth.robot, truth.time, body.stopped().statistics());
    assert!(!truth.fallen, "{truth:?}");
    let Statistics { garbage, clients, .. } = body.stopped().statistics();
    assert_eq!((garbage, clients), (0, 1));
    let report = end(robot);
    println!("{report:?}");
    assert_eq!((report.connections, report.stalls, report.garbage), (1, 0, 0));
    after_cycles(&body, 2);
    assert_eq!(body.stopped().request().stiffness, LIMP, "limp when the robot has ended");
}

#[test]
fn in_the_safe_state_it_crouches_and_is_limp_however_early_it_ends() {
    let socket = socket("crouches");
    let body = Body::start(&socket);
    let robot = robot(&socket, &PATIENT);
    stand_up(&body, &robot);
    robot.handle().enter_safe_state();
    after_cycles(&body, 100);
    {
        let (body, knee) = (body.stopped(), nao::robot::Joint::LeftKneePitch.index());
        assert!(body.request().stiffness[knee] > 0.9, "it has power for the way down");
        assert_eq!(body.lights().chest, Some([1.0, 0.0, 0.0]), "red: it is in its safe state");
    }
    robot.stop();
    after_cycles(&body, 2);
    assert_eq!(body.stopped().request().stiffness, LIMP);
}

#[test]
fn a_body_that_restarts_gets_no_power_after_the_safe_state_of_its_loss() {
    let socket = socket("restarts");
    let first = Body::start(&socket);
    let robot = robot(&socket, &["source.Lola.parameters.patience=0.05", "cycle.motion.watchdog='5 s'"]);
    stand_up(&first, &robot);
    drop(first);
    let begin = Instant::now();
    while !robot.handle().is_in_safe_state() {
        assert!(begin.elapsed() < PATIENCE, "the watchdog does not bark");
        thread::sleep(Duration::from_millis(5));
    }
    let mut second = LolaSimulator::bind(&socket, 1, Scenario::AloneInTheMiddle).unwrap();
    second.press_chest_button(u32::MAX);
    let second = Body::of(second);
    let mut largest: f32 = 0.0;
    until(&second, "the new body is found", |body| {
        largest = body.request().stiffness.iter().fold(largest, |largest, stiffness| largest.max(*stiffness));
        body.statistics().commands >= 200
    });
    assert_eq!(largest, 0.0, "a body that was away is where nobody knows");
    assert!(end(robot).connections >= 2);
}

#[test]
fn a_body_that_stalls_for_a_moment_is_found_again_and_rises_from_where_it_is() {
    let socket = socket("stalls");
    let body = Body::start(&socket);
    let robot = robot(&socket, &["cycle.motion.watchdog='60 s'"]);
    stand_up(&body, &robot);
    let stalled = body.stopped();
    let clients = stalled.statistics().clients;
    // Nothing is read or sent meanwhile.
    thread::sleep(Duration::from_millis(300));
    drop(stalled);
    until(&body, "it is found again", |body| body.statistics().clients > clients);
    until_phase(&robot, PowerPhase::Rising);
    until_phase(&robot, PowerPhase::On);
    assert!(!robot.handle().is_in_safe_state() && !body.stopped().truth().fallen);
    assert!(end(robot).stalls >= 1);
}
