//! The bars that the executor has set itself: what the best peer of this run reached, what Hemiola
//! reached, and by how much it misses where it does.

use super::bar::{Bar, Verdict};
use super::{Report, quoted, time};
use crate::contest::entrant::Side;
use crate::contest::result::{Entry, Event, Spread};

type Pick = fn(&Entry) -> Option<f64>;

const MEDIAN: Pick = |entry| entry.makespan_ns.as_ref().map(|spread| spread.median);
const MEDIAN_RATIO: Pick = |entry| entry.ratio.as_ref().map(|ratio| ratio.median);
const FIRST_TASK: Pick = |entry| entry.first_task_ns.as_ref().map(|spread| spread.median);

/// Returns all bars, in the order in which they were set.
pub fn all(report: &Report) -> Vec<Bar> {
    vec![
        overhead(report, "overhead per task, 1 worker, empty layered-150", "hemiola", 10.0),
        overhead(report, "the same with tracing", "hemiola-traced", 40.0),
        never_slower(report),
        makespan(report, "nao-cognition on 2 workers, makespan / lower bound", "nao-cognition", 1.01),
        makespan(report, "nao-motion on 2 workers, makespan / lower bound", "nao-motion", 1.02),
        learning(report),
        first_task(report),
        periodic_motion(report),
        idle(report, "idle at 83 Hz, CPU ms/s beside the work, two workers (pair)", "pair", 15.0),
        idle(report, "idle at 83 Hz, CPU ms/s, the plan uses one (layered-150)", "rand150", 3.5),
        wake_up(report),
        allocations(report),
    ]
}

fn overhead(report: &Report, what: &'static str, id: &str, limit: f64) -> Bar {
    let event = report.event("rand150", "steady", 1);
    let tasks = event.map_or(1.0, |event| event.tasks as f64);
    let ours = hemiola(event, id, MEDIAN).map(|median| median / tasks);
    let per_task = |median: f64| format!("{:.1} ns", median / tasks);
    let best_peer = best(event, MEDIAN, &per_task);
    let bar = format!("≤ {limit:.0} ns");
    let hemiola = or_dash(ours, |value| format!("{value:.1} ns"));
    Bar { what: what.to_owned(), best_peer, bar, hemiola, verdict: Verdict::of(&[(ours, limit)]) }
}

fn never_slower(report: &Report) -> Bar {
    let (one, two) = (report.event("rand150", "steady", 1), report.event("rand150", "steady", 2));
    let ratio = |pick: &dyn Fn(Option<&Event>) -> Option<f64>| Some(pick(two)? / pick(one)?);
    let ours = ratio(&|event| hemiola(event, "hemiola", MEDIAN));
    let times = |ratio: f64| format!("{ratio:.2} times");
    let peers = one.into_iter().flat_map(|event| &event.entries).filter(|entry| entry.side == Side::Peer);
    let ratios = peers.filter_map(|entry| Some((MEDIAN(two?.entry(&entry.id)?)? / MEDIAN(entry)?, &entry.label)));
    let best = ratios.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(ratio, label)| format!("{label} {}", times(ratio)));
    Bar {
        what: "the same graph, 2 workers allowed, against 1".to_owned(),
        best_peer: best.unwrap_or_else(dash),
        bar: "≤ 1.05 times".to_owned(),
        hemiola: or_dash(ours, times),
        verdict: Verdict::of(&[(ours, 1.05)]),
    }
}

fn makespan(report: &Report, what: &'static str, workload: &str, limit: f64) -> Bar {
    let event = report.event(workload, "steady", 2);
    let ours = hemiola(event, "hemiola", MEDIAN_RATIO);
    let ratio = |ratio: f64| format!("{ratio:.3}");
    let quoted = if workload == "nao-cognition" { quoted::COGNITION } else { quoted::MOTION };
    Bar {
        what: what.to_owned(),
        best_peer: with_quoted(best(event, MEDIAN_RATIO, &ratio), quoted),
        bar: format!("≤ {limit}"),
        hemiola: or_dash(ours, ratio),
        verdict: Verdict::of(&[(ours, limit)]),
    }
}

fn learning(report: &Report) -> Bar {
    const LEARNING_RUNS: usize = 10;
    let runs = report.event("nao-cognition", "cold", 2).and_then(|event| event.entry("hemiola"));
    let runs = runs.map_or(&[][..], |entry| &entry.by_run);
    let median = |part: &[f64]| Spread::of(&[part.to_vec()]).map(|spread| spread.median);
    let before = median(&runs[..runs.len().min(LEARNING_RUNS)]);
    let after = runs.get(LEARNING_RUNS..).and_then(median);
    let hemiola = match (before, after) {
        (Some(before), Some(after)) => format!("{before:.2}, then {after:.3}"),
        _ => dash(),
    };
    Bar {
        what: "nao-cognition without any measured durations: the first 10 cycles, and from then on".to_owned(),
        best_peer: "nobody learns".to_owned(),
        bar: "any, then ≤ 1.01".to_owned(),
        hemiola,
        verdict: Verdict::of(&[(after, 1.01)]),
    }
}

fn first_task(report: &Report) -> Bar {
    let event = report.event("nao-motion", "periodic", 2);
    let ours = event.and_then(|event| event.entry("hemiola")).and_then(|entry| entry.first_task_ns.as_ref());
    pair(
        "nao-motion at 83 Hz: trigger to first task, median / p99",
        with_quoted(best(event, FIRST_TASK, &time), quoted::FIRST_TASK),
        ours,
        (1_000.0, 2_000.0),
    )
}

fn periodic_motion(report: &Report) -> Bar {
    let event = report.event("nao-motion", "periodic", 2);
    let bound = event.map_or(0.0, |event| event.lower_bound_ns as f64);
    let at_reference = |ratio: f64| time(ratio * bound);
    let ours = event.and_then(|event| event.entry("hemiola")).and_then(|entry| entry.ratio.as_ref());
    let ours = ours.map(|ratio| Spread { median: ratio.median * bound, p99: ratio.p99 * bound, ..ratio.clone() });
    pair(
        "nao-motion at 83 Hz: trigger to end, median / p99, at the speed of the loop beside it",
        best(event, MEDIAN_RATIO, &at_reference),
        ours.as_ref(),
        (490_000.0, 530_000.0),
    )
}

fn pair(what: &'static str, best_peer: String, ours: Option<&Spread>, (median, p99): (f64, f64)) -> Bar {
    Bar {
        what: what.to_owned(),
        best_peer,
        bar: format!("≤ {} / {}", time(median), time(p99)),
        hemiola: ours.map_or_else(dash, |spread| format!("{} / {}", time(spread.median), time(spread.p99))),
        verdict: Verdict::of(&[(ours.map(|spread| spread.median), median), (ours.map(|spread| spread.p99), p99)]),
    }
}

fn idle(report: &Report, what: &'static str, workload: &str, limit: f64) -> Bar {
    let event = report.event(workload, "idle", 2);
    let pick: Pick = |entry| entry.idle_ms_per_s;
    let ours = hemiola(event, "hemiola", pick);
    let number = |value: f64| format!("{value:.1}");
    let best_peer = best(event, pick, &number);
    let bar = format!("≤ {limit}");
    Bar {
        what: what.to_owned(),
        best_peer,
        bar,
        hemiola: or_dash(ours, number),
        verdict: Verdict::of(&[(ours, limit)]),
    }
}

fn wake_up(report: &Report) -> Bar {
    let event = report.event("nao-motion", "periodic", 2);
    let ours = event.and_then(|event| event.entry("hemiola")).and_then(|entry| entry.start_ns.as_ref());
    let theirs = report.cyclictest.as_ref();
    let limit = theirs.map(|spread| 1.2 * spread.p99);
    Bar {
        what: "wake-up of the cycle itself, p99".to_owned(),
        best_peer: theirs.map_or_else(dash, |spread| format!("cyclictest {}", time(spread.p99))),
        bar: limit.map_or_else(|| "≤ 1.2 × cyclictest".to_owned(), |limit| format!("≤ {}", time(limit))),
        hemiola: ours.map_or_else(dash, |spread| time(spread.p99)),
        verdict: Verdict::of(&[(limit.and(ours).map(|spread| spread.p99), limit.unwrap_or(0.0))]),
    }
}

fn allocations(report: &Report) -> Bar {
    let event = report.event("rand150", "allocations", 2);
    let pick: Pick = |entry| entry.allocations_per_run;
    let ours = hemiola(event, "hemiola", pick);
    let number = |value: f64| format!("{value:.0}");
    let best_peer = best(event, pick, &number);
    let verdict = Verdict::of(&[(ours, 0.0)]);
    Bar {
        what: "allocations per cycle".to_owned(),
        best_peer,
        bar: "0".to_owned(),
        hemiola: or_dash(ours, number),
        verdict,
    }
}

fn hemiola(event: Option<&Event>, id: &str, pick: Pick) -> Option<f64> {
    pick(event?.entry(id)?)
}

/// Returns the best peer's name and value.
fn best(event: Option<&Event>, pick: Pick, show: &dyn Fn(f64) -> String) -> String {
    let peers = event.into_iter().flat_map(|event| &event.entries).filter(|entry| entry.side == Side::Peer);
    let values = peers.filter_map(|entry| Some((pick(entry)?, &entry.label)));
    let best = values.min_by(|a, b| a.0.total_cmp(&b.0));
    best.map_or_else(dash, |(value, label)| format!("{label} {}", show(value)))
}

fn with_quoted(best: String, quoted: &str) -> String {
    format!("{best} ({quoted})")
}

fn or_dash(value: Option<f64>, show: impl Fn(f64) -> String) -> String {
    value.map_or_else(dash, show)
}

fn dash() -> String {
    "–".to_owned()
}
