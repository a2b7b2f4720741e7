//! A picture of the first runs: how the executor learns how long its tasks take.

use std::fmt::Write as _;

use super::Report;
use crate::contest::result::Entry;

const WIDTH: f64 = 580.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 40.0;
const TOP: f64 = 52.0;
const BOTTOM: f64 = 212.0;

/// Draws the makespan over the lower bound, run by run, if that was measured.
pub fn svg(report: &Report) -> Option<String> {
    let runs: &[f64] =
        &report.event("nao-cognition", "cold", 2)?.entry("hemiola").map(|entry: &Entry| &entry.by_run)?[..];
    let highest = runs.iter().copied().fold(1.1, f64::max);
    let x = |run: usize| LEFT + (WIDTH - LEFT - 8.0) * run as f64 / runs.len().max(2) as f64;
    let y = |ratio: f64| BOTTOM - (BOTTOM - TOP) * (ratio - 0.95) / (highest - 0.9);
    let mut out = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\"><title>Learning</title>\
         <text class=\"title\" x=\"0\" y=\"16\">Cognition, from the first run on</text>\
         <text class=\"caption\" x=\"0\" y=\"34\">makespan over the lower bound; after ten runs it plans with what it has measured</text>"
    );
    for step in 0..=((highest - 1.0) / 0.1).floor() as usize {
        let ratio = 1.0 + 0.1 * step as f64;
        _ = write!(
            out,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{WIDTH}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
             <text class=\"label\" x=\"{:.1}\" y=\"{:.1}\">{ratio:.1}</text>",
            LEFT - 8.0,
            y(ratio) + 4.0,
            y = y(ratio)
        );
    }
    out.push_str("<g class=\"hemiola\">");
    for (run, &ratio) in runs.iter().enumerate() {
        _ = write!(out, "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"4\"/>", x(run) + 6.0, y(ratio));
    }
    out.push_str("</g>");
    for run in [1, 10, 20, 30].into_iter().filter(|&run| run <= runs.len()) {
        _ = write!(
            out,
            "<text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\">run {run}</text>",
            x(run - 1) + 6.0,
            BOTTOM + 18.0
        );
    }
    Some(out + "</svg>")
}
