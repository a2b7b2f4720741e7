//! RRC's task queue, which its authors compare with Boost.Asio.

use super::workload::{Case, Column, Contestant, Cores, Figure, Goal, Limit, Workload, picoseconds};
use crate::contest::discipline::Effort;

const BATCH: Figure = Figure::median("batch_ps", picoseconds);
const SOURCE: &str = "task_queue";

pub fn workload(effort: Effort) -> Workload {
    let threads: &[u64] = match effort {
        Effort::Full => &[1, 2, 4, 8, 16, 32],
        Effort::Quick => &[1, 2, 8],
    };
    let several: Vec<String> = threads.iter().filter(|&&threads| threads > 1).map(|&threads| name(threads)).collect();
    Workload {
        name: "task-queue",
        what: "T threads on all cores share a queue; each adds a hundred tasks, then dequeues and runs up to a hundred, over and over. \
               Time per hundred.",
        contestants: vec![
            Contestant::hemiola("hemiola", "Hemiola, an actor per thread"),
            Contestant::hemiola("hemiola-one", "Hemiola, one actor for all"),
            Contestant::cpp(SOURCE, "asio", "Boost.Asio"),
            Contestant::cpp(SOURCE, "mutex-cpp", "C++ mutex and queue"),
            Contestant::rust("mutex", "Rust mutex and queue"),
            Contestant::rust("mutex-batched", "Rust mutex, 100 per lock"),
            Contestant::rust("seg-queue", "crossbeam SegQueue"),
            Contestant::rust("array-queue", "crossbeam ArrayQueue"),
            Contestant::rust("crossbeam-deque", "crossbeam-deque"),
        ],
        cases: threads.iter().map(|&threads| case(threads, effort)).collect(),
        columns: vec![Column { head: "per hundred", figure: BATCH }],
        plotted: vec![BATCH],
        goals: vec![
            Goal {
                what: "a hundred tasks, one thread",
                cases: vec![name(1)],
                id: "hemiola",
                figure: BATCH,
                limit: Limit::AtMost(0.8e6),
            },
            Goal {
                what: "a hundred tasks, the worst of 2 to 32 threads",
                cases: several,
                id: "hemiola",
                figure: BATCH,
                limit: Limit::AtMost(0.7e6),
            },
        ],
    }
}

fn name(threads: u64) -> String {
    if threads == 1 { "1 thread".to_owned() } else { format!("{threads} threads") }
}

fn case(threads: u64, effort: Effort) -> Case {
    let rounds = match effort {
        Effort::Full => 10_000,
        Effort::Quick => 1_000,
    };
    Case {
        name: name(threads),
        arguments: vec![("threads", threads), ("rounds", rounds), ("repetitions", 3)],
        cores: if threads == 1 { Cores::One } else { Cores::Two },
        without: &[],
    }
}
