//! A page of its own with everything on it: the bars first, then plots, then the machine.

use std::fmt::Write as _;

use hemiola_words::svg::escape;

use super::bar::{Bar, Verdict};
use super::plot::{Axis, Plot, Row};
use super::{Report, bars, learning, time};
use crate::contest::result::{Entry, Event, Spread};

/// Returns the page.
pub fn html(report: &Report) -> String {
    let plots: String = plots(report)
        .iter()
        .filter(|plot| !plot.rows.is_empty())
        .map(|plot| format!("<figure>{}</figure>", plot.svg()))
        .chain(learning::svg(report).map(|svg| format!("<figure>{svg}</figure>")))
        .collect();
    let notes: String = report.notices.iter().map(|notice| format!("<li>{}</li>", escape(notice))).collect();
    Page {
        title: "Hemiola’s executor beside its peers",
        lead: &format!(
            "A static graph of many tiny tasks, run once per period on two cores: the same graphs, the same work, the same \
             priority, in the same run. Rounds in which everybody has a turn: {}.",
            report.rounds
        ),
        quick: report.quick,
        bars: &bars::all(report),
    }
    .html(&format!(
        "<main>{plots}</main><h2>Machine</h2><pre>{}\n{}</pre><h2>Contestants</h2><pre>{}</pre><ul>{notes}</ul>",
        escape(&report.machine.to_string()),
        escape(&report.host.to_string()),
        escape(&super::terminal::contestants(report)),
    ))
}

/// The parts with which all pages of the bench begin.
pub struct Page<'p> {
    pub title: &'p str,
    pub lead: &'p str,
    pub quick: bool,
    pub bars: &'p [Bar],
}

impl Page<'_> {
    /// Returns the page with this body.
    pub fn html(&self, body: &str) -> String {
        let Page { title, lead, .. } = self;
        let warning = if self.quick {
            "<p class=\"missed\">A quick run: it shows that everything works; its figures mean nothing.</p>"
        } else {
            ""
        };
        format!(
            "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
             <title>{title}</title><style>{STYLE}</style></head><body>\
             <h1>{title}</h1><p class=\"lead\">{lead}</p>{warning}{}<p class=\"legend\">{OUR_BARS}</p>\
             <p class=\"legend\"><span class=\"dot\"></span> median <span class=\"stroke\"></span> to the 99th percentile \
             <span class=\"thin\"></span> to the maximum</p>{body}</body></html>\n",
            table(self.bars),
        )
    }
}

/// The note that says whose bars these are.
const OUR_BARS: &str = "A bar is a limit that the developers of Hemiola have set for Hemiola. No peer has agreed to it or was \
    made for it; dashed lines in the plots show the same limits.";

fn table(bars: &[Bar]) -> String {
    let mut out = String::from(
        "<table><thead><tr><th>bar</th><th>best peer in this run</th><th>our bar</th><th>Hemiola</th><th></th></tr></thead><tbody>",
    );
    for bar in bars {
        let class = match bar.verdict {
            Verdict::Met => "met",
            Verdict::Missed(_) => "missed",
            Verdict::NotMeasured => "open",
        };
        let cells =
            [&bar.what, &bar.best_peer, &bar.bar, &bar.hemiola].map(|text| format!("<td>{}</td>", escape(text)));
        _ = write!(out, "<tr>{}<td class=\"{class}\">{}</td></tr>", cells.concat(), bar.verdict);
    }
    out + "</tbody></table>"
}

fn plots(report: &Report) -> Vec<Plot> {
    let nanoseconds: fn(f64) -> String = |value| if value < 1e3 { format!("{value:.0} ns") } else { time(value) };
    let ratio: fn(f64) -> String = |value| format!("{value:.2}");
    let number: fn(f64) -> String = |value| format!("{value:.0}");
    let mut plots = Vec::new();
    let mut add = |event: Option<&Event>,
                   title: &str,
                   caption: &str,
                   axis,
                   show,
                   bar,
                   pick: &dyn Fn(&Event, &Entry) -> Option<Row>| {
        let Some(event) = event else { return };
        let rows = event.entries.iter().filter_map(|entry| pick(event, entry)).collect();
        plots.push(Plot { title: title.to_owned(), caption: caption.to_owned(), axis, show, bar, rows });
    };
    let per_task = |event: &Event, entry: &Entry| row(entry, entry.makespan_ns.as_ref(), 1.0 / event.tasks as f64);
    let ratios = |_: &Event, entry: &Entry| row(entry, entry.ratio.as_ref(), 1.0);
    let makespans = |_: &Event, entry: &Entry| row(entry, entry.makespan_ns.as_ref(), 1.0);
    let first = |_: &Event, entry: &Entry| row(entry, entry.first_task_ns.as_ref(), 1.0);
    let idle = |_: &Event, entry: &Entry| {
        Some(Row { label: entry.label.clone(), side: entry.side, median: entry.idle_ms_per_s?, tail: None })
    };

    let one = report.event("rand150", "steady", 1);
    add(
        one,
        "What a task costs",
        "150 empty tasks in 15 layers, one worker; time per task",
        Axis::Logarithmic,
        nanoseconds,
        Some(10.0),
        &per_task,
    );
    let two = report.event("rand150", "steady", 2);
    add(
        two,
        "… when two workers are allowed",
        "the same graph; a good plan does not use the second one",
        Axis::Logarithmic,
        nanoseconds,
        None,
        &per_task,
    );
    let cognition = report.event("nao-cognition", "steady", 2);
    add(
        cognition,
        "Cognition of a NAO, two workers",
        "120 tasks, 16 ms of work; makespan over the lower bound",
        Axis::Linear,
        ratio,
        Some(1.01),
        &ratios,
    );
    let motion = report.event("nao-motion", "steady", 2);
    add(
        motion,
        "Motion of a NAO, two workers",
        "50 tasks, 0.96 ms of work; makespan over the lower bound",
        Axis::Linear,
        ratio,
        Some(1.02),
        &ratios,
    );
    let devils = report.event("devils-cognition", "steady", 2);
    add(
        devils,
        "A real robot’s cognition, two workers",
        "149 modules’ updates, synthetic durations; makespan over the lower bound",
        Axis::Linear,
        ratio,
        None,
        &ratios,
    );
    let devils = report.event("devils-motion", "steady", 2);
    add(
        devils,
        "A real robot’s motion, two workers",
        "63 modules’ updates, synthetic durations; makespan over the lower bound",
        Axis::Linear,
        ratio,
        None,
        &ratios,
    );
    let periodic = report.event("nao-motion", "periodic", 2);
    add(
        periodic,
        "From trigger to first task",
        "motion at 83 Hz, asleep in between",
        Axis::Logarithmic,
        nanoseconds,
        Some(1_000.0),
        &first,
    );
    add(
        periodic,
        "From trigger to end",
        "motion at 83 Hz, asleep in between; lower bound 481 µs",
        Axis::Linear,
        nanoseconds,
        Some(490_000.0),
        &makespans,
    );
    add(
        report.event("nao-motion", "together", 2),
        "Motion while cognition runs below it",
        "both at once on the same two cores; motion’s trigger to its end",
        Axis::Linear,
        nanoseconds,
        None,
        &makespans,
    );
    add(
        report.event("nao-cognition", "together", 2),
        "Cognition while motion runs above it",
        "both at once on the same two cores; cognition’s trigger to its end",
        Axis::Linear,
        nanoseconds,
        None,
        &makespans,
    );
    let waiting = report.event("pair", "idle", 2);
    add(
        waiting,
        "Waiting, two workers",
        "processor time per second beside the work, in ms; two tasks of 20 µs at 83 Hz",
        Axis::Logarithmic,
        number,
        Some(15.0),
        &idle,
    );
    let waiting = report.event("rand150", "idle", 2);
    add(
        waiting,
        "Waiting, two workers allowed",
        "processor time per second, in ms; 150 empty tasks at 83 Hz",
        Axis::Logarithmic,
        number,
        Some(3.5),
        &idle,
    );
    let copper = report.event("chain10", "steady", 1);
    add(
        copper,
        "A chain of ten",
        "Copper’s own benchmark, empty tasks, one worker; time per task",
        Axis::Logarithmic,
        nanoseconds,
        None,
        &per_task,
    );
    add(
        report.event("stages", "pipeline", 2),
        "Two stages",
        "Copper’s other benchmark, a hand-over per run; from the end of one run to the next",
        Axis::Logarithmic,
        nanoseconds,
        None,
        &makespans,
    );
    plots
}

fn row(entry: &Entry, spread: Option<&Spread>, factor: f64) -> Option<Row> {
    let spread = spread?;
    let tail = Some((spread.p99 * factor, spread.maximum * factor));
    Some(Row { label: entry.label.clone(), side: entry.side, median: spread.median * factor, tail })
}

pub const STYLE: &str = include_str!("page.css");

/// The style of pictures that have one of their own ([`picture`]).
pub const OWN_PICTURES: &str = "object { width: 100%; display: block; margin: .8rem 0; background: #fff; }";

/// Embeds a picture as a document of its own, as its style is not that of the page.
pub fn picture(svg: &str) -> String {
    let mut data = String::with_capacity(svg.len() * 2);
    for character in svg.chars() {
        match character {
            '%' | '#' | '"' | '<' | '>' | '&' | '\'' => data += &format!("%{:02X}", character as u32),
            '\n' => data.push(' '),
            character => data.push(character),
        }
    }
    format!("<object type=\"image/svg+xml\" data=\"data:image/svg+xml;charset=utf-8,{data}\"></object>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_cannot_break_out_of_its_document() {
        let embedded = picture("<svg fill=\"#123\"><text>100 % &amp; it's</text></svg>\n");
        let data = embedded.split('"').nth(3).expect("an attribute");
        assert!(!data.contains(['<', '>', '#', '\'', '&']) && data.contains("100 %25 %26amp;"));
    }
}
