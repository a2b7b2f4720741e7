//! Klepsydra's workload: matrices of the vectors that many producers publish, serialised.

use super::workload::{Case, Contestant, Cores, Figure, Goal, Limit, Workload, count, percent};
use crate::contest::discipline::Effort;
use crate::report::time;

const CPU: Figure = Figure::median("cpu_ppm", percent);
const VOLUME: Figure = Figure::median("vectors_per_s", count);
const LOST: Figure = Figure::maximum("lost", count);
const DEVIATION: Figure = Figure::median("handling_sd_ns", time);
const LATENCY: Figure = Figure::p99("latency_ns", time);
const SOURCE: &str = "matrix_to_json";

pub fn workload(effort: Effort) -> Workload {
    let busiest = || vec![periodic_name(40, 100)];
    let goal = |what, cases, figure, limit| Goal { what, cases, id: "hemiola", figure, limit };
    let flat_out: Vec<String> = [1, 4, 10].map(flat_out_name).to_vec();
    Workload {
        name: "matrix-to-json",
        what: "N threads publish vectors of 100 numbers; 500 of them make a matrix, which is serialised to JSON. With Cereal means \
               in C++; all others serialise with serde_json, which takes a fraction of its time. Hemiola's executors do that at lower priority; \
               its event loop does both on one thread, as a safe queue's consumer does.",
        contestants: vec![
            Contestant::hemiola("hemiola", "Hemiola, two priorities"),
            Contestant::hemiola("hemiola-spin-once", "Hemiola, looks each ms"),
            Contestant::hemiola("hemiola-event-loop", "Hemiola, event loop"),
            Contestant::cpp(SOURCE, "single-cereal", "one safe queue, Cereal"),
            Contestant::cpp(SOURCE, "multi-cereal", "a safe queue each, Cereal"),
            Contestant::rust("single", "one safe queue"),
            Contestant::rust("multi", "a safe queue each"),
            Contestant::rust("disruptor", "disruptor, sleeps 0.1 ms"),
            Contestant::rust("direct", "producers do the work").limit(),
        ],
        cases: [(10, 20, 3_000), (10, 100, 2_000), (20, 50, 2_000), (40, 20, 2_000), (40, 100, 2_000)]
            .map(|(producers, rate, duration_ms)| periodic(producers, rate, duration_ms, effort))
            .into_iter()
            .chain([one_thread(40, 100, 2_000, effort)])
            .chain([1, 4, 10].map(|producers| flat_out_case(producers, effort)))
            .collect(),
        columns: vec![
            CPU.titled("CPU"),
            Figure::median("sleeps_per_s", count).titled("wake-ups/s"),
            VOLUME.titled("vectors/s"),
            LOST.titled("lost"),
            Figure::median("handling_mean_ns", time).titled("handling"),
            DEVIATION.titled("sd"),
            Figure::median("latency_ns", time).titled("latency"),
            LATENCY.titled("p99"),
            Figure::maximum("latency_ns", time).titled("max"),
        ],
        plotted: vec![CPU, VOLUME, LATENCY],
        goals: vec![
            goal("processor time, 40 x 100 Hz", busiest(), CPU, Limit::AtMost(60_000.0)),
            goal("processor time, 40 x 100 Hz", vec![one_thread_name(40, 100)], CPU, Limit::AtMost(60_000.0)),
            goal("standard deviation of handling a vector, 40 x 100 Hz", busiest(), DEVIATION, Limit::AtMost(10_000.0)),
            goal("latency, 99th percentile, 40 x 100 Hz", busiest(), LATENCY, Limit::AtMost(200_000.0)),
            goal("lost, 40 x 100 Hz", busiest(), LOST, Limit::AtMost(0.0)),
            goal(
                "vectors per second, flat out, the worst of 1, 4, 10 producers",
                flat_out.clone(),
                VOLUME,
                Limit::AtLeast(300_000.0),
            ),
            goal("lost, flat out", flat_out, LOST, Limit::AtMost(0.0)),
        ],
    }
}

fn periodic_name(producers: u64, rate_hz: u64) -> String {
    format!("{producers} x {rate_hz} Hz")
}

fn periodic(producers: u64, rate_hz: u64, duration_ms: u64, effort: Effort) -> Case {
    let duration_ms = match effort {
        Effort::Full => duration_ms,
        Effort::Quick => 300,
    };
    Case {
        name: periodic_name(producers, rate_hz),
        arguments: vec![
            ("producers", producers),
            ("producer-threads", producers),
            ("rate-hz", rate_hz),
            ("duration-ns", duration_ms * 1_000_000),
        ],
        cores: Cores::Two,
        without: &[],
    }
}

fn one_thread_name(producers: u64, rate_hz: u64) -> String {
    format!("{}, all on one thread", periodic_name(producers, rate_hz))
}

/// Makes a case with all producers on one thread: they may be timers of one executor, or modules of
/// one cycle.
fn one_thread(producers: u64, rate_hz: u64, duration_ms: u64, effort: Effort) -> Case {
    let mut case = periodic(producers, rate_hz, duration_ms, effort);
    case.name = one_thread_name(producers, rate_hz);
    for (key, number) in &mut case.arguments {
        if *key == "producer-threads" {
            *number = 1;
        }
    }
    case
}

fn flat_out_name(producers: u64) -> String {
    format!("flat out, {producers} producer{}", if producers == 1 { "" } else { "s" })
}

fn flat_out_case(producers: u64, effort: Effort) -> Case {
    let vectors = match effort {
        Effort::Full => 40_000,
        Effort::Quick => 5_000,
    };
    Case {
        name: flat_out_name(producers),
        arguments: vec![("producers", producers), ("rate-hz", 0), ("vectors", vectors)],
        cores: Cores::Two,
        without: &[],
    }
}
