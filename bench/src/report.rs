//! The results of a contest, for people and for programs.

pub mod bar;
pub mod bars;
pub mod comparison;
mod learning;
pub mod page;
pub mod plot;
mod quoted;
pub mod terminal;

use serde::{Deserialize, Serialize};

use crate::contest::host::Host;
use crate::contest::result::{Event, Spread};
use crate::machine::Machine;

/// Everything that is known of one run of the bench.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    pub machine: Machine,
    pub host: Host,
    pub rounds: usize,
    /// True if the run was too short for its figures to mean anything.
    pub quick: bool,
    /// Notes on what is missing, and how to get it.
    pub notices: Vec<String>,
    pub events: Vec<Event>,
    /// The latencies of cyclictest's thread, in nanoseconds, if the tool is installed.
    pub cyclictest: Option<Spread>,
}

impl Report {
    /// Returns the event of this name, if it was held.
    pub fn event(&self, workload: &str, mode: &str, workers: usize) -> Option<&Event> {
        self.events
            .iter()
            .find(|event| (event.workload.as_str(), event.mode.as_str(), event.workers) == (workload, mode, workers))
    }
}

/// Writes nanoseconds with three significant digits: `430 ns`, `8.07 ms`.
pub fn time(ns: f64) -> String {
    hemiola_words::nanoseconds(ns.round() as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits() {
        let texts = [7.4, 430.0, 1_234.0, 12_340.0, 123_400.0, 8_071_000.0, 2e9].map(time);
        assert_eq!(texts, ["7 ns", "430 ns", "1.23 µs", "12.3 µs", "123 µs", "8.07 ms", "2.00 s"]);
    }
}
