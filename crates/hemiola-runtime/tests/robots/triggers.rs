//! The triggers of runs: sources and their priorities, timers, and the reports if they are late.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use hemiola::prelude::*;
use hemiola_model::configuration::{Configuration, CycleConfiguration, Scheduling, SourceConfiguration, Trigger};
use hemiola_runtime::{Pace, Robot, RobotHandle};

#[derive(Representation, Clone, Default)]
struct Imu {
    rate: f32,
}

/// The real-time priorities of the threads that last took a sample, and ran the cycle, plus one.
static SAMPLED_AT: AtomicU64 = AtomicU64::new(0);
static RAN_AT: AtomicU64 = AtomicU64::new(0);

/// Returns the kernel's value of this thread's real-time priority: field 40 of its `stat`.
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

#[derive(Representation, Clone, Default)]
struct Echo {
    metres: f32,
}

/// A source whose clock shows a value that is not a number.
#[derive(Source)]
struct Broken;

#[source]
impl Broken {
    #[sample]
    fn sample(&mut self, echo: &mut Echo) -> Option<Time> {
        echo.metres = 1.0;
        Some(Time::from_seconds(f64::NAN))
    }
}

#[derive(Module)]
struct Listener;

#[module]
impl Listener {
    #[update]
    fn listen(&self, _echo: &Echo) {}
}

/// The runs, in nanoseconds of the robot's clock: the first, the last, and their number.
static FIRST: AtomicU64 = AtomicU64::new(u64::MAX);
static LAST: AtomicU64 = AtomicU64::new(0);
static RUNS: AtomicU64 = AtomicU64::new(0);

/// Takes longer than its period.
#[derive(Module)]
struct Slow;

#[module]
impl Slow {
    #[update]
    fn work(&self, clock: &Clock) {
        let now = clock.now().nanoseconds() as u64;
        FIRST.fetch_min(now, Ordering::Relaxed);
        LAST.store(now, Ordering::Relaxed);
        RUNS.fetch_add(1, Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(5));
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

/// Returns the priorities at which the source and its cycle ran.
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

fn only(cycle: CycleConfiguration, source: Option<&str>) -> Robot {
    let off = SourceConfiguration { enabled: Some(false), ..SourceConfiguration::default() };
    let others = ["Body", "Broken"].into_iter().filter(|name| Some(*name) != source);
    let sources = others.map(|name| (name.to_owned(), off.clone())).collect();
    super::assemble(module_path!(), Configuration { cycles: vec![cycle], sources, ..Configuration::default() }).unwrap()
}

#[test]
fn triggers_of_a_timer_for_which_there_was_no_run_are_counted() {
    let slow = CycleConfiguration {
        modules: vec!["Slow".into()],
        workers: Some(1),
        ..CycleConfiguration::new("slow", Trigger::Rate(1000.0))
    };
    let running = only(slow, None).start(Pace::RealTime).unwrap();
    let handle = running.handle().clone();
    while handle.health()["slow"].runs < 20 {
        std::thread::sleep(Duration::from_millis(1));
    }
    running.stop();
    let [first, last, runs] = [&FIRST, &LAST, &RUNS].map(|number| number.load(Ordering::Relaxed));
    let skipped = handle.health()["slow"].skipped;
    // Triggers between the first and the last run are skipped, and perhaps some after it.
    let between = (last - first) / 1_000_000 + 1 - runs;
    let ever = (handle.now().nanoseconds() as u64) / 1_000_000 + 1 - runs;
    assert!(between >= 19 * 4 && (between..=ever).contains(&skipped), "{between} <= {skipped} <= {ever}");
    assert_eq!(handle.report().cycles[0].skipped_triggers, skipped);
    let table = handle.report().table(&hemiola_trace::Style::plain());
    assert!(table.contains(&format!("0 missed, 0 dropped, {skipped} skipped")), "{table}");
}

fn listening() -> Robot {
    let listening = CycleConfiguration {
        modules: vec!["Listener".into()],
        ..CycleConfiguration::new("listening", Trigger::Source("Broken".into()))
    };
    only(listening, Some("Broken"))
}

fn told(handle: &RobotHandle, what: &str) -> usize {
    handle.messages().iter().filter(|message| message.to_string().contains(what)).count()
}

#[test]
fn a_source_whose_time_stamps_stand_still_is_told_once_and_paced() {
    let begin = Instant::now();
    let running = listening().start(Pace::RealTime).unwrap();
    let handle = running.handle().clone();
    while handle.health()["listening"].runs < 30 {
        std::thread::sleep(Duration::from_millis(1));
    }
    running.stop();
    // The first one, then 16 at once, then at most one in 10 ms.
    let most = 18 + begin.elapsed().as_millis() as u64 / 10;
    let runs = handle.health()["listening"].runs;
    assert!(runs <= most, "{runs} of {most}");
    assert_eq!(told(&handle, "source Broken: its time stamps do not increase"), 1);
}

#[test]
fn a_source_whose_time_stamps_stand_still_ends_a_simulation() {
    let mut stepper = listening().into_stepper().unwrap();
    stepper.run_for(Duration::from_secs(1));
    assert_eq!(stepper.handle().now(), Time::ZERO);
    stepper.handle().report();
    assert_eq!(told(stepper.handle(), "it counts as ended"), 1);
}
