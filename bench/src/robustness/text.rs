//! The report for the terminal.

use std::fmt::Write as _;

use super::environment::Trial;
use super::hold_up::HoldUp;
use super::overload::Response;
use super::spinning::Spinning;
use super::variation::{Method, Variation};
use super::{Report, Tail};
use crate::report::time;

/// Returns the results, a paragraph each.
pub fn text(report: &Report) -> String {
    let mut paragraphs: Vec<String> = report.variations.iter().map(variation).collect();
    if !report.overload.is_empty() {
        paragraphs.push(overload(&report.overload));
    }
    if !report.spinning.is_empty() {
        paragraphs.push(spinning(&report.spinning));
    }
    paragraphs.extend(report.hold_up.as_ref().map(hold_up));
    if !report.trials.is_empty() {
        paragraphs.push(environment(&report.trials));
    }
    if report.host.turns > 0 {
        paragraphs.push(format!("{}\n", report.host));
    }
    let mut notes: String = report.notices.iter().map(|notice| format!("note: {notice}\n")).collect();
    if report.quick {
        notes.push_str("note: a quick run shows that everything works; its figures mean nothing.\n");
    }
    paragraphs.push(notes);
    paragraphs.join("\n")
}

/// Returns the figures of a variation. Writing to a string, here and below, cannot fail.
fn variation(variation: &Variation) -> String {
    let mut out = format!("{}, {}, 2 workers ({} runs a round)\n", variation.workload, variation.law, variation.runs);
    _ = writeln!(out, "  {:44}{:>12}{:>12}{:>12}{:>12}", "", "median", "p99", "/ bound", "p99 / bound");
    for entry in &variation.entries {
        let label = match entry.method {
            Method::Measured => entry.label.clone(),
            Method::Simulated => format!("{} (simulated)", entry.label),
        };
        let [median, p99] = [entry.makespan_ns.median, entry.makespan_ns.p99].map(time);
        let (ratio, far) = (entry.ratio.median, entry.ratio.p99);
        _ = writeln!(out, "  {label:44}{median:>12}{p99:>12}{ratio:>12.3}{far:>12.3}");
    }
    out
}

fn overload(responses: &[Response]) -> String {
    let mut out = "nao-motion at 83 Hz beside cognition, from trigger to end\n".to_owned();
    _ = writeln!(out, "  {:44}{:>12}{:>12}{:>12}{:>12}{:>8}", "cognition", "median", "p99", "p99.9", "max", "missed");
    for response in responses {
        _ = writeln!(out, "  {:44}{}{:>8}", response.cognition, columns(&response.ns), response.missed);
    }
    out
}

fn spinning(all: &[Spinning]) -> String {
    let mut out = "A cycle at 100 Hz that shares time, beside real-time threads that spin\n".to_owned();
    _ = writeln!(out, "  {:44}{:>14}{:>14}{:>24}", "", "latest begin", "worst of all", "of its triggers skipped");
    for Spinning { what, late_ns, usual_ns, skipped } in all {
        let skipped = skipped.map_or(String::new(), |share| format!("{:.1} %", 100.0 * share));
        _ = writeln!(out, "  {what:44}{:>14}{:>14}{skipped:>24}", time(*usual_ns), time(*late_ns));
    }
    out
}

fn hold_up(hold_up: &HoldUp) -> String {
    let share = &hold_up.share;
    let mut out = format!(
        "{}, 2 workers, one of them without its core for {}\n  \
         of the work that does not wait for it (median {}), the other one did {:.1} % meanwhile, at least {:.1} % ({} runs)\n",
        hold_up.workload,
        time(hold_up.lasts_ns),
        time(hold_up.reachable_ns),
        100.0 * share.median,
        100.0 * share.least,
        share.samples,
    );
    _ = writeln!(out, "  {:44}{:>12}{:>12}{:>12}{:>12}", "", "median", "p99", "p99.9", "max");
    _ = writeln!(out, "  {:44}{}", "undisturbed", columns(&hold_up.undisturbed_ns));
    _ = writeln!(out, "  {:44}{}", "held up", columns(&hold_up.held_up_ns));
    out
}

fn environment(trials: &[Trial]) -> String {
    let mut out = "Other systems, nao-motion at 83 Hz, from trigger to end\n".to_owned();
    for trial in trials {
        _ = writeln!(out, "  {}", trial.what);
        if let Some(tail) = &trial.response_ns {
            _ = writeln!(out, "    median {}, p99 {}, max {}", time(tail.median), time(tail.p99), time(tail.maximum));
        }
        _ = writeln!(out, "    {}", trial.answer.replace('\n', "\n    "));
    }
    out
}

fn columns(tail: &Tail) -> String {
    [tail.median, tail.p99, tail.p999, tail.maximum].iter().fold(String::new(), |mut out, &value| {
        _ = write!(out, "{:>12}", time(value));
        out
    })
}
