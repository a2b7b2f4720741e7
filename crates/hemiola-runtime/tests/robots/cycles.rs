//! A small robot that goes through everything that the runtime promises.
use std::time::{Duration, Instant};

use hemiola::prelude::*;
use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
use hemiola_model::{Time, Value};
use hemiola_runtime::{Change, Pace, RobotHandle};

#[derive(Representation, Clone, Default)]
struct Imu {
    rate: f32,
}

#[derive(Representation, Clone, Default)]
struct Attitude {
    angle: f32,
    provider: u32,
}

#[derive(Representation, Clone, Default)]
struct Joints {
    angle: f32,
}

#[derive(Representation, Clone, Default)]
struct Plan {
    goal: f32,
    collected: Vec<f32>,
}

#[derive(Representation, Clone, Default)]
struct Count {
    value: u32,
}

#[derive(Source)]
struct Gyro {
    count: u32,
}

#[source]
impl Gyro {
    #[sample(rate = 100.0)]
    fn sample(&mut self, joints: &Joints, imu: &mut Imu) {
        self.count += 1;
        imu.rate = self.count as f32 * 0.01 - joints.angle * 0.1;
    }
}

#[derive(Parameters)]
struct FilterParameters {
    #[parameter(default = 1.0, range = 0.0..=10.0)]
    gain: f32,
}

#[derive(Module)]
struct Filter {
    #[parameters]
    parameters: FilterParameters,
}

#[module]
impl Filter {
    #[update]
    fn attitude(&mut self, imu: &Imu, last: Previous<Attitude>, clock: &Clock, attitude: &mut Attitude) {
        attitude.angle = last.angle + self.parameters.gain * imu.rate * clock.step_seconds();
        attitude.provider = 1;
    }
}

#[derive(Module)]
struct OtherFilter {
    calls: u32,
}

#[module]
impl OtherFilter {
    #[update]
    fn attitude(&mut self, imu: &Imu, attitude: &mut Attitude) {
        self.calls += 1;
        attitude.angle = imu.rate;
        attitude.provider = 2;
    }
}

#[derive(Module)]
struct Controller {}

#[module]
impl Controller {
    #[update]
    fn joints(&self, attitude: &Attitude, plan: &Plan, joints: &mut Joints, scope: &Scope) {
        let mut parts = [0.0_f32; 8];
        scope.for_each(&mut parts, |index, part| *part = attitude.angle / (index + 1) as f32);
        joints.angle = parts.iter().sum::<f32>() + plan.goal;
    }

    #[update]
    fn count(&self, last: Previous<Count>, count: &mut Count) {
        count.value = last.value + 1;
    }
}

#[derive(Module)]
struct Actuator {
    commands: u32,
}

#[module]
impl Actuator {
    #[update]
    fn send(&mut self, _joints: &Joints) {
        self.commands += 1;
    }
}

#[derive(Module)]
struct Planner {}

#[module]
impl Planner {
    #[update]
    fn plan(&self, attitude: &Attitude, history: Samples<Attitude>, plan: &mut Plan) {
        plan.goal = -attitude.angle;
        plan.collected.extend(history.iter().map(|attitude| attitude.angle));
    }
}

#[derive(Module)]
struct Faulty {
    runs: u32,
}

#[derive(Representation, Clone, Default)]
struct Shaky {
    run: u32,
}

#[derive(Representation, Clone, Default)]
struct Seen {
    run: u32,
    stale: bool,
}

#[module]
impl Faulty {
    #[update]
    fn shaky(&mut self, _imu: &Imu, shaky: &mut Shaky) -> Result<(), String> {
        self.runs += 1;
        shaky.run = 1000;
        match self.runs % 3 {
            0 => Err("every third time".into()),
            1 => panic!("and every third time this"),
            _ => {
                shaky.run = self.runs;
                Ok(())
            }
        }
    }

    #[update]
    fn seen(&mut self, shaky: Fresh<Shaky>, seen: &mut Seen) {
        (seen.run, seen.stale) = (shaky.run, shaky.is_stale());
    }
}

#[derive(Module)]
struct Display {}

#[module]
impl Display {
    #[update]
    fn show_seen(&self, _seen: &Seen) {}

    #[update]
    fn show_rate(&self, _imu: &Imu) {}
}

fn configuration(workers: usize) -> Configuration {
    let mut motion = CycleConfiguration::new("motion", Trigger::Source("Gyro".into()));
    motion.modules = ["Filter", "OtherFilter", "Controller", "Actuator", "Faulty", "Display"].map(String::from).into();
    motion.workers = Some(workers);
    motion.deadline = Some(Duration::from_millis(10));
    let mut cognition = CycleConfiguration::new("cognition", Trigger::Rate(30.0));
    cognition.modules = vec!["Planner".into()];
    cognition.workers = Some(workers);
    let mut configuration = Configuration { cycles: vec![motion, cognition], ..Configuration::default() };
    configuration.providers.insert("Attitude".into(), "Filter".into());
    configuration
}

/// The times at which each cycle ran, and the fingerprint of each of its values.
type Run = (Time, usize, Vec<(&'static str, u64)>);

fn fingerprints(workers: usize) -> Vec<Run> {
    let mut stepper = crate::assemble(module_path!(), configuration(workers)).unwrap().into_stepper().unwrap();
    let mut all = Vec::new();
    while stepper.now() < Time::from_seconds(2.0) {
        let step = stepper.step().unwrap();
        for cycle in step.cycles {
            all.push((step.time, cycle, stepper.fingerprints(cycle)));
        }
    }
    all
}

#[test]
fn the_same_inputs_give_the_same_bits_with_any_number_of_workers() {
    let one = fingerprints(1);
    assert!(one.len() > 250);
    for workers in [2, 3, 8] {
        assert!(fingerprints(workers) == one, "{workers} workers");
    }
}

#[test]
fn previous_values_collected_samples_and_exchange_are_what_they_say() {
    let mut stepper = crate::assemble(module_path!(), configuration(2)).unwrap().into_stepper().unwrap();
    stepper.run_until(Time::from_seconds(1.0));
    let runs = stepper.with_value(|count: &Count| count.value).unwrap();
    assert!((100..=101).contains(&runs), "{runs}");
    stepper.with_value(|plan: &Plan| assert!((3..=4).contains(&plan.collected.len()), "{:?}", plan.collected)).unwrap();
}

#[test]
fn a_failing_update_leaves_its_last_good_value_marked_stale() {
    let mut stepper = crate::assemble(module_path!(), configuration(2)).unwrap().into_stepper().unwrap();
    for run in 1..=30 {
        stepper.step();
        if stepper.now() > Time::ZERO && stepper.with_value(|count: &Count| count.value) == Some(run) {
            let good = run % 3 == 2;
            stepper.with_value(|seen: &Seen| assert_eq!(seen.stale, !good)).unwrap();
        }
    }
    stepper.run_for(Duration::from_millis(10));
    let messages = stepper.handle().messages();
    assert!(messages.iter().any(|message| message.text.contains("every third time")), "{messages:?}");
    assert!(messages.iter().any(|message| message.text.contains("and every third time this")), "{messages:?}");
}

#[test]
fn what_derives_from_a_stale_value_is_as_old_as_that() {
    let mut stepper = crate::assemble(module_path!(), configuration(2)).unwrap().into_stepper().unwrap();
    stepper.run_until(Time::from_seconds(1.0));
    let report = stepper.handle().report();
    let oldest = |output: &str| {
        let chain = report.chains.iter().find(|chain| chain.source == "Gyro" && chain.output == output);
        Duration::from_nanos(
            chain.unwrap_or_else(|| panic!("no chain to {output}: {:?}", report.chains)).data_age.maximum,
        )
    };
    assert!(
        oldest("Display.show_seen") >= Duration::from_millis(20),
        "two of three samples in a row fail: {:?}",
        oldest("Display.show_seen")
    );
    assert!(oldest("Display.show_rate") < Duration::from_millis(1), "{:?}", oldest("Display.show_rate"));
}

#[test]
fn who_looks_in_vain_at_a_robot_that_does_not_run_leaves_no_trace_in_it() {
    let mut stepper = crate::assemble(module_path!(), configuration(1)).unwrap().into_stepper().unwrap();
    for _ in 0..4 {
        assert!(stepper.handle().read("Count").is_err(), "nobody steps while it is read");
        stepper.run_for(Duration::from_millis(50));
    }
    let before = stepper.with_value(|count: &Count| count.value).unwrap();
    stepper.run_for(Duration::from_millis(100));
    let after = stepper.with_value(|count: &Count| count.value).unwrap();
    assert_eq!(after - before, 10, "every run counts");
}

/// Runs the robot in real time while `change` changes it.
fn run_live(change: impl FnOnce(&RobotHandle)) -> RobotHandle {
    let running = crate::assemble(module_path!(), configuration(2)).unwrap().start(Pace::Factor(5.0)).unwrap();
    while running.handle().health().values().any(|health| health.runs == 0) {
        std::thread::sleep(Duration::from_millis(1));
    }
    change(running.handle());
    running.stop()
}

/// Reads a value, and tries again if its cycle does not run meanwhile, as on a busy machine.
fn read(handle: &RobotHandle, representation: &str) -> Value {
    let patience = Instant::now() + Duration::from_secs(60);
    loop {
        match handle.read(representation) {
            Ok(value) => return value,
            Err(error) => assert!(Instant::now() < patience, "{error}"),
        }
    }
}

#[test]
fn a_running_robot_can_be_looked_at_and_changed() {
    run_live(|handle| {
        assert_eq!(read(handle, "Attitude").get("provider"), Some(&Value::Integer(1)));
        handle.change(Change::provider("Attitude", "OtherFilter")).wait().unwrap();
        assert_eq!(read(handle, "Attitude").get("provider"), Some(&Value::Integer(2)));
        handle.change(Change::parameter("Filter", "gain", Value::Float(2.0))).wait().unwrap();
        assert!(handle.change(Change::parameter("Filter", "gain", Value::Float(99.0))).wait().is_err());
        let fixed = Value::of(&Joints { angle: 0.25 });
        handle.change(Change::override_with("Joints", fixed.clone())).wait().unwrap();
        handle.replan().unwrap();
        assert_eq!(read(handle, "Joints"), fixed);
        handle.change(Change::release("Joints")).wait().unwrap();
        handle.change(Change::workers("motion", 1)).wait().unwrap();
        assert!(handle.change(Change::workers("motion", 9)).wait().is_err());
        assert_ne!(read(handle, "Count").get("value"), Some(&Value::Integer(0)));
        let error = handle.read("Nothing").unwrap_err().to_string();
        assert!(error.contains("Attitude"), "{error}");
    });
}

#[test]
fn a_trace_and_figures_come_from_a_run() {
    let path = std::env::temp_dir().join(format!("hemiola-{}.pftrace", std::process::id()));
    let handle = run_live(|handle| {
        handle.change(Change::Trace { file: Some(path.clone()) }).wait().unwrap();
        while handle.health()["motion"].runs < 50 {
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(handle.trace().as_ref(), Some(&path));
        handle.change(Change::Trace { file: None }).wait().unwrap();
    });
    assert!(std::fs::metadata(&path).unwrap().len() > 1000);
    std::fs::remove_file(path).unwrap();
    println!("{:?}", handle.report());
    assert!(handle.profile().task("motion", "Filter.attitude").is_some());
}
