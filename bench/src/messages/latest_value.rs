//! The newest value, from one thread to another.

use super::workload::{Case, Column, Contestant, Cores, Figure, Goal, Limit, Workload, picoseconds};
use crate::contest::discipline::Effort;

const READ: Figure = Figure::median("read_ps", picoseconds);
const WRITE: Figure = Figure::median("write_ps", picoseconds);
const KILOHERTZ: u64 = 1_000_000;

pub fn workload(effort: Effort) -> Workload {
    let kinds = || [KILOHERTZ, 0].into_iter().flat_map(|period| [8, 1024].map(|bytes| (period, bytes)));
    let all: Vec<String> = kinds().map(|(period, bytes)| name(period, bytes)).collect();
    let steady = vec![name(KILOHERTZ, 8), name(KILOHERTZ, 1024)];
    let goal =
        |what, cases, figure| Goal { what, cases, id: "hemiola", figure, limit: Limit::BestPeer { tolerance: 0.1 } };
    Workload {
        name: "latest-value",
        what: "One thread writes, a thousand times per second or without a pause; another one reads the newest value without a pause.",
        contestants: vec![
            Contestant::hemiola("hemiola", "Hemiola, topic"),
            Contestant::hemiola("hemiola-exchange", "Hemiola, exchange"),
            Contestant::rust("triple_buffer", "triple_buffer"),
            Contestant::rust("arc-swap", "arc-swap, load"),
            Contestant::rust("arc-swap-cache", "arc-swap, cache"),
            Contestant::rust("mutex", "mutex"),
            Contestant::rust("rw-lock", "lock around an Arc"),
        ],
        cases: kinds().map(|(period, bytes)| case(period, bytes, effort)).collect(),
        columns: vec![Column { head: "read", figure: READ }, Column { head: "write", figure: WRITE }],
        plotted: vec![READ, WRITE],
        goals: vec![
            // Without a pause, a slow writer makes its reader's work easy.
            goal("reading at 1 kHz: as fast as the best crate, in the worst case", steady, READ),
            goal("writing: as fast as the best crate, in the worst case", all, WRITE),
        ],
    }
}

fn name(period_ns: u64, bytes: u64) -> String {
    let rate = if period_ns == 0 { "without a pause" } else { "1 kHz" };
    format!("{bytes} bytes, {rate}")
}

fn case(period_ns: u64, bytes: u64, effort: Effort) -> Case {
    let duration_ms = match effort {
        Effort::Full => 200,
        Effort::Quick => 20,
    };
    Case {
        name: name(period_ns, bytes),
        arguments: vec![
            ("period-ns", period_ns),
            ("bytes", bytes),
            ("duration-ns", duration_ms * 1_000_000),
            ("repetitions", 3),
        ],
        cores: Cores::Two,
        without: &[],
    }
}
