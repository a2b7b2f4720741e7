//! Small messages to a process that sleeps until they arrive.

use super::{Messages, ONE_WAY, ONE_WAY_P99, TOLERANCE, case, contestants, goals, one_way_columns};
use crate::contest::discipline::Effort;
use crate::messages::workload::{Case, Goal, Limit, Workload};

pub fn workload(effort: Effort) -> Workload {
    let cases: Vec<Case> = [(100, 2), (1024, 2), (100, 1)].map(|(bytes, cores)| small(bytes, cores, effort)).into();
    let names: Vec<String> = cases.iter().map(|case| case.name.clone()).collect();
    let goal = |what, cases: &[String], figure, limit| Goal {
        what,
        cases: cases.to_vec(),
        id: "hemiola-shm-polled",
        figure,
        limit,
    };
    // From a publisher to a callback of another process, all threads at real-time priority.
    let real_time = |what, of| goal(what, &names, ONE_WAY_P99, Limit::Within { of, tolerance: 0.0 });
    let mut goals = goals(&names, ONE_WAY);
    let fastest = Limit::BestPeer { tolerance: TOLERANCE };
    goals.push(goal("as fast as the fastest, within 10 %", &names[..1], ONE_WAY, fastest));
    goals.push(real_time("real-time, p99 no longer than CycloneDDS's", "cyclonedds"));
    goals.push(real_time("real-time, p99 no longer than Zenoh's over a Unix socket", "zenoh-unix"));
    goals.push(real_time("real-time, p99 no longer than Zenoh's over TCP", "zenoh-tcp"));
    Workload {
        name: "one-way",
        what: "A message every millisecond from one process to another one, which sleeps until it arrives: from right before it is \
               published or written until right after it has arrived, in the callback of a topic or after a read. Each process runs on \
               a core of its own, or both on the same one, at real-time priority. A wake-up is a thread that slept, per message. Links \
               that are polled are served by the thread of the callback; others have a thread of their own, which wakes that one.",
        contestants: contestants(),
        cases,
        columns: one_way_columns(),
        plotted: vec![ONE_WAY],
        goals,
    }
}

fn small(bytes: u64, cores: u64, effort: Effort) -> Case {
    let count = match effort {
        Effort::Full => 400,
        Effort::Quick => 50,
    };
    let place = if cores == 1 { "one core" } else { "two cores" };
    let messages = Messages { bytes, count, period_ns: 1_000_000, window: 64, cores, idle: 0, spins: false };
    case(format!("{bytes} bytes, {place}"), &messages, &[])
}
