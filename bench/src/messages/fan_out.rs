//! RRC's fan-out, which its authors compare with Boost.Signals2.

use super::workload::{Case, Contestant, Cores, Figure, Goal, Limit, Workload, bytes, count, picoseconds};
use crate::contest::discipline::Effort;
use crate::report::time;

const TOTAL: Figure = Figure::median("total_ns", time);
const DELIVERY: Figure = Figure::median("delivery_ps", picoseconds);
const PEAK: Figure = Figure::median("peak_bytes", bytes);
const ALLOCATIONS: Figure = Figure::median("allocations", count);
/// The source of the contestants in C++.
pub const SOURCE: &str = "fan_out";

pub fn workload(effort: Effort) -> Workload {
    let cells = || [10, 100, 1000].into_iter().flat_map(|modules| messages(effort).iter().map(move |&m| (modules, m)));
    let all: Vec<String> = cells().map(|(modules, messages)| name(modules, messages)).collect();
    let goal = |what, cases: &[String], id, figure, limit| Goal { what, cases: cases.to_vec(), id, figure, limit };
    Workload {
        name: "fan-out",
        what: "One thread adds N modules as listeners to a topic, sends M messages of 16 bytes, waits until all are delivered, and tears \
               everything down. A delivery is a dynamic call that counts the message. Memory is the most that is allocated at the same time, by a repetition that is not timed.",
        contestants: vec![
            Contestant::hemiola("hemiola", "Hemiola, callback per message"),
            Contestant::hemiola("hemiola-batched", "Hemiola, callback per batch"),
            Contestant::hemiola("hemiola-synchronous", "Hemiola, deliveries in a phase of their own"),
            Contestant::cpp(SOURCE, "signals2", "Boost.Signals2"),
            Contestant::cpp(SOURCE, "signals2-dummy", "Boost.Signals2, no mutex"),
            Contestant::cpp(SOURCE, "functions", "C++ vector of functions"),
            Contestant::rust("vector", "Rust vector of closures"),
        ],
        cases: cells().map(|(modules, messages)| case(modules, messages)).collect(),
        columns: vec![
            TOTAL.titled("total"),
            DELIVERY.titled("per delivery"),
            PEAK.titled("memory"),
            ALLOCATIONS.titled("allocations"),
        ],
        plotted: vec![TOTAL],
        goals: vec![
            goal(
                "eight times faster than Boost.Signals2, in the worst cell",
                &all,
                "hemiola",
                TOTAL,
                Limit::TimesLess { than: "signals2", factor: 8.0 },
            ),
            goal(
                "the same, callback per batch",
                &all,
                "hemiola-batched",
                TOTAL,
                Limit::TimesLess { than: "signals2", factor: 8.0 },
            ),
            goal(
                "the same, deliveries in a phase of their own",
                &all,
                "hemiola-synchronous",
                TOTAL,
                Limit::TimesLess { than: "signals2", factor: 8.0 },
            ),
            goal(
                "memory, no more than Boost.Signals2 where there are many modules",
                &[100, 100_000].map(|messages| name(1000, messages)),
                "hemiola",
                PEAK,
                Limit::Within { of: "signals2", tolerance: 0.0 },
            ),
            goal("1000 modules, 10,000 messages", &[name(1000, 10_000)], "hemiola", TOTAL, Limit::AtMost(17e6)),
            goal(
                "1000 modules, 10,000 messages, callback per batch",
                &[name(1000, 10_000)],
                "hemiola-batched",
                TOTAL,
                Limit::AtMost(7e6),
            ),
            goal("10 modules, 100 messages", &[name(10, 100)], "hemiola", TOTAL, Limit::AtMost(3e3)),
        ],
    }
}

fn messages(effort: Effort) -> &'static [u64] {
    match effort {
        Effort::Full => &[100, 1_000, 10_000, 100_000],
        Effort::Quick => &[100, 10_000],
    }
}

fn name(modules: u64, messages: u64) -> String {
    format!("{modules} modules, {messages} messages")
}

fn case(modules: u64, messages: u64) -> Case {
    let repetitions = match modules * messages {
        0..=10_000 => 99,
        10_001..=1_000_000 => 9,
        1_000_001..=10_000_000 => 3,
        _ => 1,
    };
    Case {
        name: name(modules, messages),
        arguments: vec![("modules", modules), ("messages", messages), ("repetitions", repetitions)],
        cores: Cores::One,
        without: &[],
    }
}
