//! Runs that overlap, as those of a pipeline do: the time from the end of one to the end of the
//! next is measured.

use crate::measure::print_samples;
use crate::system::monotonic_ns;

/// Notes when runs end, for the thread that runs the last stage.
///
/// ```
/// use hemiola_bench_contestant::Completions;
///
/// let mut completions = Completions::new(3);
/// while !completions.note() {} // prints `makespan_ns 21 22 21`
/// ```
#[derive(Debug)]
pub struct Completions {
    runs: usize,
    ended: Vec<u64>,
}

/// The number of runs for warming up: more than in other modes, for contestants that wake threads
/// that have never run.
const WARM_UP_RUNS: usize = 100;

impl Completions {
    /// Makes room for that many runs, after those for warming up.
    pub fn new(runs: usize) -> Self {
        Self { runs, ended: Vec::with_capacity(WARM_UP_RUNS + runs + 1) }
    }

    /// Notes that a run has ended. Returns whether it was the last, and has then printed the
    /// samples.
    #[inline]
    pub fn note(&mut self) -> bool {
        self.ended.push(monotonic_ns());
        if self.ended.len() <= WARM_UP_RUNS + self.runs {
            return false;
        }
        let measured = &self.ended[WARM_UP_RUNS..];
        let intervals: Vec<u64> = measured.windows(2).map(|pair| pair[1] - pair[0]).collect();
        print_samples("makespan_ns", &intervals);
        true
    }
}
