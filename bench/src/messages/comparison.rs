//! Two reports side by side.

use std::fmt::Write as _;

use super::Area;
use super::result::Report;
use crate::contest::discipline::Effort;
use crate::error::BenchError;

/// Returns what has changed from one report to the other, in the same place.
///
/// # Errors
/// If they come from different machines.
pub fn text(area: &Area, before: &Report, after: &Report) -> Result<String, BenchError> {
    before.machine.is_comparable_to(&after.machine)?;
    let machine = before.machine.identity();
    let mut out = format!("{machine}\nbefore: {}, after: {}\n", before.machine.date, after.machine.date);
    let workloads = (area.workloads)(Effort::Full);
    for contest in &before.contests {
        let Some(other) = after.contest(&contest.workload, &contest.case) else { continue };
        let Some(workload) = workloads.iter().find(|workload| workload.name == contest.workload) else { continue };
        _ = writeln!(out, "\n{}, {}", contest.workload, contest.case);
        for entry in &contest.entries {
            for group in &entry.groups {
                let Some(new) = other.entry(&entry.id).and_then(|entry| entry.group(group.placement)) else { continue };
                for column in &workload.columns {
                    let (Some(old), Some(new)) = (group.value(column.figure), new.value(column.figure)) else {
                        continue;
                    };
                    let change = if old > 0.0 { format!("{:+.1} %", 100.0 * (new / old - 1.0)) } else { String::new() };
                    let show = column.figure.show;
                    let place = group.placement.text();
                    _ = writeln!(
                        out,
                        "  {:44}{place:8}{:18}{:>12} -> {:>12} {change:>10}",
                        entry.label,
                        column.head,
                        show(old),
                        show(new)
                    );
                }
            }
        }
    }
    Ok(out)
}
