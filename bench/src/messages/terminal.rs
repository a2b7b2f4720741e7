//! Tables for the terminal: one per case, the best first.

use std::fmt::Write as _;

use hemiola_words as words;

use super::result::{Contest, Entry, Group, Placement, Report};
use super::workload::{Column, Workload};
use super::{Area, bars};
use crate::contest::discipline::Effort;

/// Returns all tables, the contestants, the bars, and what is missing.
pub fn text(area: &Area, report: &Report) -> String {
    let workloads = (area.workloads)(Effort::Full);
    let mut out = String::new();
    for workload in workloads.iter().filter(|workload| bars::is_measured(report, workload)) {
        _ = writeln!(out, "{}\n{}\n", workload.name.to_uppercase(), workload.what);
        for contest in report.contests.iter().filter(|contest| contest.workload == workload.name) {
            out.push_str(&table(workload, contest));
            out.push('\n');
        }
    }
    _ = writeln!(out, "{}\n", report.host);
    out.push_str(&contestants(report));
    out.push_str("\nThe bars:\n");
    for bar in bars::all(report, &workloads) {
        _ = writeln!(out, "  {}\n    {:20} Hemiola {:16} {}", bar.what, bar.bar, bar.hemiola, bar.verdict);
        _ = writeln!(out, "    best peer: {}", bar.best_peer);
    }
    out.push('\n');
    for notice in &report.notices {
        _ = writeln!(out, "note: {notice}");
    }
    if report.quick {
        out.push_str("note: a quick run shows that everything works; its figures mean nothing.\n");
    }
    out
}

/// Returns the contestants with their versions.
pub fn contestants(report: &Report) -> String {
    let mut versions: Vec<(&str, &str)> = Vec::new();
    for entry in report.contests.iter().flat_map(|contest| &contest.entries) {
        if !versions.iter().any(|(label, _)| *label == entry.label) {
            versions.push((&entry.label, &entry.version));
        }
    }
    versions.iter().fold(String::new(), |mut out, (label, version)| {
        _ = writeln!(out, "{label:44} {version}");
        out
    })
}

/// Returns the columns of which anything was measured.
pub fn columns<'w>(workload: &'w Workload, contest: &Contest) -> Vec<&'w Column> {
    let has = |column: &&Column| rows(contest).iter().any(|(_, group)| group.value(column.figure).is_some());
    workload.columns.iter().filter(has).collect()
}

/// Returns a row per contestant and place.
pub fn rows(contest: &Contest) -> Vec<(&Entry, &Group)> {
    contest.entries.iter().flat_map(|entry| entry.groups.iter().map(move |group| (entry, group))).collect()
}

fn table(workload: &Workload, contest: &Contest) -> String {
    let columns = columns(workload, contest);
    let mut rows = rows(contest);
    if let Some(first) = columns.first() {
        let key = |group: &Group| group.value(first.figure).unwrap_or(f64::INFINITY);
        rows.sort_by(|a, b| a.1.placement.cmp(&b.1.placement).then(key(a.1).total_cmp(&key(b.1))));
    }
    let figures = columns.iter().map(|column| words::Column::right(12.max(column.head.len() + 2)));
    let name = [words::Column::left(44).after(2)].into_iter();
    let layout = words::Columns::new(name.chain(figures).chain([words::Column::left(0).after(3)]));
    let heads = columns.iter().map(|column| column.head);
    let heads = [contest.case.as_str()].into_iter().chain(heads);
    let mut out = layout.line(heads.chain(["hand-over between the cores, before and after"])) + "\n";
    for (entry, group) in rows {
        let show = |column: &&Column| group.value(column.figure).map_or_else(|| "–".to_owned(), column.figure.show);
        let cells = [entry.label.clone()].into_iter().chain(columns.iter().map(show));
        out += &(layout.line(cells.chain([place(group)])) + "\n");
    }
    out
}

/// Returns how far the cores were from each other; marked if that changed.
fn place(group: &Group) -> String {
    let hand_over = group
        .hand_over_ns
        .map_or_else(|| "not measured".to_owned(), |(before, after)| format!("{before:.0}, {after:.0} ns"));
    let runs = if group.runs == 1 { "1 run".to_owned() } else { format!("{} runs", group.runs) };
    match group.placement {
        Placement::Moved => format!("! moved: {hand_over}, {runs}"),
        Placement::Alone => format!("{hand_over}, {runs}"),
        placement => format!("{}: {hand_over}, {runs}", placement.text()),
    }
}
