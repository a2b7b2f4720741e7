//! Our own contestants. The bench starts itself to run one:
//! `hemiola-bench contestant NAME --graph ...`.

mod hemiola;
mod stages;
mod static_schedule;

use hemiola_bench_contestant::Contest;
use thiserror::Error;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The reasons why a contestant of ours cannot run a graph.
#[derive(Debug, Error)]
pub enum ContestantError {
    #[error("no contestant `{0}`; there are sequential, static, hemiola, hemiola-traced, hemiola-stages")]
    Unknown(String),
    #[error(transparent)]
    Graph(#[from] hemiola_plan::GraphError),
    #[error(transparent)]
    Bus(#[from] hemiola_bus::BusError),
    #[error(transparent)]
    Runtime(#[from] hemiola_runtime::RuntimeError),
    #[error(transparent)]
    Realtime(#[from] hemiola_realtime::RealtimeError),
}

/// Runs as the contestant of that name.
pub fn run(name: &str) -> Result<(), ContestantError> {
    use hemiola::Tracing;
    match name {
        // The sequential loop shows what a loop costs, and how fast the work is.
        "sequential" => {
            let contest = Contest::enter(name, VERSION);
            contest.measure(&mut || contest.work().run_in_order());
            Ok(())
        }
        "static" => static_schedule::run(Contest::enter(name, VERSION)),
        "hemiola" => hemiola::run(Contest::enter(name, VERSION), Tracing::Off),
        "hemiola-stages" => stages::run(Contest::enter(name, VERSION)),
        "hemiola-traced" => hemiola::run(Contest::enter(name, VERSION), Tracing::On),
        _ => Err(ContestantError::Unknown(name.to_owned())),
    }
}
