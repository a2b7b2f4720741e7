//! Timers are called when they are due, on every clock.

use std::sync::{Arc, mpsc};
use std::time::Duration;

use hemiola_bus::{Executor, Priority, RobotClock, Tick};
use hemiola_model::Time;
use hemiola_realtime::{ThreadSettings, monotonic_now};

use super::{Bench, MILLISECOND, milliseconds};

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
fn an_executor_that_sleeps_until_a_time_is_woken_when_the_clock_is_set_to_it() {
    let clock = Arc::new(RobotClock::stepped());
    let mut executor = Executor::new("stepped", &clock);
    let (called, calls) = mpsc::channel();
    executor.every(Duration::from_secs(3600), Priority(1), move |tick| called.send(tick.due).unwrap()).unwrap();
    let running = executor.spawn(ThreadSettings::new("stepped")).unwrap();
    for hour in 1..=3 {
        let time = Time::from_seconds(3600.0 * f64::from(hour));
        clock.set(time);
        assert_eq!(calls.recv_timeout(Duration::from_secs(60)), Ok(time));
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
fn an_executor_that_wakes_early_calls_no_timer_before_its_time_and_leaves_none_out() {
    const TICKS: u64 = 200;
    let mut executor =
        Executor::new("punctual", &Arc::new(RobotClock::running(1.0))).wake_early(Duration::from_micros(200));
    let (called, calls) = mpsc::channel();
    executor.every(Duration::from_millis(1), Priority(1), move |tick| called.send(tick).unwrap()).unwrap();
    let running = executor.spawn(ThreadSettings::new("punctual")).unwrap();
    let (mut seen, mut next) = (0, None);
    while seen < TICKS {
        let tick: Tick = calls.recv_timeout(Duration::from_secs(60)).unwrap();
        assert!(tick.now >= tick.due);
        assert!(next.is_none_or(|next| tick.due == next));
        next = Some(tick.due + Duration::from_millis(1 + tick.missed));
        seen += 1 + tick.missed;
    }
    // A message ends a wait for a timer, however the executor waits.
    let handle = running.handle().clone();
    let (told, answers) = mpsc::channel();
    handle.once(Duration::ZERO, Priority(2), move |_| told.send(()).unwrap()).unwrap();
    answers.recv_timeout(Duration::from_secs(60)).unwrap();
}
