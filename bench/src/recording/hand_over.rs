//! The cost of a recorder for a cycle: the same steps of a robot with and without one, in turn.

use std::time::Instant;

use hemiola::prelude::*;
use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
use hemiola_runtime::{Observation, Observer, Robot, RuntimeError, Stepper};

use crate::contest::discipline::Effort;
use crate::contest::result::quantile;
use crate::contestant::ContestantError;

/// The result of the measurement.
pub struct HandOver {
    pub ns_per_value: f64,
    pub rounds: usize,
}

/// The number of values that one run provides.
const VALUES: usize = 8;
/// The number of runs before the recorder drains their values: as many as may wait.
const RUNS: usize = 8;

pub fn measure(effort: Effort) -> Result<HandOver, ContestantError> {
    let (rounds, batches) = match effort {
        Effort::Full => (50, 2000),
        Effort::Quick => (2, 20),
    };
    let (mut plain, mut observed) = (robot()?.into_stepper()?, robot()?.into_stepper()?);
    let everything = robot()?.recordable();
    let mut seen = Some(observed.handle().observe(Observation::of(everything))?);
    let mut differences = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        let without = nanoseconds(&mut plain, &mut None, batches);
        let with = nanoseconds(&mut observed, &mut seen, batches);
        differences.push((with - without) / (batches * RUNS * VALUES) as f64);
    }
    differences.sort_by(f64::total_cmp);
    Ok(HandOver { ns_per_value: quantile(&differences, 0.5).unwrap_or(f64::NAN), rounds })
}

/// Measures how long the runs take; the recorder's work in between is not counted.
fn nanoseconds(stepper: &mut Stepper, seen: &mut Option<Observer>, batches: usize) -> f64 {
    let mut taken = 0.0;
    for _ in 0..batches {
        let begin = Instant::now();
        (0..RUNS).for_each(|_| _ = stepper.step());
        taken += begin.elapsed().as_nanos() as f64;
        if let Some(seen) = seen {
            while seen.next_value().is_some() {}
        }
    }
    taken
}

fn robot() -> Result<Robot, RuntimeError> {
    let mut cycle = CycleConfiguration::new("recorded", Trigger::Rate(1000.0));
    cycle.modules = vec!["EightValues".into()];
    cycle.workers = Some(1);
    Robot::assemble(Configuration { cycles: vec![cycle], ..Configuration::default() })
}

macro_rules! values {
    ($($name:ident)*) => { $(
        #[derive(Representation, Clone, Default)]
        struct $name {
            position: [f64; 3],
        }
    )* };
}

values! { First Second Third Fourth Fifth Sixth Seventh Eighth }

#[derive(Module)]
struct EightValues {}

#[module]
impl EightValues {
    #[update]
    fn four(&self, clock: &Clock, first: &mut First, second: &mut Second, third: &mut Third, fourth: &mut Fourth) {
        let positions = [&mut first.position, &mut second.position, &mut third.position, &mut fourth.position];
        positions.into_iter().for_each(|position| position[0] = clock.now().seconds());
    }

    #[update]
    fn four_more(
        &self,
        clock: &Clock,
        fifth: &mut Fifth,
        sixth: &mut Sixth,
        seventh: &mut Seventh,
        eighth: &mut Eighth,
    ) {
        let positions = [&mut fifth.position, &mut sixth.position, &mut seventh.position, &mut eighth.position];
        positions.into_iter().for_each(|position| position[0] = clock.now().seconds());
    }
}
