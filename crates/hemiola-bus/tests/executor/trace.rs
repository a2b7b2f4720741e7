//! The description of an executor's thread and its callbacks, from which their response times can
//! be bounded.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use hemiola_bus::{Bus, Executor, Order, Priority, RobotClock, WhenFull};
use hemiola_realtime::{Affinity, KernelThread, ThreadSettings};
use hemiola_trace::{CallbackOrder, Catalog, Collector, Profile, Statistics, TickScale};

const SPIN: Duration = Duration::from_micros(30);
const EARLY: Duration = Duration::from_micros(70);

/// Returns what is known after `run` has used an executor with two timers from one place, and a
/// topic.
fn profile_after(run: impl FnOnce(Executor, &mut dyn FnMut())) -> Profile {
    let (catalog, mut collector) = (Catalog::new("robot"), Collector::default());
    let executor = Executor::new("arm", &Arc::new(RobotClock::running(1.0)));
    let mut executor = executor.order(Order::Ros2).spin_before_sleep(SPIN).wake_early(EARLY);
    let (thread, events) = executor.record(&catalog, 1024, None).unwrap();
    collector.add(thread, events);
    let (called, calls) = channel();
    for _ in 0..2 {
        let called = called.clone();
        executor.every(Duration::from_millis(2), Priority(7), move |_| _ = called.send(())).unwrap();
    }
    let topic = Bus::with_timing().topic("pose").unwrap();
    executor.subscribe(&topic, Priority(9), 16, WhenFull::DropOldest, move |_: &u8| _ = called.send(())).unwrap();
    let mut publisher = topic.publisher();
    run(executor, &mut || {
        (0..3).for_each(|message| publisher.publish(message));
        // These are the calls of both timers and of all messages.
        (0..20).for_each(|_| calls.recv().unwrap());
    });
    let mut statistics = Statistics::new(catalog, TickScale::calibrate());
    collector.drain(|thread, events, _| statistics.absorb(thread, events));
    statistics.profile()
}

#[test]
fn a_thread_of_its_own_is_known_with_its_priority_and_cores() {
    let allowed = Affinity::of_this_thread();
    let core = Affinity::of(allowed.cores().iter().copied().take(1));
    let settings = ThreadSettings::new("arm").affinity(core.clone());
    let profile = profile_after(|executor, wait| {
        let running = executor.spawn(settings).unwrap();
        wait();
        drop(running);
    });
    let thread = profile.executors["arm"].thread.as_ref().unwrap();
    // The priority is that of this thread, as no other one was requested.
    assert_eq!((thread.priority, thread.order), (KernelThread::current().priority(), CallbackOrder::Registration));
    assert_eq!(thread.core(), core.cores().first().map(|core| core.0));
    assert_eq!((u128::from(thread.spin), u128::from(thread.early)), (SPIN.as_nanos(), EARLY.as_nanos()));
}

#[test]
fn timers_tell_their_periods_also_where_one_line_adds_several() {
    let profile = profile_after(|mut executor, wait| {
        let handle = executor.handle();
        std::thread::scope(|scope| {
            scope.spawn(|| executor.run());
            wait();
            handle.stop();
        });
    });
    let callbacks = &profile.executors["arm"].callbacks;
    let timers: Vec<_> = callbacks.values().filter(|callback| callback.period == Some(2_000_000)).collect();
    assert_eq!(timers.len(), 2, "{callbacks:?}");
    assert!(timers.iter().all(|timer| timer.priority == 7 && timer.topic.is_none() && timer.spans.is_empty()));
    let pose = &callbacks["pose"];
    assert_eq!((pose.topic.as_deref(), pose.priority, pose.period), (Some("pose"), 9, None));
    assert_eq!((pose.execution.count(), pose.response.count(), pose.spans.len()), (3, 3, 2));
}

#[test]
fn an_executor_that_others_run_has_no_thread() {
    let profile = profile_after(|mut executor, _| while executor.run_ready() == 0 {});
    let arm = &profile.executors["arm"];
    assert!(arm.thread.is_none() && !arm.callbacks.is_empty(), "{arm:?}");
}
