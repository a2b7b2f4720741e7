use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// The reasons why the bench ends early.
#[derive(Debug, Error)]
pub enum BenchError {
    #[error("cannot read {}: {error}", path.display())]
    Read { path: PathBuf, error: io::Error },
    #[error("cannot write {}: {error} (is the folder there, writable, and not full?)", path.display())]
    Write { path: PathBuf, error: io::Error },
    #[error("{}: {error}", path.display())]
    Graph { path: PathBuf, error: hemiola_bench_contestant::GraphError },
    #[error("{}: {error}", path.display())]
    Dataset { path: PathBuf, error: hemiola_plan::datasets::DatasetError },
    #[error("{} is no report of this bench: {error}", path.display())]
    Report { path: PathBuf, error: serde_json::Error },
    #[error("{what} `{name}` does not exist; there are {}", known.join(", "))]
    Unknown { what: &'static str, name: String, known: Vec<String> },
    #[error("cannot start {program}: {error}")]
    Start { program: String, error: io::Error },
    #[error("two machines cannot be compared by their times:\n  {a}\n  {b}\nRun the bench again on one of them.")]
    OtherMachine { a: String, b: String },
    #[error("{} and {} do not come from the same bench", before.display(), after.display())]
    OtherBench { before: PathBuf, after: PathBuf },
    #[error("{0}")]
    Assignment(String),
    #[error("no instructions counted: {problem}. It needs valgrind (on Debian: apt install valgrind).")]
    Valgrind { problem: String },
    #[error(
        "a run of the executor takes over 5 % more instructions than before:\n{text}If that is worth it, store the new \
         counts (`hemiola-bench instructions --store`) and say why in the commit."
    )]
    MoreInstructions { text: String },
    #[error("{label} does not reproduce its input: {message}")]
    Encoding { label: &'static str, message: &'static str },
    #[error("system {seed}: {exceeded}. The smallest system that shows it:\n{system}")]
    BoundExceeded { seed: u64, exceeded: String, system: String },
    #[error("between two processes: {error}")]
    Connection { error: io::Error },
    #[error(transparent)]
    Contest(#[from] EntryError),
    #[error(transparent)]
    Realtime(#[from] hemiola_realtime::RealtimeError),
    #[error(transparent)]
    Trace(#[from] hemiola_trace::Error),
    #[error(transparent)]
    Bus(#[from] hemiola_bus::BusError),
    #[error(transparent)]
    Link(#[from] hemiola::link::LinkError),
    #[error(transparent)]
    Contestant(#[from] crate::contestant::ContestantError),
}

/// The reasons why a contestant has no figures.
#[derive(Debug, Error)]
pub enum EntryError {
    #[error("{label} cannot be started from {program}: {error}")]
    Start { label: &'static str, program: String, error: std::io::Error },
    #[error("{label} was stopped after {} s", limit.as_secs())]
    Stuck { label: &'static str, limit: std::time::Duration },
    #[error("{label} failed: {message}")]
    Failed { label: &'static str, message: String },
}

pub fn read(path: &Path) -> Result<String, BenchError> {
    std::fs::read_to_string(path).map_err(|error| BenchError::Read { path: path.to_owned(), error })
}

pub fn write(path: &Path, text: &str) -> Result<(), BenchError> {
    std::fs::write(path, text).map_err(|error| BenchError::Write { path: path.to_owned(), error })
}
