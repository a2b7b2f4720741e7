//! Measures how late periodic threads start on this machine, and the cost of being on time.
//!
//! `cargo run --release -p hemiola-realtime --example wakeup_latency [PERIOD_US [SLEEPS]]`
//!
//! It works like cyclictest: a thread sleeps until absolute due times, and how late it is there is
//! measured, once for each scheduling policy, and for each with sleeps that end at the due time and
//! with adaptive earliness.

use hemiola_realtime::{
    AdaptiveEarliness, EarlinessCost, LatencyDistribution, Niceness, Policy, Priority, RealtimeError, ThreadSettings,
    monotonic_now, secure_memory, sleep_until, spawn,
};
use std::collections::BTreeSet;
use std::time::Duration;

fn main() -> Result<(), RealtimeError> {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<u64>());
    let (Ok(period), Ok(sleeps)) = (arguments.next().unwrap_or(Ok(1_000)), arguments.next().unwrap_or(Ok(2_000)))
    else {
        eprintln!("usage: wakeup_latency [PERIOD_US [SLEEPS]], both whole numbers");
        std::process::exit(2);
    };
    let period = Duration::from_micros(period);
    let policies = [
        Policy::Fifo(Priority::new(80)?),
        Policy::RoundRobin(Priority::new(80)?),
        Policy::TimeSharing { nice: Niceness::default() },
    ];
    let mut notices: BTreeSet<String> =
        secure_memory(1024 * 1024).lock.denial().into_iter().map(ToString::to_string).collect();

    if period.is_zero() {
        eprintln!("the period must be longer than 0 us");
        std::process::exit(2);
    }
    println!("{sleeps} due times, one every {period:?}; how late the thread was there:");
    println!(
        "{:42} {:>9} {:>9} {:>9} {:>9} {:>7} {:>13}",
        "policy", "minimum", "median", "99 %", "maximum", "late", "spinning"
    );
    for policy in policies {
        for wait in [Wait::Sleep, Wait::Early] {
            let settings = ThreadSettings::new("latency").policy(policy).prefaulted_stack(64 * 1024);
            let spawned = spawn(settings, move || measure(wait, period, sleeps))?;
            notices.extend(spawned.report.denials().map(ToString::to_string));
            let granted = if spawned.report.policy.is_granted() { "" } else { " (denied)" };
            let Ok((latency, cost)) = spawned.thread.join() else { continue };
            let label = format!("{policy}{granted}{}", if matches!(wait, Wait::Early) { ", early" } else { "" });
            let per_second = cost.spinning.as_secs_f64() * 1e3 / (period.as_secs_f64() * sleeps.max(1) as f64);
            println!(
                "{label:42} {:>9} {:>9} {:>9} {:>9} {:>7} {:>8.2} ms/s",
                microseconds(latency.minimum),
                microseconds(latency.median),
                microseconds(latency.p99),
                microseconds(latency.maximum),
                cost.late,
                per_second
            );
        }
    }
    println!("late: woken after the due time. spinning: processor time spent per second to be on time.");
    for notice in notices {
        eprintln!("{notice}");
    }
    Ok(())
}

#[derive(Clone, Copy)]
enum Wait {
    /// Sleeps until the due time.
    Sleep,
    /// Wakes early and spins.
    Early,
}

fn measure(wait: Wait, period: Duration, sleeps: u64) -> (LatencyDistribution, EarlinessCost) {
    let mut latencies = Vec::with_capacity(usize::try_from(sleeps).unwrap_or(0));
    let mut earliness = AdaptiveEarliness::default();
    let mut late = 0;
    let mut due = monotonic_now() + period;
    for _ in 0..sleeps {
        let there = match wait {
            Wait::Sleep => {
                sleep_until(due);
                late += 1;
                monotonic_now()
            }
            Wait::Early => earliness.meet(due),
        };
        latencies.push(there - due);
        due = due + period;
        while due < there {
            due = due + period;
        }
    }
    let cost = match wait {
        Wait::Sleep => EarlinessCost { waits: sleeps, late, ..EarlinessCost::default() },
        Wait::Early => earliness.cost(),
    };
    (LatencyDistribution::of(&mut latencies), cost)
}

fn microseconds(duration: Duration) -> String {
    format!("{:.1} us", duration.as_nanos() as f64 / 1e3)
}
