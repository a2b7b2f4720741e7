use std::ops::Range;
use std::time::Instant;

use hemiola_analysis::simulation::{Comparison, random_system, shrink};

use crate::error::BenchError;

/// Fails with the smallest system that it finds in which something takes longer than its bound.
pub fn run(seeds: Range<u64>) -> Result<String, BenchError> {
    let start = Instant::now();
    let mut all = Comparison::default();
    let count = seeds.end - seeds.start;
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
    let seconds = start.elapsed().as_secs_f64();
    Ok(format!(
        "{count} random systems, each simulated four times: nothing took longer than its bound\n\
         {} bounds compared; {} chains, cycles and paths had none (overloaded)\n\
         {:.1} % of a bound reached in the mean, {} bounds reached to a percent\n\
         {} events in {seconds:.1} s, {:.1} million per second, analysis included\n",
        all.compared,
        all.without_bound,
        all.mean_share() * 100.0,
        all.reached,
        all.events,
        all.events as f64 / seconds / 1e6
    ))
}
