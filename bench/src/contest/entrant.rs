//! Who takes part.

use std::path::PathBuf;

use hemiola_bench_contestant::Mode;

use super::discipline::Discipline;

/// A contestant, and how it is started.
#[derive(Debug, Clone)]
pub struct Entrant {
    pub id: &'static str,
    /// For people.
    pub label: &'static str,
    pub side: Side,
    pub program: PathBuf,
    /// What stands before the arguments that all get.
    pub arguments: Vec<String>,
}

/// Whom a figure counts for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    Hemiola,
    /// What the figures are compared with: no executor, but a limit.
    Limit,
    Peer,
}

impl Entrant {
    /// Whether it can do it, and whether that says anything.
    pub fn takes_part_in(&self, discipline: &Discipline) -> bool {
        let is_hemiola = self.side == Side::Hemiola;
        match self.id {
            "sequential" => discipline.workers == 1 || discipline.mode != Mode::Steady && discipline.mode != Mode::Cold,
            // Two of them, one above the other, would spin for ever on the same cores.
            "static" => discipline.workers == 2 && !matches!(discipline.mode, Mode::Cold | Mode::Together),
            "hemiola-stages" => discipline.mode == Mode::Pipeline,
            // Its graphs are compiled in: the benchmarks of its authors are a chain of ten and two
            // stages.
            "copper" | "copper-quiet" => {
                discipline.workload == "chain10" && discipline.mode == Mode::Steady && discipline.workers == 1
                    || discipline.mode == Mode::Pipeline
            }
            // To the others two stages are a graph of two tasks, and they have no reason to hand
            // one over.
            _ => is_hemiola || !matches!(discipline.mode, Mode::Cold | Mode::Pipeline),
        }
    }
}

/// Our own, which this program runs itself.
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
