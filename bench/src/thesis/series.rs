//! A metric over time: every run of some seconds, as points and as a histogram.

use std::fmt::Write as _;

use hemiola_words::svg::{bold_width, escape, ticks};
use serde::Serialize;

use crate::report::time;

/// The runs of some seconds.
#[derive(Serialize)]
pub struct Series {
    pub title: String,
    /// The length of the recorded time.
    pub seconds: f64,
    /// The kinds of runs, each with its points.
    pub kinds: Vec<Kind>,
}

/// The runs of one kind.
#[derive(Serialize)]
pub struct Kind {
    pub name: String,
    /// For each run its trigger, in seconds from the begin, and the time that it took, in
    /// nanoseconds.
    pub points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 580.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 570.0;
const TOP: f64 = 52.0;
const BOTTOM: f64 = 222.0;
const HEIGHT: f64 = 250.0;
/// The classes of the kinds, which have colours on the page.
const CLASSES: [&str; 3] = ["peer", "hemiola", "limit"];
const BINS: usize = 50;
/// The share of runs that a histogram shows; the rest is in its last bin.
const SHOWN: f64 = 0.99;

impl Series {
    /// Returns a picture with a point per run.
    pub fn over_time(&self) -> String {
        let highest = self.values().fold(0.0, f64::max).max(1.0) * 1.05;
        let x = |seconds: f64| LEFT + seconds / self.seconds.max(1e-9) * (RIGHT - LEFT);
        let y = |ns: f64| BOTTOM - ns / highest * (BOTTOM - TOP);
        let mut out = self.begin("every run over time");
        for tick in ticks(0.0, self.seconds, 5) {
            vertical(&mut out, x(tick), &format!("{tick} s"));
        }
        for tick in ticks(0.0, highest, 4) {
            horizontal(&mut out, y(tick), &time(tick));
        }
        for (kind, class) in self.kinds.iter().zip(CLASSES) {
            _ = write!(out, "<g class=\"{class}\">");
            for &(seconds, ns) in &kind.points {
                _ = write!(out, "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"1.6\"/>", x(seconds), y(ns));
            }
            out.push_str("</g>");
        }
        out + "</svg>"
    }

    /// Returns a picture with the number of runs by the time that they took.
    pub fn histogram(&self) -> String {
        let mut values: Vec<f64> = self.values().collect();
        values.sort_by(f64::total_cmp);
        let shown = values.get((values.len() as f64 * SHOWN) as usize).or(values.last()).copied().unwrap_or(1.0);
        let highest = (shown * 1.05).max(1.0);
        let counts: Vec<Vec<usize>> = self.kinds.iter().map(|kind| bins(kind, highest)).collect();
        let most = counts.iter().flatten().copied().max().unwrap_or(0).max(1) as f64;
        let width = (RIGHT - LEFT) / BINS as f64;
        let x = |ns: f64| LEFT + ns / highest * (RIGHT - LEFT);
        let y = |count: f64| BOTTOM - count / most * (BOTTOM - TOP);
        let mut out = self.begin("number of runs by the time that they took; the last bar is all that took longer");
        for tick in ticks(0.0, highest, 5) {
            vertical(&mut out, x(tick), &time(tick));
        }
        for tick in ticks(0.0, most, 4) {
            horizontal(&mut out, y(tick), &format!("{tick:.0}"));
        }
        for (counts, class) in counts.iter().zip(CLASSES) {
            _ = write!(out, "<g class=\"{class} columns\">");
            for (bin, &count) in counts.iter().enumerate().filter(|&(_, &count)| count > 0) {
                let (left, top) = (LEFT + bin as f64 * width, y(count as f64));
                _ = write!(
                    out,
                    "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>",
                    width - 1.0,
                    BOTTOM - top
                );
            }
            out.push_str("</g>");
        }
        out + "</svg>"
    }

    fn values(&self) -> impl Iterator<Item = f64> + '_ {
        self.kinds.iter().flat_map(|kind| kind.points.iter().map(|&(_, ns)| ns))
    }

    fn begin(&self, caption: &str) -> String {
        let mut out = format!(
            "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\"><title>{title}</title>\
             <text class=\"title\" x=\"0\" y=\"16\">{title}</text><text class=\"caption\" x=\"0\" y=\"34\">{caption}</text>",
            title = escape(&self.title)
        );
        let mut right = WIDTH;
        for (kind, class) in self.kinds.iter().zip(CLASSES).rev() {
            _ = write!(
                out,
                "<g class=\"{class}\"><circle cx=\"{:.0}\" cy=\"12\" r=\"4\"/><text class=\"label\" x=\"{right:.0}\" y=\"16\">{}</text></g>",
                right - bold_width(&kind.name, 12.0) - 10.0,
                escape(&kind.name)
            );
            right -= bold_width(&kind.name, 12.0) + 28.0;
        }
        out
    }
}

fn bins(kind: &Kind, highest: f64) -> Vec<usize> {
    let mut counts = vec![0; BINS];
    for &(_, ns) in &kind.points {
        counts[((ns / highest * BINS as f64) as usize).min(BINS - 1)] += 1;
    }
    counts
}

fn vertical(out: &mut String, x: f64, label: &str) {
    _ = write!(
        out,
        "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{BOTTOM}\"/>\
         <text class=\"tick\" x=\"{x:.1}\" y=\"{:.1}\">{label}</text>",
        BOTTOM + 16.0
    );
}

fn horizontal(out: &mut String, y: f64, label: &str) {
    _ = write!(
        out,
        "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{RIGHT}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
         <text class=\"label\" x=\"{:.1}\" y=\"{:.1}\">{label}</text>",
        LEFT - 8.0,
        y + 4.0
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series() -> Series {
        let kind = |name: &str, points: &[(f64, f64)]| Kind { name: name.to_owned(), points: points.to_vec() };
        let kinds = vec![kind("plain", &[(0.0, 1e6), (1.0, 1.1e6), (2.0, 1e6)]), kind("preview", &[(3.0, 2e6)])];
        Series { title: "motion & preview".to_owned(), seconds: 4.0, kinds }
    }

    #[test]
    fn every_run_is_a_point_and_in_one_bin() {
        let series = series();
        assert_eq!(series.over_time().matches("r=\"1.6\"").count(), 4);
        assert_eq!(bins(&series.kinds[0], 2.1e6).iter().sum::<usize>(), 3);
        assert!(series.histogram().contains("motion &amp; preview"));
    }

    #[test]
    fn what_takes_longer_is_in_the_last_bin() {
        assert_eq!(bins(&series().kinds[1], 1e6)[BINS - 1], 1);
    }

    #[test]
    fn no_runs_make_an_empty_picture() {
        let empty = Series { title: String::new(), seconds: 0.0, kinds: Vec::new() };
        assert!(empty.over_time().ends_with("</svg>") && !empty.histogram().contains("NaN"));
    }
}
