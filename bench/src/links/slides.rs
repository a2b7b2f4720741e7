//! The first table of the slides on aibo's messages, made again.

use super::plain;
use crate::contest::discipline::Effort;
use crate::messages::workload::{Case, Cores, Figure, Workload};
use crate::report::time;

const HALF_ROUND_TRIP: Figure = Figure::median("half_round_trip_ns", time);
const WRITTEN: Figure = Figure::median("written_ns", time);
const WRITTEN_RATE: Figure = Figure::median("written_megabits_per_s", gigabits);
const ARRIVED_RATE: Figure = Figure::median("arrived_megabits_per_s", gigabits);

pub fn workload(effort: Effort) -> Workload {
    let cases = [1, 2].map(|cores| [latency(cores, effort), throughput(cores, effort)]);
    Workload {
        name: "slides",
        what: "Sony's ipc-bench, as defined for the slides of 2018 on aibo: 100 bytes, 10,000 times. Latency is half of the mean round trip. \
               Throughput is counted until the last message has been written, which flatters what has room for them; beside it, until it has \
               arrived. TCP may gather messages. The slides' second table, from a publisher to a callback over TCP and over a Unix socket, is \
               made again by the rows of one-way with 100 bytes.",
        contestants: vec![
            plain("unix-stream", "Unix socket, stream"),
            plain("unix-datagram", "Unix socket, datagram"),
            plain("tcp", "TCP"),
            plain("udp", "UDP"),
            plain("pipe", "pipe"),
        ],
        cases: cases.into_iter().flatten().collect(),
        columns: vec![
            HALF_ROUND_TRIP.titled("half a trip"),
            WRITTEN.titled("per message"),
            WRITTEN_RATE.titled("written"),
            ARRIVED_RATE.titled("arrived"),
        ],
        plotted: vec![HALF_ROUND_TRIP, WRITTEN],
        // It tells what the sockets of this machine are worth; the goals of links are in `one_way`.
        goals: Vec::new(),
    }
}

/// A pipe has no way back.
fn latency(cores: u64, effort: Effort) -> Case {
    case("latency", cores, true, &["pipe"], effort)
}

/// UDP would lose messages.
fn throughput(cores: u64, effort: Effort) -> Case {
    case("throughput", cores, false, &["udp"], effort)
}

fn case(what: &str, cores: u64, replies: bool, without: &'static [&'static str], effort: Effort) -> Case {
    let count = match effort {
        Effort::Full => 10_000,
        Effort::Quick => 100,
    };
    let place = if cores == 1 { "one core" } else { "two cores" };
    let arguments = [("bytes", 100), ("messages", count), ("cores", cores), ("replies", replies.into()), ("idle", 0)];
    Case { name: format!("{what}, {place}"), arguments: arguments.into(), cores: Cores::One, without }
}

/// Writes millions of bits per second as billions.
fn gigabits(megabits: f64) -> String {
    format!("{:.2} Gb/s", megabits / 1e3)
}
