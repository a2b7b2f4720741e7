//! Queues from one thread, or four, to another one.

use super::workload::{Case, Column, Contestant, Cores, Figure, Goal, Limit, Workload, picoseconds};
use crate::contest::discipline::Effort;

const TOPIC: &str = "hemiola";
const COPIES: &str = "hemiola-copies";
const EVENT_LOOP: &str = "hemiola-event-loop";
const MESSAGE: Figure = Figure::median("message_ps", picoseconds);

pub fn workload(effort: Effort) -> Workload {
    let kinds = || [1, 4].into_iter().flat_map(|senders| [8, 1024].map(|bytes| (senders, bytes)));
    let best = Limit::BestPeer { tolerance: 0.1 };
    let goal =
        |what, id, senders, bytes| Goal { what, cases: vec![name(senders, bytes)], id, figure: MESSAGE, limit: best };
    Workload {
        name: "ring",
        what: "A queue of 1024 from one thread to another, or from four, which share a core. Time per message.",
        contestants: vec![
            Contestant::hemiola(TOPIC, "Hemiola, topic"),
            Contestant::hemiola(COPIES, "Hemiola, topic, queue of copies"),
            Contestant::hemiola(EVENT_LOOP, "Hemiola, event loop"),
            Contestant::hemiola("hemiola-exchange", "Hemiola, exchange"),
            Contestant::rust("rtrb", "rtrb"),
            Contestant::rust("disruptor", "disruptor"),
            Contestant::rust("array-queue", "crossbeam ArrayQueue"),
            Contestant::rust("seg-queue", "crossbeam SegQueue, unbounded"),
            Contestant::rust("crossbeam-channel", "crossbeam-channel"),
            Contestant::rust("flume", "flume"),
            Contestant::rust("kanal", "kanal"),
            Contestant::rust("std-channel", "std sync_channel"),
            Contestant::rust("tokio", "tokio mpsc, blocking"),
            Contestant::rust("single", "mutex and condition variable"),
        ],
        cases: kinds().map(|(senders, bytes)| case(senders, bytes, effort)).collect(),
        columns: vec![Column { head: "per message", figure: MESSAGE }],
        plotted: vec![MESSAGE],
        goals: vec![
            goal("a topic with a queue of copies, one to one, 8 bytes: as fast as the best crate", COPIES, 1, 8),
            goal("a topic, one to one, 1 kB: as fast as the best crate", TOPIC, 1, 1024),
            goal("a topic with a queue of copies, four to one, 8 bytes: as fast as the best crate", COPIES, 4, 8),
            goal("a topic, four to one, 1 kB: as fast as the best crate", TOPIC, 4, 1024),
            goal("an event loop, one to one, 8 bytes: as fast as the best crate", EVENT_LOOP, 1, 8),
            goal("an event loop, one to one, 1 kB: as fast as the best crate", EVENT_LOOP, 1, 1024),
            goal("an event loop, four to one, 8 bytes: as fast as the best crate", EVENT_LOOP, 4, 8),
            goal("an event loop, four to one, 1 kB: as fast as the best crate", EVENT_LOOP, 4, 1024),
        ],
    }
}

fn name(senders: u64, bytes: u64) -> String {
    let senders = if senders == 1 { "one to one" } else { "four to one" };
    format!("{senders}, {bytes} bytes")
}

fn case(senders: u64, bytes: u64, effort: Effort) -> Case {
    let messages = match (bytes, effort) {
        (8, Effort::Full) => 1_000_000,
        (8, Effort::Quick) => 50_000,
        (_, Effort::Full) => 200_000,
        (_, Effort::Quick) => 20_000,
    };
    Case {
        name: name(senders, bytes),
        arguments: vec![("senders", senders), ("bytes", bytes), ("messages", messages), ("repetitions", 3)],
        cores: Cores::Two,
        without: if senders == 1 { &[] } else { &["rtrb", "hemiola-exchange"] },
    }
}
