//! Foreign code may panic wherever it is called, also where what a panic carries is dropped: the
//! thread that called it goes on, and whoever has nothing to do with it learns nothing of it.
#![cfg(not(loom))]

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use hemiola_bus::{Actor, Bus, Executor, Priority, RobotClock, WhenFull};
use hemiola_realtime::ThreadSettings;

/// Panics when it is dropped; so does what that panic carries, so many times.
struct Bomb(u8);

impl Drop for Bomb {
    fn drop(&mut self) {
        if self.0 > 0 {
            panic_any(Bomb(self.0 - 1));
        }
    }
}

const BOMB: Bomb = Bomb(1);

#[test]
fn an_executor_survives_what_its_callbacks_panics_carry() {
    let bus = Bus::new();
    let topic = bus.topic::<u64>("pose").unwrap();
    let mut executor = Executor::new("control", &Arc::new(RobotClock::running(1.0)));
    executor.subscribe(&topic, Priority(1), 4, WhenFull::DropOldest, |_| panic_any(BOMB)).unwrap();
    // Not so often that panics alone keep the thread busy, as they would under a sanitizer.
    executor.every(Duration::from_millis(10), Priority(1), |_| panic_any(BOMB)).unwrap();
    executor.serve(&bus, "grip", Priority(1), 4, |_: &u64| -> u64 { panic_any(BOMB) }).unwrap();
    let (told, answers) = mpsc::channel();
    let running = executor.spawn(ThreadSettings::new("control")).unwrap();
    topic.publisher().publish(1);
    assert!(bus.client::<u64, u64>("grip").unwrap().call(1, Duration::from_secs(60)).is_err());
    running.handle().once(Duration::ZERO, Priority(0), move |_| told.send(()).unwrap()).unwrap();
    answers.recv_timeout(Duration::from_secs(60)).unwrap();
    let panics = |report: &hemiola_bus::CallbackReport| report.panics > 0;
    let begin = std::time::Instant::now();
    while !running.handle().callbacks().iter().take(3).all(panics) {
        assert!(begin.elapsed() < Duration::from_secs(60), "each of them is called");
        std::thread::yield_now();
    }
    running.stop();
}

#[test]
fn an_actor_survives_what_its_calls_panics_carry() {
    let (mut actor, mut handle) = Actor::new(0, 8);
    handle.send(|_: &mut u8| panic_any(BOMB)).unwrap();
    handle.send(|count: &mut u8| *count += 1).unwrap();
    assert_eq!(actor.run(8), 2);
    assert_eq!((*actor.state(), actor.panics()), (1, 1));
}

#[test]
fn callbacks_that_panic_when_they_are_dropped_do_not_disturb_who_uses_the_handle_next() {
    let mut executor = Executor::new("control", &Arc::new(RobotClock::stepped()));
    let bomb = BOMB;
    let id = executor
        .every(Duration::from_secs(1), Priority(1), move |_| {
            let _bomb = &bomb;
        })
        .unwrap();
    let handle = executor.handle();
    // What is removed is dropped here, or by whoever comes next.
    executor.remove(id).unwrap();
    assert!(handle.callbacks().is_empty());
    let again = BOMB;
    handle
        .once(Duration::ZERO, Priority(1), move |_| {
            let _bomb = &again;
        })
        .unwrap();
    // Never received by the executor.
    drop(executor);
    assert!(handle.once(Duration::ZERO, Priority(1), |_| ()).is_err());
}

#[test]
fn a_callback_that_cannot_be_made_takes_no_room() {
    let mut executor = Executor::new("control", &Arc::new(RobotClock::stepped()));
    for _ in 0..1000 {
        let attending =
            AssertUnwindSafe(|| executor.attend("bad", Priority(1), |_| -> (fn() -> bool, ()) { panic!() }));
        assert!(catch_unwind(attending).is_err());
    }
    assert!(executor.once(Duration::ZERO, Priority(1), |_| ()).is_ok());
    assert_eq!(executor.handle().callbacks().len(), 1);
}

#[test]
fn an_actor_that_goes_leaves_nobody_sending_to_it_whatever_its_calls_do_when_they_are_dropped() {
    let (actor, mut handle) = Actor::new((), 8);
    let mut other = actor.handle();
    for handle in [&mut handle, &mut other] {
        for bomb in [BOMB, Bomb(0), BOMB] {
            handle.send(move |_: &mut ()| drop(bomb)).map_err(|_| "there is room").unwrap();
        }
    }
    drop(actor);
    assert!(handle.send(|_| ()).is_err());
    assert!(other.send(|_| ()).is_err());
}

/// Wakes nobody, but panics.
struct BadWaker;

impl Wake for BadWaker {
    fn wake(self: Arc<Self>) {
        panic_any(BOMB);
    }
}

#[test]
fn a_server_survives_wakers_that_panic_and_answers_that_nobody_wants_and_panic() {
    let bus = Bus::new();
    let mut server = bus.server::<u8, Bomb>("question", 8).unwrap();
    let mut client = bus.client::<u8, Bomb>("question").unwrap();
    for round in 0..100 {
        // More than the client has replies for, if one of them was lost each time.
        let waker = Waker::from(Arc::new(BadWaker));
        let mut answer = pin!(client.call_async(round).unwrap());
        assert!(answer.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        assert_eq!(server.run(8, |_| Bomb(0)), 1);
        assert!(matches!(answer.as_mut().poll(&mut Context::from_waker(Waker::noop())), Poll::Ready(Ok(_))));
    }
    assert_eq!(server.panics(), 0);
    // Given up after it was answered: the answer is dropped with the question's end.
    let answer = client.call_async(1).unwrap();
    server.run(8, |_| BOMB);
    drop(answer);
    assert_eq!(server.panics(), 0);
}

/// A message of which only so many can be made.
struct Rare;

static LEFT: AtomicUsize = AtomicUsize::new(usize::MAX);

impl Default for Rare {
    fn default() -> Self {
        assert!(LEFT.fetch_sub(1, Ordering::Relaxed) > 0, "there are no more");
        Rare
    }
}

#[test]
fn who_cannot_join_a_topic_because_its_messages_cannot_be_made_leaves_it_as_it_was() {
    let topic = Bus::new().topic::<Rare>("rare").unwrap();
    let mut publishers = [topic.publisher(), topic.publisher()];
    let mut queue = topic.queue(4, WhenFull::DropOldest);
    // The first publisher can make slots for another queue, the second cannot.
    for left in 0..20 {
        LEFT.store(left, Ordering::Relaxed);
        let joining = AssertUnwindSafe(|| drop(topic.queue(16, WhenFull::DropOldest)));
        let joined = catch_unwind(joining).is_ok();
        let publishing = AssertUnwindSafe(|| drop(topic.publisher()));
        let published = catch_unwind(publishing).is_ok();
        LEFT.store(usize::MAX, Ordering::Relaxed);
        let report = topic.report();
        assert_eq!((report.subscribers.len(), report.publishers), (1, 2), "{left} left: {joined}, {published}");
        for publisher in &mut publishers {
            (0..3).for_each(|_| publisher.publish(Rare));
        }
        assert_eq!(std::iter::from_fn(|| queue.receive().map(drop)).count(), 6);
    }
}
