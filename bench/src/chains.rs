//! Chains of callbacks: bounds beside simulated and really executed latencies.
//!
//! | file | contents |
//! |---|---|
//! | `case_study` | the model car of the PiCAS paper, under its scheduling and ROS 2's |
//! | `two_chains` | the tables of its talk: two chains in one executor, and in two; and more than the core can bear |
//! | `reservations` | a planner that takes too long beside a controller, with priorities and with reservations |
//! | `reference_system` | Autoware's nodes under ROS 2's default executor, PiCAS, and as cycles |
//! | `bounds` | random systems, none of which may exceed a bound |
//! | `schedulability` | the paper's random chains: how many are guaranteed to meet their deadlines |
//! | `application` | the work of callbacks, wherever they run |
//! | `simulated`, `executed` | running them in the simulator, and on the bus's executors |
//! | `latencies` | the application that measures chains |
//! | `mapping` | chains on as many cores as there are |
//! | `sentinels` | the times in which the machine ran no thread of the bench, for which no chain is to blame |
//! | `table`, `ranges`, `trace` | the results as text, picture, and for Perfetto |
//! | `speed` | the speed of the simulator |
//! | `report` | all of it, as text and as a page |

mod application;
mod bounds;
mod case_study;
mod executed;
mod latencies;
mod mapping;
mod ranges;
mod reference_system;
mod report;
mod reservations;
mod schedulability;
mod sentinels;
mod simulated;
mod speed;
mod table;
mod trace;
mod two_chains;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use crate::error::{BenchError, write};

#[derive(Args)]
#[command(after_help = "Examples:
  hemiola-bench chains all --text chains.txt --html chains.html
  hemiola-bench chains case-study --svg schedule.svg --perfetto schedule.perfetto-trace
  hemiola-bench chains case-study --seconds 60
  hemiola-bench chains two-chains
  hemiola-bench chains reservations
  hemiola-bench chains reference-system --seconds 30
  hemiola-bench chains bounds --systems 100000
  hemiola-bench chains schedulability --sets 1000 --svg ratio.svg")]
pub struct Options {
    #[command(subcommand)]
    experiment: Experiment,
}

#[derive(Subcommand)]
enum Experiment {
    /// Runs all of the following, for some five minutes.
    All {
        /// Runs everything briefly: shows that it works; the figures mean nothing.
        #[arg(long)]
        quick: bool,
        /// Writes the output to a file.
        #[arg(long, value_name = "FILE")]
        text: Option<PathBuf>,
        /// Writes a page with pictures.
        #[arg(long, value_name = "FILE")]
        html: Option<PathBuf>,
    },
    /// The model car of the PiCAS paper under its scheduling and ROS 2's: bounds, simulated
    /// latencies, and really executed ones.
    CaseStudy {
        /// The duration of the execution under each; 0: no execution.
        #[arg(long, value_name = "N", default_value_t = 20)]
        seconds: u64,
        /// Draws the first 400 ms under PiCAS.
        #[arg(long, value_name = "FILE")]
        svg: Option<PathBuf>,
        /// Writes the first two seconds under PiCAS as a trace for ui.perfetto.dev.
        #[arg(long, value_name = "FILE")]
        perfetto: Option<PathBuf>,
    },
    /// Two chains in one executor and in one each, chain-aware and as ROS 2 does: bounds, simulated
    /// and executed latencies.
    TwoChains {
        /// The duration of each of the six executions.
        #[arg(long, value_name = "N", default_value_t = 10)]
        seconds: u64,
    },
    /// A controller beside a planner that takes too long, with priorities and with reservations of
    /// processor time (SCHED_DEADLINE): bounds, simulated and executed latencies.
    Reservations {
        /// The duration of each of the four executions.
        #[arg(long, value_name = "N", default_value_t = 10)]
        seconds: u64,
    },
    /// The Autoware reference system as ROS 2 runs it, under PiCAS, and as cycles of Hemiola:
    /// latencies, periods and losses, simulated and executed.
    ReferenceSystem {
        /// The duration of each of the three executions.
        #[arg(long, value_name = "N", default_value_t = 10)]
        seconds: u64,
    },
    /// Simulates random systems and looks for anything that exceeds its bound.
    Bounds {
        /// The number of systems.
        #[arg(long, value_name = "N", default_value_t = 2000)]
        systems: u64,
        /// The seed of the first system.
        #[arg(long, value_name = "N", default_value_t = 0)]
        seed: u64,
        /// Draws how near the systems came to their bounds.
        #[arg(long, value_name = "FILE")]
        svg: Option<PathBuf>,
    },
    /// Measures the number of events per second that the simulator processes.
    Simulator,
    /// Computes the share of random chains that are schedulable, under PiCAS and ROS 2's default.
    Schedulability {
        /// The number of sets per utilisation.
        #[arg(long, value_name = "N", default_value_t = 1000)]
        sets: u64,
        /// Draws the shares by chain.
        #[arg(long, value_name = "FILE")]
        svg: Option<PathBuf>,
    },
}

/// Runs an experiment.
pub fn run(options: &Options) -> Result<(), BenchError> {
    match &options.experiment {
        Experiment::All { quick, text, html } => {
            let report = report::run(*quick)?;
            text.as_ref().map_or(Ok(()), |path| write(path, &report.text()))?;
            html.as_ref().map_or(Ok(()), |path| write(path, &report.html()))
        }
        Experiment::CaseStudy { seconds, svg, perfetto } => {
            print!("{}", case_study::published());
            if *seconds > 0 {
                print!("\n{}", case_study::executed(Duration::from_secs(*seconds))?.text());
            }
            perfetto.as_ref().map_or(Ok(()), |path| case_study::write_trace(path))?;
            let [picas, _] = case_study::pictures();
            svg.as_ref().map_or(Ok(()), |path| write(path, &picas))
        }
        Experiment::TwoChains { seconds } => {
            print!("{}", two_chains::text(&two_chains::run(Duration::from_secs(*seconds))?));
            Ok(())
        }
        Experiment::Reservations { seconds } => {
            print!("{}", reservations::text(&reservations::run(Duration::from_secs(*seconds))?));
            Ok(())
        }
        Experiment::ReferenceSystem { seconds } => {
            print!("{}", reference_system::text(&reference_system::run(Duration::from_secs(*seconds))?));
            Ok(())
        }
        Experiment::Bounds { systems, seed, svg } => {
            let checked = bounds::run(*seed..seed.saturating_add(*systems))?;
            print!("{}", checked.text());
            svg.as_ref().map_or(Ok(()), |path| write(path, &checked.picture()))
        }
        Experiment::Simulator => {
            print!("{}", speed::text(Duration::from_secs(3)));
            Ok(())
        }
        Experiment::Schedulability { sets, svg } => {
            let results = schedulability::run(*sets);
            print!("{}", schedulability::table(&results));
            svg.as_ref().map_or(Ok(()), |path| write(path, &schedulability::picture(&results)))
        }
    }
}
