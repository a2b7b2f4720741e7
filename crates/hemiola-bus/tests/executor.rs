//! What callback executors promise.
#![cfg(not(loom))]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use hemiola_bus::{
    Actor, Batch, Bus, BusError, Executor, Order, Priority, Publisher, RobotClock, Tick, Topic, WhenFull,
};
use hemiola_model::Time;
use hemiola_realtime::{
    AllocationGuard, CountingAllocator, ThreadSettings, Wakeup, allocations_on_this_thread, monotonic_now,
};

#[global_allocator]
static ALLOCATOR: CountingAllocator = CountingAllocator;

const MILLISECOND: Duration = Duration::from_millis(1);

fn milliseconds(count: u64) -> Time {
    Time::ZERO + count as u32 * MILLISECOND
}

/// An executor whose time stands still, and a log for its callbacks.
struct Bench {
    clock: Arc<RobotClock>,
    executor: Executor,
    log: mpsc::Sender<String>,
    logged: mpsc::Receiver<String>,
}

impl Bench {
    fn new() -> Self {
        let clock = Arc::new(RobotClock::stepped());
        let (log, logged) = mpsc::channel();
        Self { executor: Executor::new("bench", &clock), clock, log, logged }
    }

    fn order(self, order: Order) -> Self {
        Self { executor: self.executor.order(order), ..self }
    }

    /// Subscribes what logs its name and the message.
    fn subscribe(&mut self, topic: &Topic<u64>, priority: u16, name: &'static str) {
        let log = self.log.clone();
        let callback = move |count: &u64| log.send(format!("{name} {count}")).unwrap();
        self.executor.subscribe(topic, Priority(priority), 64, WhenFull::DropOldest, callback).unwrap();
    }

    fn calls(&self) -> Vec<String> {
        self.logged.try_iter().collect()
    }
}

fn topic(name: &str) -> Topic<u64> {
    Bus::new().topic(name).unwrap()
}

#[test]
fn a_flood_delays_a_more_important_message_by_one_callback_at_most() {
    let mut bench = Bench::new();
    let (flood, urgent) = (topic("flood"), topic("urgent"));
    let mut flooding = flood.publisher();
    // Its own feeder: there is always another one.
    let mut feeding = flood.publisher();
    let log = bench.log.clone();
    let callback = move |count: &u64| {
        feeding.publish(count + 1);
        log.send(format!("flood {count}")).unwrap();
    };
    bench.executor.subscribe(&flood, Priority(1), 64, WhenFull::DropOldest, callback).unwrap();
    bench.subscribe(&urgent, 2, "urgent");
    let mut publisher = urgent.publisher();
    (0..10).for_each(|count| flooding.publish(count));
    for count in 0..3 {
        (0..5).for_each(|_| assert!(bench.executor.run_one()));
        publisher.publish(count);
        assert!(bench.executor.run_one());
        let calls = bench.calls();
        assert_eq!(calls.len(), 6);
        assert_eq!(calls[5], format!("urgent {count}"));
    }
}

#[test]
fn a_callback_is_never_preempted_by_another_one() {
    let mut bench = Bench::new();
    let (slow, fast) = (topic("slow"), topic("fast"));
    let (mut publisher, log) = (fast.publisher(), bench.log.clone());
    let callback = move |_: &u64| {
        publisher.publish(7);
        log.send("slow is done".into()).unwrap();
    };
    bench.executor.subscribe(&slow, Priority(1), 4, WhenFull::DropOldest, callback).unwrap();
    bench.subscribe(&fast, 9, "fast");
    slow.publisher().publish(0);
    bench.executor.run_ready();
    assert_eq!(bench.calls(), ["slow is done", "fast 7"]);
}

#[test]
fn callbacks_of_equal_priority_take_turns() {
    let mut bench = Bench::new();
    let topics = ["a", "b", "c"].map(topic);
    for (topic, name) in topics.iter().zip(["a", "b", "c"]) {
        bench.subscribe(topic, 5, name);
    }
    let mut publishers = topics.each_ref().map(Topic::publisher);
    for count in 0..3 {
        publishers.iter_mut().for_each(|publisher| publisher.publish(count));
    }
    bench.executor.run_ready();
    assert_eq!(bench.calls(), ["a 0", "b 0", "c 0", "a 1", "b 1", "c 1", "a 2", "b 2", "c 2"]);
}

#[test]
fn the_messages_of_a_chain_arrive_in_order() {
    let mut bench = Bench::new();
    let (first, second) = (topic("first"), topic("second"));
    let mut publisher = second.publisher();
    let relay = move |count: &u64| publisher.publish(10 * count);
    bench.executor.subscribe(&first, Priority(1), 16, WhenFull::DropOldest, relay).unwrap();
    bench.subscribe(&second, 2, "second");
    let mut publisher = first.publisher();
    (1..=4).for_each(|count| publisher.publish(count));
    bench.executor.run_ready();
    assert_eq!(bench.calls(), ["second 10", "second 20", "second 30", "second 40"]);
}

#[test]
fn callbacks_of_one_topic_and_priority_count_as_one_and_each_gets_every_message() {
    let mut bench = Bench::new();
    let topic = topic("pose");
    ["first", "second", "third"].into_iter().for_each(|name| bench.subscribe(&topic, 5, name));
    bench.subscribe(&topic, 6, "important");
    let mut publisher = topic.publisher();
    (0..2).for_each(|count| publisher.publish(count));
    assert_eq!(bench.executor.run_ready(), 4);
    let order = ["important 0", "important 1", "first 0", "second 0", "third 0", "first 1", "second 1", "third 1"];
    assert_eq!(bench.calls(), order);
    let reports = bench.executor.handle().callbacks();
    assert_eq!(reports.iter().map(|report| report.callbacks).collect::<Vec<_>>(), [3, 1]);
}

#[test]
fn a_batch_holds_all_that_is_there() {
    let mut bench = Bench::new();
    let (topic, log) = (topic("range"), bench.log.clone());
    let callback = move |batch: Batch<u64>| {
        log.send(format!("{:?}", batch.iter().map(|count| *count).collect::<Vec<_>>())).unwrap();
    };
    bench.executor.subscribe_batched(&topic, Priority(1), 4, WhenFull::DropOldest, callback).unwrap();
    let mut publisher = topic.publisher();
    (0..3).for_each(|count| publisher.publish(count));
    assert_eq!(bench.executor.run_ready(), 1);
    (3..5).for_each(|count| publisher.publish(count));
    assert_eq!(bench.executor.run_ready(), 1);
    assert_eq!(bench.calls(), ["[0, 1, 2]", "[3, 4]"]);
}

#[test]
fn a_panic_is_contained_and_counted_and_keeps_the_message_from_nobody() {
    let mut bench = Bench::new();
    let topic = topic("pose");
    bench.subscribe(&topic, 5, "before");
    let callback = |count: &u64| assert!(*count != 1, "no pose like {count}");
    bench.executor.subscribe(&topic, Priority(5), 64, WhenFull::DropOldest, callback).unwrap();
    bench.subscribe(&topic, 5, "after");
    let mut publisher = topic.publisher();
    (0..3).for_each(|count| publisher.publish(count));
    assert_eq!(bench.executor.run_ready(), 3);
    assert_eq!(bench.calls(), ["before 0", "after 0", "before 1", "after 1", "before 2", "after 2"]);
    let report = &bench.executor.handle().callbacks()[0];
    assert_eq!((report.calls, report.panics), (3, 1));
    let text = report.last_panic.as_ref().unwrap();
    assert!(text.contains("no pose like 1") && text.contains("tests/executor.rs"), "{text}");
}

#[test]
fn a_removed_callback_is_not_called_and_the_others_are() {
    let mut bench = Bench::new();
    let topic = topic("pose");
    bench.subscribe(&topic, 5, "stays");
    let removed = Arc::new(());
    let kept = removed.clone();
    let callback = move |_: &u64| drop(kept.clone());
    let id = bench.executor.subscribe(&topic, Priority(5), 64, WhenFull::DropOldest, callback).unwrap();
    let timer = bench.executor.every(MILLISECOND, Priority(1), |_| panic!("it was removed")).unwrap();
    let mut publisher = topic.publisher();
    publisher.publish(1);
    bench.executor.remove(id).unwrap();
    bench.executor.remove(timer).unwrap();
    bench.executor.remove(timer).unwrap();
    bench.clock.set(milliseconds(1));
    bench.executor.run_ready();
    assert_eq!(bench.calls(), ["stays 1"]);
    assert_eq!(bench.executor.handle().callbacks().len(), 1);
    assert_eq!(Arc::strong_count(&removed), 1, "what it held is let go");
}

#[test]
fn callbacks_that_are_called_together_are_told_apart_whoever_added_them() {
    let mut bench = Bench::new();
    let (topic, handle) = (topic("pose"), bench.executor.handle());
    let (priority, when_full) = (Priority(5), WhenFull::DropOldest);
    let callback = |name: &'static str| {
        let log = bench.log.clone();
        move |_: &u64| log.send(name.into()).unwrap()
    };
    bench.executor.subscribe(&topic, priority, 64, when_full, callback("a")).unwrap();
    // Not yet there when the executor adds another one.
    let sent = handle.subscribe(&topic, priority, 64, when_full, callback("b")).unwrap();
    let own = bench.executor.subscribe(&topic, priority, 64, when_full, callback("c")).unwrap();
    handle.subscribe(&topic, priority, 64, when_full, callback("d")).unwrap();
    for (removed, left) in [(sent, &["a", "c", "d"][..]), (own, &["a", "d"])] {
        handle.remove(removed).unwrap();
        topic.publisher().publish(1);
        bench.executor.run_ready();
        assert_eq!(bench.calls(), left);
    }
}

#[test]
fn a_callback_may_add_and_remove_callbacks() {
    let mut bench = Bench::new();
    let topic = topic("goal");
    let (handle, log) = (bench.executor.handle(), bench.log.clone());
    let once = move |count: &u64| {
        let log = log.clone();
        let report = move |tick: Tick| log.send(format!("{:?}", tick.due)).unwrap();
        handle.once(*count as u32 * MILLISECOND, Priority(1), report).unwrap();
    };
    bench.executor.subscribe(&topic, Priority(1), 4, WhenFull::DropOldest, once).unwrap();
    topic.publisher().publish(20);
    bench.executor.run_ready();
    assert_eq!(bench.executor.next_due(), Some(milliseconds(20)));
    bench.clock.set(milliseconds(20));
    assert_eq!(bench.executor.run_ready(), 1);
    assert_eq!(bench.calls(), [format!("{:?}", milliseconds(20))]);
}

#[test]
fn an_executor_without_room_says_so_and_has_room_again_when_a_callback_is_gone() {
    let mut bench = Bench::new();
    let mut add = || bench.executor.once(MILLISECOND, Priority(1), |_| ());
    let full = loop {
        if let Err(error) = add() {
            break error;
        }
    };
    assert!(matches!(full, BusError::TooManyCallbacks { limit: 251, .. }), "{full}");
    bench.clock.set(milliseconds(1));
    assert_eq!(bench.executor.run_ready(), 251);
    bench.executor.once(MILLISECOND, Priority(1), |_| ()).unwrap();
}

#[test]
fn an_executor_that_is_gone_or_does_not_run_takes_no_callbacks() {
    let bench = Bench::new();
    let handle = bench.executor.handle();
    let busy = loop {
        if let Err(error) = handle.once(MILLISECOND, Priority(1), |_| ()) {
            break error;
        }
    };
    assert!(matches!(busy, BusError::ExecutorBusy { .. }), "{busy}");
    drop(bench);
    let gone = handle.once(MILLISECOND, Priority(1), |_| ()).unwrap_err();
    assert!(matches!(gone, BusError::ExecutorGone { .. }), "{gone}");
}

#[test]
fn timers_on_a_stepped_clock_come_in_the_same_order_every_time() {
    let run = || {
        let mut bench = Bench::new();
        for (period, priority) in [(3, 1), (5, 2), (15, 3)] {
            let log = bench.log.clone();
            let callback = move |tick: Tick| log.send(format!("{period} ms: {}", tick.due)).unwrap();
            bench.executor.every(period * MILLISECOND, Priority(priority), callback).unwrap();
        }
        while let Some(due) = bench.executor.next_due().filter(|due| *due <= milliseconds(30)) {
            bench.clock.set(due);
            bench.executor.run_ready();
        }
        bench.calls()
    };
    let first = run();
    assert_eq!(first.len(), 10 + 6 + 2);
    let [a, b, c] = [15, 5, 3].map(|period| format!("{period} ms: {}", milliseconds(15)));
    assert!(first.windows(3).any(|calls| calls == [a.clone(), b.clone(), c.clone()]), "by priority: {first:?}");
    assert_eq!(run(), first);
}

#[test]
fn overdue_ticks_are_skipped_and_counted_and_the_beat_is_kept() {
    let mut bench = Bench::new();
    let log = bench.log.clone();
    let callback = move |tick: Tick| log.send(format!("{} missed {}", tick.due, tick.missed)).unwrap();
    bench.executor.every(10 * MILLISECOND, Priority(1), callback).unwrap();
    for now in [10, 20, 55, 60, 85] {
        bench.clock.set(milliseconds(now));
        assert_eq!(bench.executor.run_ready(), 1, "no burst");
    }
    let expected = [(10, 0), (20, 0), (30, 2), (60, 0), (70, 1)];
    let tell = |(due, missed)| format!("{} missed {missed}", milliseconds(due));
    assert_eq!(bench.calls(), expected.map(tell));
    assert_eq!(bench.executor.handle().callbacks()[0].missed, 3);
    bench.clock.set(milliseconds(100));
    assert_eq!(bench.executor.run_ready(), 2, "what is due exactly now is not missed");
}

#[test]
fn one_shot_timers_fire_once_at_their_time_or_at_once_if_that_is_past() {
    let mut bench = Bench::new();
    bench.clock.set(milliseconds(5));
    for time in [30, 3, 10] {
        let log = bench.log.clone();
        bench.executor.at(milliseconds(time), Priority(1), move |_| log.send(time.to_string()).unwrap()).unwrap();
    }
    assert_eq!(bench.executor.run_ready(), 1);
    for now in [9, 10, 29, 30, 100] {
        bench.clock.set(milliseconds(now));
        bench.executor.run_ready();
    }
    assert_eq!(bench.calls(), ["3", "10", "30"]);
    assert!(bench.executor.handle().callbacks().is_empty());
}

#[test]
fn in_ros2s_order_each_callback_is_called_once_per_look() {
    let mut bench = Bench::new().order(Order::Ros2);
    let (first, second) = (topic("first"), topic("second"));
    bench.subscribe(&first, 1, "first");
    bench.subscribe(&second, 9, "second");
    let (mut publisher, log) = (second.publisher(), bench.log.clone());
    let timer = move |_| {
        publisher.publish(9);
        log.send("timer".into()).unwrap();
    };
    bench.executor.every(MILLISECOND, Priority(0), timer).unwrap();
    let mut publisher = first.publisher();
    (0..3).for_each(|count| publisher.publish(count));
    bench.clock.set(milliseconds(1));
    bench.executor.run_ready();
    assert_eq!(bench.calls(), ["timer", "first 0", "first 1", "second 9", "first 2"]);
}

#[test]
fn in_two_phases_what_is_sent_while_messages_are_delivered_waits_for_the_next_turn() {
    let mut bench = Bench::new();
    let (ping, pong) = (topic("ping"), topic("pong"));
    bench.subscribe(&pong, 9, "pong");
    let (mut back, log) = (pong.publisher(), bench.log.clone());
    let mut again = ping.publisher();
    let callback = move |batch: Batch<u64>| {
        batch.iter().for_each(|count| {
            back.publish(10 * *count);
            again.publish(*count + 1);
        });
        log.send(format!("{} pings", batch.len())).unwrap();
    };
    bench.executor.subscribe_batched(&ping, Priority(1), 64, WhenFull::DropOldest, callback).unwrap();
    let mut publisher = ping.publisher();
    (1..=2).for_each(|count| publisher.publish(count));
    assert_eq!(bench.executor.run_waiting(), 2);
    assert_eq!(bench.calls(), ["2 pings"]);
    assert_eq!(bench.executor.run_waiting(), 4);
    assert_eq!(bench.calls(), ["pong 10", "pong 20", "2 pings"]);
}

#[test]
fn an_actor_on_an_executor_is_called_by_priority_and_one_call_at_a_time() {
    let mut bench = Bench::new();
    let topic = topic("urgent");
    bench.subscribe(&topic, 9, "urgent");
    let state = (topic.publisher(), bench.log.clone());
    let make = |signal| {
        let (mut actor, handle) = Actor::with_signal(state, 16, signal);
        (move || actor.run(1) > 0, handle)
    };
    let (_, mut actor) = bench.executor.attend("actor", Priority(1), make).unwrap();
    for count in 0..3 {
        let call = move |(urgent, log): &mut (Publisher<u64>, mpsc::Sender<String>)| {
            urgent.publish(count);
            log.send(format!("actor {count}")).unwrap();
        };
        assert!(actor.send(call).is_ok());
    }
    assert_eq!(bench.executor.run_ready(), 6);
    assert_eq!(bench.calls(), ["actor 0", "urgent 0", "actor 1", "urgent 1", "actor 2", "urgent 2"]);
}

/// Also while callbacks come and go: they are made and dropped by whoever adds and removes them.
#[test]
fn the_executors_thread_neither_allocates_nor_frees() {
    let topic = topic("pose");
    let sum = Arc::new(AtomicUsize::new(0));
    let adding = |sum: &Arc<AtomicUsize>| {
        let sum = sum.clone();
        move |count: &u64| _ = sum.fetch_add(*count as usize, Ordering::Relaxed)
    };
    let mut executor = Executor::new("bench", &Arc::new(RobotClock::running(1.0)));
    let (thread, events) = executor.record(&hemiola_trace::Catalog::new("bench"), 64).unwrap();
    let whole = Arc::new(AtomicUsize::new(0));
    executor.subscribe(&topic, Priority(1), 64, WhenFull::DropOldest, adding(&whole)).unwrap();
    let (counted, calls) = mpsc::sync_channel(2);
    let running = executor.spawn(ThreadSettings::new("bench")).unwrap();
    let handle = running.handle();
    let count_at = |priority| {
        let counted = counted.clone();
        let count = move |_| counted.send(allocations_on_this_thread()).unwrap();
        handle.once(Duration::ZERO, Priority(priority), count).unwrap();
        calls.recv().unwrap()
    };
    count_at(9);
    let before = count_at(9);
    let mut publisher = topic.publisher();
    for round in 0..200 {
        let ids: Vec<_> = (0..5)
            .map(|_| handle.subscribe(&topic, Priority(1), 64, WhenFull::DropOldest, adding(&sum)).unwrap())
            .collect();
        let slow = handle.subscribe(&topic, Priority(2), 8, WhenFull::DropOldest, adding(&sum)).unwrap();
        (0..10).for_each(|count| publisher.publish(count));
        handle.every(Duration::from_micros(10), Priority(3), |_| ()).and_then(|id| handle.remove(id)).unwrap();
        ids.into_iter().chain([slow]).for_each(|id| handle.remove(id).unwrap());
        // Waits for what was sent, for there is room for 64 changes only.
        let after = count_at(1);
        assert_eq!(after, before, "in round {round}");
    }
    drop((thread, events));
    // The tick that ends a round arrives after its messages, and has the same priority: who was
    // there all the time got them all.
    assert_eq!(whole.load(Ordering::Relaxed), 200 * 45);
}

#[test]
fn publishing_to_a_callback_on_the_same_thread_allocates_nothing() {
    let mut bench = Bench::new();
    let topic = topic("pose");
    bench.executor.subscribe(&topic, Priority(1), 64, WhenFull::DropOldest, |_: &u64| ()).unwrap();
    let mut publisher = topic.publisher();
    bench.executor.run_ready();
    let guard = AllocationGuard::new();
    for count in 0..1000 {
        publisher.publish(count);
        bench.executor.run_ready();
    }
    assert_eq!(guard.counted().calls(), 0);
}

#[test]
fn an_idle_executor_is_not_woken_at_all() {
    let bus = Bus::new();
    let mut executor = Executor::new("idle", &Arc::new(RobotClock::running(1.0)));
    let topics: Vec<Topic<u64>> = (0..40).map(|index| bus.topic(&format!("topic {index}")).unwrap()).collect();
    let called = Arc::new(Wakeup::new());
    for topic in &topics {
        let called = called.clone();
        executor.subscribe(topic, Priority(1), 4, WhenFull::DropOldest, move |_: &u64| called.notify_all()).unwrap();
    }
    let running = executor.spawn(ThreadSettings::new("idle")).unwrap();
    let seen = called.generation();
    topics[7].publisher().publish(1);
    called.wait(seen, None);
    // Once for its begin and once for the message, whenever it gets around to either; nothing else
    // wakes it.
    while running.handle().wake_ups() == 0 {
        std::thread::yield_now();
    }
    std::thread::sleep(220 * MILLISECOND);
    assert!(running.handle().wake_ups() <= 2);
}

#[test]
fn an_executor_that_sleeps_until_a_time_is_woken_when_the_clock_is_set_to_it() {
    let clock = Arc::new(RobotClock::stepped());
    let mut executor = Executor::new("stepped", &clock);
    let (called, calls) = mpsc::channel();
    executor.every(Duration::from_secs(3600), Priority(1), move |tick| called.send(tick.due).unwrap()).unwrap();
    let running = executor.spawn(ThreadSettings::new("stepped")).unwrap();
    for hour in 1..=3 {
        let time = Time::from_seconds(3600.0 * f64::from(hour));
        clock.set(time);
        assert_eq!(calls.recv_timeout(Duration::from_secs(20)), Ok(time));
    }
    drop(running);
    assert!(calls.recv().is_err(), "dropping it ends the callbacks");
}

#[test]
fn timers_on_a_running_clock_are_never_early() {
    let clock = Arc::new(RobotClock::running(2.0));
    let mut executor = Executor::new("running", &clock);
    let (called, calls) = mpsc::channel();
    executor.every(2 * MILLISECOND, Priority(1), move |tick| called.send(tick).unwrap()).unwrap();
    let start = monotonic_now();
    let running = executor.spawn(ThreadSettings::new("running")).unwrap();
    let ticks: Vec<Tick> = calls.iter().take(10).collect();
    assert!(monotonic_now() - start >= 9 * MILLISECOND, "1 ms each on the machine's clock");
    assert!(ticks.iter().all(|tick| tick.now >= tick.due));
    let executor = running.stop();
    let report = &executor.handle().callbacks()[0];
    assert!(report.calls >= 10);
}

#[test]
fn messages_of_several_threads_all_arrive_in_the_order_of_each() {
    const MESSAGES: u64 = 50_000;
    let topic: Topic<(usize, u64)> = Bus::new().topic("count").unwrap();
    let mut executor = Executor::new("stress", &Arc::new(RobotClock::running(1.0)));
    let done = Arc::new(Wakeup::new());
    let (mut next, mut received, finished) = ([0; 3], 0, done.clone());
    let callback = move |&(thread, count): &(usize, u64)| {
        assert_eq!(count, next[thread]);
        next[thread] += 1;
        received += 1;
        if received == 3 * MESSAGES {
            finished.notify_all();
        }
    };
    executor.subscribe(&topic, Priority(1), 256, WhenFull::Wait, callback).unwrap();
    let running = executor.spawn(ThreadSettings::new("stress")).unwrap();
    let seen = done.generation();
    std::thread::scope(|scope| {
        for thread in 0..3 {
            let mut publisher = topic.publisher();
            scope.spawn(move || {
                for count in 0..MESSAGES {
                    publisher.publish_waiting((thread, count), Duration::from_secs(20)).unwrap();
                }
            });
        }
    });
    let in_time = monotonic_now() + Duration::from_secs(20);
    assert_eq!(done.wait(seen, Some(in_time)), hemiola_realtime::Reason::Signalled);
    assert_eq!(running.handle().callbacks()[0].panics, 0);
}

#[test]
fn an_executor_that_wakes_early_calls_no_timer_before_its_time_and_leaves_none_out() {
    const TICKS: u64 = 200;
    let mut executor =
        Executor::new("punctual", &Arc::new(RobotClock::running(1.0))).wake_early(Duration::from_micros(200));
    let (called, calls) = mpsc::channel();
    executor.every(Duration::from_millis(1), Priority(1), move |tick| called.send(tick).unwrap()).unwrap();
    let running = executor.spawn(ThreadSettings::new("punctual")).unwrap();
    let (mut seen, mut next) = (0, None);
    while seen < TICKS {
        let tick: Tick = calls.recv_timeout(Duration::from_secs(20)).unwrap();
        assert!(tick.now >= tick.due);
        assert!(next.is_none_or(|next| tick.due == next));
        next = Some(tick.due + Duration::from_millis(1 + tick.missed));
        seen += 1 + tick.missed;
    }
    // A message ends a rest that waits for a timer, however it waits.
    let handle = running.handle().clone();
    let (told, answers) = mpsc::channel();
    handle.once(Duration::ZERO, Priority(2), move |_| told.send(()).unwrap()).unwrap();
    answers.recv_timeout(Duration::from_secs(20)).unwrap();
}

#[test]
fn a_callback_for_one_message_is_called_for_the_next_and_leaves_the_topic() {
    let topic = Bus::new().topic::<u32>("kick-off").unwrap();
    let mut executor = Executor::new("behaviour", &Arc::new(RobotClock::stepped()));
    let (called, calls) = mpsc::channel();
    let mut publisher = topic.publisher();
    publisher.publish(0); // before it was wanted
    let [again, removed] = [called.clone(), called.clone()];
    executor.subscribe_once(&topic, Priority(1), move |message| called.send(*message).unwrap()).unwrap();
    let unwanted = executor.subscribe_once(&topic, Priority(1), move |_| removed.send(99).unwrap()).unwrap();
    executor.remove(unwanted).unwrap();
    (1..=3).for_each(|message| publisher.publish(message));
    assert_eq!(executor.run_ready(), 1);
    publisher.publish(4);
    assert_eq!(executor.run_ready(), 0);
    assert!(executor.handle().callbacks().is_empty());
    assert!(topic.report().subscribers.is_empty());

    executor.subscribe_once(&topic, Priority(1), move |message| again.send(*message).unwrap()).unwrap();
    publisher.publish(5);
    executor.run_ready();
    assert_eq!(calls.try_iter().collect::<Vec<_>>(), [1, 5]);
}
