use super::*;
use crate::{
    Callback, Capture, Catalog, Cycle, Event, TickScale,
    causes::{Durations, Explanation},
    ids::CycleId,
};
use proptest::prelude::*;

const SCALE: TickScale = TickScale::nanoseconds_per_tick_one();
const MICROSECOND: u64 = 1_000;
const MILLISECOND: u64 = 1_000 * MICROSECOND;

/// Two cycles with one worker on core 0, and readings of their accounts every 50 ms.
struct Robot {
    catalog: Catalog,
    capture: Capture,
    motion: (CycleId, WorkerId),
    cognition: (CycleId, WorkerId),
}

impl Robot {
    fn new() -> Self {
        let catalog = Catalog::new("robot");
        let cycle = |name, priority| {
            let cycle = catalog.cycle(Cycle::named(name).priority(priority)).unwrap();
            (cycle, catalog.worker(cycle, 0, 0).unwrap())
        };
        let (motion, cognition) = (cycle("motion", 80), cycle("cognition", 60));
        Self { catalog, capture: Capture::default(), motion, cognition }
    }

    /// Adds a run on core 0 with one task; the times are those at which it was due, began and
    /// ended.
    fn ran(&mut self, of: (CycleId, WorkerId), run: u32, times: [u64; 3]) {
        self.ran_on(Core(0), of, run, times);
    }

    fn ran_on(&mut self, core: Core, (cycle, worker): (CycleId, WorkerId), run: u32, [due, begin, end]: [u64; 3]) {
        let name = format!("{}.update", self.catalog.read().cycle_name(cycle));
        let task = self.catalog.task(cycle, &name).unwrap();
        let plan = self.catalog.plan(cycle, &[]).unwrap();
        let [trigger, begin, end] = [due, begin, end].map(|time| Ticks(time * MICROSECOND));
        let events = vec![
            Event::CycleBegin { cycle, plan, run, trigger, begin },
            Event::TaskRun { task, core, run, ready: begin, begin, end },
            Event::CycleEnd { cycle, run, at: end },
        ];
        self.capture.insert(worker, events);
    }

    /// Adds a reading at a time of what motion's thread had had, all in microseconds, and of what
    /// the host had taken of core 0, in milliseconds.
    fn looked(&mut self, at: u64, [running, waiting]: [u64; 2], stolen: u64) {
        let (worker, at) = (self.motion.1, Ticks(at * MICROSECOND));
        let [running, waiting] = [running, waiting].map(|time| time * MICROSECOND);
        let stolen = Event::StolenTime { core: Core(0), nanoseconds: stolen * MILLISECOND, at };
        let service = self.catalog.service().unwrap();
        self.capture.insert(service, vec![stolen, Event::ThreadTime { worker, running, waiting, at }]);
    }

    /// Explains run 1 of motion.
    fn why(&self, usual: &Durations) -> Explanation {
        let history = History::of(&self.capture, &self.catalog, &SCALE);
        let chain = history.blocking_chain(self.motion.0, 1).unwrap();
        Explanation::of(chain, usual, &SCALE).with_accounts(&history)
    }

    fn loss(&self) -> Loss {
        self.why(&Durations::default()).loss.unwrap()
    }

    /// Returns the loss of motion, whose `motion.update` usually takes 200 µs.
    fn long_loss(&self) -> Loss {
        let mut usual = Robot::new();
        (2..9).for_each(|run| usual.ran(usual.motion, run, [0, 0, 200]));
        self.why(&Durations::of(&usual.capture, &usual.catalog, &SCALE, (usual.motion.0, 1))).loss.unwrap()
    }
}

/// Makes a robot whose motion was due at 60 ms and began 1.8 ms later.
fn late(waiting: u64, stolen: u64) -> Robot {
    let mut robot = Robot::new();
    robot.ran(robot.motion, 1, [60_000, 61_800, 62_000]);
    robot.looked(50_000, [5_000, 100], 70);
    robot.looked(100_000, [5_800, 100 + waiting], 70 + stolen);
    robot
}

#[test]
fn a_thread_that_waited_for_others_is_told_as_such() {
    let loss = late(1_750, 0).loss();
    assert_eq!((loss.taker, loss.taken, loss.within), (Taker::OtherPrograms, 1_750 * MICROSECOND, None));
    assert_eq!((loss.account.begin, loss.account.end), (Ticks(50 * MILLISECOND), Ticks(100 * MILLISECOND)));
}

#[test]
fn a_late_timer_is_nobodys_fault() {
    assert_eq!(late(30, 0).loss().taker, Taker::Nobody);
}

#[test]
fn what_the_host_took_is_not_blamed_on_others() {
    let loss = late(1_750, 20).loss();
    assert_eq!((loss.taker, loss.taken), (Taker::Host, 1_800 * MICROSECOND));
}

#[test]
fn a_wait_for_the_robots_own_threads_is_not_blamed_on_others() {
    let mut robot = late(1_750, 0);
    // Cognition is not more important, but the kernel may not respect that.
    robot.ran(robot.cognition, 1, [60_000, 60_050, 61_750]);
    let loss = robot.loss();
    assert_eq!((loss.taker, loss.account.for_ours), (Taker::OursOrOthers, 1_700 * MICROSECOND));
}

#[test]
fn what_stood_still_itself_did_not_have_the_core() {
    let mut robot = late(1_750, 0);
    robot.ran(robot.cognition, 1, [60_000, 60_050, 61_750]);
    let (other, service) = (robot.cognition.1, robot.catalog.service().unwrap());
    let looks = [(50, 7_000), (100, 7_040)].map(|(at, running)| Event::ThreadTime {
        worker: other,
        running: running * MICROSECOND,
        waiting: 0,
        at: Ticks(at * MILLISECOND),
    });
    robot.capture.insert(service, looks.to_vec());
    let loss = robot.loss();
    assert_eq!((loss.taker, loss.account.for_ours), (Taker::OtherPrograms, 40 * MICROSECOND));
}

#[test]
fn sources_and_executors_have_accounts_too() {
    let mut robot = Robot::new();
    let (cameras, arm) = (robot.catalog.source("cameras").unwrap(), robot.catalog.executor("arm").unwrap());
    let thread = robot.catalog.source_thread(cameras).unwrap();
    let reach = robot.catalog.callback(Callback::of(arm, "reach")).unwrap();
    let (core, [begin, end]) = (Core(1), [60, 80].map(|at| Ticks(at * MILLISECOND)));
    let sampled = Event::Sample { source: cameras, core, sample: 0, begin, end };
    let called = Event::Callback { callback: reach, core, sequence: 0, published: begin, begin, end };
    for (worker, event) in [(thread, sampled), (arm, called)] {
        robot.capture = Capture::default();
        robot.ran_on(core, robot.cognition, 1, [70_000, 70_000, 71_000]);
        robot.capture.insert(worker, vec![event]);
        let looks = [(50, 0), (100, 1)].map(|(at, look)| Event::ThreadTime {
            worker,
            running: look * 8 * MILLISECOND,
            waiting: look * 12 * MILLISECOND,
            at: Ticks(at * MILLISECOND),
        });
        robot.capture.insert(robot.catalog.service().unwrap(), looks.to_vec());
        let account = History::of(&robot.capture, &robot.catalog, &SCALE).account(worker, core, begin, end).unwrap();
        let counted = [account.in_tasks, account.running, account.waiting, account.for_ours];
        assert_eq!(counted.map(|time| time / MILLISECOND), [20, 8, 12, 1]);
        assert_eq!(account.taken_by_others(12 * MILLISECOND, 0), 11 * MILLISECOND);
        assert_eq!(account.taken_by_others(12 * MILLISECOND, 2 * MILLISECOND), 10 * MILLISECOND);
        assert_eq!(account.taken_by_others(40 * MILLISECOND, 0), 0, "that is not most of it");
    }
}

#[test]
fn a_thread_that_moves_may_have_waited_for_the_robots_own_on_each_of_its_cores() {
    let mut robot = late(1_750, 0);
    robot.ran_on(Core(1), robot.cognition, 1, [60_000, 60_050, 61_750]);
    assert_eq!(robot.loss().taker, Taker::OtherPrograms, "it was on core 0 all the time");
    robot.ran_on(Core(1), robot.motion, 2, [72_000, 72_010, 72_200]);
    assert_eq!(robot.loss().taker, Taker::OursOrOthers);
}

#[test]
fn nothing_is_said_where_nobody_looked() {
    let mut robot = Robot::new();
    robot.ran(robot.motion, 1, [60_000, 61_800, 62_000]);
    assert_eq!(robot.why(&Durations::default()).loss, None);
    robot.looked(50_000, [0, 0], 0);
    assert_eq!(robot.why(&Durations::default()).loss, None, "nobody looked afterwards");
}

/// Returns the loss of an update of motion that took 3 ms instead of 200 µs, and whose thread was
/// on a core and waited for these times.
fn long(running: u64, waiting: u64, stolen: u64) -> Loss {
    let mut robot = Robot::new();
    robot.ran(robot.motion, 1, [60_000, 60_000, 63_000]);
    robot.looked(50_000, [5_000, 100], 70);
    robot.looked(100_000, [5_000 + running, 100 + waiting], 70 + stolen);
    robot.long_loss()
}

#[test]
fn a_core_that_is_lost_within_an_update_is_told_from_one_that_it_used() {
    assert_eq!(long(3_010, 20, 0).taker, Taker::Update);
    let lost = long(1_100, 1_880, 0);
    assert_eq!((lost.taker, lost.taken), (Taker::OtherPrograms, 1_880 * MICROSECOND));
    assert!(lost.within.is_some());
    assert_eq!(long(1_100, 20, 20).taker, Taker::Host);
    assert_eq!(long(1_100, 20, 0).taker, Taker::Sleep);
    // The thread waited long, but it was on a core for as long as its update took, so it did not
    // wait within the update.
    assert_eq!(long(3_010, 5_000, 0).taker, Taker::OursOrOthers);
}

#[test]
fn the_words_have_the_figures() {
    let words = |loss: Loss| loss.sentence(&SCALE);
    assert_eq!(
        words(late(1_750, 0).loss()),
        "in the 50.0 ms around it its thread waited 1.75 ms for a core that other programs had, or the kernel itself"
    );
    assert_eq!(
        words(late(30, 10).loss()),
        "in the 50.0 ms around it the host took core 0 away for 10.0 ms (counted in steps of 10 ms), and its thread waited 30.0 µs for a core"
    );
    assert_eq!(
        words(late(30, 0).loss()),
        "in the 50.0 ms around it its thread waited only 30.0 µs for a core, and the host took less than 10 ms of core 0: \
         the timer or the wake-up itself was late, or the host took the core for less than it counts"
    );
    assert_eq!(
        words(long(1_100, 1_880, 0)),
        "of the 3.00 ms that its thread spent in updates in the 50.0 ms around it, it was on a core for 1.10 ms, \
         and waited 1.88 ms for one that other programs had, or the kernel itself"
    );
    assert_eq!(
        words(long(3_010, 20, 0)),
        "of the 3.00 ms that its thread spent in updates in the 50.0 ms around it, it was on a core for 3.00 ms, waited 20.0 µs for one, \
         and the host took less than 10 ms of core 0: so the update itself took that long"
    );
}

prop_compose! {
    fn accounts()(times in prop::array::uniform4(0..100 * MILLISECOND), stolen in prop::option::of(0..10_u64)) -> Account {
        let [running, in_tasks, waiting, for_ours] = times;
        let (begin, end) = (Ticks(0), Ticks(100 * MILLISECOND));
        let stolen = stolen.map(|steps| steps * 10 * MILLISECOND);
        Account { worker: WorkerId(0), core: Core(0), begin, end, running, in_tasks, waiting, for_ours, stolen }
    }
}

proptest! {
    #[test]
    fn never_more_is_attributed_than_was_lost_or_counted(account in accounts(), lost in 0..100 * MILLISECOND) {
        for loss in [Loss::before_it_ran(account, lost), Loss::within(TaskId(0), account, lost)] {
            prop_assert!(loss.taken <= lost);
            match loss.taker {
                Taker::OtherPrograms => {
                    prop_assert!(loss.taken <= account.waiting.saturating_sub(account.for_ours));
                    prop_assert!(loss.taken > 0);
                }
                Taker::Host => prop_assert!(loss.taken <= account.stolen.unwrap()),
                Taker::OursOrOthers => prop_assert!(account.waiting > 0),
                Taker::Nobody => prop_assert!(account.waiting * 2 < lost.max(1)),
                Taker::Update => prop_assert!(account.in_tasks.saturating_sub(account.running) * 2 < lost.max(1)),
                Taker::Sleep => prop_assert!(account.running < account.in_tasks),
            }
            if loss.within.is_some() && loss.taken > 0 && loss.taker == Taker::OtherPrograms {
                prop_assert!(loss.taken <= account.in_tasks.saturating_sub(account.running));
            }
        }
    }

    #[test]
    fn whatever_was_counted_finds_words(account in accounts(), lost in 0..100 * MILLISECOND) {
        for loss in [Loss::before_it_ran(account, lost), Loss::within(TaskId(0), account, lost)] {
            prop_assert!(loss.sentence(&SCALE).contains("around it"));
            prop_assert!(!loss.remedy(&Catalog::new("robot").read(), "motion").is_empty());
        }
    }
}
