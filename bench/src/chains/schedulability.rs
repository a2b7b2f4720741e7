use std::fmt::Write as _;
use std::time::{Duration, Instant};

use hemiola_analysis::picas::{allocation, holistic};
use hemiola_analysis::{Bound, TimeSpan};
use hemiola_schedulability::picas::random_sets;
use hemiola_schedulability::ros2::end_to_end;

const UTILISATIONS: [f64; 3] = [2.5, 3.0, 3.5];
const CORES: usize = 4;
const CHAINS: usize = 9;
const HORIZON: TimeSpan = TimeSpan::milliseconds(100_000);

/// The number of schedulable chains of each rank, at one utilisation.
pub struct Shares {
    utilisation: f64,
    sets: u64,
    picas: [u64; CHAINS],
    ros2: [u64; CHAINS],
    /// The time that PiCAS' analysis took for all sets.
    picas_time: Duration,
    ros2_time: Duration,
}

pub fn run(sets: u64) -> Vec<Shares> {
    UTILISATIONS.map(|utilisation| at(utilisation, sets)).into()
}

fn at(utilisation: f64, sets: u64) -> Shares {
    let (none, no_time) = ([0; CHAINS], Duration::ZERO);
    let mut shares = Shares { utilisation, sets, picas: none, ros2: none, picas_time: no_time, ros2_time: no_time };
    for seed in 0..sets {
        let chains = random_sets::chains(utilisation, seed);
        let start = Instant::now();
        let Ok(deployment) = allocation::allocate(&chains, CORES, 90) else { continue };
        let ours = holistic::latencies(&deployment, HORIZON);
        shares.picas_time += start.elapsed();
        let start = Instant::now();
        let default = end_to_end::latencies(&deployment, HORIZON);
        shares.ros2_time += start.elapsed();
        let in_time = |bound: &Bound, chain: usize| bound.as_ref().is_ok_and(|&bound| bound <= chains[chain].period);
        for chain in 0..CHAINS {
            shares.picas[chain] += u64::from(in_time(&ours[chain], chain));
            shares.ros2[chain] += u64::from(in_time(&default[chain], chain));
        }
    }
    shares
}

pub fn table(results: &[Shares]) -> String {
    let mut text = String::from(
        "Share of schedulable chains, by rank: chain 1 is the most important. Costs are the longest; deadline = period.\n\n",
    );
    for shares in results {
        for (name, counts, time) in
            [("PiCAS", shares.picas, shares.picas_time), ("ROS 2", shares.ros2, shares.ros2_time)]
        {
            // Writing to a String cannot fail.
            let _ = write!(text, "U = {:.1}  {name}  ", shares.utilisation);
            counts.iter().for_each(|&count| {
                let _ = write!(text, " {:5.3}", ratio(count, shares.sets));
            });
            let all = ratio(counts.iter().sum::<u64>(), shares.sets * CHAINS as u64);
            let each = time.as_secs_f64() / shares.sets.max(1) as f64 * 1e6;
            let _ = writeln!(text, "   all {all:5.3}   {each:7.1} µs per set");
        }
    }
    text
}

fn ratio(count: u64, of: u64) -> f64 {
    count as f64 / of.max(1) as f64
}

/// Draws a panel per utilisation, with a line per scheduler.
pub fn picture(results: &[Shares]) -> String {
    const PANEL: f64 = 380.0;
    const HEIGHT: f64 = 260.0;
    const TOP: f64 = 90.0;
    let width = 40.0 + PANEL * results.len() as f64;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {:.0}\" \
         font-family=\"'Inter','Helvetica Neue',Helvetica,Arial,sans-serif\" fill=\"#1b2430\">\
         <rect width=\"100%\" height=\"100%\" fill=\"#fbfcfd\"/>\
         <text x=\"40\" y=\"36\" font-size=\"20\" font-weight=\"700\">Schedulable chains, by importance</text>\
         <text x=\"40\" y=\"58\" font-size=\"13\" fill=\"#66707d\">9 chains of 5 callbacks on 4 cores; \
         <tspan fill=\"#1f6f8b\" font-weight=\"600\">PiCAS</tspan> and \
         <tspan fill=\"#c2571a\" font-weight=\"600\">ROS 2's default executor</tspan></text>\n",
        TOP + HEIGHT + 50.0
    );
    for (panel, shares) in results.iter().enumerate() {
        let left = 60.0 + PANEL * panel as f64;
        let x = |chain: usize| left + (PANEL - 70.0) * chain as f64 / (CHAINS - 1) as f64;
        let y = |share: f64| TOP + HEIGHT * (1.0 - share);
        for mark in [0.0, 0.25, 0.5, 0.75, 1.0] {
            let _ = writeln!(
                text,
                "<path d=\"M{left:.1} {y:.1}H{:.1}\" stroke=\"#dfe4e9\"/><text x=\"{:.1}\" y=\"{:.1}\" font-size=\"11\" \
                 fill=\"#66707d\" text-anchor=\"end\">{:.0} %</text>",
                x(CHAINS - 1),
                left - 8.0,
                y(mark) + 4.0,
                mark * 100.0,
                y = y(mark)
            );
        }
        for chain in 0..CHAINS {
            let _ = writeln!(
                text,
                "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"11\" fill=\"#66707d\" text-anchor=\"middle\">{}</text>",
                x(chain),
                TOP + HEIGHT + 18.0,
                chain + 1
            );
        }
        let _ = writeln!(
            text,
            "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"13\" text-anchor=\"middle\">U = {:.1} of 4 cores</text>",
            x(CHAINS / 2),
            TOP + HEIGHT + 40.0,
            shares.utilisation
        );
        for (counts, colour) in [(shares.ros2, "#c2571a"), (shares.picas, "#1f6f8b")] {
            let points: Vec<(f64, f64)> =
                counts.iter().enumerate().map(|(chain, &count)| (x(chain), y(ratio(count, shares.sets)))).collect();
            let line: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
            let _ = writeln!(
                text,
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2.5\"/>",
                line.join(" ")
            );
            for (x, y) in points {
                let _ = writeln!(text, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" fill=\"{colour}\"/>");
            }
        }
    }
    text + "</svg>\n"
}
