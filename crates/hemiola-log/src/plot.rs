//! Plots of numbers over time.

use std::fmt::Write;

use hemiola_words::number;
use hemiola_words::svg::{self, Page, escape};

use crate::channel::LogTime;
use crate::series::{Point, Series};

const WIDTH: f64 = 1200.0;
const LEFT: f64 = 92.0;
const RIGHT: f64 = 24.0;
/// The height of the panel of one series, with its heading and the space below.
const PANEL: f64 = 190.0;
const HEADING: f64 = 34.0;
const BELOW: f64 = 18.0;
/// The height of the times under the last panel.
const AXIS: f64 = 30.0;
const COLOURS: [&str; 6] = ["#2563eb", "#ea580c", "#059669", "#9333ea", "#dc2626", "#0891b2"];

/// Draws each series in a panel of its own, over the same time. Where a point of the picture stands
/// for several values, the band extends from the least to the greatest, and the line is their mean.
///
/// ```
/// use hemiola_log::{LogTime, Series, plot_svg};
///
/// let mut series = Series::new("/ball", "radius");
/// series.push(LogTime::from_nanoseconds(0), 0.05);
/// series.push(LogTime::from_nanoseconds(1_000_000_000), 0.06);
/// assert!(plot_svg(&[series]).starts_with("<svg"));
/// ```
pub fn plot_svg(series: &[Series]) -> String {
    let times = || series.iter().flat_map(|series| [series.points().first(), series.points().last()]).flatten();
    let begin = times().map(|point| point.time).min().unwrap_or_default();
    let end = times().map(|point| point.time).max().unwrap_or_default();
    let seconds = Scale::new(0.0, end.seconds_since(begin).max(1e-6), LEFT, WIDTH - RIGHT);
    let height = PANEL * series.len() as f64 + AXIS;
    let mut page = Page::new(WIDTH, height);
    page.line(
        "<style>
.name { font-size: 14px; font-weight: 700; fill: #0f172a }
.note { font-size: 11px; fill: #64748b }
.grid { stroke: #e2e8f0; stroke-width: 1 }
</style>",
    );
    page.ground(10.0, "#fff");
    for (index, series) in series.iter().enumerate() {
        panel(&mut page, series, index, begin, &seconds);
    }
    let y = height - AXIS + 6.0;
    for second in seconds.ticks(10) {
        let x = seconds.at(second);
        // Writing to a string cannot fail.
        page.line(format_args!(
            r#"<text class="note" x="{x:.1}" y="{y}" text-anchor="middle">{} s</text>"#,
            number(second)
        ));
    }
    page.finish()
}

fn panel(page: &mut Page, series: &Series, index: usize, begin: LogTime, seconds: &Scale) {
    let (top, bottom) = (PANEL * index as f64 + HEADING, PANEL * (index + 1) as f64 - BELOW);
    let colour = COLOURS[index % COLOURS.len()];
    let points = series.points();
    let minimum = points.iter().map(|point| point.minimum).fold(f64::INFINITY, f64::min);
    let maximum = points.iter().map(|point| point.maximum).fold(f64::NEG_INFINITY, f64::max);
    let field = escape(&series.path);
    let topic = escape(&series.topic);
    page.line(format_args!(r##"<circle cx="20" cy="{}" r="5" fill="{colour}"/>"##, top - 16.0));
    page.line(format_args!(r##"<text class="name" x="32" y="{}">{field}<tspan dx="10" font-weight="400" font-size="12" fill="#64748b">{topic}</tspan></text>"##,
        top - 11.0
    ));
    if points.is_empty() {
        page.line(format_args!(r#"<text class="note" x="{LEFT}" y="{}">no values</text>"#, (top + bottom) / 2.0));
        return;
    }
    let figures = format!(
        "{} values, minimum {}, mean {}, maximum {}",
        series.count(),
        number(minimum),
        number(series.mean()),
        number(maximum)
    );
    let (right, y) = (WIDTH - RIGHT, top - 11.0);
    page.line(format_args!(r#"<text class="note" x="{right}" y="{y}" text-anchor="end">{figures}</text>"#));
    // A series of equal values gets a range around them.
    let margin = if maximum > minimum { 0.0 } else { (minimum.abs() * 0.1).max(0.5) };
    let values = Scale::new(minimum - margin, maximum + margin, bottom, top);
    for value in values.ticks(6) {
        let y = values.at(value);
        page.line(format_args!(r#"<line class="grid" x1="{LEFT}" x2="{}" y1="{y:.1}" y2="{y:.1}"/>"#, WIDTH - RIGHT));
        let (x, y, value) = (LEFT - 8.0, y + 4.0, number(value));
        page.line(format_args!(r#"<text class="note" x="{x}" y="{y:.1}" text-anchor="end">{value}</text>"#));
    }
    for second in seconds.ticks(10) {
        let x = seconds.at(second);
        page.line(format_args!(r#"<line class="grid" x1="{x:.1}" x2="{x:.1}" y1="{top}" y2="{bottom}"/>"#));
    }
    let x = |point: &Point| seconds.at(point.time.seconds_since(begin));
    if points.iter().any(|point| point.count > 1) {
        let upper = points.iter().map(|point| (x(point), values.at(point.maximum)));
        let lower = points.iter().rev().map(|point| (x(point), values.at(point.minimum)));
        let band = path(upper.chain(lower));
        page.line(format_args!(r#"<path d="{band}z" fill="{colour}" fill-opacity=".25"/>"#));
    }
    let line = path(points.iter().map(|point| (x(point), values.at(point.sum / point.count as f64))));
    page.line(format_args!(
        r#"<path d="{line}" fill="none" stroke="{colour}" stroke-width="1.3" stroke-linejoin="round"/>"#
    ));
}

fn path(points: impl Iterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    for (index, (x, y)) in points.enumerate() {
        _ = write!(path, "{}{x:.1} {y:.1}", if index == 0 { "M" } else { "L" });
    }
    path
}

/// A scale from values to places.
struct Scale {
    from: f64,
    to: f64,
    begin: f64,
    end: f64,
}

impl Scale {
    fn new(from: f64, to: f64, begin: f64, end: f64) -> Self {
        Self { from, to, begin, end }
    }

    fn at(&self, value: f64) -> f64 {
        // The halves are subtracted, because the difference may exceed what a number can hold.
        let share = (value / 2.0 - self.from / 2.0) / (self.to / 2.0 - self.from / 2.0);
        self.begin + share * (self.end - self.begin)
    }

    /// Returns round values, at most about `most` of them.
    fn ticks(&self, most: u32) -> Vec<f64> {
        svg::ticks(self.from, self.to, most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_values_are_too_strange_to_be_drawn() {
        for values in
            [&[][..], &[1.0], &[f64::MAX, f64::MIN], &[f64::NAN, f64::INFINITY], &[1e-320, 2e-320], &[-0.0; 9]]
        {
            let mut series = Series::new("/<topic>", "a&b");
            for (index, &value) in values.iter().enumerate() {
                series.push(LogTime::from_nanoseconds(index as u64 * (u64::MAX / 10)), value);
            }
            let svg = plot_svg(&[series]);
            assert!(svg.contains("/&lt;topic&gt;") && svg.contains("a&amp;b") && !svg.contains("NaN"), "{svg}");
            assert!(!svg.contains("inf"), "{svg}");
        }
    }
}
