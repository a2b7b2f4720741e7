//! The robustness of the timing when things go wrong: durations that vary, an overloaded cycle, a
//! worker that is held up, a restricted system.
//!
//! | file | what |
//! |---|---|
//! | `variation` | drawn durations: our plan, other contestants, and simulated schedulers that know everything or nothing |
//! | `overload` | motion and cognition at once: the effect of an overloaded or endless cognition on motion |
//! | `endless` | a robot whose cognition hangs |
//! | `spinning` | a cycle or source at 10 kHz, whose threads spin nearly always: how long others wait |
//! | `hold_up` | a worker loses its core for 10 ms: the work that the other one does meanwhile |
//! | `environment` | SCHED_DEADLINE and control groups: whether they work, and the message for people if not |
//! | `cycle` | a workload on our executor, as three of these run it |
//! | `text`, `page` | the report, for people |

mod cycle;
mod endless;
mod environment;
mod hold_up;
mod overload;
mod page;
mod spinning;
mod text;
mod variation;

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
pub use environment::ask_for_real_time;
use serde::{Deserialize, Serialize};

use crate::contest::discipline::Effort;
use crate::contest::host::Host;
use crate::contest::result::quantile;
use crate::error::{BenchError, write};
use crate::machine::Machine;
use crate::workload;

/// The options of the command.
#[derive(Args)]
#[command(after_help = "Examples:
  hemiola-bench robustness --json robustness.json --html robustness.html
  hemiola-bench robustness --quick
  hemiola-bench robustness --disturbance overload,hold-up")]
pub struct Options {
    /// Runs everything once and briefly: shows that it works, not how steady it is.
    #[arg(long)]
    quick: bool,
    /// Runs only these measurements.
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    disturbance: Vec<Disturbance>,
    /// Writes all results for other programs.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Writes a page with plots.
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
}

impl Options {
    fn effort(&self) -> Effort {
        if self.quick { Effort::Quick } else { Effort::Full }
    }

    fn disturbances(&self) -> &[Disturbance] {
        if self.disturbance.is_empty() { Disturbance::value_variants() } else { &self.disturbance }
    }
}

/// The results of one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Report {
    machine: Machine,
    /// The host's share in variations and overload.
    host: Host,
    /// True if the run was too short for its figures to mean anything.
    quick: bool,
    notices: Vec<String>,
    variations: Vec<variation::Variation>,
    /// Motion's response, the calmest company first.
    overload: Vec<overload::Response>,
    hold_up: Option<hold_up::HoldUp>,
    /// The lateness of others beside threads that spin.
    #[serde(default)]
    spinning: Vec<spinning::Spinning>,
    trials: Vec<environment::Trial>,
}

/// A distribution whose far end matters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Tail {
    pub median: f64,
    pub p99: f64,
    pub p999: f64,
    pub maximum: f64,
    pub samples: usize,
}

impl Tail {
    /// Returns the tail of some values; `None` if nothing was measured.
    pub fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_unstable_by(f64::total_cmp);
        Some(Self {
            median: quantile(&values, 0.5)?,
            p99: quantile(&values, 0.99)?,
            p999: quantile(&values, 0.999)?,
            maximum: *values.last()?,
            samples: values.len(),
        })
    }
}

/// A disturbance of the timing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Disturbance {
    /// Durations that vary.
    Variation,
    /// Cognition needs more processor time than there is.
    Overload,
    /// Threads with real-time priority spin nearly always.
    Spinning,
    /// A worker loses its core for 10 ms.
    HoldUp,
    /// SCHED_DEADLINE, control groups.
    Environment,
}

/// The parts that the measurements share.
struct Setting<'s> {
    effort: Effort,
    /// The path of this program, which runs our own contestants.
    program: PathBuf,
    folder: &'s Path,
}

/// Runs the measurements, and prints the results. `program` is this one, `folder` where files may
/// be left.
pub fn run(options: &Options, program: PathBuf, folder: &Path) -> Result<(), BenchError> {
    let machine = Machine::examine();
    println!("{machine}\n");
    let report = measure(options, machine, &Setting { effort: options.effort(), program, folder })?;
    print!("{}", text::text(&report));
    if let Some(path) = &options.json {
        let json =
            serde_json::to_string_pretty(&report).map_err(|error| BenchError::Report { path: path.clone(), error })?;
        write(path, &json)?;
    }
    options.html.as_ref().map_or(Ok(()), |path| write(path, &page::html(&report)))
}

fn measure(options: &Options, machine: Machine, setting: &Setting) -> Result<Report, BenchError> {
    let folder = setting.folder;
    std::fs::create_dir_all(folder).map_err(|error| BenchError::Write { path: folder.to_owned(), error })?;
    let workloads = workload::all(&mut Vec::new())?;
    let named = |name: &str| {
        let known = || workloads.iter().map(|workload| workload.name.to_owned()).collect();
        let found = workloads.iter().find(|workload| workload.name == name);
        found.ok_or_else(|| BenchError::Unknown { what: "workload", name: name.to_owned(), known: known() })
    };
    let (motion, cognition) = (named("nao-motion")?, named("nao-cognition")?);
    let mut report = Report {
        machine,
        host: Host::default(),
        quick: options.quick,
        notices: Vec::new(),
        variations: Vec::new(),
        overload: Vec::new(),
        hold_up: None,
        spinning: Vec::new(),
        trials: Vec::new(),
    };
    let (host, notices) = (&mut report.host, &mut report.notices);
    for disturbance in options.disturbances() {
        match disturbance {
            Disturbance::Variation => {
                report.variations = variation::measure(&[motion, cognition], setting, host, notices)?
            }
            Disturbance::Overload => {
                report.overload = overload::measure(motion, cognition, setting.effort, host, notices)?
            }
            Disturbance::Spinning => report.spinning = spinning::measure(setting.effort)?,
            Disturbance::HoldUp => report.hold_up = hold_up::measure(cognition, setting.effort, notices)?,
            Disturbance::Environment => report.trials = environment::measure(motion, setting)?,
        }
        eprintln!("measured: {disturbance:?}");
    }
    Ok(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_run_of_a_thousand_shows_only_at_the_far_end() {
        let tail = Tail::of((1..=2000).map(f64::from).rev().collect()).expect("there are samples");
        assert_eq!((tail.median, tail.p99, tail.p999, tail.maximum), (1000.0, 1980.0, 1998.0, 2000.0));
        assert_eq!(Tail::of(Vec::new()), None);
    }
}
