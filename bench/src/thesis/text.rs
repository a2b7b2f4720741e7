//! The report for the terminal.

use std::fmt::Write as _;

use hemiola_trace::Summary;

use super::passes::{METRICS, OverPasses};
use super::report::{Grid, Question, Report, Row};
use crate::report::time;

pub const QUICK: &str = "A quick run: it shows that everything works; its figures mean nothing.";

/// Returns the report as text.
pub fn text(report: &Report) -> String {
    let mut out = format!("\n{}\n", passes(report.passes));
    // Writing to a string cannot fail.
    for question in &report.questions {
        _ = writeln!(out, "\n{}", question.title);
        for subject in question.subjects() {
            write_table(&mut out, question, subject);
        }
        question.grids.iter().for_each(|grid| write_grid(&mut out, grid));
        out.push('\n');
        question.findings.iter().for_each(|finding| _ = writeln!(out, "  {finding}"));
    }
    for picture in &report.pictures {
        picture.text.iter().for_each(|text| _ = writeln!(out, "\n{}\n{text}", picture.title));
    }
    _ = writeln!(out, "\n{}", report.host);
    report.notices.iter().for_each(|notice| _ = writeln!(out, "note: {notice}"));
    if report.quick {
        _ = writeln!(out, "note: {QUICK}");
    }
    out
}

/// Returns what the figures of a table are.
pub fn passes(count: usize) -> String {
    match count {
        1 => "One pass: every way was run once.".to_owned(),
        _ => format!(
            "{count} passes, in each of which every way had a turn: the mean of each metric over passes, below it the least and \
             the greatest value, and the spread between them."
        ),
    }
}

fn write_table(out: &mut String, question: &Question, subject: &str) {
    _ = write!(out, "\n  {subject:48}");
    METRICS.iter().for_each(|metric| _ = write!(out, "{:>20}", metric.name));
    let has_deadlines = question.rows_of(subject).any(|row| row.deadlines.is_some());
    out.push_str(if has_deadlines { "     missed deadlines\n" } else { "\n" });
    for row in question.rows_of(subject) {
        write_row(out, row);
    }
}

fn write_row(out: &mut String, row: &Row) {
    let mut line = |label: &str, cell: &dyn Fn(OverPasses) -> String, end: &str| {
        _ = write!(out, "    {label:46}");
        let cells = METRICS.iter().map(|metric| row.over(*metric).map_or_else(|| "–".to_owned(), cell));
        cells.for_each(|cell| _ = write!(out, "{cell:>20}"));
        _ = writeln!(out, "{end}");
    };
    let end = row.deadlines.map_or(String::new(), |deadlines| format!("{:>12} of {}", deadlines.missed, deadlines.of));
    line(&row.label(), &|over| time(over.mean), &end);
    if row.passes.len() > 1 {
        line("", &range, "");
        line("", &|over| format!("spread {}", time(over.spread)), "");
    }
}

/// Returns the least and the greatest value.
pub fn range(over: OverPasses) -> String {
    format!("{} – {}", time(over.minimum), time(over.maximum))
}

/// Returns lines with the mean and the p99.
pub fn grid_lines(grid: &Grid) -> impl Iterator<Item = Vec<String>> {
    let cell = |figures: &Summary| format!("{} / {}", time(figures.mean as f64), time(figures.p99 as f64));
    grid.cells.iter().map(move |row| row.iter().map(cell).collect())
}

pub fn grid_columns(grid: &Grid) -> usize {
    grid.cells.iter().map(Vec::len).max().unwrap_or(0)
}

fn write_grid(out: &mut String, grid: &Grid) {
    _ = writeln!(out, "\n  {}: mean / p99", grid.what);
    _ = write!(out, "    {:18}", "");
    (1..=grid_columns(grid)).for_each(|workers| _ = write!(out, "{:>22}", format!("cognition {workers}")));
    out.push('\n');
    for (motion, line) in grid_lines(grid).enumerate() {
        _ = write!(out, "    {:18}", format!("motion {}", motion + 1));
        line.iter().for_each(|cell| _ = write!(out, "{cell:>22}"));
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::{Deadlines, Origin};
    use super::*;

    #[test]
    fn a_row_has_its_spread_only_over_several_passes() {
        let figures = |mean| Summary { mean, ..Summary::default() };
        let mut row = Row {
            way: "2 workers".into(),
            what: "motion".into(),
            origin: Origin::Simulated,
            deadlines: Some(Deadlines { missed: 3, of: 90 }),
            passes: vec![figures(4_000)],
        };
        let written = |row: &Row| {
            let mut out = String::new();
            write_row(&mut out, row);
            out
        };
        let once = written(&row);
        assert!(
            once.lines().count() == 1 && once.contains("2 workers (simulated)") && once.contains("3 of 90"),
            "{once}"
        );
        row.passes.push(figures(6_000));
        let twice = written(&row);
        assert!(twice.contains("5.00 µs") && twice.contains("4.00 µs – 6.00 µs"), "{twice}");
        assert!(twice.contains("spread 2.00 µs"), "{twice}");
    }
}
