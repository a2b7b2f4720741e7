//! Vectors of many producers, which are gathered and serialised: over topics, by executors of two
//! priorities; or over an event loop, whose one consumer does everything, as in the original.

mod event_loop;
mod executors;

use hemiola_bench_contestant::messages::Assignment;
use hemiola_bench_contestant::messages::matrix_to_json::measure;

use crate::error::BenchError;
use event_loop::Ring;
use executors::{Executors, Spinning};

pub fn run(assignment: &Assignment) -> Result<(), BenchError> {
    let waits = assignment.number("rate-hz") == 0;
    let producers = assignment.number("producers") as usize;
    match assignment.contestant() {
        "hemiola" => {
            let executors = Executors::start(producers, waits, Spinning::Asynchronous)?;
            measure(assignment, || executors);
        }
        "hemiola-spin-once" => {
            let executors = Executors::start(producers, waits, Spinning::Once)?;
            measure(assignment, || executors);
        }
        "hemiola-event-loop" => measure(assignment, || Ring::start(waits)),
        _ => return Err(super::unknown(assignment)),
    }
    Ok(())
}
