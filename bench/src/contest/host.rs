//! The time that the host of a virtual machine takes from it during a measurement, and the
//! repetition of turns that it disturbed.

use std::fmt;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

/// The share of the processors' time that the host may take from a turn, in percent; a turn from
/// which it takes more is held again.
const LIMIT_PERCENT: f64 = 0.5;
/// The number of times that a turn is held at most; then the one from which the host took least
/// counts.
const ATTEMPTS: usize = 3;
/// The unit of /proc/stat on Linux, wherever user space sees it.
const TICK_SECONDS: f64 = 0.01;

/// The time that the host took from all turns.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Host {
    /// The number of turns that count.
    pub turns: usize,
    /// The number of turns that do not count, as the host took too much from them.
    pub repeated: usize,
    /// The share of the processors' time that the host took from turns that count, in percent.
    pub mean_percent: f64,
    /// The share that it took from the turn that it disturbed most.
    pub worst_percent: f64,
}

impl Host {
    /// Holds a turn, and again if the host took too much from it, whatever its entrant. An error
    /// ends the turn.
    pub fn hold<T, E>(&mut self, mut turn: impl FnMut() -> Result<T, E>) -> Result<T, E> {
        self.least_disturbed(|| {
            let begin = Instant::now();
            let (outcome, stolen) = watch(&mut turn);
            let share = stolen.as_secs_f64() / (begin.elapsed().as_secs_f64() * processors());
            Ok((outcome?, 100.0 * share))
        })
    }

    fn least_disturbed<T, E>(&mut self, mut turn: impl FnMut() -> Result<(T, f64), E>) -> Result<T, E> {
        let (mut best, mut percent) = turn()?;
        for _ in 1..ATTEMPTS {
            if percent <= LIMIT_PERCENT {
                break;
            }
            self.repeated += 1;
            let (again, its_percent) = turn()?;
            if its_percent < percent {
                (best, percent) = (again, its_percent);
            }
        }
        self.turns += 1;
        self.mean_percent += (percent - self.mean_percent) / self.turns as f64;
        self.worst_percent = self.worst_percent.max(percent);
        Ok(best)
    }
}

impl fmt::Display for Host {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Host { turns, repeated, mean_percent, worst_percent } = self;
        write!(
            formatter,
            "host       took {mean_percent:.2} % of the processors' time from the {turns} turns that count ({worst_percent:.1} % from the \
             worst); {repeated} were repeated, because it took more than {LIMIT_PERCENT} % from them"
        )
    }
}

/// Runs an activity; returns its result, and the processor time that the host took meanwhile, of
/// all processors together.
pub fn watch<T>(activity: impl FnOnce() -> T) -> (T, Duration) {
    let stolen = stolen_seconds();
    let outcome = activity();
    (outcome, Duration::from_secs_f64((stolen_seconds() - stolen).max(0.0)))
}

fn processors() -> f64 {
    std::thread::available_parallelism().map_or(1.0, |count| count.get() as f64)
}

/// Returns the processor time that the host took since the start of the system, of all processors;
/// 0 where nothing is known of a host.
fn stolen_seconds() -> f64 {
    stolen_ticks(&std::fs::read_to_string("/proc/stat").unwrap_or_default()).unwrap_or(0.0) * TICK_SECONDS
}

/// Reads the eighth figure of the first line (`man proc_stat`).
fn stolen_ticks(stat: &str) -> Option<f64> {
    stat.lines().next()?.strip_prefix("cpu ")?.split_whitespace().nth(7)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_disturbed_of_three_turns_counts() {
        let mut host = Host::default();
        let mut turns = [(1, 9.0), (2, 2.0), (3, 4.0), (4, 0.0)].into_iter().map(Ok::<_, ()>);
        assert_eq!(host.least_disturbed(|| turns.next().expect("at most three")), Ok(2));
        assert_eq!(host.least_disturbed(|| turns.next().expect("one is left")), Ok(4));
        assert_eq!(host, Host { turns: 2, repeated: 2, mean_percent: 1.0, worst_percent: 2.0 });
    }

    #[test]
    fn a_turn_that_fails_is_not_held_again() {
        let mut count = 0;
        let outcome: Result<(), &str> = Host::default().hold(|| {
            count += 1;
            Err("stuck")
        });
        assert_eq!((outcome, count), (Err("stuck"), 1));
    }

    #[test]
    fn stolen_time_is_read_where_the_kernel_writes_it() {
        assert_eq!(stolen_ticks("cpu  10 20 30 40 50 60 70 108741 0 0\ncpu0 1 2\n"), Some(108_741.0));
        assert_eq!(stolen_ticks(""), None);
    }
}
