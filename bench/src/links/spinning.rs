//! Small messages to a process that looks for them without sleeping.

use super::{Messages, ONE_WAY, ONE_WAY_P99, RECEIVER, SENDER, case, foreign, hemiola, plain};
use crate::contest::discipline::Effort;
use crate::messages::workload::{Case, Cores, Goal, Limit, Workload};

pub fn workload(effort: Effort) -> Workload {
    let cases: Vec<Case> = [100, 1024].map(|bytes| spinning(bytes, effort)).into();
    let names: Vec<String> = cases.iter().map(|case| case.name.clone()).collect();
    let goal = |what, limit| Goal { what, cases: names.clone(), id: "hemiola-shm", figure: ONE_WAY, limit };
    Workload {
        name: "spinning",
        what: "A message every millisecond to a process on another core that never sleeps: all receivers look again and again, iceoryx2's \
               and that of plain shared memory, which is the limit, for the message itself, and Hemiola's, which polls its links, into the \
               pipe of its link, from which it publishes the message to its topic. Both bars are iceoryx2's, which was to be the engine \
               of such links and is not: 1.15 times what it takes here, and about what it took where the bar was set, with cores near \
               each other.",
        contestants: vec![
            hemiola("hemiola-shm", "Hemiola, shm"),
            hemiola("hemiola-auto", "Hemiola, auto"),
            plain("memory", "shared memory").limit(),
            foreign("iceoryx2", "iceoryx2, looking"),
        ],
        goals: vec![
            goal("within 15 % of iceoryx2", Limit::Within { of: "iceoryx2", tolerance: 0.15 }),
            goal("at most 400 ns, or 900 with cores far from each other", Limit::AtMostNearOrFar(400.0, 900.0)),
        ],
        columns: vec![
            ONE_WAY.titled("one way"),
            ONE_WAY_P99.titled("p99"),
            SENDER.titled("CPU, sender"),
            RECEIVER.titled("CPU, receiver"),
        ],
        plotted: vec![ONE_WAY],
        cases,
    }
}

fn spinning(bytes: u64, effort: Effort) -> Case {
    let count = match effort {
        // Real-time threads may take 95 % of each second: the receiver spins for less than that.
        Effort::Full => 500,
        Effort::Quick => 50,
    };
    let messages = Messages { bytes, count, period_ns: 1_000_000, window: 64, cores: 2, idle: 0, spins: true };
    Case { cores: Cores::Two, ..case(format!("{bytes} bytes"), &messages, &[]) }
}
