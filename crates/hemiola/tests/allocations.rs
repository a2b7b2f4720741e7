//! The cycles' threads allocate nothing: not while they run, and not while the robot is changed.
#![forbid(unsafe_code)]

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use hemiola::prelude::*;
use hemiola_model::Value;
use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
use hemiola_model::module::{ImageFormat, PixelFormat};
use hemiola_realtime::{CountingAllocator, calls_by_watched_threads, watch_this_thread};
use hemiola_runtime::{Change, Observation, Pace, Robot};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

#[derive(Representation, Clone, Default)]
struct Input {
    values: Vec<f32>,
}

#[derive(Representation, Clone, Default)]
struct Percept {
    sum: f32,
    provider: u32,
}

#[derive(Representation, Clone, Default)]
struct Decision {
    speed: f32,
    run: u64,
    /// Runs whose percept was not made in that run.
    gaps: u64,
}

#[derive(Source)]
struct Sensor {
    count: u32,
}

#[source]
impl Sensor {
    #[sample(rate = 500.0)]
    fn sample(&mut self, decision: &Decision, input: &mut Input) {
        self.count += 1;
        input.values.extend((0..1000).map(|index| (index + self.count) as f32 * decision.speed.max(0.1)));
    }
}

#[derive(Parameters)]
struct SumParameters {
    #[parameter(default = 1.0)]
    weight: f32,
}

#[derive(Module)]
struct Sum {
    #[parameters]
    parameters: SumParameters,
    calls: u64,
    trend: Trend,
}

#[derive(Data, Default)]
enum Trend {
    #[default]
    Unknown,
    Rising {
        by: [f32; 8],
    },
}

#[module]
impl Sum {
    #[update]
    fn percept(&mut self, input: &Input, scope: &Scope, debug: &Debug, percept: &mut Percept) {
        watch_this_thread();
        let half = input.values.len() / 2;
        let (left, right) = scope.join(|| total(&input.values[..half]), || total(&input.values[half..]));
        percept.sum = self.parameters.weight * (left + right);
        percept.provider = 1;
        self.calls += 1;
        self.trend = Trend::Rising { by: [percept.sum; 8] };
        show(input, percept, debug);
    }
}

/// In all ways that there are.
fn show(input: &Input, percept: &Percept, debug: &Debug) {
    debug.plot("sum", percept.sum);
    debug.plot("mean", || total(&input.values) / input.values.len() as f32);
    debug.background("plane/axes", |canvas| canvas.line([[-1.0, 0.0], [1.0, 0.0]], Color::WHITE));
    debug.draw("plane/values", |canvas| {
        canvas.polygon((0_u8..30).map(|x| [x.into(), percept.sum]), Color::ORANGE);
        canvas.covariance([0.0, 0.0], [[percept.sum.abs(), 0.0], [0.0, 1.0]], Color::RED);
        canvas.text([0.0, 0.0], format_args!("{:.3}", percept.sum), Color::WHITE);
    });
    debug.draw_3d("space/axes", |scene| {
        scene.frame([0.0; 3], [0.0, 0.0, 0.0, 1.0], 1.0);
        scene.place("plane", [0.0; 3], [0.0, 0.0, 0.0, 1.0]);
    });
    debug.text("state", format_args!("{:.1} of {}", percept.sum, input.values.len()));
    debug.annotate("moment", "now");
    let format = ImageFormat { width: 64, height: 64, pixels: PixelFormat::Mono8 };
    debug.image("picture", format, |pixels| pixels[0] = 255);
}

#[derive(Module)]
struct Maximum {}

#[module]
impl Maximum {
    #[update]
    fn percept(&mut self, input: &Input, percept: &mut Percept) {
        watch_this_thread();
        percept.sum = input.values.iter().copied().fold(0.0, f32::max);
        percept.provider = 2;
    }
}

/// As a message.
#[derive(Representation, Clone, Default)]
struct Decided {
    run: u64,
}

#[derive(Module)]
struct Decide {}

#[module]
impl Decide {
    #[update]
    fn decision(
        &self,
        percept: Fresh<Percept>,
        last: Previous<Decision>,
        clock: &Clock,
        told: &mut Publisher<Decided>,
        decision: &mut Decision,
    ) {
        told.publish(Decided { run: clock.run() });
        watch_this_thread();
        decision.speed = (last.speed + percept.sum.sqrt()) * 0.5;
        decision.run = last.run + 1;
        decision.gaps = last.gaps + u64::from(percept.is_stale() || decision.run != clock.run() + 1);
    }
}

#[derive(Representation, Clone, Default)]
struct Summary {
    mean: f32,
    /// The run of the last decision that was heard of.
    decided: u64,
}

#[derive(Module)]
struct Summarize {}

#[module]
impl Summarize {
    #[update]
    fn summary(&self, percepts: Samples<Percept>, told: &Subscription<Decided>, summary: &mut Summary) {
        summary.decided = told.last().map_or(0, |decided| decided.run);
        watch_this_thread();
        summary.mean = percepts.iter().map(|percept| percept.sum).sum::<f32>() / percepts.len().max(1) as f32;
    }
}

fn total(values: &[f32]) -> f32 {
    values.iter().sum()
}

fn configuration() -> Configuration {
    let mut fast = CycleConfiguration::new("fast", Trigger::Source("Sensor".into()));
    fast.modules = ["Sum", "Maximum", "Decide"].map(String::from).into();
    fast.workers = Some(2);
    let mut slow = CycleConfiguration::new("slow", Trigger::Rate(100.0));
    slow.modules = vec!["Summarize".into()];
    let mut configuration = Configuration { cycles: vec![fast, slow], ..Configuration::default() };
    configuration.providers.insert("Percept".into(), "Sum".into());
    configuration
}

/// A time that no change takes, however busy the machine is.
const PATIENCE: Duration = Duration::from_secs(60);

/// One test, because both count for the whole process.
#[test]
fn ten_thousand_runs_hundreds_of_provider_switches_and_observers_allocate_nothing_and_leave_no_run_out() {
    let robot = Robot::assemble(configuration()).unwrap();
    let everything = Observation::of(robot.recordable()).with_runs().with_checkpoints(Duration::from_millis(20));
    let prepared = robot.prepare(Pace::Factor(2.0)).unwrap();
    let handle = prepared.handle().clone();
    let mut seen = handle.observe(everything).unwrap();
    let mut plots = handle.observe(Observation::default().with_debug(["*"])).unwrap();
    let running = prepared.begin();
    let recorder = std::thread::spawn({
        let handle = handle.clone();
        move || {
            let (mut taken, mut runs, mut parts) = (0, 0, 0);
            while !handle.is_stopping() {
                while seen.next_value().is_some() {
                    taken += 1;
                }
                while seen.next_run().is_some() {
                    runs += 1;
                }
                while let Some(part) = seen.next_part() {
                    parts += u32::from(part.missing.is_empty());
                }
                std::thread::sleep(Duration::from_millis(1));
            }
            (taken, runs, parts)
        }
    });
    let runs = || handle.health()["fast"].runs;
    let patience = Instant::now() + Duration::from_secs(300);
    while runs() < 100 {
        assert!(Instant::now() < patience, "the robot does not run");
        std::thread::sleep(Duration::from_millis(1));
    }
    let (first, allocations) = (runs(), calls_by_watched_threads());
    let mut visitors_saw = 0;
    for switch in 0..300_u32 {
        let provider = if switch % 2 == 0 { "Maximum" } else { "Sum" };
        handle.change(Change::provider("Percept", provider)).wait_for(PATIENCE).unwrap();
        // Somebody comes and goes, with what was not looked at yet.
        let mut visitor = handle.observe(Observation::of(["Decision", "Percept", "Summary"]).with_runs()).unwrap();
        visitors_saw += u32::from(visitor.next().is_some());
        if switch % 30 == 0 {
            let expected = if switch % 2 == 0 { 2 } else { 1 };
            // On a busy machine the cycle may not run while it is looked at.
            let percept = std::iter::repeat_with(|| handle.read("Percept")).find_map(Result::ok).unwrap();
            assert_eq!(percept.get("provider"), Some(&Value::Integer(expected)));
            let weight = Value::Float(f64::from(switch));
            handle.change(Change::parameter("Sum", "weight", weight)).wait_for(PATIENCE).unwrap();
        }
    }
    while runs() < first + 10_000 {
        assert!(Instant::now() < patience, "the robot stopped after {} runs", runs() - first);
        std::thread::sleep(Duration::from_millis(5));
    }
    assert_eq!(calls_by_watched_threads() - allocations, 0, "allocations on the cycles' threads");
    let health = handle.health()["fast"];
    println!("{} runs, {} inputs overwritten before they were taken", health.runs, health.dropped);
    println!("{visitors_saw} of 300 visitors saw something before they went");
    let kept: Vec<_> = std::iter::from_fn(|| plots.next_debug()).collect();
    let kinds: BTreeSet<_> = kept.iter().map(|record| record.content.kind()).collect();
    assert_eq!(kinds.len(), 7, "all that can be shown: {kinds:?}");
    let kept = kept.len();
    println!("{kept} plots kept, {} did not fit", plots.dropped().debug);
    let handle = running.stop();
    let (taken, transcribed, parts) = recorder.join().unwrap();
    assert!(taken > 10_000 && transcribed > 10_000, "a recorder has had values and runs all the time");
    assert!(parts > 500, "and parts of checkpoints: {parts}");
    let runs = handle.health()["fast"].runs;
    handle
        .with_value(|decision: &Decision| {
            assert!(decision.speed > 0.0);
            assert_eq!((decision.run, decision.gaps), (runs, 0), "each run has decided, on a percept of its own");
        })
        .unwrap();
}
