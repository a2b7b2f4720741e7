//! The command line of a contestant.

use std::fmt;

use crate::system::PRIORITY;

/// The mode in which a contestant is measured.
///
/// ```
/// use hemiola_bench_contestant::Mode;
/// assert_eq!("steady".parse(), Ok(Mode::Steady));
/// assert_eq!(Mode::Idle.to_string(), "idle");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Runs back to back, after warming up.
    Steady,
    /// Runs back to back without warming up: how the first runs are.
    Cold,
    /// Every run has durations of its own, from a file; the first runs count as any other.
    Varied,
    /// A run per period, asleep between two.
    Periodic,
    /// Periodic runs while another contestant runs at another priority. The contestant prints
    /// `ready`, and begins when it reads a line.
    Together,
    /// Two stages that hand every run over; runs may overlap.
    Pipeline,
    /// Processor time that periodic runs and the waiting between them take.
    Idle,
    /// Allocations of all threads in steady state.
    Allocations,
    /// Runs back to back without any measurement, for tools that count instructions.
    Bare,
}

impl fmt::Display for Mode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Mode::Steady => "steady",
            Mode::Cold => "cold",
            Mode::Varied => "varied",
            Mode::Periodic => "periodic",
            Mode::Together => "together",
            Mode::Pipeline => "pipeline",
            Mode::Idle => "idle",
            Mode::Allocations => "allocations",
            Mode::Bare => "bare",
        })
    }
}

impl std::str::FromStr for Mode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Ok(match text {
            "steady" => Mode::Steady,
            "cold" => Mode::Cold,
            "varied" => Mode::Varied,
            "periodic" => Mode::Periodic,
            "together" => Mode::Together,
            "pipeline" => Mode::Pipeline,
            "idle" => Mode::Idle,
            "allocations" => Mode::Allocations,
            "bare" => Mode::Bare,
            _ => {
                return Err(format!(
                    "no mode `{text}`; there are steady, cold, varied, periodic, together, pipeline, idle, allocations, \
                     bare"
                ));
            }
        })
    }
}

/// The command line of a contestant; [`Contest`](crate::Contest) reads it.
pub struct Arguments {
    pub graph: String,
    pub workers: usize,
    pub mode: Mode,
    pub runs: usize,
    pub period_ns: u64,
    /// The priority under SCHED_FIFO.
    pub priority: i32,
    /// A file with a line per run, and in it the duration of every task; only the varied mode needs
    /// it.
    pub durations: Option<String>,
}

impl Arguments {
    /// Reads `--key value` pairs; whatever stands before the first key is not for the contestant.
    pub fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let arguments: Vec<String> = arguments.skip_while(|argument| !argument.starts_with("--")).collect();
        let value = |key: &str| -> Result<&String, String> {
            let position = arguments.iter().position(|argument| argument == key);
            position.and_then(|position| arguments.get(position + 1)).ok_or_else(|| format!("{key} VALUE is missing"))
        };
        let number = |key: &str| -> Result<u64, String> {
            value(key)?
                .parse()
                .map_err(|_| format!("{key} needs a whole number, not `{}`", value(key).map_or("", |v| v)))
        };
        Ok(Arguments {
            graph: value("--graph")?.clone(),
            workers: number("--workers")?.max(1) as usize,
            mode: value("--mode")?.parse()?,
            runs: number("--runs")?.max(1) as usize,
            period_ns: number("--period-ns")?,
            priority: value("--priority").map_or(Ok(PRIORITY), |_| number("--priority").map(|number| number as i32))?,
            durations: value("--durations").ok().cloned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Arguments, String> {
        Arguments::parse(line.split(' ').map(str::to_owned))
    }

    #[test]
    fn keys_come_in_any_order_after_anything() {
        let arguments =
            parse("bench contestant x --mode idle --runs 9 --graph g --period-ns 12 --workers 2").expect("complete");
        assert_eq!((arguments.graph.as_str(), arguments.workers, arguments.mode), ("g", 2, Mode::Idle));
        assert_eq!((arguments.runs, arguments.period_ns, arguments.priority), (9, 12, 80));
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        let message = |line| parse(line).map(|_| ()).unwrap_err();
        assert_eq!(message("x --graph g --mode steady --runs 1 --period-ns 0"), "--workers VALUE is missing");
        assert!(message("x --graph g --mode fast --runs 1 --workers 1").contains("no mode `fast`"));
        assert_eq!(message("x --graph g --workers two"), "--workers needs a whole number, not `two`");
    }
}
