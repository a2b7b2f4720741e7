//! A robot whose cycle stops becomes safe, even if the cycle itself can no longer ensure that.
#![forbid(unsafe_code)]

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use hemiola::prelude::*;
use hemiola_model::Time;
use hemiola_model::configuration::{Configuration, CycleConfiguration, Scheduling, Trigger};
use hemiola_runtime::{Pace, Robot, RobotHandle, SafeStateCause};

#[derive(Representation, Clone, Default)]
struct Image {
    count: u32,
}

#[derive(Representation, Clone, Default)]
struct Command {
    speed: f32,
}

static IS_HANGING: AtomicBool = AtomicBool::new(false);
static LEGS_RELAXED: AtomicU32 = AtomicU32::new(0);
static HEAD_RELAXED: AtomicU32 = AtomicU32::new(0);
static HEAD_IS_DRIVEN: AtomicBool = AtomicBool::new(false);

#[derive(Module)]
struct Camera {}

#[module]
impl Camera {
    #[update]
    fn image(&self, last: Previous<Image>, image: &mut Image) {
        while IS_HANGING.load(Ordering::Relaxed) {
            std::hint::spin_loop();
        }
        image.count = last.count + 1;
    }
}

#[derive(Module)]
struct Head {}

#[module]
impl Head {
    #[update]
    fn drive(&mut self, _image: &Image) {
        HEAD_IS_DRIVEN.store(true, Ordering::Relaxed);
    }

    #[safe_state]
    fn relax(&mut self) {
        HEAD_IS_DRIVEN.store(false, Ordering::Relaxed);
        HEAD_RELAXED.fetch_add(1, Ordering::Relaxed);
    }
}

#[derive(Module)]
struct Legs {}

#[module]
impl Legs {
    #[update]
    fn command(&self, command: &mut Command) {
        command.speed = 1.0;
    }

    #[update]
    fn drive(&mut self, _command: &Command) {}

    #[safe_state]
    fn relax(&mut self) {
        LEGS_RELAXED.fetch_add(1, Ordering::Relaxed);
    }
}

fn robot() -> Robot {
    let mut vision = CycleConfiguration::new("vision", Trigger::Rate(100.0));
    vision.modules = ["Camera", "Head"].map(String::from).into();
    vision.watchdog = Some(Duration::from_millis(60));
    vision.scheduling = Scheduling::TimeSharing;
    vision.workers = Some(1);
    let mut motion = CycleConfiguration::new("motion", Trigger::Rate(100.0));
    motion.modules = vec!["Legs".into()];
    motion.workers = Some(1);
    let mut configuration = Configuration { cycles: vec![vision, motion], ..Configuration::default() };
    for source in ["Recording", "Endless"] {
        configuration.sources.entry(source.into()).or_default().enabled = Some(false);
    }
    Robot::assemble(configuration).unwrap()
}

fn wait_for(what: &str, is_so: impl Fn() -> bool) {
    let patience = Instant::now() + Duration::from_secs(60);
    while !is_so() {
        assert!(Instant::now() < patience, "{what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Leaves the safe state until the head is driven.
fn is_driven(handle: &RobotHandle) {
    wait_for("the head is driven", || {
        handle.leave_safe_state();
        HEAD_IS_DRIVEN.load(Ordering::Relaxed)
    });
}

fn runs(handle: &RobotHandle, cycle: &str) -> u64 {
    handle.health()[cycle].runs
}

#[derive(Source)]
struct Recording {
    samples: u32,
}

#[derive(Representation, Clone, Default)]
struct Block {
    number: u32,
}

#[source]
impl Recording {
    #[sample(rate = 100.0)]
    fn sample(&mut self, block: &mut Block, clock: &Clock) -> Option<Time> {
        self.samples += 1;
        block.number = self.samples;
        (self.samples <= 5).then(|| clock.now())
    }
}

/// Keeps the robot running after the recording has ended.
#[derive(Source)]
struct Endless {
    samples: u32,
}

#[derive(Representation, Clone, Default)]
struct Tick {}

#[source]
impl Endless {
    #[sample(rate = 100.0)]
    fn sample(&mut self, _tick: &mut Tick, clock: &Clock) -> Option<Time> {
        self.samples += 1;
        (self.samples <= 250).then(|| clock.now())
    }
}

#[derive(Module)]
struct Listener {}

#[module]
impl Listener {
    #[update]
    fn listen(&self, _block: &Block) {}
}

#[test]
fn a_recording_that_has_ended_is_no_reason_to_be_safe() {
    let mut audio = CycleConfiguration::new("audio", Trigger::Source("Recording".into()));
    audio.modules = vec!["Listener".into()];
    audio.watchdog = Some(Duration::from_secs(1));
    let mut motion = CycleConfiguration::new("motion", Trigger::Rate(100.0));
    motion.modules = vec!["Legs".into()];
    let configuration = Configuration { cycles: vec![audio, motion], ..Configuration::default() };
    let handle = Robot::assemble(configuration).unwrap().start(Pace::RealTime).unwrap().wait();
    assert!(!handle.is_in_safe_state(), "{:?}", handle.messages());
}

/// There is one test, because the modules hang for the whole process.
#[test]
fn a_hanging_module_makes_the_robot_safe_and_is_named() {
    let running = robot().start(Pace::RealTime).unwrap();
    let handle = running.handle().clone();
    wait_for("both cycles run", || runs(&handle, "vision") > 10 && runs(&handle, "motion") > 10);
    // A machine that is busy with other work may have tripped the watchdog already, and may do so
    // again at any time.
    let before = (HEAD_RELAXED.load(Ordering::Relaxed), LEGS_RELAXED.load(Ordering::Relaxed));
    is_driven(&handle);
    IS_HANGING.store(true, Ordering::Relaxed);
    wait_for("the robot is in its safe state", || handle.is_in_safe_state());
    let entry = handle.safe_state().unwrap();
    assert_eq!(entry.cause, SafeStateCause::Silence { cycle: "vision".into() });
    assert!(entry.since > Time::ZERO && entry.since <= handle.now());
    wait_for("the head, whose cycle hangs, is relaxed from outside", || {
        HEAD_RELAXED.load(Ordering::Relaxed) > before.0
    });
    wait_for("and nobody drives it", || !HEAD_IS_DRIVEN.load(Ordering::Relaxed));
    wait_for("the legs are relaxed by their own cycle", || LEGS_RELAXED.load(Ordering::Relaxed) > before.1);
    assert_eq!(handle.safe_state().as_ref(), Some(&entry), "it stays until somebody leaves it");
    let motion = runs(&handle, "motion");
    wait_for("motion goes on", || runs(&handle, "motion") > motion + 5);
    let is_named = || {
        handle.messages().iter().any(|message| {
            message.text.contains("cycle `vision` has not ended a run") && message.text.contains("Camera.image")
        })
    };
    wait_for("the message names what does not return", is_named);

    IS_HANGING.store(false, Ordering::Relaxed);
    let vision = runs(&handle, "vision");
    wait_for("the cycle goes on after the module has returned", || runs(&handle, "vision") > vision + 5);
    is_driven(&handle);

    IS_HANGING.store(true, Ordering::Relaxed);
    wait_for("it hangs again", || handle.is_in_safe_state());
    let end = Instant::now();
    let handle = running.stop();
    assert!(
        end.elapsed() < Duration::from_secs(60),
        "a module that does not return must not keep the robot from ending"
    );
    assert!(
        handle.messages().iter().any(|message| message.text.contains("`vision 0` does not end")),
        "{:?}",
        handle.messages()
    );
    IS_HANGING.store(false, Ordering::Relaxed);
}
