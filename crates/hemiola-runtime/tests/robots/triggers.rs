//! What starts runs: sources and their priorities.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hemiola::prelude::*;
use hemiola_model::configuration::{Configuration, CycleConfiguration, Scheduling, SourceConfiguration, Trigger};
use hemiola_runtime::{Pace, Robot};

#[derive(Representation, Clone, Default)]
struct Imu {
    rate: f32,
}

/// The real-time priorities of the threads that last took a sample, and ran the cycle, plus one.
static SAMPLED_AT: AtomicU64 = AtomicU64::new(0);
static RAN_AT: AtomicU64 = AtomicU64::new(0);

/// The kernel's word for the real-time priority of this thread: field 40 of its `stat`.
fn real_time_priority() -> u64 {
    let stat = std::fs::read_to_string("/proc/thread-self/stat").unwrap();
    let (_, fields) = stat.rsplit_once(") ").unwrap();
    fields.split(' ').nth(37).unwrap().parse().unwrap()
}

#[derive(Source)]
struct Body;

#[source]
impl Body {
    #[sample(rate = 200.0)]
    fn sample(&mut self, imu: &mut Imu) {
        SAMPLED_AT.store(real_time_priority() + 1, Ordering::Relaxed);
        imu.rate += 1.0;
    }
}

#[derive(Module)]
struct Filter;

#[module]
impl Filter {
    #[update]
    fn filter(&self, _imu: &Imu) {
        RAN_AT.store(real_time_priority() + 1, Ordering::Relaxed);
    }
}

fn robot(source: SourceConfiguration) -> Robot {
    let motion = CycleConfiguration {
        modules: vec!["Filter".into()],
        scheduling: Scheduling::Fifo(10),
        workers: Some(1),
        ..CycleConfiguration::new("motion", Trigger::Source("Body".into()))
    };
    let sources = [("Body".to_owned(), source)].into();
    super::assemble(module_path!(), Configuration { cycles: vec![motion], sources, ..Configuration::default() })
        .unwrap()
}

/// The priorities at which the source and its cycle ran.
fn priorities(source: SourceConfiguration) -> (u64, u64) {
    [&SAMPLED_AT, &RAN_AT].iter().for_each(|priority| priority.store(0, Ordering::Relaxed));
    let running = robot(source).start(Pace::RealTime).unwrap();
    while [&SAMPLED_AT, &RAN_AT].iter().any(|priority| priority.load(Ordering::Relaxed) == 0) {
        std::thread::sleep(Duration::from_millis(1));
    }
    running.stop();
    (SAMPLED_AT.load(Ordering::Relaxed) - 1, RAN_AT.load(Ordering::Relaxed) - 1)
}

#[test]
fn a_source_runs_above_the_cycle_that_it_triggers_unless_robot_toml_says_otherwise() {
    let (source, cycle) = priorities(SourceConfiguration::default());
    if cycle == 0 {
        eprintln!("SKIPPED: no permission for real-time priorities");
        return;
    }
    assert_eq!((source, cycle), (11, 10));
    let scheduled = |scheduling| SourceConfiguration { scheduling: Some(scheduling), ..SourceConfiguration::default() };
    assert_eq!(priorities(scheduled(Scheduling::Fifo(7))), (7, 10));
    assert_eq!(priorities(scheduled(Scheduling::TimeSharing)), (0, 10));
}
