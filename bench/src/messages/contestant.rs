//! Our own contestants. The bench starts itself to run one:
//! `hemiola-bench messages-contestant NAME --workload ...`.

mod come_and_go;
mod fan_out;
mod flood;
mod hand_over;
mod idle;
mod latest_value;
mod matrix_to_json;
mod ring;
mod task_queue;

use hemiola_bench_contestant::messages::{Assignment, Kilobyte};

use crate::error::BenchError;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Runs as the contestant of that name.
pub fn run(words: Vec<String>) -> Result<(), BenchError> {
    let assignment = Assignment::parse(words.into_iter()).map_err(BenchError::Assignment)?;
    assignment.introduce(VERSION);
    let large = || assignment.number("bytes") == 1024;
    match assignment.workload() {
        "fan-out" => fan_out::run(&assignment),
        "come-and-go" => come_and_go::run(&assignment),
        "task-queue" => task_queue::run(&assignment),
        "matrix-to-json" => matrix_to_json::run(&assignment),
        "ring" if large() => ring::run::<Kilobyte>(&assignment),
        "ring" => ring::run::<u64>(&assignment),
        "latest-value" if large() => latest_value::run::<Kilobyte>(&assignment),
        "latest-value" => latest_value::run::<u64>(&assignment),
        "hand-over" => hand_over::run(&assignment),
        "flood" => flood::run(&assignment),
        "idle" => idle::run(&assignment),
        _ => Err(unknown(&assignment)),
    }
}

/// Returns the error that there is no contestant of this name.
fn unknown(assignment: &Assignment) -> BenchError {
    BenchError::Assignment(format!("no contestant `{}` for {}", assignment.contestant(), assignment.workload()))
}
