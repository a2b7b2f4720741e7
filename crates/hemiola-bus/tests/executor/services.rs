//! Executors that answer requests, and callbacks that receive answers.

use hemiola_bus::{
    AnswerError, Bus, BusError, CallError, Executor, Priority, RobotClock, RunningExecutor, SendError, WhenFull,
};
use hemiola_realtime::ThreadSettings;
use hemiola_trace::{Catalog, Collector, Statistics, TickScale};
use std::sync::{Arc, mpsc};
use std::time::Duration;

/// A time that is long enough that a wait that should not time out fails the test instead of
/// hanging it.
const LONG: Duration = Duration::from_secs(60);

fn executor(name: &str) -> Executor {
    Executor::new(name, &Arc::new(RobotClock::running(1.0)))
}

fn spawn(executor: Executor) -> RunningExecutor {
    executor.spawn(ThreadSettings::new("executor")).unwrap()
}

#[test]
fn requests_are_answered_by_priority_among_all_that_an_executor_does() {
    let bus = Bus::new();
    let mut executor = executor("arm");
    let (called, calls) = mpsc::channel();
    let [urgent, event, idle] = [called.clone(), called.clone(), called];
    executor.serve(&bus, "report", Priority(1), 4, move |(): &()| idle.send("report").unwrap()).unwrap();
    executor.serve(&bus, "stop", Priority(9), 4, move |(): &()| urgent.send("stop").unwrap()).unwrap();
    let topic = bus.topic::<u8>("touch").unwrap();
    executor.subscribe(&topic, Priority(5), 4, WhenFull::DropOldest, move |_| event.send("touch").unwrap()).unwrap();

    let (mut report, mut stop) = (bus.client::<(), ()>("report").unwrap(), bus.client::<(), ()>("stop").unwrap());
    let answers = [report.call_async(()), report.call_async(())].map(Result::unwrap);
    topic.publisher().publish(1);
    let stopped = stop.call_async(()).unwrap();
    assert_eq!(executor.run_ready(), 4);
    assert_eq!(calls.try_iter().collect::<Vec<_>>(), ["stop", "touch", "report", "report"]);
    drop((answers, stopped));
}

#[test]
fn a_server_on_an_executor_wakes_for_each_request_and_sleeps_in_between() {
    let bus = Bus::new();
    let mut arm = executor("arm");
    arm.serve(&bus, "double", Priority(1), 4, |number: &u64| number * 2).unwrap();
    let arm = spawn(arm);
    let mut client = bus.client::<u64, u64>("double").unwrap();
    for number in 0..200 {
        assert_eq!(client.call(number, LONG).unwrap(), 2 * number);
    }
    assert!(arm.handle().wake_ups() <= 201, "one per request at most");
}

#[test]
fn a_callback_is_called_with_the_answer_when_it_comes_and_nobody_waits() {
    let bus = Bus::new();
    let mut server = bus.server("square", 4).unwrap();
    let planner = spawn(executor("planner"));
    let (told, answers) = mpsc::channel();
    let mut client = bus.client::<u64, u64>("square").unwrap();
    for number in 1..=3 {
        let told = told.clone();
        planner.handle().call(&mut client, number, Priority(1), move |answer| told.send(answer).unwrap()).unwrap();
    }
    assert_eq!(planner.handle().callbacks().len(), 3);
    assert!(answers.try_recv().is_err(), "nobody has answered");
    assert_eq!(server.run(8, |number: &u64| number * number), 3);
    let mut squares = [(); 3].map(|()| answers.recv_timeout(LONG).unwrap().unwrap());
    squares.sort_unstable();
    assert_eq!(squares, [1, 4, 9]);
    let executor = planner.stop();
    assert!(executor.handle().callbacks().is_empty(), "each is called once, and makes room");
}

#[test]
fn a_callback_learns_that_there_is_no_answer_and_why() {
    let bus = Bus::new();
    let mut executor = executor("planner");
    let mut client = bus.client::<u8, ()>("moody").unwrap();
    let (told, answers) = mpsc::channel();
    let mut ask = |executor: &mut Executor| {
        let told = told.clone();
        executor.call(&mut client, 7, Priority(1), move |answer| told.send(answer).unwrap()).unwrap()
    };
    ask(&mut executor);
    executor.run_ready();
    assert_eq!(answers.try_recv(), Ok(Err(CallError::NotSent(SendError::NoReceiver(7)))));

    executor.serve(&bus, "moody", Priority(2), 4, |number: &u8| assert!(*number > 7, "on purpose")).unwrap();
    ask(&mut executor);
    executor.run_ready();
    assert_eq!(answers.try_recv(), Ok(Err(CallError::NoAnswer(AnswerError::Panicked))));
    assert_eq!((bus.services()[0].panics, executor.handle().callbacks()[0].panics), (1, 1));

    let given_up = ask(&mut executor);
    executor.remove(given_up).unwrap();
    executor.handle().callbacks(); // drops removed callbacks
    executor.run_ready();
    assert!(answers.try_recv().is_err());
    assert_eq!((bus.services()[0].abandoned, bus.services()[0].panics), (1, 1), "with which nobody has begun");
}

#[test]
fn a_service_ends_when_its_callback_is_removed_and_has_one_server_until_then() {
    let bus = Bus::new();
    let mut executor = executor("arm");
    let first = executor.serve(&bus, "grip", Priority(1), 4, |_: &u8| true).unwrap();
    let second = executor.serve(&bus, "grip", Priority(1), 4, |_: &u8| true);
    assert_eq!(second, Err(BusError::AlreadyServed { name: "grip".into() }));
    assert_eq!(executor.handle().callbacks().len(), 1, "the second has left no trace");
    executor.remove(first).unwrap();
    assert!(executor.handle().callbacks().is_empty());
    assert!(bus.services().is_empty());
}

#[test]
fn statistics_show_how_long_requests_waited_and_how_long_answers_did() {
    let (catalog, mut collector) = (Catalog::new("robot"), Collector::default());
    let mut executor = executor("arm");
    let (thread, events) = executor.record(&catalog, 1024, None).unwrap();
    collector.add(thread, events);
    let bus = Bus::with_timing();
    executor.serve(&bus, "grip", Priority(2), 4, |force: &f32| *force < 20.0).unwrap();
    let mut client = bus.client::<f32, bool>("grip").unwrap();
    for force in [5.0, 50.0] {
        executor.call(&mut client, force, Priority(1), drop).unwrap();
    }
    executor.run_ready();
    let mut statistics = Statistics::new(catalog, TickScale::calibrate());
    collector.drain(|thread, events, _| statistics.absorb(thread, events));
    let found = statistics.report().callbacks;
    let found: Vec<_> = found.iter().map(|row| (row.name.as_str(), row.execution.count, row.latency.count)).collect();
    assert_eq!(found, [("grip answers", 2, 2), ("grip requests", 2, 2)]);
}
