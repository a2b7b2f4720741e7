//! Our own contestants. The bench starts itself to run one: `hemiola-bench messages-contestant NAME --workload ...`.

mod latest_value;
mod ring;

use hemiola_bench_contestant::messages::{Assignment, Kilobyte};

use crate::error::BenchError;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Runs as that contestant.
pub fn run(words: Vec<String>) -> Result<(), BenchError> {
    let assignment = Assignment::parse(words.into_iter()).map_err(BenchError::Assignment)?;
    assignment.introduce(VERSION);
    let large = || assignment.number("bytes") == 1024;
    match assignment.workload() {
        "ring" if large() => ring::run::<Kilobyte>(&assignment),
        "ring" => ring::run::<u64>(&assignment),
        "latest-value" if large() => latest_value::run::<Kilobyte>(&assignment),
        "latest-value" => latest_value::run::<u64>(&assignment),
        _ => Err(unknown(&assignment)),
    }
}

/// There is nobody of this name.
fn unknown(assignment: &Assignment) -> BenchError {
    BenchError::Assignment(format!("no contestant `{}` for {}", assignment.contestant(), assignment.workload()))
}
