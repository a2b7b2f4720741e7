//! Chains of callbacks: bounds beside simulation, and how many random chains meet their deadlines.
//!
//! | file | what |
//! |---|---|
//! | `case_study` | the model car of the PiCAS paper, under its scheduling and ROS 2's |
//! | `bounds` | random systems, none of which may exceed a bound |
//! | `schedulability` | the paper's random chains: how many are sure to be in time |

mod bounds;
mod case_study;
mod schedulability;

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::error::{BenchError, write};

#[derive(Args)]
#[command(after_help = "Examples:
  hemiola-bench chains case-study --svg schedule.svg
  hemiola-bench chains bounds --systems 100000
  hemiola-bench chains schedulability --sets 1000 --svg ratio.svg")]
pub struct Options {
    #[command(subcommand)]
    experiment: Experiment,
}

#[derive(Subcommand)]
enum Experiment {
    /// The model car of the PiCAS paper: bounds and simulated latencies, under its scheduling and ROS 2's.
    CaseStudy {
        /// Draws the first 400 ms under PiCAS.
        #[arg(long, value_name = "FILE")]
        svg: Option<PathBuf>,
    },
    /// Simulates random systems and looks for anything that takes longer than its bound.
    Bounds {
        /// How many systems.
        #[arg(long, value_name = "N", default_value_t = 2000)]
        systems: u64,
        /// The first one.
        #[arg(long, value_name = "N", default_value_t = 0)]
        seed: u64,
    },
    /// Which share of random chains is sure to be in time, by PiCAS and by ROS 2's default.
    Schedulability {
        /// How many sets per utilisation.
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
        Experiment::CaseStudy { svg } => {
            print!("{}", case_study::table());
            svg.as_ref().map_or(Ok(()), |path| write(path, &case_study::picture()))
        }
        Experiment::Bounds { systems, seed } => bounds::run(*seed..seed.saturating_add(*systems)),
        Experiment::Schedulability { sets, svg } => {
            let results = schedulability::run(*sets);
            print!("{}", schedulability::table(&results));
            svg.as_ref().map_or(Ok(()), |path| write(path, &schedulability::picture(&results)))
        }
    }
}
