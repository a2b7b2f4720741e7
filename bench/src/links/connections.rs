//! Many connections, of which one is used.

use super::{Messages, ONE_WAY, ONE_WAY_P99, RECEIVER_SHARE, SENDER_SHARE, case, hemiola, plain};
use crate::contest::discipline::Effort;
use crate::messages::workload::{Case, Goal, Limit, Workload};

pub fn workload(effort: Effort) -> Workload {
    let cases: Vec<Case> = [0, 1000].map(|idle| connections(idle, effort)).into();
    let goal =
        |what, limit| Goal { what, cases: vec![name(1000)], id: "hemiola-unix-polled", figure: RECEIVER_SHARE, limit };
    Workload {
        name: "connections",
        what: "A message of 100 bytes every millisecond over one connection, beside idle ones: the share of a core that either process \
               uses, including its pauses between messages. A link of Hemiola has at most 16 peers, so that the receiving process has a \
               link for every 16, and the sending one a link for each connection.",
        contestants: vec![
            hemiola("hemiola-unix", "Hemiola, unix"),
            hemiola("hemiola-unix-polled", "Hemiola, unix, polled"),
            hemiola("hemiola-tcp", "Hemiola, tcp"),
            plain("unix-epoll", "Unix sockets, epoll"),
            plain("unix-poll", "Unix sockets, poll"),
            plain("unix-threads", "Unix sockets, a thread each"),
        ],
        goals: vec![
            // What epoll took on the machine on which the bar was set, and some.
            goal("share of a core", Limit::AtMost(11_000.0)),
            goal(
                "share of a core within 10 % of epoll's",
                Limit::Within { of: "unix-epoll", tolerance: super::TOLERANCE },
            ),
        ],
        columns: vec![
            RECEIVER_SHARE.titled("receiver"),
            SENDER_SHARE.titled("sender"),
            ONE_WAY.titled("one way"),
            ONE_WAY_P99.titled("p99"),
        ],
        plotted: vec![RECEIVER_SHARE],
        cases,
    }
}

fn name(idle: u64) -> String {
    match idle {
        0 => "no other connection".to_owned(),
        idle => format!("{idle} idle connections"),
    }
}

fn connections(idle: u64, effort: Effort) -> Case {
    let count = match effort {
        Effort::Full => 2_000,
        Effort::Quick => 100,
    };
    let messages = Messages { bytes: 100, count, period_ns: 1_000_000, window: 64, cores: 2, idle, spins: false };
    case(name(idle), &messages, &[])
}
