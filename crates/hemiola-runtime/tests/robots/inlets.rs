//! Sources whose samples come from outside, such as links.

use std::time::{Duration, Instant};

use hemiola::prelude::*;
use hemiola_model::cdr;
use hemiola_model::configuration::{
    Configuration, CycleConfiguration, LinkAddress, LinkConfiguration, LinkEnd, Received, SourceConfiguration, Subject,
    Trigger,
};
use hemiola_runtime::{Observation, Pace, Robot, RuntimeError, SourceInlet};

#[derive(Representation, Clone, Default)]
struct Goal {
    x: f64,
}

#[derive(Representation, Clone, Default)]
struct Way {
    x: f64,
    age: f64,
    runs: u64,
    stale: bool,
}

#[derive(Representation, Clone, Default)]
#[representation(opaque)]
struct Secret {
    _number: u32,
}

#[derive(Module)]
struct Planner {
    runs: u64,
}

#[module]
impl Planner {
    #[update]
    fn way(&mut self, goal: Fresh<Goal>, way: &mut Way) {
        self.runs += 1;
        *way = Way { x: goal.x, age: goal.age().as_secs_f64(), runs: self.runs, stale: goal.is_stale() };
    }
}

#[derive(Representation, Clone, Default)]
struct Tick {}

/// A recording that ends.
#[derive(Source)]
struct Recording {
    ticks: u32,
}

#[source]
impl Recording {
    #[sample]
    fn tick(&mut self, _tick: &mut Tick) -> Option<Time> {
        self.ticks += 1;
        (self.ticks <= 3).then(|| Time::from_seconds(0.01 * f64::from(self.ticks)))
    }
}

#[derive(Module)]
struct Watcher {}

#[module]
impl Watcher {
    #[update]
    fn watch(&self, _tick: &Tick) {}
}

/// Provides a value that must not leave the program.
#[derive(Module)]
struct Keeper {}

#[module]
impl Keeper {
    #[update]
    fn keep(&self, _secret: &mut Secret) {}
}

#[derive(Representation, Clone, Default)]
struct Tour {
    goals: Vec<f64>,
}

/// Visits all goals.
#[derive(Module)]
struct Tourist {}

#[module]
impl Tourist {
    #[update]
    fn tour(&self, goals: Samples<Goal>, tour: &mut Tour) {
        tour.goals = goals.iter().map(|goal| goal.x).collect();
    }
}

/// Drives to the goal: its effects leave the robot's software.
#[derive(Module)]
struct Driver {
    x: f64,
}

#[module]
impl Driver {
    #[update]
    fn drive(&mut self, goal: &Goal) {
        self.x += 0.1 * (goal.x - self.x);
    }
}

fn configuration(modules: &[&str], trigger: Trigger, received: &str) -> Configuration {
    let end = LinkEnd::Connect(LinkAddress::Unix("/nowhere.sock".into()));
    let receive = vec![Received::new(Subject::representation(received))];
    let modules = modules.iter().map(|&name| name.to_owned()).collect();
    Configuration {
        cycles: vec![CycleConfiguration { modules, ..CycleConfiguration::new("main", trigger) }],
        links: vec![LinkConfiguration { receive, ..LinkConfiguration::new("head", end) }],
        ..Configuration::default()
    }
}

fn assemble(configuration: Configuration) -> Result<Robot, RuntimeError> {
    crate::assemble(module_path!(), configuration)
}

fn by_goal() -> Trigger {
    Trigger::Source("link.head.Goal".to_owned())
}

fn deliver(inlet: &SourceInlet, stamp: f64, x: f64) {
    inlet.deliver(Time::from_seconds(stamp), &cdr::encode(&Goal { x }));
}

#[test]
fn a_delivery_starts_a_run_and_its_stamp_is_that_of_the_sample() {
    let mut configuration = configuration(&["Planner"], by_goal(), "Goal");
    // The end of the recording would end the robot.
    configuration
        .sources
        .insert("Recording".into(), SourceConfiguration { enabled: Some(false), ..Default::default() });
    let robot = assemble(configuration).unwrap();
    assert_eq!(robot.fed_sources(), ["link.head.Goal"]);
    let running = robot.start(Pace::RealTime).unwrap();
    let inlet = running.handle().inlet("link.head.Goal").expect("it is fed from outside");
    assert_eq!(inlet.descriptor().name(), "Goal");
    let mut seen = running.handle().observe(Observation::of(["Way"])).unwrap();
    let patience = Instant::now() + Duration::from_secs(30);
    for number in 1..=20_u64 {
        deliver(&inlet, 1e-9, number as f64);
        let way = loop {
            if let Some(value) = seen.next_value() {
                break value.get::<Way>().unwrap().clone();
            }
            assert!(Instant::now() < patience, "delivery {number} starts no run");
        };
        assert_eq!((way.x, way.runs), (number as f64, number));
    }
    running.stop();
}

#[test]
fn a_robot_ends_with_its_last_source_that_can_end() {
    let running = assemble(configuration(&["Planner", "Watcher"], Trigger::Rate(100.0), "Goal")).unwrap();
    let running = running.start(Pace::RealTime).unwrap();
    let inlet = running.handle().inlet("link.head.Goal").unwrap();
    deliver(&inlet, 0.0, 1.0);
    let handle = running.wait();
    assert!(handle.is_stopping() && handle.fault().is_none(), "{:?}", handle.fault());
}

#[test]
fn a_robot_that_is_stepped_takes_deliveries_and_its_clock_does_not_go_back() {
    let mut configuration = configuration(&["Planner"], Trigger::Rate(10.0), "Goal");
    configuration
        .sources
        .insert("Recording".into(), SourceConfiguration { enabled: Some(false), ..Default::default() });
    let mut stepper = assemble(configuration).unwrap().into_stepper().unwrap();
    let inlet = stepper.handle().inlet("link.head.Goal").unwrap();
    let mut seen = Vec::new();
    for step in 0..6 {
        if step == 2 {
            // Of two deliveries the newer one counts, and a delivery that is older than the one
            // before it does not.
            deliver(&inlet, 0.02, 1.0);
            deliver(&inlet, 0.03, 2.0);
        }
        if step == 4 {
            deliver(&inlet, 0.01, 3.0);
        }
        let time = stepper.step().unwrap().time.nanoseconds() / 1_000_000;
        seen.push((time, stepper.with_value(|way: &Way| (way.x, (way.age * 1e3).round() as i64)).unwrap()));
    }
    let expected = [
        (0, (0.0, 0)),
        (100, (0.0, 100)),
        // The delivery is a step of its own.
        (100, (0.0, 100)),
        (200, (2.0, 170)),
        (200, (2.0, 170)),
        (300, (3.0, 270)),
    ];
    assert_eq!(seen, expected);
}

#[test]
fn somebody_who_collects_gets_all_deliveries_in_order() {
    let mut configuration = configuration(&["Tourist", "Planner"], Trigger::Rate(10.0), "Goal");
    configuration.cycles[0].sample_capacity = 3;
    configuration
        .sources
        .insert("Recording".into(), SourceConfiguration { enabled: Some(false), ..Default::default() });
    let mut stepper = assemble(configuration).unwrap().into_stepper().unwrap();
    let inlet = stepper.handle().inlet("link.head.Goal").unwrap();
    let mut tour_after = |goals: &[f64]| {
        goals.iter().for_each(|&goal| deliver(&inlet, 0.01 * goal, goal));
        let before = stepper.now();
        while stepper.step().is_some_and(|step| step.cycles.is_empty()) {}
        assert!(stepper.now() > before || goals.is_empty(), "a robot's clock goes on");
        let way = stepper.with_value(|way: &Way| way.x).unwrap();
        (stepper.with_value(|tour: &Tour| tour.goals.clone()).unwrap(), way)
    };
    assert_eq!(tour_after(&[]), (vec![], 0.0));
    assert_eq!(tour_after(&[1.0, 2.0, 3.0]), (vec![1.0, 2.0, 3.0], 3.0));
    assert_eq!(tour_after(&[]), (vec![], 3.0));
    // The oldest one had no room.
    assert_eq!(tour_after(&[4.0, 5.0, 6.0, 7.0]), (vec![5.0, 6.0, 7.0], 7.0));
}

#[test]
fn what_was_delivered_is_stale_when_who_delivers_is_lost_until_the_next_delivery() {
    let mut configuration = configuration(&["Planner"], by_goal(), "Goal");
    configuration
        .sources
        .insert("Recording".into(), SourceConfiguration { enabled: Some(false), ..Default::default() });
    let mut stepper = assemble(configuration).unwrap().into_stepper().unwrap();
    let inlet = stepper.handle().inlet("link.head.Goal").unwrap();
    let mut observer = stepper.handle().observe(Observation::of(["Goal", "Way"]).complete()).unwrap();
    let mut step = |stepper: &mut hemiola_runtime::Stepper| {
        while stepper.step().is_some() {}
        let mut seen = Vec::new();
        while let Some(value) = observer.next_value() {
            match value.get::<Way>() {
                Some(way) => seen.push(("way", way.x, way.stale)),
                None => seen.push(("goal", value.get::<Goal>().unwrap().x, value.is_stale())),
            }
        }
        seen.sort_by(|one, other| one.0.cmp(other.0));
        seen
    };
    inlet.lose();
    assert_eq!(step(&mut stepper), [], "nothing has come that could be lost");
    deliver(&inlet, 0.01, 1.0);
    assert_eq!(step(&mut stepper), [("goal", 1.0, false), ("way", 1.0, false)]);
    inlet.lose();
    assert_eq!(step(&mut stepper), [("goal", 1.0, true), ("way", 1.0, true)]);
    inlet.lose();
    assert_eq!(step(&mut stepper), [], "it is lost already");
    deliver(&inlet, 0.02, 2.0);
    assert_eq!(step(&mut stepper), [("goal", 2.0, false), ("way", 2.0, false)]);
}

#[test]
fn what_was_lost_has_no_age_and_how_long_deliveries_took_is_measured() {
    let mut configuration = configuration(&["Driver"], Trigger::Rate(10.0), "Goal");
    configuration
        .sources
        .insert("Recording".into(), SourceConfiguration { enabled: Some(false), ..Default::default() });
    let mut stepper = assemble(configuration).unwrap().into_stepper().unwrap();
    let handle = stepper.handle().clone();
    let inlet = handle.inlet("link.head.Goal").unwrap();
    let ages = || handle.measured().chain("link.head.Goal", "main", "Driver.drive").map(|chain| chain.data_age.count());
    deliver(&inlet, 0.0, 1.0);
    inlet.note_delay(Duration::from_micros(200), Duration::from_micros(5));
    stepper.run_for(Duration::from_secs(1));
    let before = ages();
    assert!(before >= Some(9), "{before:?}");
    // The age of a value whose provider is gone is not bounded.
    inlet.lose();
    stepper.run_for(Duration::from_secs(1));
    assert!(ages() <= before.map(|before| before + 1), "{before:?}, {:?}", ages());
    deliver(&inlet, 2.0, 2.0);
    inlet.note_delay(Duration::from_micros(100), Duration::from_micros(7));
    stepper.run_for(Duration::from_secs(1));
    assert!(ages() >= before.map(|before| before + 8), "{before:?}, {:?}", ages());
    // No delivery took longer than is recorded: the error of the clock is added.
    let measured = handle.measured().links["link.head.Goal"].clone();
    assert_eq!((measured.delay.count(), measured.delay.maximum(), measured.clock_error), (2, 205_000, 7_000));
}

#[test]
fn what_is_opaque_cannot_come_and_what_nobody_knows_is_no_source() {
    let robot = assemble(configuration(&["Planner", "Keeper"], Trigger::Rate(100.0), "Secret"));
    assert!(matches!(robot, Err(RuntimeError::Opaque { name }) if name == "Secret"));
    let error = assemble(configuration(&["Planner"], Trigger::Rate(100.0), "Gaol")).unwrap_err().to_string();
    assert!(error.contains("nobody provides `Goal`"), "{error}");
}
