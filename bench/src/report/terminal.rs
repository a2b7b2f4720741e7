//! Tables for the terminal: one per discipline, the best first.

use std::fmt::Write as _;

use hemiola_words::{Column, Columns};

use super::{Report, bars, time};
use crate::contest::result::{Entry, Event, Spread};

/// Returns all tables, the contestants, and what is missing.
pub fn text(report: &Report) -> String {
    let mut out = String::new();
    for event in &report.events {
        out.push_str(&table(event));
        out.push('\n');
    }
    if let Some(spread) = &report.cyclictest {
        let [median, p99, maximum] = [spread.median, spread.p99, spread.maximum].map(time);
        _ = writeln!(out, "cyclictest, one thread at 83 Hz: late by {median}, p99 {p99}, max {maximum}\n");
    }
    _ = writeln!(out, "{}\n", report.host);
    out.push_str(&contestants(report));
    out.push_str(&bars(report));
    for notice in &report.notices {
        _ = writeln!(out, "note: {notice}");
    }
    if report.quick {
        out.push_str("note: a quick run shows that everything works; its figures mean nothing.\n");
    }
    out
}

/// Returns the contestants with their versions and priorities.
pub fn contestants(report: &Report) -> String {
    let mut versions: Vec<(&str, String)> = Vec::new();
    for entry in report.events.iter().flat_map(|event| &event.entries) {
        if !versions.iter().any(|(label, _)| *label == entry.label) {
            versions.push((&entry.label, format!("{}, {}", entry.version, entry.granted)));
        }
    }
    versions.iter().fold(String::new(), |mut out, (label, version)| {
        _ = writeln!(out, "{label:32} {version}");
        out
    })
}

fn bars(report: &Report) -> String {
    let mut out = String::from("\nOur bars, set for Hemiola by its developers:\n");
    for bar in bars::all(report) {
        _ = writeln!(out, "  {}\n    {:20} Hemiola {:24} {}", bar.what, bar.bar, bar.hemiola, bar.verdict);
        _ = writeln!(out, "    best peer: {}", bar.best_peer);
    }
    out.push('\n');
    out
}

/// A column of a table: its head, and a function that returns the text of a cell.
type Figure<'e> = (&'static str, Box<dyn Fn(&Entry) -> String + 'e>);

fn table(event: &Event) -> String {
    let tasks = event.tasks as f64;
    let spread = |pick: fn(&Entry) -> Option<&Spread>, value: fn(&Spread) -> f64| -> Box<dyn Fn(&Entry) -> String> {
        Box::new(move |entry| pick(entry).map_or_else(String::new, |spread| time(value(spread))))
    };
    let makespan: fn(&Entry) -> Option<&Spread> = |entry| entry.makespan_ns.as_ref();
    let first: fn(&Entry) -> Option<&Spread> = |entry| entry.first_task_ns.as_ref();
    let number = |value: Option<f64>| value.map_or_else(String::new, |value| format!("{value:.1}"));
    let mut columns: Vec<Figure> = Vec::new();
    match event.mode.as_str() {
        "idle" => columns.push(("CPU ms/s", Box::new(move |entry| number(entry.idle_ms_per_s)))),
        "allocations" => columns.push(("per run", Box::new(move |entry| number(entry.allocations_per_run)))),
        _ => {
            columns.push(("median", spread(makespan, |spread| spread.median)));
            columns.push(("p99", spread(makespan, |spread| spread.p99)));
            columns.push(("max", spread(makespan, |spread| spread.maximum)));
            if event.is_empty_work() {
                columns.push((
                    "per task",
                    Box::new(move |entry| {
                        let median = makespan(entry).map(|spread| spread.median / tasks);
                        median.map_or_else(String::new, |ns| format!("{ns:.1} ns"))
                    }),
                ));
            } else {
                let ratio = |value: fn(&Spread) -> f64| {
                    move |entry: &Entry| {
                        entry.ratio.as_ref().map_or_else(String::new, |ratio| format!("{:.3}", value(ratio)))
                    }
                };
                columns.push(("/ bound", Box::new(ratio(|ratio| ratio.median))));
                columns.push(("p99 / bound", Box::new(ratio(|ratio| ratio.p99))));
            }
        }
    }
    if matches!(event.mode.as_str(), "periodic" | "together") {
        columns.push(("first task", spread(first, |spread| spread.median)));
        columns.push(("p99", spread(first, |spread| spread.p99)));
    }

    let mut out = title(event);
    let layout = [Column::left(32).after(2)].into_iter().chain(columns.iter().map(|_| Column::right(12)));
    let layout = Columns::new(layout);
    _ = writeln!(out, "{}", layout.line([""].into_iter().chain(columns.iter().map(|(head, _)| *head))));
    for entry in sorted(event) {
        let cells = columns.iter().map(|(_, cell)| cell(entry));
        _ = writeln!(out, "{}", layout.line([entry.label.clone()].into_iter().chain(cells)));
    }
    if event.mode == "cold" {
        for entry in &event.entries {
            let runs: Vec<String> = entry.by_run.iter().map(|ratio| format!("{ratio:.2}")).collect();
            _ = writeln!(out, "  {}, run by run: {}", entry.label, runs.join(" "));
        }
    }
    out
}

fn title(event: &Event) -> String {
    let rate = if event.rate_hz > 0.0 { format!(" at {:.0} Hz", event.rate_hz) } else { String::new() };
    let work = match event.work_ns {
        0 => "empty".to_owned(),
        work => format!("{} of work, lower bound {}", time(work as f64), time(event.lower_bound_ns as f64)),
    };
    let workers = if event.workers == 1 { "1 worker" } else { "2 workers" };
    format!("{}, {}{rate}, {workers} ({} tasks, {work})\n", event.workload, event.mode, event.tasks)
}

/// Sorts the entries, the best first.
pub fn sorted(event: &Event) -> Vec<&Entry> {
    let mut entries: Vec<&Entry> = event.entries.iter().collect();
    let key = |entry: &Entry| {
        let makespan = entry.ratio.as_ref().or(entry.makespan_ns.as_ref()).map(|spread| spread.median);
        entry.idle_ms_per_s.or(entry.allocations_per_run).or(makespan).unwrap_or(f64::INFINITY)
    };
    entries.sort_by(|a, b| key(a).total_cmp(&key(b)));
    entries
}
