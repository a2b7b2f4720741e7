//! The kernel reserves processor time for an executor's thread, and gives it no more.

use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::Duration;

use hemiola_bus::{Executor, Priority, RobotClock};
use hemiola_model::configuration::{ExecutorConfiguration, Scheduling};
use hemiola_realtime::{KernelThread, ThreadSettings, monotonic_now, scheduler_tick};

const BUDGET: Duration = Duration::from_millis(2);
const PERIOD: Duration = Duration::from_millis(10);
const WORK: Duration = Duration::from_millis(30);

/// Needs CAP_SYS_NICE.
#[test]
fn an_executor_gets_no_more_than_its_reservation() {
    let scheduling = Some(Scheduling::Reservation { budget: BUDGET, period: PERIOD });
    let configuration = ExecutorConfiguration { scheduling, ..ExecutorConfiguration::default() };
    let mut planner = Executor::new("planner", &Arc::new(RobotClock::running(1.0))).configured(configuration);
    let (done, result) = channel();
    planner
        .once(Duration::ZERO, Priority(1), move |_| {
            let (thread, begin) = (KernelThread::current(), monotonic_now());
            let used = || thread.processor_time().unwrap_or_default();
            let before = used();
            while used() - before < WORK {
                std::hint::spin_loop();
            }
            // The other side waits for it.
            done.send((thread.reservation(), monotonic_now() - begin)).unwrap();
        })
        .unwrap();
    let running = planner.spawn(ThreadSettings::new("planner")).unwrap();
    let denial = running.report().denials().next().map(ToString::to_string);
    let (reservation, took) = result.recv().unwrap();
    drop(running);
    if let Some(denial) = denial {
        assert!(denial.contains("SCHED_DEADLINE"), "{denial}");
        assert_eq!(reservation, None);
        eprintln!("SKIPPED: the kernel grants no reservation here: {denial}");
        return;
    }
    assert_eq!(reservation, Some((BUDGET, PERIOD)));
    // The first budget, what it may overrun, and the last one need no further period.
    let free = BUDGET * 2 + scheduler_tick().unwrap_or(PERIOD);
    let least = (WORK - free).mul_f64(PERIOD.as_secs_f64() / BUDGET.as_secs_f64());
    assert!(took >= least, "{WORK:?} in {took:?}, at least {least:?} with {BUDGET:?} in {PERIOD:?}");
}
