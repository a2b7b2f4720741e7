//! The report as a page of its own: each table with a plot, then pictures.

use std::fmt::Write as _;

use hemiola_words::svg::escape;

use super::passes::{MAXIMUM, MEAN, METRICS, P99};
use super::report::{Grid, Origin, Question, Report};
use super::text::{QUICK, grid_columns, grid_lines, passes, range};
use crate::contest::entrant::Side;
use crate::report::page::{OWN_PICTURES, STYLE, picture};
use crate::report::plot::{Axis, Plot, Row};
use crate::report::time;

/// Returns the report as a page.
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
         preempts cognition at 30 Hz.</p>{warning}<p class=\"legend\">{}</p><p class=\"legend\"><span class=\"dot\"></span> mean \
         <span class=\"stroke\"></span> to the 99th percentile <span class=\"thin\"></span> to the maximum; hollow and grey: simulated</p>\
         <pre>{}\n{}</pre>{questions}<h2>Pictures</h2>{}<ul>{}</ul></body></html>\n",
        escape(&passes(report.passes)),
        escape(&report.machine.to_string()),
        escape(&report.host.to_string()),
        pictures.collect::<String>(),
        notices.collect::<String>(),
    )
}

fn section(question: &Question) -> String {
    let mut out = format!("<h2>{}</h2>", escape(&question.title));
    for subject in question.subjects() {
        out.push_str(&table(question, subject));
    }
    question.grids.iter().for_each(|grid| out.push_str(&grid_table(grid)));
    question.findings.iter().for_each(|finding| _ = write!(out, "<p>{}</p>", escape(finding)));
    let plots = question.subjects().into_iter().map(|subject| plot(question, subject));
    let plots = plots.chain(question.grids.iter().map(grid_plot)).filter(|plot| !plot.rows.is_empty());
    let plots = plots.map(|plot| plot.svg());
    let series = question.series.iter().flat_map(|series| [series.over_time(), series.histogram()]);
    let figures: String = plots.chain(series).map(|svg| format!("<figure>{svg}</figure>")).collect();
    out + "<main>" + &figures + "</main>"
}

fn table(question: &Question, subject: &str) -> String {
    let has_deadlines = question.rows_of(subject).any(|row| row.deadlines.is_some());
    let mut heads: String = METRICS.iter().map(|metric| format!("<th>{}</th>", metric.name)).collect();
    if has_deadlines {
        heads.push_str("<th>missed deadlines</th>");
    }
    let mut out = format!("{BEGIN}<thead><tr><th>{}</th>{heads}</tr></thead><tbody>", escape(subject));
    for row in question.rows_of(subject) {
        let class = if row.origin == Origin::Simulated { " class=\"simulated\"" } else { "" };
        let cells = METRICS.iter().map(|metric| {
            let Some(over) = row.over(*metric) else { return "<td>–</td>".to_owned() };
            let small = format!("<small>{}<br>spread {}</small>", range(over), time(over.spread));
            format!("<td>{}{}</td>", time(over.mean), if row.passes.len() > 1 { small.as_str() } else { "" })
        });
        let cells: String = cells.collect();
        let missed = row.deadlines.map(|deadlines| format!("<td>{} of {}</td>", deadlines.missed, deadlines.of));
        _ = write!(out, "<tr{class}><td>{}</td>{cells}{}</tr>", escape(&row.label()), missed.unwrap_or_default());
    }
    out + END
}

fn grid_table(grid: &Grid) -> String {
    let heads: String = (1..=grid_columns(grid)).map(|workers| format!("<th>cognition {workers}</th>")).collect();
    let mut out = format!("{BEGIN}<thead><tr><th>{}: mean / p99</th>{heads}</tr></thead><tbody>", escape(&grid.what));
    for (motion, line) in grid_lines(grid).enumerate() {
        let cells: String = line.iter().map(|cell| format!("<td>{cell}</td>")).collect();
        _ = write!(out, "<tr class=\"simulated\"><td>motion {}</td>{cells}</tr>", motion + 1);
    }
    out + END
}

fn plot(question: &Question, subject: &str) -> Plot {
    let rows = question.rows_of(subject).filter_map(|row| {
        let side = if row.origin == Origin::Simulated { Side::Limit } else { side(&row.way) };
        let of = |metric| row.over(metric).map(|over| over.mean);
        Some(Row { label: row.way.clone(), side, median: of(MEAN)?, tail: Some((of(P99)?, of(MAXIMUM)?)) })
    });
    dots(subject, &question.title, rows.collect())
}

/// Returns the side on which a measured way is: a loop is no way of Hemiola.
fn side(way: &str) -> Side {
    if way.starts_with("loop") { Side::Peer } else { Side::Hemiola }
}

fn grid_plot(grid: &Grid) -> Plot {
    let rows = grid.cells.iter().enumerate().flat_map(|(motion, row)| {
        row.iter().enumerate().map(move |(cognition, figures)| Row {
            label: format!("{} x {}", motion + 1, cognition + 1),
            side: Side::Limit,
            median: figures.mean as f64,
            tail: Some((figures.p99 as f64, figures.maximum as f64)),
        })
    });
    dots(&grid.what, "workers of motion x cognition", rows.collect())
}

fn dots(title: &str, caption: &str, rows: Vec<Row>) -> Plot {
    let (title, caption) = (title.to_owned(), caption.to_owned());
    Plot { title, caption, axis: Axis::Linear, show: time, bar: None, rows }
}

/// A table, which scrolls by itself on a narrow screen.
const BEGIN: &str = "<div class=\"figures\"><table class=\"times\">";
const END: &str = "</tbody></table></div>";

/// The style of tables of times, beside that of all pages of the bench.
const TABLES: &str = ".times { margin: .6em 0; } .times th, .times td { text-align: right; white-space: nowrap; padding: .15em .9em; } \
    .times th:first-child, .times td:first-child { text-align: left; min-width: 22em; } .times td:nth-child(4) { font-weight: inherit; } \
    .times small { display: block; color: var(--muted); line-height: 1.25; font-style: normal; } \
    .simulated td { color: var(--muted); font-style: italic; } \
    .columns rect { opacity: .75; } .peer rect { fill: var(--peer); } .hemiola rect { fill: var(--ours); } .limit rect { fill: var(--limit); }";

#[cfg(test)]
mod tests {
    use hemiola_trace::Summary;

    use super::*;

    #[test]
    fn every_table_has_a_plot_and_what_is_simulated_is_marked() {
        let mut question = Question::new("How many?");
        let figures = Summary { mean: 10, p99: 20, maximum: 30, ..Summary::default() };
        question.add_summary("4 workers", "motion", Origin::Simulated, figures);
        question.add_summary("loop over all modules", "cognition", Origin::Measured, figures);
        question.grids.push(Grid { what: "four cores".into(), cells: vec![vec![figures; 2]; 2] });
        let page = section(&question);
        assert_eq!((page.matches("<table").count(), page.matches("<figure>").count()), (3, 3));
        assert!(page.contains("class=\"simulated\"") && page.contains("4 workers (simulated)"));
        assert!(page.contains("class=\"peer\"") && page.contains("class=\"limit\""));
    }
}
