//! What stands in for sources and providers, and runs of one module alone, are safe code like any
//! other.

use std::mem;

use hemiola::prelude::*;
use hemiola_model::configuration::Trigger;
use hemiola_model::module::{ArgumentKind, registry};
use hemiola_model::{Time, ValueMut, cdr};
use hemiola_runtime::{Course, Feed, RunInput, SingleRun, TakenValues};

use super::{configuration, cycle, robot};

#[derive(Representation, Clone, Default)]
struct Width {
    number: u8,
}

#[derive(Representation, Clone, Default)]
struct Text {
    words: Vec<String>,
}

#[derive(Representation, Clone, Default)]
struct Length {
    sum: u64,
}

#[derive(Source)]
struct Ruler {}

#[source]
impl Ruler {
    #[sample]
    fn sample(&mut self, width: &mut Width, text: &mut Text) -> Option<Time> {
        width.number = 1;
        text.words.push("one".to_owned());
        Some(Time::ZERO)
    }
}

#[derive(Module)]
struct Measure {}

#[module]
impl Measure {
    #[update]
    fn length(&self, width: &Width, text: &Text, length: &mut Length) {
        length.sum = u64::from(width.number) + text.words.iter().map(|word| word.len() as u64).sum::<u64>();
    }
}

/// Exchanges what it may exchange: the handles, not the values behind them.
struct Exchanging(u32);

impl Feed for Exchanging {
    fn sample(&mut self, values: &mut [ValueMut<'_>]) -> Result<Option<Time>, String> {
        self.0 += 1;
        if let [first, second] = values {
            mem::swap(first, second);
        }
        for value in values {
            if let Some(text) = value.downcast_mut::<Text>() {
                text.words = vec!["four".to_owned(); 2];
            }
        }
        Ok((self.0 < 10).then(|| Time::from_seconds(0.1 * f64::from(self.0))))
    }
}

impl TakenValues for Exchanging {
    fn take(&mut self, _: u32, now: Time, value: &mut ValueMut<'_>) -> Option<Time> {
        value.downcast_mut::<Length>()?.sum = 70;
        Some(now)
    }
}

fn on_sample() -> hemiola_runtime::Robot {
    let mut cycle = cycle("main", 10.0, &["Measure"]);
    cycle.trigger = Trigger::Source("Ruler".into());
    robot(configuration(vec![cycle], &[]), &["Ruler"])
}

#[test]
fn whoever_stands_in_for_a_source_cannot_put_values_into_the_place_of_others() {
    let course = Course::default().feeding("Ruler", Box::new(Exchanging(0)));
    let mut stepper = on_sample().following(course).unwrap().into_stepper().unwrap();
    while stepper.step().is_some() {
        assert_eq!(stepper.with_value(|length: &Length| length.sum), Some(8));
    }
}

#[test]
fn whoever_stands_in_for_a_provider_fills_its_value() {
    let course = Course::default().feeding("Ruler", Box::new(Exchanging(0))).taking("Length", Box::new(Exchanging(0)));
    let mut stepper = on_sample().following(course).unwrap().into_stepper().unwrap();
    stepper.step();
    assert_eq!(stepper.with_value(|length: &Length| length.sum), Some(70));
}

#[test]
fn a_run_of_one_module_reads_its_input_also_without_a_time_stamp() {
    let measure = registry::modules().into_iter().find(|module| module.name() == "Measure").unwrap();
    let input = |representation: &str, bytes| RunInput {
        kind: ArgumentKind::Requires,
        representation: representation.to_owned(),
        views: Vec::new(),
        bytes,
    };
    let mut run = SingleRun::default();
    run.inputs.push(input("Width", cdr::encode(&3_u8)));
    run.inputs.push(input("Text", cdr::encode(&vec!["a word".to_owned()])));
    let done = run.of(&measure).unwrap();
    assert_eq!(done.outputs["Length"], Some(cdr::encode(&9_u64)));
}
