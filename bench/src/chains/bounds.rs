use std::fmt::Write as _;
use std::ops::Range;
use std::time::Instant;

use hemiola_schedulability::simulation::{Comparison, random_system, shrink};

use crate::error::BenchError;

/// The outcome of all systems.
pub struct Checked {
    systems: u64,
    all: Comparison,
    seconds: f64,
}

/// Fails with the smallest system that it finds in which something takes longer than its bound.
pub fn run(seeds: Range<u64>) -> Result<Checked, BenchError> {
    let start = Instant::now();
    let mut all = Comparison::default();
    let systems = seeds.end - seeds.start;
    for seed in seeds {
        let system = random_system(seed);
        let comparison = Comparison::of(&system);
        if !comparison.exceeded.is_empty() {
            let smallest = shrink(&system, |system| !Comparison::of(system).exceeded.is_empty());
            let exceeded = Comparison::of(&smallest).exceeded.first().map_or_else(String::new, ToString::to_string);
            return Err(BenchError::BoundExceeded { seed, exceeded, system: smallest.to_toml() });
        }
        all += comparison;
    }
    Ok(Checked { systems, all, seconds: start.elapsed().as_secs_f64() })
}

impl Checked {
    pub fn text(&self) -> String {
        let Self { systems, all, seconds } = self;
        format!(
            "{systems} random systems, each simulated four times: nothing exceeded its bound\n\
             {} bounds compared; {} chains, cycles and paths had none (overloaded)\n\
             {:.1} % of a bound reached on average, {} bounds reached within a percent\n\
             {} events in {seconds:.1} s, {:.1} million per second, analysis included\n",
            all.compared,
            all.without_bound,
            all.mean_share() * 100.0,
            all.reached,
            all.events,
            all.events as f64 / seconds / 1e6
        )
    }

    /// Draws the distribution of how close they came to their bounds.
    pub fn picture(&self) -> String {
        const WIDTH: f64 = 900.0;
        const LEFT: f64 = 40.0;
        const TOP: f64 = 90.0;
        const BOTTOM: f64 = 300.0;
        let bars = &self.all.by_twentieth;
        let most = bars.iter().copied().max().unwrap_or(0).max(1) as f64;
        let width = (WIDTH - 2.0 * LEFT) / bars.len() as f64;
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {:.0}\" \
             font-family=\"'Inter','Helvetica Neue',Helvetica,Arial,sans-serif\" fill=\"#1b2430\">\
             <rect width=\"100%\" height=\"100%\" fill=\"#fbfcfd\"/>\
             <text x=\"40\" y=\"36\" font-size=\"20\" font-weight=\"700\">How close simulations come to their bounds</text>\
             <text x=\"40\" y=\"58\" font-size=\"13\" fill=\"#66707d\">{} chains, cycles and paths of {} random systems, by the share of its bound \
             that the longest of four simulations took</text>\n",
            BOTTOM + 50.0,
            self.all.compared,
            self.systems
        );
        for (place, &count) in bars.iter().enumerate() {
            let (x, height) = (LEFT + width * place as f64, (BOTTOM - TOP) * count as f64 / most);
            let y = BOTTOM - height;
            // Writing to a String cannot fail, here and below.
            _ = writeln!(
                text,
                "<rect x=\"{:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{height:.1}\" rx=\"2\" fill=\"#1f6f8b\"><title>{count}</title></rect>\
                 <text x=\"{:.1}\" y=\"{:.1}\" font-size=\"11\" fill=\"#66707d\" text-anchor=\"middle\">{count}</text>",
                x + 2.0,
                width - 4.0,
                x + width / 2.0,
                y - 5.0
            );
        }
        for tenth in 0..=10 {
            let x = LEFT + width * 2.0 * f64::from(tenth);
            _ = writeln!(
                text,
                "<text x=\"{x:.1}\" y=\"{:.1}\" font-size=\"12\" fill=\"#66707d\" text-anchor=\"middle\">{} %</text>",
                BOTTOM + 22.0,
                tenth * 10
            );
        }
        text + "</svg>\n"
    }
}
