//! The cost of being ready for messages that do not come.

use super::workload::{Case, Contestant, Cores, Figure, Goal, Limit, Workload, count};
use crate::contest::discipline::Effort;
use crate::report::time;

const CPU: Figure = Figure::maximum("cpu_ns_per_s", time);
const WAKE_UPS: Figure = Figure::maximum("wake_ups_per_s", count);
const CASE: &str = "40 topics";

pub fn workload(effort: Effort) -> Workload {
    let seconds = match effort {
        Effort::Full => 10,
        Effort::Quick => 1,
    };
    let goal =
        |what, figure| Goal { what, cases: vec![CASE.to_owned()], id: "hemiola", figure, limit: Limit::AtMost(0.0) };
    Workload {
        name: "idle",
        what: "Forty topics with a subscriber each, and nobody publishes for ten seconds: processor time and wake-ups of the process.",
        contestants: vec![
            Contestant::hemiola("hemiola", "Hemiola, one executor"),
            Contestant::rust("pollers", "a poller per topic, 1 ms"),
            Contestant::rust("poller", "one poller, 1 ms"),
            Contestant::rust("crossbeam-channel", "a blocked thread per topic"),
        ],
        cases: vec![Case {
            name: CASE.to_owned(),
            arguments: vec![("duration-ns", seconds * 1_000_000_000)],
            cores: Cores::One,
            without: &[],
        }],
        columns: vec![WAKE_UPS.titled("wake-ups/s"), CPU.titled("CPU per s")],
        plotted: vec![WAKE_UPS, CPU],
        goals: vec![goal("wake-ups per second", WAKE_UPS), goal("processor time per second", CPU)],
    }
}
