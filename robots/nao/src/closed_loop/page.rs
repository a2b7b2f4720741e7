//! The report as a page of its own: tables, and for each metric a plot of all games.

use std::fmt::Write;

use super::experiment::{CIRCUMSTANCES, Experiment, Metric, Series, difference, text};
use super::statistics::Estimate;

/// The height of a row of a plot, in pixels.
const ROW: f64 = 26.0;
/// The width of the names, of the panel of values, and of that of differences.
const NAMES: f64 = 160.0;
const PANEL: f64 = 340.0;
const GAP: f64 = 30.0;
/// The space above and below the rows.
const HEAD: f64 = 30.0;
const FOOT: f64 = 28.0;

const STYLE: &str = "body { font: 15px/1.5 system-ui, sans-serif; margin: 2em auto; max-width: 940px; padding: 0 1em; color: #222; background: #fff; } \
    table { border-collapse: collapse; margin: 1em 0; } th, td { text-align: right; padding: .15em .8em; white-space: nowrap; } \
    th { border-bottom: 1px solid #999; } th:first-child, td:first-child { text-align: left; } .differs { font-weight: bold; } \
    div { overflow-x: auto; } svg { display: block; max-width: 100%; height: auto; } .note { color: #555; }";

/// The model in short; [`closed_loop`](super) has all of it.
const MODEL: &str = "The model: the robot's whole software plays in simulated time. A run of a cycle takes as long as its plan takes \
    on simulated cores, which more important cycles have first; the durations of its tasks are drawn with the seed from those that \
    were measured. Only then, rounded up to the next millisecond, its sample is delivered, and what it computes reaches the others. \
    So a run also reads what other cycles provide when it ends, not when it begins: late images are seen with later joints, which \
    makes a slow cognition look somewhat worse than it is. Caches, memory and hand-overs between workers cost nothing.";

/// Returns the report as a page.
#[must_use]
pub fn html(experiment: &Experiment) -> String {
    let legend: String = experiment.legend().iter().map(|line| format!("{}<br>", escape(line))).collect();
    let plots: String = Metric::ALL.iter().map(|metric| plot(experiment, *metric)).collect();
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width, \
         initial-scale=1\"><title>What scheduling does for the game</title><style>{STYLE}</style></head><body>\
         <h1>What scheduling does for the game</h1><p>{legend}</p><p class=\"note\">{MODEL}</p><h2>Means</h2>{}<h2>Differences from “{}”</h2>{}\
         <h2>Circumstances</h2>{}<p class=\"note\">Workers: of motion, audio and cognition, as the planner chooses them. \
         Image age: from the taking of an image to the end of the run that processes it. \
         Dropped: samples that a newer one replaced while the cycle was busy.</p><h2>Plots</h2><p class=\"note\">Left: every game a dot, \
         the mean with its interval below; right: the difference from the first row.</p>{plots}</body></html>\n",
        table(experiment, &Metric::ALL.map(Metric::name), 0, |index| {
            let cell = |metric| (text(Estimate::of(&experiment.values(index, metric)), metric), false);
            Metric::ALL.map(cell).to_vec()
        }),
        experiment.series[0].condition.name,
        table(experiment, &Metric::ALL.map(Metric::name), 1, |index| {
            let cell = |metric| {
                let estimate = Estimate::of(&experiment.differences(index, metric));
                let differs = estimate.is_some_and(|of| of.differs_from_zero(experiment.comparisons()));
                (difference(estimate, metric, experiment.comparisons()), differs)
            };
            Metric::ALL.map(cell).to_vec()
        }),
        table(experiment, &CIRCUMSTANCES, 0, |index| experiment
            .circumstances(index)
            .map(|cell| (cell, false))
            .to_vec()),
    )
}

/// Returns a table with a row for each condition from `first` on; cells are marked that differ.
fn table(
    experiment: &Experiment,
    heads: &[&str],
    first: usize,
    cells: impl Fn(usize) -> Vec<(String, bool)>,
) -> String {
    let heads: String = heads.iter().map(|head| format!("<th>{head}</th>")).collect();
    let mut out = format!("<div><table><thead><tr><th>condition</th>{heads}</tr></thead><tbody>");
    for (index, Series { condition, .. }) in experiment.series.iter().enumerate().skip(first) {
        let cells: String = cells(index)
            .into_iter()
            .map(
                |(cell, differs)| {
                    if differs { format!("<td class=\"differs\">{cell}</td>") } else { format!("<td>{cell}</td>") }
                },
            )
            .collect();
        _ = write!(out, "<tr><td>{}</td>{cells}</tr>", condition.name);
    }
    out + "</tbody></table></div>"
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// A panel of a plot: values from left to right.
struct Panel {
    left: f64,
    low: f64,
    high: f64,
}

impl Panel {
    /// Creates a panel that shows all values.
    fn new(left: f64, values: impl Iterator<Item = f64>) -> Self {
        let (low, high) = values
            .filter(|value| value.is_finite())
            .fold((0.0, 0.0), |(low, high): (f64, f64), value| (low.min(value), high.max(value)));
        let high = if high > low { high } else { low + 1.0 };
        let margin = (high - low) * 0.05;
        Self { left, low: low - margin, high: high + margin }
    }

    fn x(&self, value: f64) -> f64 {
        self.left + (value - self.low) / (self.high - self.low) * PANEL
    }

    /// Draws the axis with some numbers, and the line of zero.
    fn axis(&self, svg: &mut String, title: &str, bottom: f64) {
        _ = write!(svg, "<text x=\"{:.1}\" y=\"18\" font-weight=\"bold\">{title}</text>", self.left);
        let step = round_step((self.high - self.low) / 5.0);
        let mut number = (self.low / step).ceil();
        while number * step <= self.high {
            let (value, x) = (number * step, self.x(number * step));
            let color = if number == 0.0 { "#777" } else { "#ddd" };
            _ = write!(
                svg,
                "<line x1=\"{x:.1}\" y1=\"{HEAD}\" x2=\"{x:.1}\" y2=\"{bottom:.1}\" stroke=\"{color}\"/>\
                 <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#555\">{}</text>",
                bottom + 17.0,
                (value * 1000.0).round() / 1000.0 + 0.0
            );
            number += 1.0;
        }
    }

    /// Draws a mean with its interval.
    fn interval(&self, svg: &mut String, estimate: &Estimate, y: f64, color: &str) {
        if estimate.error.is_some() {
            let [low, high] = estimate.interval().map(|end| self.x(end));
            _ = write!(
                svg,
                "<line x1=\"{low:.1}\" y1=\"{y:.1}\" x2=\"{high:.1}\" y2=\"{y:.1}\" stroke=\"{color}\" stroke-width=\"3\"/>"
            );
        }
        _ = write!(svg, "<circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"4.5\" fill=\"{color}\"/>", self.x(estimate.mean));
    }
}

/// Returns the smallest of 1, 2, 5, 10, 20, .. and their tenths that is not less.
fn round_step(least: f64) -> f64 {
    let power = 10.0_f64.powf(least.log10().floor());
    [1.0, 2.0, 5.0, 10.0].map(|factor| factor * power).into_iter().find(|step| *step >= least).unwrap_or(10.0 * power)
}

/// Returns the plot of a metric: values, and differences from the first condition.
fn plot(experiment: &Experiment, metric: Metric) -> String {
    let count = experiment.series.len();
    let (bottom, width) = (HEAD + ROW * count as f64, NAMES + 2.0 * PANEL + GAP + 20.0);
    let values: Vec<Vec<f64>> = (0..count).map(|index| experiment.values(index, metric)).collect();
    let means: Vec<Option<Estimate>> = values.iter().map(|values| Estimate::of(values)).collect();
    let differences: Vec<Option<Estimate>> =
        (0..count).map(|index| Estimate::of(&experiment.differences(index, metric))).collect();
    let ends = |estimates: &[Option<Estimate>]| -> Vec<f64> {
        estimates.iter().flatten().flat_map(|of| of.interval().into_iter().chain([of.mean])).collect()
    };
    let left = Panel::new(NAMES, values.iter().flatten().copied().chain(ends(&means)));
    let right = Panel::new(NAMES + PANEL + GAP, ends(&differences).into_iter());
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {:.0}\" width=\"{width}\" font-size=\"13\" role=\"img\">\
         <title>{}</title>",
        bottom + FOOT,
        metric.name()
    );
    left.axis(&mut svg, metric.name(), bottom);
    right.axis(&mut svg, "difference", bottom);
    for (index, Series { condition, .. }) in experiment.series.iter().enumerate() {
        let y = HEAD + ROW * (index as f64 + 0.5);
        _ = write!(svg, "<text x=\"0\" y=\"{:.1}\">{}</text>", y + 4.5, condition.name);
        for value in &values[index] {
            let x = left.x(*value);
            _ = write!(
                svg,
                "<circle cx=\"{x:.1}\" cy=\"{:.1}\" r=\"2.5\" fill=\"#3b6ea5\" fill-opacity=\"0.35\"/>",
                y - 5.0
            );
        }
        if let Some(mean) = &means[index] {
            left.interval(&mut svg, mean, y + 4.0, "#1f4e79");
        }
        if let Some(difference) = differences[index].as_ref().filter(|_| index > 0) {
            right.interval(
                &mut svg,
                difference,
                y,
                if difference.differs_from_zero(experiment.comparisons()) { "#b3391f" } else { "#777777" },
            );
        }
    }
    svg + "</svg>"
}
