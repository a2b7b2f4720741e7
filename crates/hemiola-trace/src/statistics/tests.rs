use super::*;
use crate::{Age, Callback, Core, Cycle, FailureKind, PlanId, Stamp};
use std::time::Duration;

const MILLISECOND: u64 = 1_000_000;

/// A motion cycle of 12 ms with two tasks on two workers.
struct Robot {
    statistics: Statistics,
    motion: CycleId,
    tasks: [TaskId; 2],
    workers: [WorkerId; 2],
    imu: SourceId,
}

impl Robot {
    fn new() -> Self {
        let catalog = Catalog::new("robot");
        let period = Duration::from_millis(12);
        let motion = catalog.cycle(Cycle::named("motion").deadline(period).period(period).priority(80)).unwrap();
        Self {
            tasks: ["ImuFilter.orientation", "Walk.joints"].map(|name| catalog.task(motion, name).unwrap()),
            workers: [0, 1].map(|index| catalog.worker(motion, index, 100).unwrap()),
            imu: catalog.source("imu").unwrap(),
            statistics: Statistics::new(catalog, TickScale::nanoseconds_per_tick_one()),
            motion,
        }
    }

    /// Adds a run that is triggered at a multiple of the period, begins 50 µs late and takes
    /// `duration`.
    fn run(&mut self, run: u32, duration: u64) {
        let trigger = Ticks(u64::from(run) * 12 * MILLISECOND);
        let begin = Ticks(trigger.0 + 50_000);
        let end = Ticks(begin.0 + duration);
        let [first, second] = self.tasks;
        let (core, cycle) = (Core(0), self.motion);
        let middle = Ticks(begin.0 + duration / 2);
        let entered = Ticks(middle.0 + 2_000);
        self.statistics.absorb(
            self.workers[0],
            &[
                Event::CycleBegin { cycle, plan: PlanId(0), run, trigger, begin },
                Event::TaskRun { task: first, core, run, ready: begin, begin, end: middle },
                Event::CycleEnd { cycle, run, at: end },
            ],
        );
        let event = Event::TaskRun { task: second, core, run, ready: middle, begin: entered, end };
        self.statistics.absorb(self.workers[1], &[event]);
    }

    fn arrive(&mut self, newest: u64, newest_age: u32, oldest_age: u32) {
        let (newest_age, oldest_age) = (Age(newest_age), Age(oldest_age));
        let at = Ticks(newest);
        let (output, source, newest) = (self.tasks[1], self.imu, Stamp(newest));
        let event = Event::Arrival { output, source, at, newest, newest_age, oldest_age };
        self.statistics.absorb(self.workers[1], &[event]);
    }
}

#[test]
fn a_callback_tells_its_latency_where_the_publication_is_known() {
    let catalog = Catalog::new("robot");
    let control = catalog.executor("control").unwrap();
    let pose = catalog.callback(Callback::of(control, "pose").topic(catalog.topic("pose").unwrap())).unwrap();
    let mut statistics = Statistics::new(catalog, TickScale::nanoseconds_per_tick_one());
    let call = |published, begin, end| {
        let [published, begin, end] = [published, begin, end].map(Ticks);
        Event::Callback { callback: pose, core: Core(0), sequence: 0, published, begin, end }
    };
    let panic = Event::CallbackPanic { callback: pose, sequence: 1, at: Ticks(400) };
    statistics.absorb(control, &[call(100, 150, 200), call(0, 300, 380), panic]);

    let report = &statistics.report().callbacks[0];
    assert_eq!((report.executor.as_str(), report.name.as_str(), report.panics), ("control", "pose", 1));
    assert_eq!((report.latency.count, report.latency.maximum), (1, 50));
    assert_eq!((report.execution.count, report.execution.maximum), (2, 80));
    let table = statistics.report().table(&Style::plain());
    assert!(table.contains("control: pose") && table.contains("panicked 1 times"), "{table}");
}

#[test]
fn a_cycle_is_measured_from_trigger_begin_and_end() {
    let mut robot = Robot::new();
    (0..100).for_each(|run| robot.run(run, 3 * MILLISECOND));
    let cycle = robot.statistics.cycle(robot.motion).unwrap();
    assert_eq!(cycle.execution.maximum(), 3 * MILLISECOND);
    assert_eq!(cycle.response.maximum(), 3 * MILLISECOND + 50_000);
    assert_eq!(cycle.jitter.mean(), 50_000);
    assert_eq!((cycle.interval.mean(), cycle.interval.count()), (12 * MILLISECOND, 99));
    assert_eq!(cycle.missed_deadlines, 0);
}

#[test]
fn a_late_run_is_counted_once_whoever_sees_it_first() {
    let mut robot = Robot::new();
    robot.run(0, 11 * MILLISECOND);
    let overrun = Event::Overrun { cycle: robot.motion, run: 1, at: Ticks(25 * MILLISECOND) };
    robot.statistics.absorb(robot.workers[1], &[overrun]);
    robot.run(1, 13 * MILLISECOND);
    robot.run(2, 13 * MILLISECOND);
    assert_eq!(robot.statistics.cycle(robot.motion).unwrap().missed_deadlines, 2);
}

#[test]
fn a_response_counts_from_the_trigger_not_from_the_begin() {
    let mut robot = Robot::new();
    // 11.96 ms of work fit into the deadline, but not together with the 50 µs before.
    robot.run(0, 11_960_000);
    assert_eq!(robot.statistics.cycle(robot.motion).unwrap().missed_deadlines, 1);
}

#[test]
fn a_run_whose_begin_was_lost_leaves_no_figure() {
    let mut robot = Robot::new();
    robot.run(0, MILLISECOND);
    let end = Event::CycleEnd { cycle: robot.motion, run: 7, at: Ticks(99 * MILLISECOND) };
    robot.statistics.absorb(robot.workers[0], &[end]);
    robot.run(9, MILLISECOND);
    let cycle = robot.statistics.cycle(robot.motion).unwrap();
    assert_eq!((cycle.execution.count(), cycle.interval.count()), (2, 0));
}

#[test]
fn a_task_is_measured_with_its_queueing_and_its_worker() {
    let mut robot = Robot::new();
    (0..10).for_each(|run| robot.run(run, 2 * MILLISECOND));
    let task = robot.statistics.task(robot.tasks[1]).unwrap();
    assert_eq!(task.queueing.mean(), 2_000);
    assert_eq!(task.execution.mean(), MILLISECOND - 2_000);
    assert_eq!(task.workers, BTreeMap::from([(robot.workers[1], 10)]));
}

#[test]
fn drops_skipped_triggers_failures_and_wake_ups_are_counted() {
    let mut robot = Robot::new();
    let (cycle, task, at) = (robot.motion, robot.tasks[0], Ticks(9_000));
    let dropped = Event::InputDropped { cycle, source: robot.imu, count: 2, at };
    robot.statistics.absorb(
        robot.workers[0],
        &[
            dropped,
            dropped,
            Event::TriggersSkipped { cycle, count: 3, at },
            Event::TriggersSkipped { cycle, count: 1, at },
            Event::Failure { task, kind: FailureKind::Panic, run: 0, at },
            Event::Stale { task, run: 0, at },
            Event::Woken { cycle, run: 0, asked: Ticks(1_000), at },
        ],
    );
    let figures = robot.statistics.cycle(cycle).unwrap();
    assert_eq!(figures.dropped_inputs, BTreeMap::from([(robot.imu, 4)]));
    assert_eq!((figures.skipped_triggers, figures.wake_up.maximum()), (4, 8_000));
    let task = robot.statistics.task(task).unwrap();
    assert_eq!((task.failures, task.stale), (1, 1));
}

/// Samples come every 10 ms, and each is used by two outputs, 2 ms and 7 ms later.
#[test]
fn reaction_spans_two_samples_and_age_reaches_the_last_output() {
    let mut robot = Robot::new();
    for sample in 0..5 {
        for age in [2_000, 7_000] {
            robot.arrive(sample * 10 * MILLISECOND, age, age + 500);
        }
    }
    let chain = robot.statistics.chain(robot.imu, robot.tasks[1]).unwrap();
    assert_eq!(
        (chain.reaction.count(), chain.reaction.minimum(), chain.reaction.maximum()),
        (4, 12_000_000, 12_000_000)
    );
    assert_eq!(
        (chain.data_age.count(), chain.data_age.minimum(), chain.data_age.maximum()),
        (10, 2_500_000, 7_500_000)
    );
}

#[test]
fn the_ages_of_the_newest_and_of_the_oldest_sample_are_both_shown_where_they_differ() {
    let mut robot = Robot::new();
    robot.arrive(0, 2_000, 2_000);
    let style = crate::Style::plain();
    let table = robot.statistics.report().table(&style);
    assert!(table.contains("  data age  ") && !table.contains("newest"), "{table}");
    robot.arrive(10 * MILLISECOND, 2_000, 30_000);
    let report = robot.statistics.report();
    assert_eq!((report.chains[0].newest_age.maximum, report.chains[0].data_age.maximum), (2_000_000, 30_000_000));
    let table = report.table(&style);
    assert!(table.contains("data age, newest") && table.contains("data age, oldest"), "{table}");
    let chain = &robot.statistics.profile().chains[0];
    assert_eq!((chain.newest_age.maximum(), chain.data_age.maximum()), (2_000_000, 30_000_000));
}

#[test]
fn a_source_that_starts_anew_gives_no_reaction() {
    let mut robot = Robot::new();
    robot.arrive(50 * MILLISECOND, 1_000, 1_000);
    robot.arrive(10 * MILLISECOND, 1_000, 1_000);
    robot.arrive(20 * MILLISECOND, 1_000, 1_000);
    let chain = robot.statistics.chain(robot.imu, robot.tasks[1]).unwrap();
    assert_eq!((chain.reaction.count(), chain.reaction.maximum()), (1, 11_000_000));
}

#[test]
fn a_report_survives_json() {
    let mut robot = Robot::new();
    (0..10).for_each(|run| robot.run(run, 2 * MILLISECOND));
    robot.arrive(0, 1, 2);
    let report = robot.statistics.report();
    assert_eq!(serde_json::from_str::<Report>(&report.to_json()).unwrap(), report);
    assert_eq!(report.cycles[0].tasks[0].workers, BTreeMap::from([("motion 0".to_owned(), 10)]));
}

#[test]
fn a_profile_is_keyed_by_names() {
    let mut robot = Robot::new();
    (0..10).for_each(|run| robot.run(run, 2 * MILLISECOND));
    let profile = robot.statistics.profile();
    let buckets = profile.task("motion", "ImuFilter.orientation").unwrap().buckets();
    assert_eq!(buckets.len(), 1);
    assert_eq!((buckets[0].nanoseconds, buckets[0].count), (MILLISECOND, 10));
}

#[test]
fn executions_beside_a_more_important_cycle_are_not_among_the_undisturbed() {
    let mut robot = Robot::new();
    let catalog = robot.statistics.catalog.clone();
    let cognition = catalog.cycle(Cycle::named("cognition").priority(40)).unwrap();
    let (ball, worker) = (catalog.task(cognition, "Ball.find").unwrap(), catalog.worker(cognition, 0, 7).unwrap());
    let cameras = catalog.source("cameras").unwrap();
    let us = |microseconds: u64| Ticks(microseconds * 1_000);
    let ran = |run: u32, begin: u64, end: u64| {
        let (begin, end) = (us(begin), us(end));
        Event::TaskRun { task: ball, core: Core(1), run, ready: begin, begin, end }
    };
    let sampled = |begin: u64, end: u64| Event::Sample {
        source: cameras,
        core: Core(1),
        sample: 0,
        begin: us(begin),
        end: us(end),
    };
    // Motion is due at 12 ms, begins at 12.05, and ends at 13.05; its worker spins until 13.10.
    robot.run(1, MILLISECOND);
    let executions = [
        ran(0, 11_000, 11_900),
        ran(1, 11_000, 12_100),
        ran(2, 12_500, 12_600),
        ran(3, 13_080, 13_090),
        ran(4, 13_200, 13_500),
        sampled(11_000, 12_040),
        sampled(12_500, 14_000),
    ];
    robot.statistics.absorb(worker, &executions);
    robot.statistics.settle(us(13_300));
    let known = |robot: &Robot| {
        let ball = &robot.statistics.task(ball).unwrap().undisturbed;
        (ball.count(), ball.maximum())
    };
    assert_eq!(known(&robot), (1, 900_000), "the last one may still be interrupted for all that is known");
    robot.statistics.settle(us(20_000));
    assert_eq!(known(&robot), (2, 900_000));
    let motion = &robot.statistics.task(robot.tasks[0]).unwrap().undisturbed;
    assert_eq!(motion.count(), 1, "what is less important disturbs nobody");
    let profile = robot.statistics.profile();
    assert_eq!(profile.task("cognition", "Ball.find").unwrap().maximum(), 900_000);
    assert_eq!(profile.sources["cameras"].maximum(), 1_040_000);
}

#[test]
fn a_run_whose_end_was_lost_disturbs_until_the_next_one_at_most() {
    let mut robot = Robot::new();
    let catalog = robot.statistics.catalog.clone();
    let cognition = catalog.cycle(Cycle::named("cognition").priority(40)).unwrap();
    let (ball, worker) = (catalog.task(cognition, "Ball.find").unwrap(), catalog.worker(cognition, 0, 7).unwrap());
    let begin = |run: u32, at: u64| {
        let at = Ticks(at * MILLISECOND);
        Event::CycleBegin { cycle: robot.motion, plan: PlanId(0), run, trigger: at, begin: at }
    };
    let (first, second) = (begin(0, 0), begin(1, 12));
    robot.statistics.absorb(
        robot.workers[0],
        &[first, second, Event::CycleEnd { cycle: robot.motion, run: 1, at: Ticks(13 * MILLISECOND) }],
    );
    let (begin, end) = (Ticks(20 * MILLISECOND), Ticks(21 * MILLISECOND));
    robot.statistics.absorb(worker, &[Event::TaskRun { task: ball, core: Core(1), run: 0, ready: begin, begin, end }]);
    robot.statistics.settle(end);
    assert_eq!(robot.statistics.task(ball).unwrap().undisturbed.count(), 1);
}

#[test]
fn a_cleared_statistics_starts_a_new_measurement() {
    let mut robot = Robot::new();
    robot.run(0, 20 * MILLISECOND);
    robot.statistics.clear();
    assert_eq!(robot.statistics.report(), Report::default());
}

fn full_report() -> Report {
    let mut robot = Robot::new();
    (0..100).for_each(|run| robot.run(run, (2 + u64::from(run % 3)) * MILLISECOND));
    (0..100).for_each(|sample| robot.arrive(sample * 12 * MILLISECOND, 3_000, 9_000));
    let failure = Event::Failure { task: robot.tasks[0], kind: FailureKind::Error, run: 0, at: Ticks(1) };
    robot.statistics.absorb(robot.workers[0], &[failure]);
    robot.statistics.lost(1_234);
    robot.statistics.report()
}

#[test]
fn no_line_is_wider_than_the_terminal() {
    for width in [0, 60, 80, 100, 140, 250] {
        let style = Style { width, ..Style::plain() };
        let report = full_report();
        for line in report.table(&style).lines().chain(report.live(&style).lines()) {
            assert!(line.chars().count() <= width.max(Style::NARROWEST), "{width}: {line}");
        }
    }
}

#[test]
fn a_plain_table_has_no_escape_sequences_and_a_coloured_one_the_same_text() {
    let plain = full_report().table(&Style { width: 100, ..Style::plain() });
    let coloured = full_report().table(&Style::terminal(100).tasks(usize::MAX));
    assert!(!plain.contains('\x1b'));
    let mut stripped = String::new();
    let mut inside = false;
    for character in coloured.chars() {
        match character {
            '\x1b' => inside = true,
            'm' if inside => inside = false,
            _ if !inside => stripped.push(character),
            _ => {}
        }
    }
    let lines = |text: &str| text.lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
    assert_eq!(lines(&stripped), lines(&plain));
}

#[test]
fn a_table_tells_the_deadline_the_losses_and_what_it_leaves_out() {
    let text = full_report().table(&Style::plain().tasks(1));
    for expected in [
        "motion  100 runs at 83.3 Hz, deadline 12.0 ms  0 missed, 0 dropped",
        "imu → Walk.joints",
        "1,234 events were lost",
        "failed 1 times, stale 0 times",
        "and 1 more with",
    ] {
        assert!(text.contains(expected), "{expected} is not in\n{text}");
    }
}
