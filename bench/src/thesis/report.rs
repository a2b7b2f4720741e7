//! The results: tables as in the thesis, for the terminal, for a page, for programs.

use std::fmt::Write as _;

use hemiola_trace::{Distribution, Summary};
use hemiola_words::svg::escape;
use serde::Serialize;

use crate::contest::host::Host;
use crate::machine::Machine;
use crate::report::page::{OWN_PICTURES, STYLE, picture};
use crate::report::time;

/// The results of one run of the whole chapter.
#[derive(Serialize)]
pub struct Report {
    pub machine: Machine,
    /// The time that the host took from the runs of questions 1 to 7.
    pub host: Host,
    /// True if the run was too short for its figures to mean anything.
    pub quick: bool,
    pub questions: Vec<Question>,
    pub pictures: Vec<Picture>,
    /// Notes on what is missing or was refused, and how to get it.
    pub notices: Vec<String>,
}

/// A question, its table, and the answer.
#[derive(Serialize)]
pub struct Question {
    pub title: String,
    pub rows: Vec<Row>,
    pub grids: Vec<Grid>,
    pub findings: Vec<String>,
}

/// A line of a table.
#[derive(Serialize)]
pub struct Row {
    /// The way in which it was run.
    pub way: String,
    /// The subject of the measurement.
    pub what: String,
    pub origin: Origin,
    /// The figures in nanoseconds.
    pub figures: Summary,
}

/// Simulated figures for numbers of workers: a row per number of motion's, a column per number of
/// cognition's, from 1 on.
#[derive(Serialize)]
pub struct Grid {
    pub what: String,
    pub cells: Vec<Vec<Summary>>,
}

/// The origin of figures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    Measured,
    Simulated,
}

/// A picture of what ran where and when.
#[derive(Serialize)]
pub struct Picture {
    pub title: String,
    /// The picture for the terminal, where it can be drawn with letters.
    pub text: Option<String>,
    pub svg: String,
}

impl Row {
    pub fn new(way: &str, what: &str, origin: Origin, distribution: &Distribution) -> Self {
        Self::of_summary(way, what, origin, distribution.summary())
    }

    pub fn of_summary(way: &str, what: &str, origin: Origin, figures: Summary) -> Self {
        Self { way: way.to_owned(), what: what.to_owned(), origin, figures }
    }

    fn cells(&self) -> [String; 5] {
        let Summary { p01, mean, p99, maximum, range98, .. } = self.figures;
        [p01, mean, p99, maximum, range98].map(|ns| time(ns as f64))
    }

    fn way(&self) -> String {
        match self.origin {
            Origin::Measured => self.way.clone(),
            Origin::Simulated => format!("{} (simulated)", self.way),
        }
    }
}

impl Grid {
    /// Returns lines with the mean and the p99.
    fn lines(&self) -> impl Iterator<Item = Vec<String>> {
        let cell = |figures: &Summary| format!("{} / {}", time(figures.mean as f64), time(figures.p99 as f64));
        self.cells.iter().map(move |row| row.iter().map(cell).collect())
    }

    fn columns(&self) -> usize {
        self.cells.iter().map(Vec::len).max().unwrap_or(0)
    }
}

const HEADS: [&str; 5] = ["p1", "mean", "p99", "maximum", "98 % range"];
const QUICK: &str = "A quick run: it shows that everything works; its figures mean nothing.";

impl Question {
    /// Returns the subjects of the measurements, in the order in which they first come.
    fn subjects(&self) -> Vec<&str> {
        let mut subjects: Vec<&str> = Vec::new();
        for row in &self.rows {
            if !subjects.contains(&row.what.as_str()) {
                subjects.push(&row.what);
            }
        }
        subjects
    }

    fn rows_of<'q>(&'q self, subject: &'q str) -> impl Iterator<Item = &'q Row> {
        self.rows.iter().filter(move |row| row.what == subject)
    }
}

/// Returns the report for the terminal.
pub fn text(report: &Report) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    for question in &report.questions {
        _ = writeln!(out, "\n{}", question.title);
        for subject in question.subjects() {
            _ = write!(out, "\n  {subject:44}");
            HEADS.iter().for_each(|head| _ = write!(out, "{head:>12}"));
            out.push('\n');
            for row in question.rows_of(subject) {
                _ = write!(out, "    {:42}", row.way());
                row.cells().iter().for_each(|cell| _ = write!(out, "{cell:>12}"));
                out.push('\n');
            }
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

fn write_grid(out: &mut String, grid: &Grid) {
    _ = writeln!(out, "\n  {}: mean / p99", grid.what);
    _ = write!(out, "    {:18}", "");
    (1..=grid.columns()).for_each(|workers| _ = write!(out, "{:>22}", format!("cognition {workers}")));
    out.push('\n');
    for (motion, line) in grid.lines().enumerate() {
        _ = write!(out, "    {:18}", format!("motion {}", motion + 1));
        line.iter().for_each(|cell| _ = write!(out, "{cell:>22}"));
        out.push('\n');
    }
}

/// Returns the report as a page of its own.
pub fn html(report: &Report) -> String {
    let questions: String = report.questions.iter().map(section).collect();
    let pictures = report.pictures.iter().map(|of| format!("<h3>{}</h3>{}", escape(&of.title), picture(&of.svg)));
    let notices = report.notices.iter().map(|notice| format!("<li>{}</li>", escape(notice)));
    let warning = if report.quick { format!("<p class=\"missed\">{QUICK}</p>") } else { String::new() };
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>The evaluation of the thesis, repeated</title>\
         <style>{STYLE} {OWN_PICTURES} {TABLES}</style></head><body><h1>The evaluation of the thesis, repeated</h1>\
         <p class=\"lead\">All times are from trigger to end of a run. Motion runs at 83 Hz, every fourth time with a preview of the walk, and \
         preempts cognition at 30 Hz.</p>{warning}<pre>{}\n{}</pre>{questions}<h2>Pictures</h2>{}<ul>{}</ul></body></html>\n",
        escape(&report.machine.to_string()),
        escape(&report.host.to_string()),
        pictures.collect::<String>(),
        notices.collect::<String>(),
    )
}

fn section(question: &Question) -> String {
    let mut out = format!("<h2>{}</h2>", escape(&question.title));
    for subject in question.subjects() {
        let heads: String = HEADS.iter().map(|head| format!("<th>{head}</th>")).collect();
        _ = write!(out, "{BEGIN}<thead><tr><th>{}</th>{heads}</tr></thead><tbody>", escape(subject));
        for row in question.rows_of(subject) {
            let class = if row.origin == Origin::Simulated { " class=\"simulated\"" } else { "" };
            let cells: String = row.cells().iter().map(|cell| format!("<td>{cell}</td>")).collect();
            _ = write!(out, "<tr{class}><td>{}</td>{cells}</tr>", escape(&row.way()));
        }
        out.push_str(END);
    }
    for grid in &question.grids {
        let heads: String = (1..=grid.columns()).map(|workers| format!("<th>cognition {workers}</th>")).collect();
        _ = write!(out, "{BEGIN}<thead><tr><th>{}: mean / p99</th>{heads}</tr></thead><tbody>", escape(&grid.what));
        for (motion, line) in grid.lines().enumerate() {
            let cells: String = line.iter().map(|cell| format!("<td>{cell}</td>")).collect();
            _ = write!(out, "<tr class=\"simulated\"><td>motion {}</td>{cells}</tr>", motion + 1);
        }
        out.push_str(END);
    }
    question.findings.iter().for_each(|finding| _ = write!(out, "<p>{}</p>", escape(finding)));
    out
}

/// A table, which scrolls by itself on a narrow screen.
const BEGIN: &str = "<div class=\"figures\"><table class=\"times\">";
const END: &str = "</tbody></table></div>";

/// The style of tables of times, beside that of all pages of the bench.
const TABLES: &str = ".times { margin: .6em 0; } .times th, .times td { text-align: right; white-space: nowrap; padding: .15em .9em; } \
    .times th:first-child, .times td:first-child { text-align: left; min-width: 22em; } .times td:nth-child(4) { font-weight: inherit; } \
    .simulated td { color: var(--muted); font-style: italic; }";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_simulated_is_marked() {
        let row = |origin| Row::of_summary("4 workers", "motion", origin, Summary::default());
        assert_eq!(row(Origin::Simulated).way(), "4 workers (simulated)");
        assert_eq!(row(Origin::Measured).way(), "4 workers");
        let question =
            Question { title: "How many?".into(), rows: vec![row(Origin::Simulated)], grids: vec![], findings: vec![] };
        assert!(section(&question).contains("class=\"simulated\""));
    }
}
