//! An important callback among many unimportant ones.

use hemiola_bench_contestant::messages::flood::BOUND_NS;

use super::workload::{Case, Contestant, Cores, Figure, Goal, Limit, Workload, count};
use crate::contest::discipline::Effort;
use crate::report::time;

const P99: Figure = Figure::p99("response_ns", time);
const CASE: &str = "chain of two at 1 kHz in a flood";

pub fn workload(effort: Effort) -> Workload {
    let chains = match effort {
        Effort::Full => 500,
        Effort::Quick => 20,
    };
    Workload {
        name: "flood",
        what: "An executor on a core of its own: a chain of two callbacks of 20 µs each, a thousand times per second, and always more \
               unimportant messages, whose callbacks take 50 µs, than it can handle. From publishing to the end of the chain.",
        contestants: vec![
            Contestant::hemiola("hemiola", "Hemiola, by priority"),
            Contestant::hemiola("hemiola-ros2", "Hemiola, in ROS 2's order").limit(),
            Contestant::rust("crossbeam-channel", "first come, first served"),
        ],
        cases: vec![Case {
            name: CASE.to_owned(),
            arguments: vec![("chains", chains)],
            cores: Cores::Two,
            without: &[],
        }],
        columns: vec![
            Figure::median("response_ns", time).titled("median"),
            P99.titled("p99"),
            Figure::maximum("response_ns", time).titled("max"),
            Figure::median("alone_ns", time).titled("without flood"),
            Figure::median("flood", count).titled("unimportant"),
        ],
        plotted: vec![P99],
        goals: vec![Goal {
            what: "99th percentile of the chain: its own work and one unimportant callback",
            cases: vec![CASE.to_owned()],
            id: "hemiola",
            figure: P99,
            limit: Limit::AtMost(BOUND_NS as f64),
        }],
    }
}
