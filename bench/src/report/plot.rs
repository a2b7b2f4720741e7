//! Dot plots: a row per contestant, the best on top; a dot at the median, a bar to the p99, a hair
//! to the maximum.

use std::fmt::Write as _;

use hemiola_words::svg::{bold_width, escape, ticks};

use crate::contest::entrant::Side;

/// One plot.
pub struct Plot {
    pub title: String,
    /// The caption: what is measured, and which direction is good.
    pub caption: String,
    pub axis: Axis,
    /// A function that writes a value.
    pub show: fn(f64) -> String,
    /// The bar that we set ourselves.
    pub bar: Option<f64>,
    pub rows: Vec<Row>,
}

/// The mapping of values to places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Axis {
    Logarithmic,
    /// A linear axis from the least median to a little above the largest; tails that reach farther
    /// are cut off, and marked.
    Linear,
}

/// The row of one contestant.
pub struct Row {
    pub label: String,
    pub side: Side,
    pub median: f64,
    /// The p99 and maximum, where there is a distribution.
    pub tail: Option<(f64, f64)>,
}

const WIDTH: f64 = 580.0;
/// The left end of the axis; longer labels push it to the right.
const LEFT: f64 = 196.0;
/// The gap between a label and the axis.
const GAP: f64 = 12.0;
const RIGHT: f64 = 500.0;
/// The size of a label's letters.
const LABEL: f64 = 12.0;
const ROW: f64 = 22.0;
const TOP: f64 = 52.0;

impl Plot {
    /// Returns the plot as a picture; its classes get their colours from the page.
    pub fn svg(&self) -> String {
        let mut rows: Vec<&Row> = self.rows.iter().collect();
        rows.sort_by(|a, b| a.median.total_cmp(&b.median));
        let bottom = TOP + ROW * rows.len() as f64 + 6.0;
        let scale = Scale::new(self.axis, &rows, self.bar);
        let mut out = format!(
            "<svg viewBox=\"0 0 {WIDTH} {:.0}\" role=\"img\"><title>{}</title>\
             <text class=\"title\" x=\"0\" y=\"16\">{}</text><text class=\"caption\" x=\"0\" y=\"34\">{}</text>",
            bottom + 22.0,
            escape(&self.title),
            escape(&self.title),
            escape(&self.caption)
        );
        for tick in scale.ticks() {
            let x = scale.x(tick);
            _ = write!(
                out,
                "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{bottom:.1}\"/>\
                 <text class=\"tick\" x=\"{x:.1}\" y=\"{:.1}\">{}</text>",
                bottom + 15.0,
                (self.show)(tick)
            );
        }
        if let Some(bar) = self.bar {
            let x = scale.x(bar);
            _ = write!(
                out,
                "<line class=\"bar\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{:.1}\" y2=\"{bottom:.1}\"/>\
                 <text class=\"bar\" x=\"{x:.1}\" y=\"{:.1}\">our bar</text>",
                TOP - 2.0,
                TOP - 5.0
            );
        }
        for (index, row) in rows.iter().enumerate() {
            out.push_str(&self.row(row, TOP + ROW * (index as f64 + 0.5) + 3.0, &scale));
        }
        out.push_str("</svg>");
        out
    }

    fn row(&self, row: &Row, y: f64, scale: &Scale) -> String {
        let class = match row.side {
            Side::Hemiola => "hemiola",
            Side::Limit => "limit",
            Side::Peer => "peer",
        };
        let x = scale.x(row.median);
        let mut out = format!(
            "<g class=\"{class}\"><text class=\"label\" x=\"{:.1}\" y=\"{:.1}\">{}</text>",
            scale.left - GAP,
            y + 4.0,
            escape(&row.label)
        );
        if let Some((p99, maximum)) = row.tail {
            let (x99, end) = (scale.x(p99), scale.x(maximum));
            _ = write!(
                out,
                "<line class=\"hair\" x1=\"{x:.1}\" x2=\"{end:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
                 <line class=\"tail\" x1=\"{x:.1}\" x2=\"{x99:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>"
            );
            if maximum > scale.high {
                _ = write!(out, "<path class=\"beyond\" d=\"M{:.1} {:.1} l5 4 l-5 4\"/>", RIGHT - 4.0, y - 4.0);
            }
        }
        _ = write!(
            out,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\"/><text class=\"value\" x=\"{WIDTH}\" y=\"{:.1}\">{}</text></g>",
            y + 4.0,
            (self.show)(row.median)
        );
        out
    }
}

struct Scale {
    axis: Axis,
    left: f64,
    low: f64,
    high: f64,
}

impl Scale {
    fn new(axis: Axis, rows: &[&Row], bar: Option<f64>) -> Self {
        let medians = rows.iter().map(|row| row.median).chain(bar);
        let low = medians.clone().fold(f64::INFINITY, f64::min);
        let tails = rows.iter().filter_map(|row| row.tail).map(|(p99, _)| p99);
        let highest = medians.clone().chain(tails).fold(low, f64::max);
        let (low, high) = match axis {
            Axis::Logarithmic => (low * 0.8, highest * 1.25),
            Axis::Linear => {
                let limit = 1.15 * medians.fold(low, f64::max);
                (low - 0.04 * (limit - low), limit.min(highest.max(low * 1.05)))
            }
        };
        let labels = rows.iter().map(|row| bold_width(&row.label, LABEL) + GAP);
        let left = labels.fold(LEFT, f64::max);
        let low = low.max(1e-9);
        Self { axis, left, low, high: high.max(low * 1.01) }
    }

    fn x(&self, value: f64) -> f64 {
        let value = value.clamp(self.low, self.high);
        let share = match self.axis {
            Axis::Logarithmic => (value / self.low).ln() / (self.high / self.low).ln(),
            Axis::Linear => (value - self.low) / (self.high - self.low),
        };
        self.left + share * (RIGHT - self.left)
    }

    fn ticks(&self) -> Vec<f64> {
        match self.axis {
            Axis::Logarithmic => {
                let (first, last) = (self.low.log10().ceil() as i32, self.high.log10().floor() as i32);
                let every = ((last - first) / 5 + 1) as usize;
                (first..=last).step_by(every).map(|power| 10_f64.powi(power)).collect()
            }
            Axis::Linear => ticks(self.low, self.high, 4),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_are_all_zero_and_long_labels_have_a_plot() {
        let label = "time sharing, other programs on all cores".to_owned();
        let row = Row { label, side: Side::Hemiola, median: 0.0, tail: Some((0.0, 0.0)) };
        let show: fn(f64) -> String = |value| format!("{value:.0}");
        for axis in [Axis::Linear, Axis::Logarithmic] {
            assert!(Scale::new(axis, &[&row], None).left > LEFT);
        }
        let plot =
            Plot { title: "idle".into(), caption: String::new(), axis: Axis::Linear, show, bar: None, rows: vec![row] };
        assert!(plot.svg().ends_with("</svg>"));
    }
}
