//! The crates with which the bench of messages compares Hemiola, and code without any crate:
//! `messages CONTESTANT --workload ...`.

mod come_and_go;
mod fan_out;
mod flood;
mod hand_over;
mod idle;
mod latest_value;
mod matrix_to_json;
mod ring;
mod safe_queue;
mod task_queue;

use hemiola_bench_contestant::CountAllocations;
use hemiola_bench_contestant::messages::{Assignment, Kilobyte};
use hemiola_bench_peers::version;

#[global_allocator]
static ALLOCATOR: CountAllocations = CountAllocations;

fn main() {
    let assignment = Assignment::parse(std::env::args().skip(1)).unwrap_or_else(|message| {
        eprintln!("{message}");
        std::process::exit(2)
    });
    assignment.introduce(version_of(assignment.contestant()));
    let large = || assignment.number("bytes") == 1024;
    match assignment.workload() {
        "come-and-go" => come_and_go::run(&assignment),
        "fan-out" => fan_out::run(&assignment),
        "task-queue" => task_queue::run(&assignment),
        "matrix-to-json" => matrix_to_json::run(&assignment),
        "ring" if large() => ring::run::<Kilobyte>(&assignment),
        "ring" => ring::run::<u64>(&assignment),
        "latest-value" if large() => latest_value::run::<Kilobyte>(&assignment),
        "latest-value" => latest_value::run::<u64>(&assignment),
        "hand-over" => hand_over::run(&assignment),
        "flood" => flood::run(&assignment),
        "idle" => idle::run(&assignment),
        other => unknown("workload", other),
    }
}

/// Returns the version of the crate that a contestant stands for.
fn version_of(contestant: &str) -> &'static str {
    match contestant {
        "array-queue" | "seg-queue" => version("crossbeam-queue"),
        "arc-swap-cache" => version("arc-swap"),
        "event-poller" => version("disruptor"),
        "std-channel" | "single" | "multi" | "direct" | "producers" | "mutex" | "rw-lock" | "vector"
        | "mutex-batched" | "pollers" | "poller" => "std",
        name => version(name),
    }
}

/// Ends the program: there is no contestant or workload of this name.
fn unknown(what: &str, name: &str) -> ! {
    eprintln!("no {what} `{name}` here");
    std::process::exit(2)
}
