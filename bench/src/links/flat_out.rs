//! Messages as fast as they go.

use super::{IMAGE_BYTES, Messages, ONE_WAY, PER_MESSAGE, RECEIVER, SENDER, UDP, case, contestants, goals};
use crate::contest::discipline::Effort;
use crate::messages::workload::{Case, Workload};

pub fn workload(effort: Effort) -> Workload {
    let small = |bytes| flat_out(format!("{bytes} bytes"), bytes, 30_000, 64, effort, &[]);
    let cases = vec![small(100), small(1024), flat_out("614 kB".to_owned(), IMAGE_BYTES, 300, 8, effort, UDP)];
    let names: Vec<String> = cases.iter().map(|case| case.name.clone()).collect();
    Workload {
        name: "flat-out",
        what: "Messages follow each other immediately, with at most 64 (of images 8) under way: the receiver acknowledges each half of \
               them through a pipe of the bench, so that none is lost. One way is the time that a message was under way.",
        contestants: contestants(),
        cases,
        columns: vec![
            PER_MESSAGE.titled("per message"),
            SENDER.titled("CPU, sender"),
            RECEIVER.titled("CPU, receiver"),
            ONE_WAY.titled("one way"),
        ],
        plotted: vec![PER_MESSAGE],
        goals: goals(&names, PER_MESSAGE),
    }
}

fn flat_out(
    name: String,
    bytes: u64,
    count: u64,
    window: u64,
    effort: Effort,
    without: &'static [&'static str],
) -> Case {
    let count = match effort {
        Effort::Full => count,
        Effort::Quick => 100,
    };
    case(name, &Messages { bytes, count, period_ns: 0, window, cores: 2, idle: 0, spins: false }, without)
}
