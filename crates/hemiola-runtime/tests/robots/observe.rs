//! Observers of a robot receive every value unchanged, and nobody waits for them.
use std::sync::Arc;
use std::time::{Duration, Instant};

use hemiola::prelude::*;
use hemiola_model::Time;
use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
use hemiola_realtime::Wakeup;
use hemiola_runtime::{
    Dropped, JournalEvent, Observation, Observer, Pace, Robot, RobotHandle, RuntimeError, Seen, ValueRequest,
};

#[derive(Representation, Clone, Default)]
struct Sample {
    number: u32,
}

#[derive(Representation, Clone, Default)]
struct Filtered {
    number: u32,
    history: Vec<u32>,
}

/// A value that is provided in every third run only.
#[derive(Representation, Clone, Default)]
struct Rare {
    number: u32,
}

#[derive(Representation, Clone, Default)]
#[representation(opaque)]
struct Model {
    _weights: Vec<f32>,
}

#[derive(Source)]
struct Sensor {
    samples: u32,
}

#[source]
impl Sensor {
    #[sample(rate = 100.0)]
    fn sample(&mut self, sample: &mut Sample) {
        self.samples += 1;
        sample.number = self.samples;
    }
}

#[derive(Module)]
struct Filter {}

#[module]
impl Filter {
    #[update]
    fn filtered(&self, sample: &Sample, filtered: &mut Filtered) {
        filtered.number = sample.number;
        filtered.history.extend(1..=sample.number);
    }

    #[update]
    fn rare(&self, sample: &Sample, rare: &mut Rare) -> Result<(), String> {
        rare.number = sample.number;
        if sample.number.is_multiple_of(3) { Ok(()) } else { Err("nothing new".into()) }
    }

    #[update]
    fn model(&self, _filtered: &Filtered, _model: &mut Model) {}
}

fn robot() -> Robot {
    let mut filter = CycleConfiguration::new("filter", Trigger::Source("Sensor".into()));
    filter.workers = Some(1);
    crate::assemble(module_path!(), Configuration { cycles: vec![filter], ..Configuration::default() }).unwrap()
}

fn requests(rate: Option<f64>) -> Vec<ValueRequest> {
    ["Sample", "Filtered", "Rare"].map(|name| ValueRequest { rate, ..ValueRequest::all(name) }).into()
}

/// A value as the recorder received it: its number, and the run and time in which it was provided.
type Recorded = (u32, u32, Time);

/// Steps a robot for a second while a slow recorder observes it.
fn record_a_second(rate: Option<f64>) -> [Vec<Recorded>; 3] {
    let mut stepper = robot().into_stepper().unwrap();
    let handle = stepper.handle().clone();
    let mut robot = handle.observe(Observation::of(requests(rate)).complete()).unwrap();
    let recorder = std::thread::spawn(move || {
        let mut seen = [vec![], vec![], vec![]];
        let names = robot.channels().iter().map(|channel| channel.descriptor.name()).collect::<Vec<_>>();
        let mut is_over = false;
        loop {
            let Some(value) = robot.next_value() else {
                if is_over {
                    break;
                }
                is_over = handle.is_stopping();
                std::thread::sleep(Duration::from_millis(1));
                continue;
            };
            assert_eq!(names[value.channel()], value.representation());
            let any = value.value();
            let (index, number) = if let Some(sample) = any.downcast_ref::<Sample>() {
                (0, sample.number)
            } else if let Some(filtered) = any.downcast_ref::<Filtered>() {
                assert!(filtered.history.iter().copied().eq(1..=filtered.number), "the value is whole");
                (1, filtered.number)
            } else {
                (2, any.downcast_ref::<Rare>().unwrap().number)
            };
            seen[index].push((number, value.run(), value.now()));
        }
        assert!(robot.channels().iter().all(|channel| channel.dropped == 0), "{robot:?}");
        seen
    });
    // The step that reaches the end is the last one.
    stepper.run_until(Time::from_seconds(0.99));
    stepper.handle().stop();
    recorder.join().unwrap()
}

#[test]
fn a_stepped_robot_waits_for_its_recorder_and_loses_nothing() {
    let [samples, filtered, rare] = record_a_second(None);
    let expected: Vec<Recorded> =
        (0..100).map(|run| (run + 1, run, Time::from_nanoseconds(i64::from(run) * 10_000_000))).collect();
    assert_eq!(samples, expected);
    assert_eq!(filtered, expected);
    let provided: Vec<Recorded> = expected.into_iter().filter(|(number, ..)| number.is_multiple_of(3)).collect();
    assert_eq!(rare, provided, "a value that was not provided anew is not passed on");
}

#[test]
fn no_more_values_come_than_were_asked_for() {
    let [samples, filtered, _] = record_a_second(Some(10.0));
    assert_eq!((samples.len(), filtered.len()), (10, 10));
    assert_eq!(samples.iter().map(|seen| seen.0).collect::<Vec<_>>()[..3], [1, 11, 21]);
}

#[test]
fn an_observer_that_does_not_look_costs_values_and_no_time() {
    let prepared = robot().prepare(Pace::Factor(10.0)).unwrap();
    let handle = prepared.handle().clone();
    let mut seen = handle.observe(Observation::of(requests(None))).unwrap();
    let running = prepared.begin();
    let patience = Instant::now() + Duration::from_secs(60);
    while handle.health()["filter"].runs < 200 {
        assert!(Instant::now() < patience, "the robot stands still");
        std::thread::sleep(Duration::from_millis(1));
    }
    let handle = running.stop();
    let mut numbers = Vec::new();
    while let Some(value) = seen.next_value() {
        numbers.extend(value.value().downcast_ref::<Filtered>().map(|filtered| filtered.number));
    }
    assert_eq!(numbers.len(), 20, "the first ones, as they were");
    assert!(numbers.is_sorted());
    let channels = seen.channels();
    let filtered = channels.iter().find(|channel| channel.descriptor.name() == "Filtered").unwrap();
    let runs = handle.health()["filter"].runs;
    assert_eq!((&*filtered.owner, filtered.dropped), ("filter", runs - 20));
}

#[test]
fn what_cannot_be_recorded_is_refused_at_once() {
    let stepper = robot().into_stepper().unwrap();
    let refused = |name: &str| stepper.handle().observe(Observation::of([name])).expect_err("it was accepted");
    assert!(matches!(refused("Model"), RuntimeError::Opaque { .. }));
    let unknown = refused("Smaple").to_string();
    assert!(unknown.contains("Smaple") && unknown.contains("Sample"), "{unknown}");
    assert_eq!(robot().recordable(), ["Filtered", "Rare", "Sample"]);
}

/// The time within which something must happen that happens soon.
const PATIENCE: Duration = Duration::from_secs(60);

fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let patience = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < patience, "waited in vain until {what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Returns the runs and numbers of a representation that an observer receives now.
fn filtered(seen: &mut Observer) -> Vec<(u32, u32)> {
    let mut numbers = Vec::new();
    while let Some(value) = seen.next_value() {
        numbers.extend(value.get::<Filtered>().map(|filtered| (value.run(), filtered.number)));
    }
    numbers
}

#[test]
fn two_observers_see_the_same_values_and_one_that_comes_later_sees_those_from_then_on() {
    let mut stepper = robot().into_stepper().unwrap();
    let handle = stepper.handle().clone();
    let observe = || handle.observe(Observation::of(["Filtered"])).unwrap();
    let (mut first, mut second) = (observe(), observe());
    let mut thinned = handle.observe(Observation::of(["Filtered@25Hz"])).unwrap();
    stepper.run_until(Time::from_seconds(0.06));
    let mut third = observe();
    stepper.run_until(Time::from_seconds(0.12));
    let all = filtered(&mut first);
    assert_eq!(all, (0..=12).map(|run| (run, run + 1)).collect::<Vec<_>>());
    assert_eq!(filtered(&mut second), all);
    assert_eq!(filtered(&mut third), all[7..]);
    assert_eq!(filtered(&mut thinned), [all[0], all[4], all[8], all[12]]);
}

#[test]
fn an_observer_sees_what_it_asked_for_and_each_run_before_what_it_provided() {
    let mut stepper = robot().into_stepper().unwrap();
    let wanted = Observation::of(["Rare"]).with_runs().with_journal().with_statistics(Duration::ZERO);
    let mut seen = stepper.handle().observe(wanted).unwrap();
    stepper.handle().note("the referee has come".to_owned());
    stepper.run_until(Time::from_seconds(0.02));
    assert!(seen.is_attached());
    let mut kinds = Vec::new();
    while let Some(item) = seen.next() {
        kinds.push(match item {
            Seen::Run(run) => format!("run {}", run.run),
            Seen::Value(value) => format!("{} of run {}", value.representation(), value.run()),
            Seen::Journal(entry) => match entry.event {
                JournalEvent::Message { text, .. } => text.split_once(';').map_or(text.clone(), |it| it.0.to_owned()),
                event => format!("{event:?}"),
            },
            Seen::Statistics(report) => format!("{} cycle", report.cycles.len()),
            other => format!("{other:?}"),
        });
    }
    let failed = "Filter.rare failed: nothing new".to_owned();
    let expected = ["run 0", "run 1", "run 2", "Rare of run 2", "the referee has come"].map(str::to_owned);
    assert_eq!(kinds, [&expected[..], &[failed.clone(), failed, "1 cycle".to_owned()]].concat());
}

#[test]
fn a_slow_observer_loses_its_own_values_and_nobody_elses() {
    let mut stepper = robot().into_stepper().unwrap();
    let handle = stepper.handle().clone();
    let mut slow = handle.observe(Observation::of(["Filtered", "Sample"])).unwrap();
    let mut quick = handle.observe(Observation::of(["Filtered"])).unwrap();
    let mut seen = Vec::new();
    for _ in 0..100 {
        stepper.step();
        seen.extend(filtered(&mut quick));
    }
    assert_eq!(seen, (0..100).map(|run| (run, run + 1)).collect::<Vec<_>>());
    assert_eq!(quick.dropped(), Dropped::default());
    let lost: Vec<_> = slow.channels().iter().map(|channel| (channel.descriptor.name(), channel.dropped)).collect();
    // The queue holds a cycle's values of a fifth of a second, and a source's values of a second.
    assert_eq!(lost, [("Filtered", 80), ("Sample", 0)]);
    assert_eq!(slow.dropped(), Dropped { values: 80, ..Dropped::default() });
    assert_eq!(filtered(&mut slow).len(), 20, "the first ones, as they were");
}

#[test]
fn observers_that_are_forgotten_or_dropped_in_the_middle_leave_the_robot_as_it_was() {
    let prints = |disturb: &dyn Fn(&RobotHandle, u32)| {
        let mut stepper = robot().into_stepper().unwrap();
        let handle = stepper.handle().clone();
        let mut prints = Vec::new();
        for run in 0..300 {
            disturb(&handle, run);
            stepper.step();
            prints.push(stepper.fingerprints(0));
        }
        prints
    };
    let everything = || Observation::of(["Filtered", "Sample", "Rare"]).with_runs().with_journal().with_debug(["*"]);
    let alone = prints(&|_, _| {});
    let forgotten = prints(&|handle, run| {
        if run.is_multiple_of(100) {
            std::mem::forget(handle.observe(everything()).unwrap());
        }
    });
    let looked_at = std::cell::RefCell::new(None);
    let dropped = prints(&|handle, run| {
        let mut looked_at = looked_at.borrow_mut();
        if let Some(seen) = looked_at.as_mut() {
            assert!(Observer::next(seen).is_some());
        }
        if run.is_multiple_of(3) {
            // The check includes what the observer has not received yet.
            *looked_at = Some(handle.observe(everything().complete()).unwrap());
        }
    });
    assert_eq!(alone, forgotten);
    assert_eq!(alone, dropped);
}

#[test]
fn a_stepped_robot_waits_only_for_those_who_want_every_value() {
    let mut stepper = robot().into_stepper().unwrap();
    let handle = stepper.handle().clone();
    let mut casual = handle.observe(Observation::of(["Filtered"])).unwrap();
    let mut complete = handle.observe(Observation::of(["Filtered"]).complete()).unwrap();
    let recorder = std::thread::spawn(move || {
        let mut seen = Vec::new();
        while seen.len() < 200 {
            seen.extend(filtered(&mut complete));
        }
        (seen, complete.dropped())
    });
    (0..200).for_each(|_| _ = stepper.step());
    let (seen, dropped) = recorder.join().unwrap();
    assert_eq!(seen, (0..200).map(|run| (run, run + 1)).collect::<Vec<_>>());
    assert_eq!(dropped, Dropped::default());
    assert_eq!((filtered(&mut casual).len(), casual.dropped().values), (20, 180), "nobody waits for it");
}

/// A robot in real time waits for nobody: on a busy machine an observer may come too late for some
/// values, and these are counted.
#[test]
fn a_recorder_and_a_page_together_lose_nothing_that_is_not_counted() {
    let prepared = robot().prepare(Pace::Factor(4.0)).unwrap();
    let handle = prepared.handle().clone();
    let mut recorder = handle.observe(Observation::of(["Sample", "Filtered", "Rare"]).with_runs().complete()).unwrap();
    let mut page = handle.observe(Observation::of(["Filtered@10Hz"]).with_journal()).unwrap();
    let running = prepared.begin();
    let (mut recorded, mut runs, mut shown, mut entries) = (Vec::new(), 0, Vec::new(), 0);
    wait_until("there were 200 runs", || {
        recorded.extend(filtered(&mut recorder));
        runs += std::iter::from_fn(|| recorder.next_run()).count();
        shown.extend(filtered(&mut page));
        entries += std::iter::from_fn(|| page.next_entry()).count();
        recorded.len() >= 200
    });
    let handle = running.stop();
    recorded.extend(filtered(&mut recorder));
    shown.extend(filtered(&mut page));
    runs += std::iter::from_fn(|| recorder.next_run()).count();
    entries += std::iter::from_fn(|| page.next_entry()).count();
    let missed = |seen: &Observer| {
        let filtered = seen.channels().into_iter().find(|channel| channel.descriptor.name() == "Filtered");
        filtered.expect("it is observed").dropped
    };
    let all = handle.health()["filter"].runs;
    assert_eq!(recorded.len() as u64 + missed(&recorder), all);
    assert!(recorded.is_sorted_by(|seen, next| seen.0 < next.0), "{recorded:?}");
    assert!(recorded.iter().all(|(run, number)| run < number), "{recorded:?}");
    let is_recorded = |shown: &(u32, u32)| recorded.contains(shown) || missed(&recorder) > 0;
    assert!(shown.iter().all(is_recorded) && shown.len() > 10, "{shown:?}");
    assert_eq!(runs as u64 + recorder.dropped().runs, all);
    assert!(entries > 100, "{entries} entries");
}

#[test]
fn a_new_topic_is_seen_by_who_wants_all_of_them() {
    let running = robot().start(Pace::RealTime).unwrap();
    let mut seen = running.handle().observe(Observation::default().with_topics()).unwrap();
    let mut publisher = running.handle().bus().readable_topic::<Sample>("words").unwrap().publisher();
    assert!(seen.next().is_none());
    publisher.publish(Sample { number: 7 });
    let Some(Seen::Message(message)) = seen.next() else { panic!("there is a message") };
    assert_eq!(message.name(), "words");
    running.stop();
}

#[test]
fn an_observer_that_sleeps_is_notified_of_values_and_of_nothing_else() {
    let mut stepper = robot().into_stepper().unwrap();
    let wakeup = Arc::new(Wakeup::new());
    let mut seen = stepper.handle().observe(Observation::of(["Rare"]).notifying(wakeup.clone())).unwrap();
    for number in 1..=9_u32 {
        let before = wakeup.generation();
        stepper.step();
        let is_notified = wakeup.generation() != before;
        assert_eq!(is_notified, number.is_multiple_of(3), "sample {number}");
        assert_eq!(seen.next_value().is_some(), is_notified);
    }
    drop(seen);
    let before = wakeup.generation();
    (0..3).for_each(|_| _ = stepper.step());
    assert_eq!(wakeup.generation(), before);
}

#[test]
fn an_observer_of_the_journal_that_sleeps_is_notified_of_entries() {
    let stepper = robot().into_stepper().unwrap();
    let wakeup = Arc::new(Wakeup::new());
    let observation = Observation::default().with_journal().notifying(wakeup.clone());
    let mut seen = stepper.handle().observe(observation).unwrap();
    while seen.next_entry().is_some() {}
    let before = wakeup.generation();
    stepper.handle().mark("here".to_owned(), None);
    assert_ne!(wakeup.generation(), before);
    assert!(seen.next_entry().is_some());
}

#[test]
fn an_observer_of_runs_that_sleeps_is_notified_of_each() {
    let mut stepper = robot().into_stepper().unwrap();
    let wakeup = Arc::new(Wakeup::new());
    let mut seen = stepper.handle().observe(Observation::default().with_runs().notifying(wakeup.clone())).unwrap();
    let mut before = wakeup.generation();
    for _ in 0..9 {
        let ran = !stepper.step().unwrap().cycles.is_empty();
        assert_eq!(wakeup.generation() != before, ran);
        assert_eq!(seen.next_run().is_some(), ran);
        before = wakeup.generation();
    }
}

#[test]
fn an_observer_of_topics_that_sleeps_is_notified_of_messages_and_of_new_topics() {
    let stepper = robot().into_stepper().unwrap();
    for (name, observation) in [("words", Observation::default()), ("deeds", Observation::default().complete())] {
        let wakeup = Arc::new(Wakeup::new());
        let mut seen = stepper.handle().observe(observation.with_topics().notifying(wakeup.clone())).unwrap();
        let before = wakeup.generation();
        let mut publisher = stepper.handle().bus().readable_topic::<Sample>(name).unwrap().publisher();
        assert_ne!(wakeup.generation(), before, "there is a topic");
        assert!(seen.next_message().is_none());
        let before = wakeup.generation();
        publisher.publish(Sample { number: 7 });
        assert_ne!(wakeup.generation(), before, "there is a message");
        assert!(seen.next_message().is_some());
    }
}

#[test]
fn who_sleeps_is_notified_of_the_beginning_of_a_robot_and_of_its_end() {
    let prepared = robot().prepare(Pace::RealTime).unwrap();
    let (handle, wakeup) = (prepared.handle().clone(), Arc::new(Wakeup::new()));
    handle.notify_of_turns(&wakeup);
    let before = wakeup.generation();
    let running = prepared.begin();
    assert_ne!(wakeup.generation(), before, "it has begun");
    let before = wakeup.generation();
    handle.stop();
    assert_ne!(wakeup.generation(), before, "it stops");
    running.wait();
}

#[test]
fn who_wants_the_newest_value_lets_go_of_all_others() {
    let mut stepper = robot().into_stepper().unwrap();
    let mut seen = stepper.handle().observe(Observation::of(["Filtered"])).unwrap();
    let mut step = |times: u32| (0..times).for_each(|_| _ = stepper.step());
    step(10);
    assert_eq!((seen.keep_newest_value(), seen.keep_newest_value()), (9, 0));
    // Released values make room for others: more than an observer holds.
    step(15);
    assert_eq!(seen.keep_newest_value(), 15);
    step(15);
    assert_eq!(seen.keep_newest_value(), 15);
    step(1);
    assert_eq!(filtered(&mut seen).into_iter().map(|(_, number)| number).collect::<Vec<_>>(), [40, 41]);
    assert_eq!(seen.dropped().values, 0);
    step(1);
    _ = seen.keep_newest_value();
    drop(seen);
    step(30);
}

#[test]
fn who_reads_up_to_a_run_leaves_those_of_later_ones_and_finds_them_later() {
    let mut stepper = robot().into_stepper().unwrap();
    let mut seen = stepper.handle().observe(Observation::of(["Filtered"])).unwrap();
    assert_eq!(Observer::default().last_complete_run(), None);
    let mut step = |times: u32| (0..times).for_each(|_| _ = stepper.step());
    step(5);
    let run = seen.last_complete_run().expect("there is one cycle");
    step(5);
    seen.read_until(run);
    let numbers = |seen: &mut Observer| filtered(seen).into_iter().map(|(_, number)| number).collect::<Vec<_>>();
    assert_eq!(numbers(&mut seen), [1, 2, 3, 4, 5]);
    assert_eq!((numbers(&mut seen), seen.keep_newest_value()), (vec![], 0));
    seen.read_until(run + 2);
    assert_eq!((seen.keep_newest_value(), numbers(&mut seen)), (1, vec![7]));
    seen.read_until(seen.last_complete_run().unwrap());
    assert_eq!(numbers(&mut seen), [8, 9, 10]);
}
