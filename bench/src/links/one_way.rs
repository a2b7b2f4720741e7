//! Small messages to a process that sleeps until they arrive.

use super::{Messages, ONE_WAY, case, contestants, goals, one_way_columns};
use crate::contest::discipline::Effort;
use crate::messages::workload::{Case, Workload};

pub fn workload(effort: Effort) -> Workload {
    let cases: Vec<Case> =
        [(100, 2), (1024, 2), (100, 1), (1024, 1)].map(|(bytes, cores)| small(bytes, cores, effort)).into();
    let names: Vec<String> = cases.iter().map(|case| case.name.clone()).collect();
    Workload {
        name: "one-way",
        what: "A message every millisecond from one process to another one, which sleeps until it arrives: from right before it is \
               published or written until right after it has arrived, in the callback of a topic or after a read. Each process runs on \
               a core of its own, or both on the same one. A wake-up is a thread that slept, per message.",
        contestants: contestants(),
        cases,
        columns: one_way_columns(),
        plotted: vec![ONE_WAY],
        goals: goals(&names, ONE_WAY),
    }
}

fn small(bytes: u64, cores: u64, effort: Effort) -> Case {
    let count = match effort {
        Effort::Full => 1_000,
        Effort::Quick => 50,
    };
    let place = if cores == 1 { "one core" } else { "two cores" };
    let messages = Messages { bytes, count, period_ns: 1_000_000, window: 64, cores, idle: 0 };
    case(format!("{bytes} bytes, {place}"), &messages, &[])
}
