//! The contestants. The bench starts itself to run one, which starts itself again to receive:
//! `hemiola-bench links-contestant NAME --workload ...`.

mod hemiola;
mod memory;
mod multiplexed;
mod plain;
mod slides;

use std::io;

use hemiola_bench_contestant::links;
use hemiola_bench_contestant::messages::Assignment;
use rustix::process::{Resource, getrlimit, setrlimit};

use crate::error::BenchError;

/// Runs as the contestant of that name.
pub fn run(words: Vec<String>) -> Result<(), BenchError> {
    let assignment = Assignment::parse(words.into_iter()).map_err(BenchError::Assignment)?;
    if assignment.receives() {
        links::join(&assignment);
    } else {
        allow_many_files(assignment.number("idle"))?;
        assignment.introduce(&version(assignment.contestant()));
    }
    if assignment.workload() == slides::WORKLOAD {
        return slides::run(&assignment);
    }
    match assignment.contestant() {
        name if name.starts_with("hemiola-") => hemiola::run(&assignment),
        "unix-epoll" | "unix-poll" | "unix-threads" => multiplexed::run(&assignment).map_err(system),
        "memory" => memory::run(&assignment).map_err(system),
        _ => plain::run(&assignment),
    }
}

fn version(contestant: &str) -> String {
    if contestant.starts_with("hemiola") {
        return env!("CARGO_PKG_VERSION").to_owned();
    }
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    format!("Linux {}", kernel.trim())
}

/// Lets this process, and the one that it starts, have that many connections beside all else.
fn allow_many_files(connections: u64) -> Result<(), BenchError> {
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current.is_none_or(|most| most >= connections + SPARE) {
        return Ok(());
    }
    limit.current = Some(limit.maximum.unwrap_or(u64::MAX).min(connections + SPARE));
    setrlimit(Resource::Nofile, limit).map_err(|error| system(error.into()))
}

/// The number of files that a process has open besides its connections.
const SPARE: u64 = 200;

/// The first bytes of a message: its number, and when it was sent.
const HEAD: usize = 16;

fn system(error: io::Error) -> BenchError {
    BenchError::Connection { error }
}

fn unknown(assignment: &Assignment) -> BenchError {
    BenchError::Assignment(format!("no contestant `{}` for {}", assignment.contestant(), assignment.workload()))
}
