use crate::{Catalog, Core, Cycle, Event, HeldUp, PlanId, Statistics, TaskId, TickScale, Ticks, WorkerId};
use proptest::prelude::*;

const MILLISECOND: u64 = 1_000_000;
/// The time from reading to reading, in milliseconds.
const LOOK: u64 = 50;

/// The state of a thread for some milliseconds.
#[derive(Clone, Copy, Debug)]
enum Spends {
    /// The thread is on a core.
    Running(u64),
    /// Another program has the core.
    Waiting(u64),
    /// Another thread of the robot has the core.
    WaitingForOurs(u64),
    /// The host has the core.
    Stolen(u64),
    /// The thread has nothing to do, or misses a page or a lock.
    Asleep(u64),
}
use Spends::{Asleep, Running, Stolen, Waiting, WaitingForOurs};

/// A task on a thread, another thread on the same core, and a service that gathers events and reads
/// the accounts of both.
struct World {
    statistics: Statistics,
    thread: WorkerId,
    other: WorkerId,
    tasks: [TaskId; 2],
    /// The time in milliseconds, like the accounts below.
    now: u64,
    running: u64,
    waiting: u64,
    other_running: u64,
    stolen: u64,
    looks: bool,
    /// The events that were not gathered yet.
    rings: Vec<(WorkerId, Event)>,
}

impl World {
    fn new() -> Self {
        let catalog = Catalog::new("robot");
        let thread_of = |cycle: &str, task: &str, priority| {
            let cycle = catalog.cycle(Cycle::named(cycle).priority(priority)).unwrap();
            (catalog.worker(cycle, 0, 0).unwrap(), catalog.task(cycle, task).unwrap())
        };
        let (thread, ball) = thread_of("cognition", "Ball.find", 40);
        let (other, walk) = thread_of("motion", "Walk.joints", 80);
        let statistics = Statistics::new(catalog, TickScale::nanoseconds_per_tick_one());
        let (now, running, waiting, other_running, stolen) = <_>::default();
        let (tasks, looks, rings) = ([ball, walk], true, Vec::new());
        Self { statistics, thread, other, tasks, now, running, waiting, other_running, stolen, looks, rings }
    }

    fn at(milliseconds: u64) -> Ticks {
        Ticks(milliseconds * MILLISECOND)
    }

    /// Gathers like the service thread: first the events in the rings, then the readings.
    fn gather(&mut self) {
        for (worker, event) in self.rings.drain(..) {
            self.statistics.absorb(worker, &[event]);
        }
        let at = Self::at(self.now);
        self.statistics.settle(at);
        if self.looks {
            let thread_time = |worker, [running, waiting]: [u64; 2]| {
                let [running, waiting] = [running, waiting].map(|time| time * MILLISECOND);
                Event::ThreadTime { worker, running, waiting, at }
            };
            // Linux counts stolen time in steps.
            let stolen = self.stolen / 10 * 10 * MILLISECOND;
            let events = [
                Event::StolenTime { core: Core(0), nanoseconds: stolen, at },
                thread_time(self.thread, [self.running, self.waiting]),
                thread_time(self.other, [self.other_running, 0]),
            ];
            let service = self.statistics.catalog.service().unwrap();
            self.rings.extend(events.map(|event| (service, event)));
        }
    }

    fn spend(&mut self, spends: Spends) {
        let (Running(time) | Waiting(time) | WaitingForOurs(time) | Stolen(time) | Asleep(time)) = spends;
        let begin = self.now;
        for _ in 0..time {
            self.now += 1;
            match spends {
                Running(_) => self.running += 1,
                Waiting(_) => self.waiting += 1,
                WaitingForOurs(_) => (self.waiting, self.other_running) = (self.waiting + 1, self.other_running + 1),
                Stolen(_) => self.stolen += 1,
                Asleep(_) => {}
            }
            if self.now.is_multiple_of(LOOK) {
                self.gather();
            }
        }
        if let WaitingForOurs(_) = spends {
            self.ran(self.other, self.tasks[1], begin);
        }
    }

    fn ran(&mut self, worker: WorkerId, task: TaskId, begin: u64) {
        let (begin, end) = (Self::at(begin), Self::at(self.now));
        self.rings.push((worker, Event::TaskRun { task, core: Core(0), run: 0, ready: begin, begin, end }));
    }

    /// Executes the task, which returns after all these parts.
    fn execute(&mut self, parts: &[Spends]) {
        let begin = self.now;
        parts.iter().for_each(|&part| self.spend(part));
        self.ran(self.thread, self.tasks[0], begin);
    }

    /// Lets ten executions of 15 ms each pass.
    fn after_ten(mut self) -> Self {
        for _ in 0..10 {
            self.execute(&[Running(15)]);
            self.spend(Asleep(18));
        }
        self
    }

    /// Returns the longest execution that the profile has after that, in milliseconds, and the
    /// executions that were held up.
    fn after(mut self, parts: &[Spends]) -> (u64, HeldUp) {
        self.execute(parts);
        self.spend(Asleep(4 * LOOK));
        self.known()
    }

    fn known(&self) -> (u64, HeldUp) {
        let profile = self.statistics.profile();
        let measured = profile.task("cognition", "Ball.find").unwrap();
        (measured.maximum() / MILLISECOND, measured.held_up())
    }
}

const NONE: HeldUp = HeldUp { count: 0, longest: 0 };

fn once(milliseconds: u64) -> HeldUp {
    HeldUp { count: 1, longest: milliseconds * MILLISECOND }
}

#[test]
fn what_other_programs_took_does_not_become_the_longest_execution() {
    assert_eq!(World::new().after_ten().after(&[Running(10), Waiting(41), Running(9)]), (19, once(60)));
    assert_eq!(World::new().after_ten().after(&[Waiting(400), Running(14)]), (15, once(414)));
}

#[test]
fn what_the_host_took_does_not_become_the_longest_execution() {
    assert_eq!(World::new().after_ten().after(&[Running(10), Stolen(40), Running(9)]), (19, once(59)));
    assert_eq!(World::new().after_ten().after(&[Running(10), Stolen(9), Running(5)]), (24, NONE), "it counts in steps");
}

#[test]
fn what_is_the_robots_own_doing_counts() {
    for parts in [
        [Running(10), Running(40), Running(10)],
        [Running(10), Asleep(40), Running(10)],
        [Running(10), WaitingForOurs(40), Running(10)],
        [Running(30), Waiting(19), Running(11)],
    ] {
        assert_eq!(World::new().after_ten().after(&parts), (60, NONE), "{parts:?}");
    }
}

#[test]
fn a_stalled_core_is_not_blamed_on_others_of_the_robot_that_were_stalled_with_it() {
    let mut world = World::new().after_ten();
    let begin = world.now;
    world.execute(&[Running(10), Waiting(41), Running(9)]);
    world.ran(world.other, world.tasks[1], begin);
    world.spend(Asleep(4 * LOOK));
    assert_eq!(world.known(), (19, once(60)), "it was in its task as well, and did not run");
}

#[test]
fn what_can_have_been_lost_in_another_execution_counts() {
    let mut world = World::new().after_ten();
    world.spend(Asleep(LOOK - world.now % LOOK));
    world.execute(&[Running(15), Waiting(8)]);
    assert_eq!(world.after(&[Running(23)]), (23, NONE));
}

#[test]
fn until_somebody_looked_it_counts() {
    let mut world = World::new().after_ten();
    world.execute(&[Running(10), Waiting(41), Running(9)]);
    world.spend(Asleep(LOOK - world.now % LOOK));
    assert_eq!(world.known(), (60, NONE));
    world.spend(Asleep(2 * LOOK));
    assert_eq!(world.known(), (19, once(60)));
}

#[test]
fn where_nobody_looks_it_counts() {
    let mut world = World::new();
    world.looks = false;
    assert_eq!(world.after_ten().after(&[Running(10), Waiting(41), Running(9)]), (60, NONE));

    let mut world = World::new().after_ten();
    world.execute(&[Running(10), Waiting(41), Running(9)]);
    world.looks = false;
    world.spend(Asleep(2000));
    world.looks = true;
    world.spend(Asleep(4 * LOOK));
    assert_eq!(world.known(), (60, NONE), "nobody waits for ever");
}

#[test]
fn the_first_execution_is_held_up_like_others() {
    let mut world = World::new();
    world.spend(Asleep(LOOK));
    assert_eq!(world.after(&[Running(10), Waiting(41), Running(9)]), (19, once(60)));
    let mut world = World::new();
    world.spend(Asleep(LOOK));
    assert_eq!(world.after(&[Running(40), Waiting(20)]), (60, NONE), "most of it was its own");
}

#[test]
fn a_task_that_is_always_interrupted_is_held_up_like_others() {
    let mut world = World::new();
    let cycle = world.statistics.catalog.cycle(Cycle::named("motion").priority(80)).unwrap();
    let begin = Event::CycleBegin { cycle, plan: PlanId(0), run: 0, trigger: Ticks(0), begin: Ticks(0) };
    world.rings.push((world.other, begin));
    assert_eq!(world.after_ten().after(&[Running(10), Waiting(41), Running(9)]), (19, once(60)));
}

#[test]
fn the_order_in_which_rings_are_read_makes_no_difference() {
    let mut world = World::new().after_ten();
    world.execute(&[Running(10), Waiting(41), Running(9)]);
    for _ in 0..4 {
        world.rings.reverse();
        world.spend(Asleep(LOOK));
    }
    assert_eq!(world.known(), (19, once(60)));
}

#[test]
fn statistics_count_everything() {
    let mut world = World::new().after_ten();
    world.execute(&[Running(10), Waiting(41), Running(9)]);
    world.spend(Asleep(4 * LOOK));
    let execution = &world.statistics.task(world.tasks[0]).unwrap().execution;
    assert_eq!((execution.count(), execution.maximum()), (11, 60 * MILLISECOND));
    let profile = world.statistics.profile();
    assert_eq!(profile.task("cognition", "Ball.find").unwrap().count(), 11);
}

const SHORTEST: u64 = 3;

fn spends() -> impl Strategy<Value = Spends> {
    prop_oneof![
        (0..30_u64).prop_map(Running),
        (0..60_u64).prop_map(Waiting),
        (0..20_u64).prop_map(WaitingForOurs),
        (0..40_u64).prop_map(Stolen),
    ]
}

proptest! {
    /// There is no sleep, which looks the same as a stolen core, and the shortest execution had a
    /// core all the time.
    #[test]
    fn no_execution_counts_as_shorter_than_it_was_on_a_core(
        steps in prop::collection::vec((prop::collection::vec(spends(), 1..4), spends(), 0..40_u64), 1..20),
    ) {
        let (mut world, mut longest, mut longest_own) = (World::new(), 0, 0);
        world.execute(&[Running(SHORTEST)]);
        for (mut parts, between, pause) in steps {
            let begin = world.now;
            parts.push(Running(SHORTEST));
            world.execute(&parts);
            longest = longest.max(world.now - begin);
            let own = |part: &Spends| if let Running(time) = part { *time } else { 0 };
            longest_own = longest_own.max(parts.iter().map(own).sum());
            world.spend(between);
            world.spend(Asleep(pause));
        }
        world.spend(Asleep(1500));
        let (counts, held_up) = world.known();
        prop_assert!((longest_own..=longest).contains(&counts), "{longest_own} {counts} {longest}");
        prop_assert!(counts == longest || held_up.longest == longest * MILLISECOND);
    }

    #[test]
    fn what_no_other_program_and_no_host_took_counts(
        steps in prop::collection::vec((0..30_u64, 0..30_u64, 0..30_u64, 0..40_u64), 1..20),
    ) {
        let (mut world, mut longest) = (World::new(), 0);
        for (running, asleep, ours, pause) in steps {
            longest = longest.max(running + asleep + ours);
            world.execute(&[Running(running), Asleep(asleep), WaitingForOurs(ours)]);
            world.spend(Asleep(pause));
        }
        world.spend(Asleep(1500));
        prop_assert_eq!(world.known(), (longest, NONE));
    }
}
