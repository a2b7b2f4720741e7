use hemiola_trace::{Callback, Collector, Core, Cycle, PlanId, Ring, WorkerId};

use super::*;

const SCALE: TickScale = TickScale::nanoseconds_per_tick_one();
const MILLISECOND: u64 = 1_000_000;

/// Two cycles on one core, and the events that their workers would record.
struct Workers {
    catalog: Catalog,
    motion: (CycleId, WorkerId, Ring),
    cognition: (CycleId, WorkerId, Ring),
    collector: Collector,
    watch: BoundWatch,
}

impl Workers {
    fn watching(bounds: LatencyBounds) -> Self {
        let (catalog, mut collector) = (Catalog::new("robot"), Collector::default());
        let mut worker = |name: &str, priority| {
            let cycle = catalog.cycle(Cycle::named(name).priority(priority)).unwrap();
            let worker = catalog.worker(cycle, 0, 0).unwrap();
            let ring = Ring::with_capacity(1024);
            collector.add(worker, ring.reader());
            (cycle, worker, ring)
        };
        let (motion, cognition) = (worker("motion", 80), worker("cognition", 60));
        let mut watch = BoundWatch::default();
        watch.watch(bounds);
        Self { catalog, motion, cognition, collector, watch }
    }

    /// Adds a run of cognition with one task; its times are in milliseconds: due, begun, task
    /// begun, ended.
    fn cognition(&mut self, run: u32, [due, begun, seen, ended]: [u64; 4]) {
        let [due, begun, seen, ended] = [due, begun, seen, ended].map(|time| Ticks(time * MILLISECOND));
        let (cycle, _, ring) = &mut self.cognition;
        let task = self.catalog.task(*cycle, "LineFinder.lines").unwrap();
        ring.push(Event::CycleBegin { cycle: *cycle, plan: PlanId(0), run, trigger: due, begin: begun });
        ring.push(Event::TaskRun { task, core: Core(0), run, ready: begun, begin: seen, end: ended });
        ring.push(Event::CycleEnd { cycle: *cycle, run, at: ended });
    }

    /// Returns the exceedances in all events.
    fn told(&mut self) -> Vec<Exceedance> {
        let Self { catalog, collector, watch, .. } = self;
        let mut statistics = Statistics::new(catalog.clone(), SCALE);
        watch.resolve(catalog);
        collector.drain(|worker, events, _| {
            statistics.absorb(worker, events);
            watch.absorb(events, &SCALE);
        });
        watch.explain(catalog, &SCALE, &statistics, || collector.capture())
    }
}

fn bounds() -> LatencyBounds {
    LatencyBounds::default().response("cognition", Duration::from_millis(20))
}

fn update(took: u64, assumed: Option<u64>) -> ExceedanceCause {
    ExceedanceCause::Execution {
        cycle: "cognition".into(),
        update: "LineFinder.lines".into(),
        took: Duration::from_millis(took),
        assumed: assumed.map(Duration::from_millis),
    }
}

#[test]
fn what_stays_within_its_bound_is_not_told() {
    let mut workers = Workers::watching(bounds());
    workers.cognition(0, [100, 100, 100, 120]);
    assert_eq!(workers.told(), []);
    assert!(workers.watch.counts(&workers.catalog).is_empty());
}

#[test]
fn an_execution_time_beyond_its_assumed_maximum_is_named() {
    let mut workers = Workers::watching(bounds().execution("cognition", "LineFinder.lines", Duration::from_millis(15)));
    workers.cognition(7, [100, 100, 100, 125]);
    let told = workers.told();
    assert_eq!(told.iter().map(|told| &told.cause).collect::<Vec<_>>(), [&update(25, Some(15))]);
    let expected = "the response time of cognition was 25.0 ms in run 7, above its bound of 20.0 ms: \
        LineFinder.lines ran 25.0 ms, and was assumed to run 15.0 ms at most";
    assert_eq!(told[0].to_string(), expected);
}

#[test]
fn a_late_begin_is_not_blamed_on_the_tasks() {
    let mut workers = Workers::watching(bounds().execution("cognition", "LineFinder.lines", Duration::from_millis(15)));
    workers.cognition(7, [100, 112, 112, 126]);
    assert_eq!(workers.told()[0].cause, ExceedanceCause::LateRelease);
}

#[test]
fn a_preemption_is_named_with_its_thread() {
    let mut workers = Workers::watching(bounds().execution("cognition", "LineFinder.lines", Duration::from_millis(15)));
    let (cycle, _, ring) = &mut workers.motion;
    let task = workers.catalog.task(*cycle, "Walk.joints").unwrap();
    let [begin, end] = [105, 118].map(|time| Ticks(time * MILLISECOND));
    ring.push(Event::TaskRun { task, core: Core(0), run: 3, ready: begin, begin, end });
    workers.cognition(7, [100, 100, 100, 127]);
    let lasted = Duration::from_millis(13);
    assert_eq!(workers.told()[0].cause, ExceedanceCause::Preemption { thread: "motion 0".into(), lasted });
}

#[test]
fn a_worker_that_stood_still_is_named() {
    let mut workers = Workers::watching(bounds());
    workers.cognition(7, [100, 100, 115, 127]);
    assert_eq!(workers.told()[0].cause, ExceedanceCause::StalledCore);
}

/// Returns the exceedance of a run of cognition whose thread has waited for 11 ms, while the host
/// has taken its core for `stolen` ms.
fn starved(stolen: u64) -> Exceedance {
    let mut workers = Workers::watching(bounds());
    let service = workers.catalog.service().unwrap();
    let mut ring = Ring::with_capacity(16);
    workers.collector.add(service, ring.reader());
    workers.cognition(7, [100, 112, 112, 126]);
    for (at, waiting, stolen) in [(90, 3, 0), (140, 14, stolen)] {
        let at = Ticks(at * MILLISECOND);
        let waiting = waiting * MILLISECOND;
        ring.push(Event::StolenTime { core: Core(0), nanoseconds: stolen * MILLISECOND, at });
        ring.push(Event::ThreadTime { worker: workers.cognition.1, running: 0, waiting, at });
    }
    workers.told().remove(0)
}

#[test]
fn a_core_that_other_programs_or_the_host_had_is_told_with_its_time() {
    let [others, host] = [starved(0).cause, starved(20).cause];
    let thread = "cognition 0".to_owned();
    assert_eq!(others, ExceedanceCause::OtherPrograms { thread, lasted: Duration::from_millis(11) });
    assert_eq!(host, ExceedanceCause::Host { core: 0, lasted: Duration::from_millis(12) });
    let words = "in the 50.0 ms around it its thread waited 11.0 ms for a core that other programs had";
    assert!(starved(0).explanation.contains(words), "{}", starved(0).explanation);
}

#[test]
fn a_few_are_told_in_a_second_and_all_are_counted() {
    let mut workers = Workers::watching(bounds());
    for run in 0..100 {
        let due = u64::from(run) * 100;
        workers.cognition(run, [due, due, due, due + 30]);
    }
    assert_eq!(workers.told().len(), 4);
    workers.cognition(100, [20_000, 20_000, 20_000, 20_040]);
    assert_eq!(workers.told(), [], "the second has not passed");
    let of = Bounded::Response { cycle: "cognition".into() };
    assert_eq!(workers.watch.counts(&workers.catalog), BTreeMap::from([(of, 101)]));
    workers.watch.told.clear();
    workers.cognition(101, [21_000, 21_000, 21_000, 21_040]);
    assert_eq!(workers.told()[0].others, 97);
}

#[test]
fn an_old_sample_is_told_with_the_most_unusual_part_of_its_way() {
    let milliseconds = Duration::from_millis;
    let limits = LatencyBounds::default().data_age("Camera", "LineFinder.lines", milliseconds(30)).reaction(
        "Camera",
        "LineFinder.lines",
        milliseconds(60),
    );
    let mut workers = Workers::watching(limits);
    let camera = workers.catalog.source("Camera").unwrap();
    let (cycle, _, _) = workers.cognition;
    let exchange = workers.catalog.exchange(cycle, "Camera to cognition").unwrap();
    let output = workers.catalog.task(cycle, "LineFinder.lines").unwrap();
    for (run, sampled, ended) in [(0, 1, 21), (1, 34, 54), (2, 67, 87), (3, 100, 120), (4, 133, 173)] {
        let at = Ticks((sampled + 1) * MILLISECOND);
        workers.cognition.2.push(Event::Take { exchange, cycle, run, published: run, at });
        workers.cognition(run, [sampled, sampled + 1, sampled + 1, ended]);
        let [now, sample] = [ended, sampled].map(|time| Stamp(time * MILLISECOND));
        workers.cognition.2.push(Event::arrival(output, camera, Ticks(ended * MILLISECOND), now, sample, sample));
    }
    let told = workers.told();
    let of: Vec<_> = told.iter().map(|told| (told.of.to_string(), told.observed)).collect();
    let expected = [
        ("the reaction time from Camera to LineFinder.lines".to_owned(), milliseconds(73)),
        ("the data age from Camera to LineFinder.lines".to_owned(), milliseconds(40)),
    ];
    assert_eq!(of, expected);
    // The time until the next sample of the camera was as long, but that is always so.
    for told in told {
        let words = "40.0 ms of it, 20.0 ms more than usual, passed in run 4 of cognition";
        assert!(told.explanation.starts_with(words), "{}", told);
        assert_eq!(told.run, 4);
    }
}

/// Returns the exceedance of a call for the third message; its times are in milliseconds:
/// published, entered, returned. Its bounds are a response time of 10 ms and an execution time of 2
/// ms. By the kernel's accounts, its thread has waited for a core for `starved` ms.
fn called(others: &[[u64; 2]], times: [u64; 3], starved: u64) -> Exceedance {
    let milliseconds = Duration::from_millis;
    let limits = LatencyBounds::default().callback("arm", "Reach", milliseconds(10));
    let mut workers = Workers::watching(limits.execution("arm", "Reach", milliseconds(2)));
    let arm = workers.catalog.executor("arm").unwrap();
    let [reach, servo] = ["Reach", "servo"].map(|name| workers.catalog.callback(Callback::of(arm, name)).unwrap());
    let mut ring = Ring::with_capacity(16);
    workers.collector.add(arm, ring.reader());
    let mut call = |callback, times: [u64; 3]| {
        let [published, begin, end] = times.map(|time| Ticks(time * MILLISECOND));
        ring.push(Event::Callback { callback, core: Core(0), sequence: 3, published, begin, end });
    };
    others.iter().for_each(|&[begin, end]| call(servo, [begin, begin, end]));
    call(reach, times);
    for (at, waiting) in [(90, 0), (140, starved)] {
        let at = Ticks(at * MILLISECOND);
        let waiting = waiting * MILLISECOND;
        ring.push(Event::ThreadTime { worker: arm, running: waiting / 4, waiting, at });
    }
    workers.told().remove(0)
}

#[test]
fn a_callback_that_was_late_is_told_with_what_its_executor_did_meanwhile() {
    let long = called(&[], [100, 101, 113], 0);
    let expected = "the response time of arm: Reach was 13.0 ms for number 3, above its bound of 10.0 ms: \
        Reach ran 12.0 ms, and was assumed to run 2.00 ms at most";
    assert_eq!(long.to_string(), expected);
    let waited = called(&[[99, 109]], [100, 109, 111], 0);
    assert_eq!(waited.cause, ExceedanceCause::Backlog);
    assert_eq!(
        waited.explanation,
        "9.00 ms until it was called, and then 2.00 ms; arm ran others meanwhile, for 9.00 ms"
    );
    assert_eq!(called(&[], [100, 111, 112], 0).cause, ExceedanceCause::LateRelease);
    let thread = "arm".to_owned();
    let taken =
        |lasted| ExceedanceCause::OtherPrograms { thread: thread.clone(), lasted: Duration::from_millis(lasted) };
    assert_eq!(called(&[], [100, 111, 112], 8).cause, taken(2), "of which the bound was exceeded by 2");
    let within = called(&[], [100, 101, 113], 8);
    assert_eq!(within.cause, taken(8));
    let words = "Reach ran 12.0 ms, and was assumed to run 2.00 ms at most; in the 50.0 ms around it its thread waited 8.00 ms for a core";
    assert!(within.explanation.starts_with(words), "{within}");
}
