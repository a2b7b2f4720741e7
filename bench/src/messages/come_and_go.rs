//! Modules that join and leave a topic while messages flow: a promise of RRC's, whose article gives
//! no figures for it.

use super::fan_out::SOURCE;
use super::workload::{Case, Contestant, Cores, Figure, Goal, Limit, Workload};
use crate::contest::discipline::Effort;
use crate::report::time;

const CHANGE: Figure = Figure::median("change_ns", time);
const SLOWEST_CHANGE: Figure = Figure::p99("change_ns", time);
const MESSAGE: Figure = Figure::median("message_ns", time);

pub fn workload(effort: Effort) -> Workload {
    let turns = match effort {
        Effort::Full => 10_000,
        Effort::Quick => 100,
    };
    let cases: Vec<Case> = [10, 100, 1000].map(|modules| case(modules, turns)).into();
    Workload {
        name: "come-and-go",
        what: "In every turn, one of N modules leaves a topic, another one joins it, and a message is delivered to all that are there, on one \
               thread. A change is both, the leaving and the joining.",
        contestants: vec![
            Contestant::hemiola("hemiola", "Hemiola"),
            Contestant::cpp(SOURCE, "signals2", "Boost.Signals2"),
            Contestant::cpp(SOURCE, "signals2-dummy", "Boost.Signals2, no mutex"),
            Contestant::rust("vector", "Rust vector of closures"),
        ],
        columns: vec![CHANGE.titled("change"), SLOWEST_CHANGE.titled("p99"), MESSAGE.titled("message")],
        plotted: vec![CHANGE, MESSAGE],
        goals: vec![Goal {
            what: "a change, eight times faster than Boost.Signals2, in the worst case",
            cases: cases.iter().map(|case| case.name.clone()).collect(),
            id: "hemiola",
            figure: CHANGE,
            limit: Limit::TimesLess { than: "signals2", factor: 8.0 },
        }],
        cases,
    }
}

fn case(modules: u64, turns: u64) -> Case {
    Case {
        name: format!("{modules} modules"),
        arguments: vec![("modules", modules), ("turns", turns)],
        cores: Cores::One,
        without: &[],
    }
}
