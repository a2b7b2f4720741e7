//! A cycle or a source so dense that its threads spin nearly always, and the lateness of a cycle
//! beside it that shares time.

use std::time::Duration;

use hemiola::prelude::*;
use hemiola_model::configuration::{Configuration, CycleConfiguration, Scheduling, SourceConfiguration, Trigger};
use hemiola_realtime::{monotonic_now, sleep_until};
use hemiola_runtime::{Pace, Robot};
use serde::{Deserialize, Serialize};

use crate::contest::discipline::Effort;
use crate::contestant::ContestantError;
use crate::error::BenchError;

/// The lateness of a cycle beside threads that spin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spinning {
    pub what: String,
    /// The greatest lateness of a cycle of 100 Hz that shares time, over all rounds, and the median
    /// of the rounds'.
    pub late_ns: f64,
    pub usual_ns: f64,
    /// The share of the dense cycle's triggers that found no run.
    pub skipped: Option<f64>,
}

/// The part of the robot that is dense.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Dense {
    Nothing,
    Cycle { workers: usize },
    Source,
}

const ALL: [Dense; 4] = [Dense::Nothing, Dense::Cycle { workers: 1 }, Dense::Cycle { workers: 8 }, Dense::Source];
const RATE: f64 = 10_000.0;
const PRIORITY: u8 = 80;

impl Dense {
    fn text(self) -> String {
        match self {
            Dense::Nothing => "nothing else".to_owned(),
            Dense::Cycle { workers: 1 } => "a cycle at 10 kHz, one worker".to_owned(),
            Dense::Cycle { workers } => format!("a cycle at 10 kHz, {workers} workers"),
            Dense::Source => "a source at 10 kHz".to_owned(),
        }
    }

    fn robot(self) -> Result<Robot, ContestantError> {
        let mut patient = CycleConfiguration::new("patient", Trigger::Rate(100.0));
        patient.modules = vec!["Patient".into()];
        patient.workers = Some(1);
        let mut configuration = Configuration { cycles: vec![patient], ..Configuration::default() };
        let mut metronome = SourceConfiguration { enabled: Some(false), ..SourceConfiguration::default() };
        match self {
            Dense::Nothing => {}
            Dense::Cycle { workers } => {
                let mut dense = CycleConfiguration::new("dense", Trigger::Rate(RATE));
                dense.modules = ["DenseLeft", "DenseRight"].map(String::from).to_vec();
                dense.workers = Some(workers);
                dense.scheduling = Scheduling::Fifo(PRIORITY);
                configuration.cycles.push(dense);
            }
            Dense::Source => {
                metronome.enabled = None;
                metronome.scheduling = Some(Scheduling::Fifo(PRIORITY));
                let mut listener = CycleConfiguration::new("listener", Trigger::Rate(10.0));
                listener.modules = vec!["Listener".into()];
                configuration.cycles.push(listener);
            }
        }
        configuration.sources.insert("Metronome".into(), metronome);
        Ok(Robot::assemble(configuration)?)
    }
}

/// Measures the latest begin of each round, the calmest company first.
pub fn measure(effort: Effort) -> Result<Vec<Spinning>, BenchError> {
    let (rounds, lasts) = match effort {
        Effort::Full => (5, Duration::from_secs(4)),
        Effort::Quick => (1, Duration::from_millis(300)),
    };
    let mut late = vec![Vec::new(); ALL.len()];
    let mut skipped = vec![None; ALL.len()];
    for _ in 0..rounds {
        for ((dense, late), skipped) in ALL.into_iter().zip(&mut late).zip(&mut skipped) {
            let running = dense.robot()?.start(Pace::RealTime).map_err(ContestantError::from)?;
            sleep_until(monotonic_now() + lasts);
            let handle = running.stop();
            let report = handle.report();
            let patient = report.cycles.iter().find(|cycle| cycle.name == "patient");
            late.extend(patient.map(|patient| patient.jitter.maximum as f64));
            *skipped = handle.health().get("dense").map(|dense| dense.skipped as f64 / (lasts.as_secs_f64() * RATE));
        }
    }
    let told = ALL.into_iter().zip(late).zip(skipped).filter_map(|((dense, mut late), skipped)| {
        late.sort_by(f64::total_cmp);
        let (late_ns, usual_ns) = (*late.last()?, late[late.len() / 2]);
        Some(Spinning { what: dense.text(), late_ns, usual_ns, skipped })
    });
    Ok(told.collect())
}

#[derive(Representation, Clone, Default)]
struct Waited {
    runs: u32,
}

#[derive(Module)]
struct Patient {}

#[module]
impl Patient {
    #[update]
    fn wait(&self, last: Previous<Waited>, waited: &mut Waited) {
        waited.runs = last.runs + 1;
    }
}

#[derive(Representation, Clone, Default)]
struct LeftSum {
    sum: u32,
}

#[derive(Representation, Clone, Default)]
struct RightSum {
    sum: u32,
}

#[derive(Module)]
struct DenseLeft {}

#[module]
impl DenseLeft {
    #[update]
    fn sum(&self, last: Previous<LeftSum>, left: &mut LeftSum) {
        left.sum = a_few_microseconds(last.sum);
    }
}

#[derive(Module)]
struct DenseRight {}

#[module]
impl DenseRight {
    #[update]
    fn sum(&self, last: Previous<RightSum>, right: &mut RightSum) {
        right.sum = a_few_microseconds(last.sum);
    }
}

/// Computes for long enough to be worth a hand-over.
fn a_few_microseconds(from: u32) -> u32 {
    (0..10_000).fold(from, |sum, next| std::hint::black_box(sum.wrapping_add(next)))
}

#[derive(Representation, Clone, Default)]
struct Beat {
    count: u32,
}

#[derive(Source)]
struct Metronome {
    count: u32,
}

#[source]
impl Metronome {
    #[sample(rate = 10_000.0)]
    fn beat(&mut self, beat: &mut Beat) {
        self.count += 1;
        beat.count = self.count;
    }
}

#[derive(Representation, Clone, Default)]
struct Heard {
    beats: u32,
}

#[derive(Module)]
struct Listener {}

#[module]
impl Listener {
    #[update]
    fn hear(&self, beat: &Beat, heard: &mut Heard) {
        heard.beats = beat.count;
    }
}
