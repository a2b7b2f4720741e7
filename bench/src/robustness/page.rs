//! The report as a page: plots first, then all figures.

use hemiola_words::svg::escape;

use super::Report;
use super::variation::{Method, Variation};
use crate::contest::entrant::Side;
use crate::report::page::STYLE;
use crate::report::plot::{Axis, Plot, Row};
use crate::report::time;

/// Returns the page.
pub fn html(report: &Report) -> String {
    let plots: String = (report.variations.iter().map(variation))
        .chain([overload(report)])
        .filter(|plot| !plot.rows.is_empty())
        .map(|plot| format!("<figure>{}</figure>", plot.svg()))
        .collect();
    let warning = if report.quick {
        "<p class=\"missed\">A quick run: it shows that everything works; its figures mean nothing.</p>"
    } else {
        ""
    };
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <title>Robustness of Hemiola's timing</title><style>{STYLE}</style></head><body>\
         <h1>Robustness of Hemiola’s timing</h1>\
         <p class=\"lead\">Durations that vary, an overloaded cognition, a worker that loses its core, a restricted \
         system.</p>{warning}\
         <p class=\"legend\"><span class=\"dot\"></span> median <span class=\"stroke\"></span> to the 99th percentile \
         <span class=\"thin\"></span> to the maximum</p>\
         <main>{plots}</main><h2>Figures</h2><pre>{}</pre><h2>Machine</h2><pre>{}</pre></body></html>\n",
        escape(&super::text::text(report)),
        escape(&report.machine.to_string()),
    )
}

fn variation(variation: &Variation) -> Plot {
    let row = |entry: &super::variation::Entry| Row {
        label: match entry.method {
            Method::Measured => entry.label.clone(),
            Method::Simulated => format!("{}, simulated", entry.label.split(':').next().unwrap_or_default()),
        },
        side: entry.side,
        median: entry.ratio.median,
        tail: Some((entry.ratio.p99, entry.ratio.maximum)),
    };
    Plot {
        title: format!("{}, two workers", variation.workload),
        caption: format!("{}; over the run's lower bound", variation.law),
        axis: Axis::Linear,
        show: |value| format!("{value:.2}"),
        bar: None,
        rows: variation.entries.iter().map(row).collect(),
    }
}

fn overload(report: &Report) -> Plot {
    let rows = report.overload.iter().map(|response| Row {
        label: response.cognition.split(':').next().unwrap_or_default().to_owned(),
        side: Side::Hemiola,
        median: response.ns.p999,
        tail: Some((response.ns.p999, response.ns.maximum)),
    });
    Plot {
        title: "Motion beside cognition".to_owned(),
        caption: "83 Hz, from trigger to end; the dot is at 99.9 %, by what cognition does".to_owned(),
        axis: Axis::Logarithmic,
        show: time,
        bar: None,
        rows: rows.collect(),
    }
}
