//! Latencies as a picture: a line from the shortest to the longest per chain and scheduler, and
//! where the bound is.

use std::fmt::Write as _;

use hemiola_analysis::TimeSpan;
use hemiola_schedulability::simulation::Observed;
use hemiola_words::svg::escape;

use super::table::{Row, ms};

const WIDTH: f64 = 1100.0;
const LEFT: f64 = 100.0;
const RIGHT: f64 = 1060.0;
const TOP: f64 = 96.0;
const LINE: f64 = 15.0;
const GAP: f64 = 14.0;
const COLOURS: [&str; 4] = ["#d9480f", "#3b6ea5", "#2b8a3e", "#8a5aa8"];

/// The latencies of a chain under one scheduler.
pub struct Range {
    pub name: String,
    pub simulated: Observed,
    pub executed: Observed,
    pub bound: Option<TimeSpan>,
}

impl From<&Row> for Range {
    fn from(row: &Row) -> Self {
        let Row { chain, simulated, executed, bound, .. } = row;
        Self { name: chain.clone(), simulated: *simulated, executed: *executed, bound: bound.as_ref().ok().copied() }
    }
}

/// Draws the same chains under several schedulers, in milliseconds: executed, with simulated ones
/// as thin lines below them.
pub fn svg(title: &str, schedulers: &[(&str, Vec<Range>)]) -> String {
    let chains = schedulers.first().map_or(0, |(_, ranges)| ranges.len());
    let all = || schedulers.iter().flat_map(|(_, ranges)| ranges.iter());
    // A bound far above all that happened is cut off, as it would leave no room for the rest.
    let longest = all().map(|range| ms(range.executed.maximum.max(range.simulated.maximum))).fold(1.0, f64::max) * 1.08;
    let x = |value: f64| LEFT + value.min(longest) / longest * (RIGHT - LEFT);
    let height = LINE * schedulers.len() as f64 + GAP;
    let bottom = TOP + height * chains as f64;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {:.0}\" \
         font-family=\"'Inter','Helvetica Neue',Helvetica,Arial,sans-serif\" fill=\"#1b2430\">\
         <title>{title}</title><rect width=\"100%\" height=\"100%\" fill=\"#fbfcfd\"/>\
         <text x=\"24\" y=\"36\" font-size=\"20\" font-weight=\"700\">{title}</text>\n",
        bottom + 40.0,
        title = escape(title)
    );
    let mut legend = 24.0;
    for ((scheduler, _), colour) in schedulers.iter().zip(COLOURS) {
        // Writing to a String cannot fail, here and below.
        _ = writeln!(
            text,
            "<circle cx=\"{:.1}\" cy=\"60\" r=\"5\" fill=\"{colour}\"/><text x=\"{:.1}\" y=\"64\" font-size=\"13\">{}</text>",
            legend + 5.0,
            legend + 16.0,
            escape(scheduler)
        );
        legend += 40.0 + 7.0 * scheduler.chars().count() as f64;
    }
    _ = writeln!(
        text,
        "<text x=\"24\" y=\"84\" font-size=\"12\" fill=\"#66707d\">ms: executed, from minimum to maximum \
         with the mean; simulated below (thin); the bound (tick, if there is one and it fits)</text>"
    );
    let step = [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0].into_iter().find(|step| longest / step <= 10.0);
    let step = step.unwrap_or(1000.0);
    for mark in (0..).map(|number| f64::from(number) * step).take_while(|mark| *mark <= longest) {
        _ = writeln!(
            text,
            "<path d=\"M{x:.1} {TOP}V{bottom:.1}\" stroke=\"#dfe4e9\"/><text x=\"{x:.1}\" y=\"{:.1}\" font-size=\"12\" \
             fill=\"#66707d\" text-anchor=\"middle\">{mark:.0}</text>",
            bottom + 20.0,
            x = x(mark)
        );
    }
    for chain in 0..chains {
        let top = TOP + height * chain as f64 + GAP / 2.0;
        let rows =
            schedulers.iter().zip(COLOURS).filter_map(|((_, ranges), colour)| Some((ranges.get(chain)?, colour)));
        for (place, (range, colour)) in rows.enumerate() {
            let y = top + LINE * (place as f64 + 0.5);
            if place == 0 {
                let middle = top + LINE * schedulers.len() as f64 / 2.0 + 4.0;
                _ = writeln!(
                    text,
                    "<text x=\"24\" y=\"{middle:.1}\" font-size=\"13\" font-weight=\"600\">{}</text>",
                    escape(&range.name)
                );
            }
            line(&mut text, &range.executed, y - 2.0, colour, 6.0, 0.45, x);
            line(&mut text, &range.simulated, y + 4.0, colour, 1.5, 0.9, x);
            if range.executed.count > 0 {
                let mean = x(ms(range.executed.mean()));
                _ = writeln!(text, "<circle cx=\"{mean:.1}\" cy=\"{:.1}\" r=\"4\" fill=\"{colour}\"/>", y - 2.0);
            }
            if let Some(bound) = range.bound.map(ms).filter(|&bound| bound <= longest) {
                _ = writeln!(
                    text,
                    "<path d=\"M{x:.1} {:.1}v13\" stroke=\"{colour}\" stroke-width=\"2.5\"><title>bound {bound:.2} ms</title></path>",
                    y - 8.0,
                    x = x(bound)
                );
            }
        }
    }
    text + "</svg>\n"
}

fn line(
    text: &mut String,
    observed: &Observed,
    y: f64,
    colour: &str,
    width: f64,
    opacity: f64,
    x: impl Fn(f64) -> f64,
) {
    if observed.count == 0 {
        return;
    }
    let [from, to] = [observed.minimum, observed.maximum].map(|time| x(ms(time)));
    _ = writeln!(
        text,
        "<path d=\"M{from:.1} {y:.1}H{:.1}\" stroke=\"{colour}\" stroke-width=\"{width}\" stroke-opacity=\"{opacity}\" \
         stroke-linecap=\"round\"><title>{:.2} to {:.2} ms</title></path>",
        to.max(from + 1.0),
        ms(observed.minimum),
        ms(observed.maximum)
    );
}
