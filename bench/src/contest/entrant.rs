//! The entrants of the contest.

use std::path::PathBuf;

use hemiola_bench_contestant::Mode;

use super::discipline::Discipline;

/// A contestant, and how it is started.
#[derive(Debug, Clone)]
pub struct Entrant {
    pub id: &'static str,
    /// The name for people.
    pub label: &'static str,
    pub side: Side,
    pub program: PathBuf,
    /// The arguments before those that all contestants get.
    pub arguments: Vec<String>,
}

/// The side that an entrant is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    Hemiola,
    /// A limit that the figures are compared with, which is no executor.
    Limit,
    Peer,
}

impl Entrant {
    /// Returns whether the entrant can take part, and whether its figures would mean anything.
    pub fn takes_part_in(&self, discipline: &Discipline) -> bool {
        let is_hemiola = self.side == Side::Hemiola;
        match self.id {
            "sequential" => discipline.workers == 1 || discipline.mode != Mode::Steady && discipline.mode != Mode::Cold,
            // Two static schedules, one above the other, would spin for ever on the same cores.
            "static" => discipline.workers == 2 && !matches!(discipline.mode, Mode::Cold | Mode::Together),
            "hemiola-stages" => discipline.mode == Mode::Pipeline,
            // Copper's graphs are compiled in: the benchmarks of its authors are a chain of ten and
            // two stages.
            "copper" | "copper-quiet" => {
                discipline.workload == "chain10" && discipline.mode == Mode::Steady && discipline.workers == 1
                    || discipline.mode == Mode::Pipeline
            }
            // For the other peers, two stages are a graph of two tasks, and there is no reason to
            // hand one over.
            _ => is_hemiola || !matches!(discipline.mode, Mode::Cold | Mode::Pipeline),
        }
    }
}

/// Returns our own entrants, which this program runs itself.
pub fn in_house(program: PathBuf) -> Vec<Entrant> {
    let entrant = |id: &'static str, label, side| {
        let arguments = vec!["contestant".to_owned(), id.to_owned()];
        Entrant { id, label, side, program: program.clone(), arguments }
    };
    vec![
        entrant("hemiola", "Hemiola", Side::Hemiola),
        entrant("hemiola-traced", "Hemiola, traced", Side::Hemiola),
        entrant("hemiola-stages", "Hemiola, two cycles", Side::Hemiola),
        entrant("sequential", "loop on one thread", Side::Limit),
        entrant("static", "static schedule, spins", Side::Limit),
    ]
}
