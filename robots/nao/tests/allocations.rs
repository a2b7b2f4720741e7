//! Tests that the NAO's cycles do not allocate: the modules keep their buffers, and the framework
//! keeps those of representations.

use std::time::{Duration, Instant};

use glam::Vec2;
use hemiola::configuration::{Catalog, Configuration, CycleConfiguration, LoadOptions, Trigger, load};
use hemiola::module::registry;
use hemiola::prelude::*;
use hemiola::realtime::{AllocationGuard, CountingAllocator, calls_by_watched_threads, watch_this_thread};
use hemiola::runtime::{Observation, Pace, Robot, RobotHandle};
// Its modules and sources register themselves.
use nao::representations::modeling::{BallModel, FieldOfView, GroundArea, OdometryStep};
use nao::representations::motion::FallState;
use nao::representations::perception::{BallPercept, SeenBall};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

/// Counts the allocations on the thread of its cycle.
#[derive(Module)]
struct AllocationProbe {}

#[module]
impl AllocationProbe {
    #[update]
    fn watch(&self, _clock: &Clock) {
        watch_this_thread();
    }
}

/// A ball that rests for three seconds, rolls for as long, is moved and is not seen for a while.
#[derive(Module)]
struct Pitch {}

/// The number of runs until the scene repeats.
const SCENE: u64 = 360;

#[module]
impl Pitch {
    #[update]
    fn scene(
        &self,
        clock: &Clock,
        percept: &mut BallPercept,
        odometry: &mut OdometryStep,
        view: &mut FieldOfView,
        fall: &mut FallState,
    ) {
        let run = clock.run() % SCENE;
        let noise = Vec2::new((run * 7 % 11) as f32, (run * 5 % 13) as f32) * 0.001;
        let place = match run {
            0..90 => Some(Vec2::new(1.5, 0.3)),
            90..180 => Some(Vec2::new(1.5, 0.3) - Vec2::new(0.3, -0.2) * (run - 90) as f32 / 30.0),
            180..270 => Some(Vec2::new(2.5, -1.0)),
            _ => None,
        };
        percept.ball = place.map(|place| SeenBall { position: place + noise, score: 0.9 });
        *odometry = OdometryStep::default();
        let corners = [(0.2, -3.0), (4.0, -3.0), (4.0, 3.0), (0.2, 3.0)].map(Vec2::from);
        view.upper = Some(GroundArea { corners });
        *fall = FallState::default();
    }
}

/// The framework's statistics allocate from time to time, on the thread that steps it: a model that
/// allocates would do so in each run that sees the ball.
#[test]
fn the_other_ball_models_allocate_nothing() {
    ["BallFit", "BallModes"].into_iter().for_each(allocates_nothing);
}

fn allocates_nothing(module: &str) {
    let mut cycle = CycleConfiguration::new("cognition", Trigger::Rate(30.0));
    cycle.modules = ["Pitch", module].map(Into::into).to_vec();
    let configuration = Configuration { cycles: vec![cycle], ..Configuration::default() };
    let robot = Robot::assemble_from(configuration, registry::modules(), Vec::new()).unwrap();
    let mut stepper = robot.into_stepper().unwrap();
    let (mut seen, mut quiet) = (0, 0);
    for run in 0..4 * SCENE {
        let guard = AllocationGuard::new();
        stepper.step().expect("its timer goes on for ever");
        // One is the stepper's own: the list of the cycles that ran.
        let is_quiet = guard.counted().allocations == 1;
        let has_ball = stepper.with_value(|model: &BallModel| model.position.is_some()) == Some(true);
        if run >= SCENE && has_ball {
            (seen, quiet) = (seen + 1, quiet + u64::from(is_quiet));
        }
    }
    println!("{module}: {quiet} of {seen} runs with a ball allocated nothing");
    assert!(seen > 2 * SCENE && quiet * 10 >= seen * 9, "{module}: {quiet} of {seen} runs allocated nothing");
}

/// Returns the robot in simulation, with each cycle on one thread.
fn configuration() -> Configuration {
    let assignments = ["motion", "audio", "cognition"].map(|cycle| format!("cycle.{cycle}.workers=1")).to_vec();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/robot.toml");
    let loaded = load(&LoadOptions { assignments, ..LoadOptions::new(path) }, &Catalog::linked());
    loaded.unwrap_or_else(|error| panic!("{error}")).configuration
}

/// Returns the names of the observable values of the watched cycles.
fn values(robot: &RobotHandle) -> Vec<String> {
    robot.with_robot(|robot| {
        let watched = robot.resolved().cycles.iter().filter(|cycle| cycle.name != "cognition");
        let names = watched.flat_map(|cycle| cycle.providers.keys());
        let is_open = |name: &&String| robot.representation(name).is_some_and(|it| it.data_type().is_some());
        names.filter(is_open).cloned().collect()
    })
}

#[test]
fn motion_and_audio_allocate_nothing_while_they_run() {
    const WARM_UP: u64 = 250;
    const WATCHED: u64 = 1000;
    let mut configuration = configuration();
    for cycle in configuration.cycles.iter_mut().filter(|cycle| cycle.name != "cognition") {
        cycle.modules.push("AllocationProbe".into());
    }
    let running = Robot::assemble(configuration).unwrap().start(Pace::Factor(2.0)).unwrap();
    let patience = Instant::now() + Duration::from_secs(300);
    // An observer subscribes to everything that modules plot, draw and log.
    let mut shown = running.handle().observe(Observation::default().with_debug(["*"])).unwrap();
    let wait_for = |runs: u64| {
        while running.handle().health()["motion"].runs < runs {
            assert!(Instant::now() < patience, "the robot does not run");
            std::thread::sleep(Duration::from_millis(5));
        }
    };
    // The first values are smaller than later ones.
    wait_for(WARM_UP);
    // A value allocates its buffers when it is filled for the first time, and cognition holds more
    // values of motion than usual when the machine is busy. So for a while an observer holds the
    // maximum number of values, by draining none.
    let held = running.handle().observe(Observation::of(values(running.handle()))).unwrap();
    wait_for(2 * WARM_UP);
    drop(held);
    let before = (calls_by_watched_threads(), running.handle().health()["audio"].runs);
    wait_for(2 * WARM_UP + WATCHED);
    let after = (calls_by_watched_threads(), running.handle().health()["audio"].runs);
    assert!(after.1 > before.1, "audio runs, too");
    assert_eq!(after.0 - before.0, 0, "calls to the allocator in {WATCHED} runs of motion");
    assert!(std::iter::from_fn(|| shown.next_debug()).count() > 1000);
    running.stop();
}

/// Scenes differ, so that a buffer has to grow when more is seen than ever before.
#[test]
fn cognition_allocates_only_when_it_sees_more_than_before() {
    let configuration = configuration();
    let cognition = configuration.cycles.iter().position(|cycle| cycle.name == "cognition").unwrap();
    let mut stepper = Robot::assemble(configuration).unwrap().into_stepper().unwrap();
    stepper.run_for(Duration::from_secs(6));
    let (mut runs, mut quiet) = (0, 0);
    while stepper.now() < Time::from_seconds(14.0) {
        let guard = AllocationGuard::new();
        let step = stepper.step().expect("the game lasts longer");
        if step.cycles.contains(&cognition) {
            // One is the stepper's own: the list of the cycles that ran.
            (runs, quiet) = (runs + 1, quiet + u32::from(guard.counted().allocations == 1));
        }
    }
    println!("{quiet} of {runs} runs of cognition allocated nothing");
    assert!(quiet * 10 >= runs * 9, "{quiet} of {runs} runs allocated nothing");
}
