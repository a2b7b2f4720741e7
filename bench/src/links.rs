//! Links between two processes beside plain sockets and other libraries: the same messages, in the
//! same run, in turn.
//!
//! | file | what |
//! |---|---|
//! | `one_way`, `spinning`, `image`, `flat_out`, `connections`, `slides` | a workload each: its cases, who takes part, our bars |
//! | `contestant` | Hemiola's links, and plain sockets and a pipe |
//! | `peers/links`, `peers/dds` | ZeroMQ, Zenoh and iceoryx2, and CycloneDDS, in workspaces of their own |
//! | `count` | the system calls, wake-ups and instructions of a message |
//!
//! The task of a contestant, and its measurement and checks, are in the crate `contestant`, in
//! `links`. Contests are held, and results shown, as for `messages`.

mod connections;
pub mod contestant;
pub mod count;
mod flat_out;
mod image;
mod one_way;
mod slides;
mod spinning;

use crate::contest::entrant::Side;
use crate::messages::Area;
use crate::messages::workload::{Case, Column, Contestant, Cores, Figure, Goal, Limit, percent};
use crate::report::time;

/// Topics that go from one process to another.
pub static LINKS: Area = Area {
    name: "links",
    title: "Hemiola’s links beside plain sockets and others",
    lead: "Messages from one process to another one of the same host: the same workloads, in the same run.",
    workloads: |effort| {
        vec![
            one_way::workload(effort),
            spinning::workload(effort),
            image::workload(effort),
            flat_out::workload(effort),
            connections::workload(effort),
            slides::workload(effort),
        ]
    },
};

const ONE_WAY: Figure = Figure::median("one_way_ns", time);
const ONE_WAY_P99: Figure = Figure::p99("one_way_ns", time);
const PER_MESSAGE: Figure = Figure::median("per_message_ns", time);
const SENDER: Figure = Figure::median("sender_cpu_ns", time);
const RECEIVER: Figure = Figure::median("receiver_cpu_ns", time);
const SENDER_SHARE: Figure = Figure::median("sender_core_ppm", percent);
const RECEIVER_SHARE: Figure = Figure::median("receiver_core_ppm", percent);
const SENDER_WAKE_UPS: Figure = Figure::median("sender_wake_ups_per_100", hundredths);
const RECEIVER_WAKE_UPS: Figure = Figure::median("receiver_wake_ups_per_100", hundredths);

/// A message of a camera with 640 x 480 pixels, two bytes each.
const IMAGE_BYTES: u64 = 2 * 640 * 480;

/// The share by which a link may take longer than the plain socket below it.
const TOLERANCE: f64 = 0.1;

/// The messages of a case.
struct Messages {
    bytes: u64,
    count: u64,
    /// The time from one to the next; 0: the next one follows at once.
    period_ns: u64,
    /// The number of messages that are under way at most.
    window: u64,
    /// The number of cores that both processes keep to.
    cores: u64,
    /// The number of connections beside the one that is used.
    idle: u64,
    /// The receiver looks for messages without sleeping.
    spins: bool,
}

fn case(name: String, messages: &Messages, without: &'static [&'static str]) -> Case {
    let Messages { bytes, count, period_ns, window, cores, idle, spins } = *messages;
    let arguments = [
        ("bytes", bytes),
        ("messages", count),
        ("period-ns", period_ns),
        ("window", window),
        ("cores", cores),
        ("idle", idle),
        ("spins", spins.into()),
    ];
    // The kernel takes longer than the way from one core to the other.
    Case { name, arguments: arguments.into(), cores: Cores::One, without }
}

/// Returns all contestants with one connection.
fn contestants() -> Vec<Contestant> {
    vec![
        hemiola("hemiola-shm", "Hemiola, shm"),
        hemiola("hemiola-unix", "Hemiola, unix"),
        hemiola("hemiola-auto", "Hemiola, auto"),
        hemiola("hemiola-tcp", "Hemiola, tcp"),
        hemiola("hemiola-udp", "Hemiola, udp"),
        hemiola("hemiola-shm-polled", "Hemiola, shm, polled"),
        hemiola("hemiola-unix-polled", "Hemiola, unix, polled"),
        plain("unix-stream", "Unix socket, stream"),
        plain("unix-seqpacket", "Unix socket, seqpacket"),
        plain("unix-datagram", "Unix socket, datagram"),
        plain("tcp", "TCP, no delay"),
        plain("udp", "UDP"),
        plain("pipe", "pipe"),
        foreign("iceoryx2", "iceoryx2, with events"),
        foreign("zenoh-unix", "Zenoh, Unix socket"),
        foreign("zenoh-tcp", "Zenoh, TCP"),
        foreign("zeromq-ipc", "ZeroMQ, Unix socket"),
        foreign("zeromq-tcp", "ZeroMQ, TCP"),
        Contestant::of_crates("dds", "cyclonedds", "CycloneDDS"),
    ]
}

/// The contestants whose messages are no longer than a datagram of UDP.
const UDP: &[&str] = &["hemiola-udp", "udp"];

fn hemiola(id: &'static str, label: &'static str) -> Contestant {
    Contestant::of_the_bench(COMMAND, id, label, Side::Hemiola)
}

fn plain(id: &'static str, label: &'static str) -> Contestant {
    Contestant::of_the_bench(COMMAND, id, label, Side::Peer)
}

/// Returns a contestant of `peers/links`.
fn foreign(id: &'static str, label: &'static str) -> Contestant {
    Contestant::of_crates("links", id, label)
}

/// The hidden command that makes this program a contestant.
const COMMAND: &str = "links-contestant";

/// Returns the columns of workloads whose receiver sleeps until a message comes.
fn one_way_columns() -> Vec<Column> {
    vec![
        ONE_WAY.titled("one way"),
        ONE_WAY_P99.titled("p99"),
        SENDER.titled("CPU, sender"),
        RECEIVER.titled("CPU, receiver"),
        SENDER_WAKE_UPS.titled("wake-ups, s."),
        RECEIVER_WAKE_UPS.titled("wake-ups, r."),
    ]
}

/// Returns the bars of links that do what plain sockets do: each is as good as its socket, and a
/// Unix socket is worth its name.
fn goals(cases: &[String], figure: Figure) -> Vec<Goal> {
    let goal = |what, id, of, tolerance| Goal {
        what,
        cases: cases.to_vec(),
        id,
        figure,
        limit: Limit::Within { of, tolerance },
    };
    vec![
        goal("unix within 10 % of a plain stream", "hemiola-unix", "unix-stream", TOLERANCE),
        goal("tcp within 10 % of plain TCP", "hemiola-tcp", "tcp", TOLERANCE),
        goal("auto within 10 % of a plain stream", "hemiola-auto", "unix-stream", TOLERANCE),
        goal("auto no slower than tcp", "hemiola-auto", "hemiola-tcp", 0.0),
        goal("unix no slower than tcp", "hemiola-unix", "hemiola-tcp", 0.0),
        goal("shm no slower than unix", "hemiola-shm", "hemiola-unix", TOLERANCE),
    ]
}

/// Writes hundredths of a count.
fn hundredths(value: f64) -> String {
    format!("{:.2}", value / 100.0)
}
