//! The work of the robot beside its cycles continues while somebody changes it.
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use hemiola::prelude::*;
use hemiola_model::configuration::{Configuration, CycleConfiguration, FailurePolicy, Trigger};
use hemiola_runtime::{Change, Robot, Stepper};

#[derive(Representation, Clone, Default)]
struct Angle {
    value: u32,
}

#[derive(Module)]
struct Joint {}

#[module]
impl Joint {
    #[update]
    fn angle(&self, last: Previous<Angle>, angle: &mut Angle) {
        angle.value = last.value + 1;
    }
}

static GRIPPERS: AtomicU32 = AtomicU32::new(0);

/// Distinguishes the instances.
struct Number(u32);

impl Default for Number {
    fn default() -> Self {
        Self(GRIPPERS.fetch_add(1, Ordering::Relaxed))
    }
}

#[derive(Module)]
struct Gripper {
    #[opaque]
    number: Number,
}

#[module]
impl Gripper {
    #[update]
    fn grip(&self, _angle: &Angle) {
        assert!(self.number.0 > 0, "the first gripper is broken");
    }
}

#[derive(Representation, Clone, Default)]
struct Map {
    places: u32,
}

#[derive(Module)]
struct OldMapper {}

#[module]
impl OldMapper {
    #[update]
    fn map(&self, map: &mut Map) {
        map.places = 1;
    }
}

static CHANGE_HAS_BEGUN: AtomicBool = AtomicBool::new(false);
static CHANGE_MAY_END: AtomicBool = AtomicBool::new(false);

/// Takes its time to be created, like a module that loads a network.
struct Atlas {}

impl Default for Atlas {
    fn default() -> Self {
        CHANGE_HAS_BEGUN.store(true, Ordering::Relaxed);
        wait_until("the change may end", &CHANGE_MAY_END);
        Self {}
    }
}

#[derive(Module)]
struct NewMapper {
    #[stateless]
    atlas: Atlas,
}

#[module]
impl NewMapper {
    #[update]
    fn map(&self, map: &mut Map) {
        let Self { atlas: Atlas {} } = self;
        map.places = 2;
    }
}

#[derive(Module)]
struct Reader {}

#[module]
impl Reader {
    #[update]
    fn read(&self, _map: &Map) {}
}

/// The time-out only keeps a broken promise from blocking the tests for ever.
fn wait_until(what: &str, flag: &AtomicBool) {
    let patience = Instant::now() + Duration::from_secs(60);
    while !flag.load(Ordering::Relaxed) {
        assert!(Instant::now() < patience, "{what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn robot() -> Robot {
    let mut motion = CycleConfiguration::new("motion", Trigger::Rate(1000.0));
    motion.modules = ["Joint", "Gripper"].map(String::from).into();
    // This cycle hardly ever runs, so that a change of it waits.
    let mut mapping = CycleConfiguration::new("mapping", Trigger::Rate(0.001));
    mapping.modules = ["OldMapper", "NewMapper", "Reader"].map(String::from).into();
    let mut configuration = Configuration { cycles: vec![motion, mapping], ..Configuration::default() };
    configuration.providers.insert("Map".into(), "OldMapper".into());
    configuration.modules.entry("Gripper".into()).or_default().on_failure = FailurePolicy::Restart;
    crate::assemble(module_path!(), configuration).unwrap()
}

fn failures(stepper: &Stepper) -> u64 {
    let messages = stepper.handle().messages();
    messages.iter().filter(|message| message.text.contains("is broken")).map(|message| message.count).sum()
}

#[test]
fn events_are_gathered_while_a_change_waits_and_failed_modules_replaced_after_it() {
    const RUNS: u64 = 20_000;
    let mut stepper = robot().into_stepper().unwrap();
    let handle = stepper.handle().clone();
    let changing = std::thread::spawn(move || handle.change(Change::provider("Map", "NewMapper")).wait());
    wait_until("the change has begun", &CHANGE_HAS_BEGUN);

    stepper.run_for(Duration::from_millis(RUNS));
    let report = stepper.handle().report();
    assert!(!changing.is_finished(), "the change waits all the time");
    let motion = report.cycles.iter().find(|cycle| cycle.name == "motion").unwrap();
    assert!(motion.response.count >= RUNS, "{} runs of {RUNS}", motion.response.count);
    assert_eq!(report.lost_events, 0);
    let before = failures(&stepper);
    assert!(before >= RUNS, "the gripper is not replaced meanwhile");

    CHANGE_MAY_END.store(true, Ordering::Relaxed);
    // The cycle does not run while the change waits for it; then it continues with the new module.
    changing.join().unwrap().unwrap_err();
    stepper.run_for(Duration::from_secs(1));
    let replaced = failures(&stepper);
    stepper.run_for(Duration::from_secs(1));
    assert_eq!(failures(&stepper), replaced, "the new gripper works");
}
