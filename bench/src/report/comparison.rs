//! Two reports side by side.

use std::fmt::Write as _;

use super::{Report, time};
use crate::error::BenchError;

/// Returns what has changed from one report to the other.
///
/// # Errors
/// If they come from different machines.
pub fn text(before: &Report, after: &Report) -> Result<String, BenchError> {
    before.machine.is_comparable_to(&after.machine)?;
    let machine = before.machine.identity();
    let mut out = format!("{machine}\nbefore: {}, after: {}\n", before.machine.date, after.machine.date);
    for event in &before.events {
        let Some(other) = after.event(&event.workload, &event.mode, event.workers) else { continue };
        _ = writeln!(out, "\n{}, {}, {} workers", event.workload, event.mode, event.workers);
        for entry in &event.entries {
            let Some(new) = other.entry(&entry.id) else { continue };
            let mut line = |what: &str, old: Option<f64>, new: Option<f64>, show: &dyn Fn(f64) -> String| {
                if let (Some(old), Some(new)) = (old, new) {
                    let change = if old > 0.0 { format!("{:+.1} %", 100.0 * (new / old - 1.0)) } else { String::new() };
                    _ = writeln!(
                        out,
                        "  {:32}{what:12}{:>10} -> {:>10} {change:>10}",
                        entry.label,
                        show(old),
                        show(new)
                    );
                }
            };
            let plain = |value: f64| format!("{value:.2}");
            let median = |spread: &Option<crate::contest::result::Spread>| spread.as_ref().map(|spread| spread.median);
            let p99 = |spread: &Option<crate::contest::result::Spread>| spread.as_ref().map(|spread| spread.p99);
            line("median", median(&entry.makespan_ns), median(&new.makespan_ns), &time);
            line("p99", p99(&entry.makespan_ns), p99(&new.makespan_ns), &time);
            line("/ bound", median(&entry.ratio), median(&new.ratio), &|value| format!("{value:.3}"));
            line("first task", median(&entry.first_task_ns), median(&new.first_task_ns), &time);
            line("CPU ms/s", entry.idle_ms_per_s, new.idle_ms_per_s, &plain);
            line("allocations", entry.allocations_per_run, new.allocations_per_run, &plain);
        }
    }
    Ok(out)
}
