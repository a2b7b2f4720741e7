//! What a recorder gets from a robot: every value as it was, and nobody waits for it.
use std::time::{Duration, Instant};

use hemiola::prelude::*;
use hemiola_model::Time;
use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
use hemiola_runtime::{Pace, Robot, RuntimeError, TapRequest};

#[derive(Representation, Clone, Default)]
struct Sample {
    number: u32,
}

#[derive(Representation, Clone, Default)]
struct Filtered {
    number: u32,
    history: Vec<u32>,
}

/// Provided in every third run only.
#[derive(Representation, Clone, Default)]
struct Rare {
    number: u32,
}

#[derive(Representation, Clone, Default)]
#[representation(opaque)]
struct Model {
    _weights: Vec<f32>,
}

#[derive(Source)]
struct Sensor {
    samples: u32,
}

#[source]
impl Sensor {
    #[sample(rate = 100.0)]
    fn sample(&mut self, sample: &mut Sample) {
        self.samples += 1;
        sample.number = self.samples;
    }
}

#[derive(Module)]
struct Filter {}

#[module]
impl Filter {
    #[update]
    fn filtered(&self, sample: &Sample, filtered: &mut Filtered) {
        filtered.number = sample.number;
        filtered.history.extend(1..=sample.number);
    }

    #[update]
    fn rare(&self, sample: &Sample, rare: &mut Rare) -> Result<(), String> {
        rare.number = sample.number;
        if sample.number.is_multiple_of(3) { Ok(()) } else { Err("nothing new".into()) }
    }

    #[update]
    fn model(&self, _filtered: &Filtered, _model: &mut Model) {}
}

fn robot() -> Robot {
    let mut filter = CycleConfiguration::new("filter", Trigger::Source("Sensor".into()));
    filter.workers = Some(1);
    crate::assemble(module_path!(), Configuration { cycles: vec![filter], ..Configuration::default() }).unwrap()
}

fn requests(rate: Option<f64>) -> Vec<TapRequest> {
    ["Sample", "Filtered", "Rare"].map(|name| TapRequest { rate, ..TapRequest::all(name) }).into()
}

/// A value as the recorder saw it: its number, and the run and time that it was provided in.
type Seen = (u32, u32, Time);

/// Steps a robot for a second while a recorder that takes its time looks on.
fn record_a_second(rate: Option<f64>) -> [Vec<Seen>; 3] {
    let mut stepper = robot().tapped(requests(rate)).unwrap().into_stepper().unwrap();
    let handle = stepper.handle().clone();
    let mut tap = handle.take_tap().unwrap();
    assert!(handle.take_tap().is_none(), "there is one recorder");
    let recorder = std::thread::spawn(move || {
        let mut seen = [vec![], vec![], vec![]];
        let names = tap.channels().iter().map(|channel| channel.descriptor.name()).collect::<Vec<_>>();
        let mut is_over = false;
        loop {
            let Some(value) = tap.next() else {
                if is_over {
                    break;
                }
                is_over = handle.is_stopping();
                std::thread::sleep(Duration::from_millis(1));
                continue;
            };
            assert_eq!(names[value.channel()], value.representation());
            let any = value.value();
            let (index, number) = if let Some(sample) = any.downcast_ref::<Sample>() {
                (0, sample.number)
            } else if let Some(filtered) = any.downcast_ref::<Filtered>() {
                assert!(filtered.history.iter().copied().eq(1..=filtered.number), "the value is whole");
                (1, filtered.number)
            } else {
                (2, any.downcast_ref::<Rare>().unwrap().number)
            };
            seen[index].push((number, value.run(), value.now()));
        }
        assert!(tap.channels().iter().all(|channel| channel.dropped == 0), "{tap:?}");
        seen
    });
    // The step that reaches the end is the last one.
    stepper.run_until(Time::from_seconds(0.99));
    stepper.handle().stop();
    recorder.join().unwrap()
}

#[test]
fn a_stepped_robot_waits_for_its_recorder_and_loses_nothing() {
    let [samples, filtered, rare] = record_a_second(None);
    let expected: Vec<Seen> =
        (0..100).map(|run| (run + 1, run, Time::from_nanoseconds(i64::from(run) * 10_000_000))).collect();
    assert_eq!(samples, expected);
    assert_eq!(filtered, expected);
    let provided: Vec<Seen> = expected.into_iter().filter(|(number, ..)| number.is_multiple_of(3)).collect();
    assert_eq!(rare, provided, "a value that was not provided anew is not passed on");
}

#[test]
fn no_more_values_come_than_were_asked_for() {
    let [samples, filtered, _] = record_a_second(Some(10.0));
    assert_eq!((samples.len(), filtered.len()), (10, 10));
    assert_eq!(samples.iter().map(|seen| seen.0).collect::<Vec<_>>()[..3], [1, 11, 21]);
}

#[test]
fn a_recorder_that_does_not_come_costs_values_and_no_time() {
    let running = robot().tapped(requests(None)).unwrap().start(Pace::Factor(10.0)).unwrap();
    let handle = running.handle().clone();
    let patience = Instant::now() + Duration::from_secs(60);
    while handle.health()["filter"].runs < 200 {
        assert!(Instant::now() < patience, "the robot stands still");
        std::thread::sleep(Duration::from_millis(1));
    }
    let handle = running.stop();
    let mut tap = handle.take_tap().unwrap();
    let mut numbers = Vec::new();
    while let Some(value) = tap.next() {
        numbers.extend(value.value().downcast_ref::<Filtered>().map(|filtered| filtered.number));
    }
    assert_eq!(numbers.len(), 20, "the first ones, as they were");
    assert!(numbers.is_sorted());
    let channels = tap.channels();
    let filtered = channels.iter().find(|channel| channel.descriptor.name() == "Filtered").unwrap();
    let runs = handle.health()["filter"].runs;
    assert_eq!((&*filtered.owner, filtered.dropped), ("filter", runs - 20));
}

#[test]
fn what_cannot_be_recorded_is_refused_at_once() {
    let refused = |name: &str| match robot().tapped(vec![TapRequest::all(name)]) {
        Ok(_) => panic!("`{name}` was accepted"),
        Err(error) => error,
    };
    assert!(matches!(refused("Model"), RuntimeError::Opaque { .. }));
    let unknown = refused("Smaple").to_string();
    assert!(unknown.contains("Smaple") && unknown.contains("Sample"), "{unknown}");
    assert_eq!(robot().recordable(), ["Filtered", "Rare", "Sample"]);
}
