use super::*;
use crate::{Capture, Catalog, Core, Cycle, Event, PlanId, Stamp, TickScale};
use proptest::prelude::*;
use std::collections::BTreeMap;

const SCALE: TickScale = TickScale::nanoseconds_per_tick_one();

/// Two cycles of two workers each, one worker of each on cores 0 and 1; `motion` is the more
/// important cycle.
struct Robot {
    catalog: Catalog,
    motion: CycleId,
    cognition: CycleId,
    events: BTreeMap<WorkerId, Vec<Event>>,
}

impl Robot {
    fn new() -> Self {
        let catalog = Catalog::new("robot");
        let motion = catalog.cycle(Cycle::named("motion").priority(80)).unwrap();
        let cognition = catalog.cycle(Cycle::named("cognition").priority(60)).unwrap();
        Self { catalog, motion, cognition, events: BTreeMap::new() }
    }

    fn worker(&self, cycle: CycleId, index: usize) -> WorkerId {
        self.catalog.worker(cycle, index, 0).unwrap()
    }

    fn task(&self, cycle: CycleId, name: &str) -> TaskId {
        self.catalog.task(cycle, name).unwrap()
    }

    fn plan(&self, cycle: CycleId, edges: &[(&str, &str)]) -> PlanId {
        let edges: Vec<_> = edges.iter().map(|(from, to)| (self.task(cycle, from), self.task(cycle, to))).collect();
        self.catalog.plan(cycle, &edges).unwrap()
    }

    fn push(&mut self, worker: WorkerId, event: Event) {
        self.events.entry(worker).or_default().push(event);
    }

    /// Adds a run of `cycle` that was due at 1,000 and began at `begin`.
    fn run(&mut self, cycle: CycleId, plan: PlanId, run: u32, begin: u64, end: u64) {
        let worker = self.worker(cycle, 0);
        let begin = Event::CycleBegin { cycle, plan, run, trigger: Ticks(1_000), begin: Ticks(begin) };
        self.push(worker, begin);
        self.push(worker, Event::CycleEnd { cycle, run, at: Ticks(end) });
    }

    /// Adds an execution in run 1 on a worker and the core of the same number.
    fn ran(&mut self, cycle: CycleId, name: &str, index: usize, [ready, begin, end]: [u64; 3]) {
        let (task, worker) = (self.task(cycle, name), self.worker(cycle, index));
        let [ready, begin, end] = [ready, begin, end].map(Ticks);
        self.push(worker, Event::TaskRun { task, core: Core(index as u8), run: 1, ready, begin, end });
    }

    fn history(&self) -> History {
        let mut capture = Capture::default();
        self.events.iter().for_each(|(&worker, events)| capture.insert(worker, events.clone()));
        History::of(&capture, &self.catalog, &SCALE)
    }

    /// Returns the chain of run 1, as ticks and causes.
    fn chain(&self, cycle: CycleId) -> Vec<(u64, Cause)> {
        let chain = self.history().blocking_chain(cycle, 1).unwrap();
        assert_whole(&chain);
        chain.stretches.iter().map(|stretch| (stretch.ticks(), stretch.cause)).collect()
    }
}

/// Asserts that the stretches follow each other from the trigger to the end.
fn assert_whole(chain: &BlockingChain) {
    let mut at = chain.trigger;
    for stretch in &chain.stretches {
        assert_eq!(stretch.begin, at, "{chain:?}");
        assert!(stretch.end > stretch.begin, "{chain:?}");
        at = stretch.end;
    }
    assert_eq!(at, chain.end.max(chain.trigger), "{chain:?}");
}

const NEEDED: Because = Because::Needed;
const OCCUPIED: Because = Because::Occupied;

#[test]
fn a_run_waits_for_what_it_needs_on_other_workers() {
    let mut robot = Robot::new();
    let motion = robot.motion;
    let plan = robot.plan(motion, &[("imu", "walk"), ("camera", "walk")]);
    robot.run(motion, plan, 1, 1_010, 9_000);
    robot.ran(motion, "imu", 0, [1_010, 1_010, 2_000]);
    robot.ran(motion, "camera", 1, [1_010, 1_500, 7_000]);
    robot.ran(motion, "walk", 0, [7_000, 7_300, 8_990]);
    let (zero, one) = (robot.worker(motion, 0), robot.worker(motion, 1));
    let woken = Event::Woken { cycle: motion, run: 1, asked: Ticks(1_100), at: Ticks(1_500) };
    robot.push(one, woken);
    let executed = |task: &str, worker, because| Cause::Executed { task: robot.task(motion, task), worker, because };
    assert_eq!(
        robot.chain(motion),
        [
            (10, Cause::Late),
            (90, Cause::HandedOver { from: zero, to: one }),
            (400, Cause::Woken { worker: one }),
            (5_500, executed("camera", one, NEEDED)),
            (300, Cause::HandedOver { from: one, to: zero }),
            (1_690, executed("walk", zero, NEEDED)),
            (10, Cause::Dispatched { worker: zero }),
        ]
    );
}

#[test]
fn a_task_that_is_ready_waits_for_the_one_that_has_its_worker() {
    let mut robot = Robot::new();
    let motion = robot.motion;
    let plan = robot.plan(motion, &[("imu", "walk")]);
    robot.run(motion, plan, 1, 1_000, 5_000);
    robot.ran(motion, "imu", 0, [1_000, 1_000, 2_000]);
    robot.ran(motion, "video", 0, [1_000, 2_000, 4_000]);
    robot.ran(motion, "walk", 0, [2_000, 4_000, 5_000]);
    let zero = robot.worker(motion, 0);
    let executed = |task: &str, because| Cause::Executed { task: robot.task(motion, task), worker: zero, because };
    let expected =
        [(1_000, executed("imu", OCCUPIED)), (2_000, executed("video", OCCUPIED)), (1_000, executed("walk", NEEDED))];
    assert_eq!(robot.chain(motion), expected);
}

#[test]
fn a_more_important_cycle_on_the_same_core_preempts() {
    let mut robot = Robot::new();
    let (motion, cognition) = (robot.motion, robot.cognition);
    let plan = robot.plan(cognition, &[]);
    robot.run(cognition, plan, 1, 1_000, 900_000);
    robot.ran(cognition, "lines", 0, [1_000, 1_000, 900_000]);
    // Tasks that follow each other, with the spinning between them, are one preemption; on the
    // other core there is none.
    robot.ran(motion, "imu", 0, [300_000, 300_000, 350_000]);
    robot.ran(motion, "walk", 0, [350_000, 360_000, 400_000]);
    robot.ran(motion, "head", 1, [300_000, 300_000, 800_000]);
    let (victim, by, task) = (robot.worker(cognition, 0), robot.worker(motion, 0), robot.task(cognition, "lines"));
    let executed = Cause::Executed { task, worker: victim, because: NEEDED };
    let preempted = Cause::Preempted { worker: Some(victim), task: Some(task), by };
    assert_eq!(robot.chain(cognition), [(299_000, executed), (100_000, preempted), (500_000, executed)]);
}

#[test]
fn a_less_important_cycle_that_had_the_core_before_and_after_does_not_preempt() {
    let mut robot = Robot::new();
    let (motion, cognition) = (robot.motion, robot.cognition);
    let plan = robot.plan(motion, &[]);
    robot.run(motion, plan, 1, 1_200, 5_000);
    robot.ran(motion, "walk", 0, [1_200, 1_300, 5_000]);
    robot.ran(cognition, "lines", 0, [0, 100, 9_000]);
    assert!(robot.chain(motion).iter().all(|(_, cause)| !matches!(cause, Cause::Preempted { .. })));
}

#[test]
fn a_less_important_cycle_that_ran_while_nothing_was_due_to_run_does_not_preempt() {
    let mut robot = Robot::new();
    let (motion, cognition) = (robot.motion, robot.cognition);
    let plan = robot.plan(motion, &[]);
    robot.run(motion, plan, 1, 9_000, 10_000);
    robot.ran(motion, "walk", 0, [9_000, 9_000, 10_000]);
    // Motion slept, because its timer was late.
    robot.ran(cognition, "lines", 0, [2_000, 2_000, 8_000]);
    assert_eq!(robot.chain(motion)[0], (8_000, Cause::Late));
}

#[test]
fn a_worker_that_does_not_run_between_two_tasks_is_stalled() {
    let mut robot = Robot::new();
    let motion = robot.motion;
    let plan = robot.plan(motion, &[("imu", "walk")]);
    robot.run(motion, plan, 1, 1_000, 4_003_000);
    robot.ran(motion, "imu", 0, [1_000, 1_000, 2_000]);
    robot.ran(motion, "walk", 0, [2_000, 4_002_000, 4_003_000]);
    let worker = robot.worker(motion, 0);
    assert_eq!(robot.chain(motion)[1], (4_000_000, Cause::Stalled { worker }));
    let chain = robot.history().blocking_chain(motion, 1).unwrap();
    let explanation = Explanation::of(chain, &Durations::default(), &SCALE);
    assert_eq!((explanation.reason, explanation.excess), (Reason::Stalled(worker), 4_000_000));
}

#[test]
fn a_run_that_was_due_while_the_one_before_went_on_says_so() {
    let mut robot = Robot::new();
    let motion = robot.motion;
    let plan = robot.plan(motion, &[]);
    robot.run(motion, plan, 0, 1_000, 8_000);
    robot.run(motion, plan, 1, 8_100, 9_000);
    robot.ran(motion, "walk", 0, [8_100, 8_100, 9_000]);
    assert_eq!(robot.chain(motion)[..2], [(7_000, Cause::Backlog), (100, Cause::Late)]);
}

#[test]
fn a_run_that_waits_for_its_sample_says_so() {
    let mut robot = Robot::new();
    let motion = robot.motion;
    let plan = robot.plan(motion, &[]);
    let body = robot.catalog.source("Body").unwrap();
    let (thread, worker) = (robot.catalog.source_thread(body).unwrap(), robot.worker(motion, 0));
    let exchange = robot.catalog.exchange(motion, "Body to motion").unwrap();
    robot.run(motion, plan, 1, 8_000, 9_000);
    robot.ran(motion, "walk", 0, [8_000, 8_000, 9_000]);
    robot.push(worker, Event::Take { exchange, cycle: motion, run: 1, published: 5, at: Ticks(8_000) });
    let sample = Event::Sample { source: body, core: Core(1), sample: 5, begin: Ticks(1_100), end: Ticks(7_900) };
    robot.push(thread, sample);
    let sampled = Cause::Sampled { source: body };
    assert_eq!(robot.chain(motion)[..3], [(100, Cause::Late), (6_800, sampled), (100, Cause::Late)]);
    let chain = robot.history().blocking_chain(motion, 1).unwrap();
    let explanation = Explanation::of(chain, &Durations::default(), &SCALE);
    assert_eq!((explanation.reason, explanation.excess), (Reason::Sampled(body), 6_800));
}

#[test]
fn lost_events_are_told() {
    let mut robot = Robot::new();
    let motion = robot.motion;
    let plan = robot.plan(motion, &[("imu", "filter"), ("filter", "walk")]);
    robot.run(motion, plan, 1, 1_000, 903_000);
    robot.ran(motion, "imu", 0, [1_000, 1_000, 2_000]);
    robot.ran(motion, "walk", 0, [902_000, 902_000, 903_000]);
    let history = robot.history();
    let chain = history.blocking_chain(motion, 1).unwrap();
    assert_whole(&chain);
    assert_eq!(chain.missing, [robot.task(motion, "filter")]);
    assert!(chain.stretches.iter().any(|stretch| stretch.cause == Cause::Unknown && stretch.ticks() == 900_000));
    assert_eq!(history.blocking_chain(motion, 2), None, "nothing is known of it");
    let explanation = Explanation::of(chain, &Durations::default(), &SCALE);
    assert!(explanation.table(&robot.catalog.read()).contains("events were lost, those of filter"));
}

#[test]
fn what_ran_longer_than_it_usually_does_is_the_reason() {
    let mut robot = Robot::new();
    let motion = robot.motion;
    let plan = robot.plan(motion, &[("imu", "walk")]);
    robot.run(motion, plan, 1, 1_000, 901_000);
    // The filter always takes the most time, and this time walking took more than it usually does.
    robot.ran(motion, "imu", 0, [1_000, 1_000, 600_000]);
    robot.ran(motion, "walk", 0, [600_000, 600_000, 901_000]);
    let mut profile = crate::Profile::default();
    for (name, usual) in [("imu", 600_000), ("walk", 50_000)] {
        let times = crate::Bucket { nanoseconds: usual, count: 200 };
        profile.insert("motion", name, &[times].into_iter().collect());
    }
    let chain = robot.history().blocking_chain(motion, 1).unwrap();
    let explanation = Explanation::of(chain, &Durations::of_profile(&profile, &robot.catalog), &SCALE);
    assert_eq!(explanation.reason, Reason::LongExecution(robot.task(motion, "walk")));
    assert!(explanation.excess.abs_diff(251_000) < 200, "{}", explanation.excess);
    let sentence = explanation.sentence(&robot.catalog.read());
    assert!(sentence.starts_with("walk ran 301 µs, 251 µs more than usual (usually 50.0 µs"), "{sentence}");
}

#[test]
fn a_reaction_is_taken_apart_hop_by_hop() {
    let Robot { motion, cognition, .. } = Robot::new();
    let expected = [
        (33_000, Step::Sample),
        (17_000, Step::Run { cycle: cognition, run: 4 }),
        (10_000, Step::Release { cycle: motion, run: 9 }),
        (5_000, Step::Run { cycle: motion, run: 9 }),
    ];
    assert_eq!(hops_from_camera_to_legs("cognition to motion", "Camera"), expected);
    assert_eq!(hops_from_camera_to_legs("cognition to topic Kick", "Camera by messages"), expected);
    // A path of values alone leads through no topic, and one by messages through at least one.
    for (through, begin) in [("cognition to topic Kick", "Camera"), ("cognition to motion", "Camera by messages")] {
        let (_, last) = *hops_from_camera_to_legs(through, begin).last().unwrap();
        assert_eq!(last, Step::Unknown, "{begin} through {through}");
    }
}

fn hops_from_camera_to_legs(through: &str, begin_of_chain: &str) -> Vec<(u64, Step)> {
    let mut robot = Robot::new();
    let (motion, cognition) = (robot.motion, robot.cognition);
    robot.catalog.source("Camera").unwrap();
    let camera = robot.catalog.source(begin_of_chain).unwrap();
    let to_cognition = robot.catalog.exchange(cognition, "Camera to cognition").unwrap();
    let to_motion = robot.catalog.exchange(cognition, through).unwrap();
    let (see, act) = (robot.worker(cognition, 0), robot.worker(motion, 0));
    let (plan, legs) = (PlanId(9), robot.task(motion, "legs"));
    let begin = |cycle, run, trigger, begin| Event::CycleBegin {
        cycle,
        plan,
        run,
        trigger: Ticks(trigger),
        begin: Ticks(begin),
    };
    // Images come at 10,000 and 43,000; the second one is processed from 43,500 to 60,000 and acted
    // upon from 70,000 to 75,000.
    robot.push(see, Event::Take { exchange: to_cognition, cycle: cognition, run: 4, published: 1, at: Ticks(43_500) });
    robot.push(see, begin(cognition, 4, 43_000, 43_500));
    robot.push(see, Event::Publish { exchange: to_motion, run: 4, at: Ticks(60_000) });
    robot.push(act, Event::Take { exchange: to_motion, cycle: motion, run: 9, published: 4, at: Ticks(70_100) });
    robot.push(act, begin(motion, 9, 70_000, 70_100));
    let slice = |run, [ready, begin, end]: [u64; 3]| {
        let [ready, begin, end] = [ready, begin, end].map(Ticks);
        Event::TaskRun { task: legs, core: Core(0), run, ready, begin, end }
    };
    let arrival = |at, newest| Event::arrival(legs, camera, Ticks(at), Stamp(at), Stamp(newest), Stamp(newest));
    robot.push(act, arrival(40_000, 10_000));
    robot.push(act, slice(9, [70_100, 70_100, 75_000]));
    robot.push(act, arrival(75_000, 43_000));
    let history = robot.history();
    assert_eq!(history.chains().collect::<Vec<_>>(), [(camera, legs)]);
    let reactions = history.reactions(camera, legs, Latency::Reaction);
    let expected = Reaction { changed: Ticks(10_000), sampled: Ticks(43_000), output: Ticks(75_000) };
    assert_eq!(reactions, [expected]);
    let hops: Vec<_> = history.hops(camera, legs, reactions[0]).iter().map(|hop| (hop.ticks(), hop.step)).collect();
    let ages = history.reactions(camera, legs, Latency::DataAge);
    assert_eq!(ages.iter().map(Reaction::ticks).collect::<Vec<_>>(), [30_000, 32_000]);
    // Only the end of the first hop is known.
    assert_eq!(history.hops(camera, legs, ages[0])[0].step, Step::Unknown);
    hops
}

#[test]
fn what_is_used_again_because_nothing_newer_came_says_so() {
    let mut robot = Robot::new();
    let motion = robot.motion;
    let (body, legs) = (robot.catalog.source("Body").unwrap(), robot.task(motion, "legs"));
    let exchange = robot.catalog.exchange(motion, "Body to motion").unwrap();
    let worker = robot.worker(motion, 0);
    let plan = PlanId(9);
    for run in 1..=3_u32 {
        let at = Ticks(u64::from(run) * 12_000);
        if run == 1 {
            robot.push(worker, Event::Take { exchange, cycle: motion, run, published: 4, at });
        }
        robot.push(worker, Event::CycleBegin { cycle: motion, plan, run, trigger: at, begin: at });
        let end = Ticks(at.0 + 1_000);
        robot.push(worker, Event::TaskRun { task: legs, core: Core(0), run, ready: at, begin: at, end });
        robot.push(worker, Event::arrival(legs, body, end, Stamp(end.0), Stamp(11_000), Stamp(11_000)));
    }
    let history = robot.history();
    let ages = history.reactions(body, legs, Latency::DataAge);
    let hops: Vec<_> = history.hops(body, legs, ages[2]).iter().map(|hop| (hop.ticks(), hop.step)).collect();
    let expected = [
        (1_000, Step::Release { cycle: motion, run: 1 }),
        (24_000, Step::Kept { cycle: motion, first: 1, run: 3 }),
        (1_000, Step::Run { cycle: motion, run: 3 }),
    ];
    assert_eq!(hops, expected);
}

/// A task of a random run: its duration, the tasks before it that it needs, its worker, and how
/// late it begins.
type Random = (u64, Vec<prop::sample::Index>, usize, u64);

/// Makes a run of random tasks on two workers, while another cycle runs at random times on both
/// cores.
fn random_run(tasks: &[Random], late: u64, others: &[(usize, u64, u64)]) -> Robot {
    let mut robot = Robot::new();
    let (motion, cognition) = (robot.motion, robot.cognition);
    let name = |index: usize| format!("task {index}");
    let needs = |index: usize| tasks[index].1.iter().filter(move |_| index > 0).map(move |needed| needed.index(index));
    let edges: Vec<_> =
        (0..tasks.len()).flat_map(|index| needs(index).map(move |needed| (name(needed), name(index)))).collect();
    let edges: Vec<_> = edges.iter().map(|(from, to)| (from.as_str(), to.as_str())).collect();
    let plan = robot.plan(cognition, &edges);
    let begin = 1_000 + late;
    let (mut free, mut ends) = ([begin; 2], Vec::new());
    for (index, (length, _, worker, delay)) in tasks.iter().enumerate() {
        let ready = needs(index).map(|needed| ends[needed]).max().unwrap_or(begin);
        let entry = ready.max(free[*worker]) + delay;
        robot.ran(cognition, &name(index), *worker, [ready, entry, entry + length]);
        free[*worker] = entry + length;
        ends.push(entry + length);
    }
    let end = ends.iter().max().copied().unwrap_or(begin) + 7;
    robot.run(cognition, plan, 1, begin, end);
    for &(core, begin, length) in others {
        robot.ran(motion, "walk", core, [begin, begin, begin + length]);
    }
    robot
}

fn random_tasks() -> impl Strategy<Value = Vec<Random>> {
    let needs = prop::collection::vec(any::<prop::sample::Index>(), 0..3);
    prop::collection::vec((0..400_000_u64, needs, 0..2_usize, 0..300_u64), 0..12)
}

fn random_others() -> impl Strategy<Value = Vec<(usize, u64, u64)>> {
    prop::collection::vec((0..2_usize, 0..1_000_000_u64, 0..200_000_u64), 0..6)
}

proptest! {
    #[test]
    fn stretches_add_up_to_the_response_time(
        tasks in random_tasks(), late in 0..50_000_u64, others in random_others(),
    ) {
        let robot = random_run(&tasks, late, &others);
        let chain = robot.history().blocking_chain(robot.cognition, 1).unwrap();
        assert_whole(&chain);
        prop_assert!(chain.missing.is_empty());
        prop_assert!(chain.stretches.iter().all(|stretch| stretch.cause != Cause::Unknown));
    }

    #[test]
    fn nothing_is_said_of_what_nobody_waited_for(tasks in random_tasks()) {
        // With no delays and no other thread, the run is as long as the tasks of its chain.
        let tasks: Vec<_> = tasks.into_iter().map(|(length, needs, worker, _)| (length, needs, worker, 0)).collect();
        let robot = random_run(&tasks, 0, &[]);
        let chain = robot.history().blocking_chain(robot.cognition, 1).unwrap();
        let executed = chain.stretches.iter().filter(|stretch| matches!(stretch.cause, Cause::Executed { .. }));
        let executed: u64 = executed.map(Stretch::ticks).sum();
        prop_assert_eq!(executed + 7, chain.end.since(chain.trigger));
    }

    #[test]
    fn mutilated_events_break_nothing(
        tasks in random_tasks(),
        others in random_others(),
        kept in prop::collection::vec(any::<bool>(), 40),
        times in prop::collection::vec(prop::option::weighted(0.2, any::<u64>()), 40),
    ) {
        let mut robot = random_run(&tasks, 10, &others);
        let (mut kept, mut times) = (kept.into_iter().cycle(), times.into_iter().cycle());
        for events in robot.events.values_mut() {
            events.retain(|event| !matches!(event, Event::TaskRun { .. }) || kept.next() == Some(true));
            for event in events {
                if let (Event::TaskRun { begin, .. } | Event::CycleBegin { begin, .. }, Some(Some(time))) =
                    (event, times.next())
                {
                    *begin = Ticks(time);
                }
            }
        }
        let history = robot.history();
        if let Some(chain) = history.blocking_chain(robot.cognition, 1) {
            assert_whole(&chain);
            let explanation = Explanation::of(chain, &Durations::default(), &SCALE);
            prop_assert!(!explanation.table(&robot.catalog.read()).contains("NaN"));
            prop_assert!(!explanation.sentence(&robot.catalog.read()).is_empty());
        }
        prop_assert!(history.reactions(SourceId(0), TaskId(0), Latency::Reaction).is_empty());
    }
}
