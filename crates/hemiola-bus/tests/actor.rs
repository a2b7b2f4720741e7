//! The promises of actors.

use hemiola_bus::{Actor, ActorHandle, AnswerError, CallBatch, CallError, SendError, Waited};
use hemiola_realtime::Wakeup;
use std::cell::RefCell;
use std::future::Future;
use std::pin::{Pin, pin};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread;
use std::time::Duration;

/// Far enough that what should not time out fails the test instead of hanging it.
const LONG: Duration = Duration::from_secs(60);

/// Sends calls in a batch that each let go what they share; gives that, and the batch, of which the
/// actor does not know yet.
fn batch_of_three(handle: &mut ActorHandle<()>) -> (CallBatch<'_, ()>, Arc<()>) {
    let shared = Arc::new(());
    let mut batch = handle.batch();
    for _ in 0..3 {
        let captured = shared.clone();
        batch.send(move |()| drop(captured)).unwrap();
    }
    (batch, shared)
}

/// Asks a future once, which nobody will wake.
fn poll<F: Future>(future: Pin<&mut F>) -> Poll<F::Output> {
    future.poll(&mut Context::from_waker(Waker::noop()))
}

/// Runs `actor` until all handles are gone, on a thread of its own, while `call` uses `handle`.
fn served<S: Send>(mut actor: Actor<S>, handle: ActorHandle<S>, call: impl FnOnce(ActorHandle<S>)) {
    thread::scope(|scope| {
        scope.spawn(move || actor.run_until_closed());
        call(handle);
    });
}

#[test]
fn no_call_is_lost_or_doubled_and_each_senders_calls_run_in_order() {
    const SENDERS: usize = 40; // more than fit one word
    const CALLS: u32 = 5_000;
    let (mut actor, first) = Actor::new(vec![0; SENDERS], 16);
    let mut handles: Vec<_> = (1..SENDERS).map(|_| first.clone()).collect();
    handles.push(first);
    thread::scope(|scope| {
        for (sender, mut handle) in handles.into_iter().enumerate() {
            scope.spawn(move || {
                for number in 0..CALLS {
                    let mut call = move |seen: &mut Vec<u32>| {
                        assert_eq!(seen[sender], number);
                        seen[sender] += 1;
                    };
                    while let Err(error) = handle.send(call) {
                        call = error.into_inner();
                        thread::yield_now();
                    }
                }
            });
        }
        actor.run_until_closed();
    });
    assert_eq!(actor.panics(), 0);
    assert_eq!(actor.state(), &[CALLS; SENDERS]);
}

#[test]
fn a_full_lane_gives_the_call_back_and_counts_it() {
    let (mut actor, mut handle) = Actor::new(Vec::new(), 3);
    for number in 0..3 {
        handle.send(move |seen| seen.push(number)).unwrap();
    }
    let Err(SendError::Full(call)) = handle.send(|seen| seen.push(3)) else { panic!("the lane is full") };
    assert!(handle.clone().send(|seen| seen.push(100)).is_ok(), "others have lanes of their own");
    assert_eq!(actor.refused(), 1);
    assert_eq!(actor.run(3), 3);
    handle.send(call).unwrap();
    assert_eq!(actor.run(8), 2);
    assert_eq!(actor.state(), &[0, 1, 2, 100, 3]);
}

#[test]
fn an_actor_is_told_of_a_batch_once() {
    let wakeup = Arc::new(Wakeup::new());
    let (mut actor, mut handle) = Actor::with_signal(Vec::new(), 8, wakeup.clone().into());
    let before = wakeup.generation();
    let mut batch = handle.batch();
    for number in 0..5 {
        batch.send(move |seen| seen.push(number)).unwrap();
    }
    assert_eq!((wakeup.generation(), actor.run(8)), (before, 0), "it does not know yet");
    drop(batch);
    assert_ne!(wakeup.generation(), before);
    assert_eq!(actor.run(8), 5);
    assert_eq!(actor.state(), &[0, 1, 2, 3, 4]);
    drop(handle.batch());
    assert_eq!(actor.wait(Duration::ZERO), Waited::TimedOut, "nothing was sent");
}

#[test]
fn a_batch_that_finds_no_room_tells_of_what_it_has() {
    let (mut actor, mut handle) = Actor::new(0, 2);
    let mut batch = handle.batch();
    let refused = (0..3).filter(|_| batch.send(|count| *count += 1).is_err()).count();
    assert_eq!((refused, actor.run(8)), (1, 2));
    batch.send(|count| *count += 1).unwrap();
    drop(batch);
    assert_eq!((actor.run(8), actor.refused()), (1, 1));
}

#[test]
fn calls_of_a_batch_to_an_actor_that_is_gone_are_dropped() {
    let (actor, mut handle) = Actor::new((), 8);
    let (batch, captured) = batch_of_three(&mut handle);
    drop(actor);
    drop(batch);
    assert_eq!(Arc::strong_count(&captured), 1);
    assert!(matches!(handle.send(|()| ()), Err(SendError::NoReceiver(_))));
}

#[test]
fn what_comes_back_is_the_call_that_was_sent_even_after_a_batch_that_was_never_told_of() {
    let (actor, mut handle) = Actor::new((), 8);
    let (batch, captured) = batch_of_three(&mut handle);
    std::mem::forget(batch);
    drop(actor);
    let text = String::from("of another type");
    let Err(SendError::NoReceiver(call)) = handle.send(move |()| assert_eq!(text, "of another type")) else {
        panic!("nobody is there");
    };
    call(&mut ());
    assert_eq!(Arc::strong_count(&captured), 1);
}

#[test]
fn an_actor_that_feeds_itself_starves_nobody() {
    struct Endless {
        own: Option<ActorHandle<Endless>>,
        fed: u32,
        heard: u32,
    }
    fn feed(endless: &mut Endless) {
        endless.fed += 1;
        endless.own.as_mut().unwrap().send(feed).unwrap();
    }
    let (mut actor, mut handle) = Actor::new(Endless { own: None, fed: 0, heard: 0 }, 4);
    actor.state_mut().own = Some(handle.clone());
    actor.state_mut().own.as_mut().unwrap().send(feed).unwrap();
    for turn in 1..=10 {
        handle.send(|endless| endless.heard += 1).unwrap();
        actor.run(8);
        actor.run(8);
        assert_eq!(actor.state().heard, turn, "two turns suffice");
    }
    assert!(actor.state().fed > 100);
}

#[test]
fn a_call_that_panics_harms_no_other() {
    let (mut actor, mut handle) = Actor::new(0, 8);
    handle.send(|state| *state += 1).unwrap();
    handle.send(|_| panic!("on purpose")).unwrap();
    let mut answer = pin!(handle.call_async(|_| -> u8 { panic!("on purpose, too") }).unwrap());
    handle.send(|state| *state += 1).unwrap();
    assert_eq!(actor.run(8), 4);
    assert_eq!((*actor.state(), actor.panics()), (2, 2));
    assert_eq!(poll(answer.as_mut()), Poll::Ready(Err(AnswerError::Panicked)));
}

#[test]
fn what_waits_when_the_actor_goes_is_dropped_and_whoever_waits_for_it_is_told() {
    let (mut actor, mut handle) = Actor::new((), 8);
    let caller = thread::spawn(move || {
        let answer = handle.call(|()| (), LONG);
        (handle, answer)
    });
    assert_eq!(actor.wait(LONG), Waited::Ready);
    drop(actor);
    let (mut handle, answer) = caller.join().unwrap();
    assert!(matches!(answer, Err(CallError::NoAnswer(AnswerError::Ended))), "{answer:?}");
    assert!(matches!(handle.send(|()| ()), Err(SendError::NoReceiver(_))));
    assert!(matches!(handle.clone().send(|()| ()), Err(SendError::NoReceiver(_))));
}

#[test]
fn a_caller_that_gave_up_gets_no_older_answer_later() {
    let (actor, mut handle) = Actor::new(0, 8);
    for _ in 0..3 {
        let late = handle.call(|state| *state += 1, Duration::from_micros(10));
        assert!(matches!(late, Err(CallError::NoAnswer(AnswerError::TimedOut))));
    }
    served(actor, handle, |mut handle| {
        assert_eq!(handle.call(|state| *state * 10, LONG).unwrap(), 30);
        assert_eq!(handle.call(|state| *state * 100, LONG).unwrap(), 300);
    });
}

#[test]
fn large_captures_and_results_arrive_whole() {
    #[repr(align(64))]
    #[derive(Clone, Copy, PartialEq, Debug)]
    struct Aligned([u8; 64]);

    let (actor, mut handle) = Actor::new([0_u8; 200], 8);
    let (large, aligned) = ([7_u8; 200], Aligned([9; 64]));
    handle.send(move |state| *state = large).unwrap();
    served(actor, handle, |mut handle| {
        assert_eq!(handle.call(|state| *state, LONG).unwrap(), large);
        assert_eq!(handle.call(move |_| aligned, LONG).unwrap(), aligned);
        let text = "a result that owns memory".to_string();
        assert_eq!(handle.call(move |_| text, LONG).unwrap(), "a result that owns memory");
    });
}

#[test]
fn what_is_never_run_or_never_read_is_dropped_once() {
    struct Counted(Arc<AtomicUsize>);
    impl Drop for Counted {
        fn drop(&mut self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    let drops = Arc::new(AtomicUsize::new(0));
    let new = || Counted(drops.clone());
    let (mut actor, mut handle) = Actor::new((), 8);
    let (captured, large) = (new(), ([0_u8; 100], new()));
    handle.send(move |()| drop(captured)).unwrap();
    handle.send(move |()| drop(large)).unwrap();
    let result = new();
    drop(handle.call_async(move |()| result).unwrap()); // nobody will read it
    assert_eq!(drops.load(Ordering::Relaxed), 0);
    assert_eq!(actor.run(1), 1);
    assert_eq!(drops.load(Ordering::Relaxed), 1);
    assert_eq!(actor.run(2), 2);
    assert_eq!(drops.load(Ordering::Relaxed), 3);
    let captured = new();
    handle.send(move |()| drop(captured)).unwrap();
    drop(actor);
    assert_eq!(drops.load(Ordering::Relaxed), 4);
}

#[test]
fn an_object_that_may_not_leave_its_thread_is_served_there() {
    let (sender, receiver) = std::sync::mpsc::channel();
    let thread = thread::spawn(move || {
        let (mut actor, handle) = Actor::new(Rc::new(RefCell::new(0)), 4);
        sender.send(handle).unwrap();
        actor.run_until_closed();
        *actor.state().borrow()
    });
    let mut handle = receiver.recv().unwrap();
    handle.send(|count| *count.borrow_mut() += 1).unwrap();
    assert_eq!(handle.call(|count| *count.borrow(), LONG).unwrap(), 1);
    drop(handle);
    assert_eq!(thread.join().unwrap(), 1);
}

#[test]
fn a_future_is_woken_when_its_result_is_there() {
    struct Woken(AtomicBool);
    impl Wake for Woken {
        fn wake(self: Arc<Self>) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let woken = Arc::new(Woken(AtomicBool::new(false)));
    let waker = Waker::from(woken.clone());
    let (mut actor, mut handle) = Actor::new("state", 4);
    let mut answer = pin!(handle.call_async(|state| state.len()).unwrap());
    // Only the last waker counts.
    assert!(poll(answer.as_mut()).is_pending());
    assert!(answer.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    assert!(!woken.0.load(Ordering::Relaxed));
    actor.run(1);
    assert!(woken.0.load(Ordering::Relaxed));
    assert_eq!(poll(answer.as_mut()), Poll::Ready(Ok(5)));
}

#[test]
fn an_actor_sleeps_until_there_is_something_to_run() {
    let (mut actor, mut handle) = Actor::new(0, 4);
    assert_eq!(actor.wait(Duration::from_millis(1)), Waited::TimedOut);
    let sender = thread::spawn(move || {
        thread::sleep(Duration::from_millis(10));
        handle.send(|state| *state += 1).unwrap();
        handle
    });
    assert_eq!(actor.wait(LONG), Waited::Ready);
    assert_eq!(actor.run(8), 1);
    drop(sender.join().unwrap());
    assert_eq!(actor.wait(LONG), Waited::Ready);
    assert_eq!(actor.run(8), 0);
    assert_eq!(actor.wait(LONG), Waited::Closed);
    drop(actor.handle());
}
