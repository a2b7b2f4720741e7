//! What can be typed after `why`, `analyze` and `assign`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use hemiola_insight::why::Question;

use super::ConfigurationArguments;
use super::time::parse_duration;

#[derive(Args, Debug)]
pub struct WhyArguments {
    #[command(flatten)]
    pub configuration: ConfigurationArguments,
    /// A cycle, or a chain: its name in robot.toml, or "SOURCE -> OUTPUT"
    #[arg(value_name = "CYCLE or CHAIN")]
    pub subject: Option<String>,
    /// The trace that tells; without, the newest in traces/ beside robot.toml
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// The log that tells: it holds traces of the longest run of each cycle
    #[arg(long, value_name = "FILE", conflicts_with = "trace")]
    pub log: Option<PathBuf>,
    /// This run of the cycle
    #[arg(long, value_name = "NUMBER")]
    pub run: Option<u32>,
    /// What went on at this time of the robot's clock: 12.3s; or the robot at this address
    #[arg(long, value_name = "TIME or HOST:PORT", value_parser = parse_at, conflicts_with = "run")]
    pub at: Option<At>,
    /// So many of the longest
    #[arg(long, value_name = "COUNT", default_value_t = 1, conflicts_with_all = ["run", "at"])]
    pub worst: usize,
    /// Of a chain the data age instead of the reaction time
    #[arg(long)]
    pub age: bool,
    /// Write a trace of that moment for Perfetto
    #[arg(long, value_name = "FILE")]
    pub slice: Option<PathBuf>,
    /// Ask the robot of this name that runs; without, the one that runs, if nothing else is said
    #[arg(long, value_name = "NAME", conflicts_with_all = ["trace", "log", "slice", "at"])]
    pub robot: Option<String>,
}

/// A moment on the robot's clock, or the address of a robot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum At {
    /// A time on the robot's clock.
    Time(Duration),
    /// The address of a robot's door.
    Address(String),
}

/// Reads a time or an address: addresses have a colon, times have none.
fn parse_at(text: &str) -> Result<At, String> {
    match parse_duration(text) {
        Ok(time) => Ok(At::Time(time)),
        Err(_) if text.contains(':') => Ok(At::Address(text.to_owned())),
        Err(error) => Err(format!("{error}, or an address as HOST:PORT")),
    }
}

impl WhyArguments {
    /// Returns what is asked, without the configuration.
    pub fn question(&self) -> Question {
        Question {
            subject: self.subject.clone(),
            trace: self.trace.clone(),
            log: self.log.clone(),
            run: self.run,
            at: match self.at {
                Some(At::Time(time)) => Some(time),
                _ => None,
            },
            worst: self.worst,
            age: self.age,
        }
    }
}

#[derive(Args, Debug)]
pub struct AnalyzeArguments {
    #[command(flatten)]
    pub configuration: ConfigurationArguments,
    /// Of a described system instead of this robot: a system.toml, or the same as JSON
    #[arg(long, value_name = "FILE", conflicts_with_all = ["config", "overlays", "assignments", "profile", "quantile"])]
    pub system: Option<PathBuf>,
    /// Execution times of this profile, or of this log, instead of those that `run` keeps
    #[arg(long, value_name = "FILE")]
    pub profile: Option<PathBuf>,
    /// Tasks take as long as this share of their runs does not exceed, such as 0.999, instead of as
    /// the longest one
    #[arg(long, value_name = "SHARE", value_parser = parse_share)]
    pub quantile: Option<f64>,
    /// How it would be otherwise: "cores = 4", "Ball takes 2x", "motion every 10 ms";
    /// repeatable
    #[arg(long = "what-if", value_name = "CHANGE")]
    pub what_if: Vec<hemiola_analysis::WhatIf>,
    /// Tell how long each task may take before something fails
    #[arg(long)]
    pub tasks: bool,
    /// For a terminal, for machines, or as a system.toml
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = AnalyzeFormat::Text)]
    pub format: AnalyzeFormat,
    /// Write to a file
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// End with 1 if something does not fit, or if that is not known
    #[arg(long)]
    pub fail: bool,
}

#[derive(Args, Debug)]
pub struct AssignArguments {
    #[command(flatten)]
    pub configuration: ConfigurationArguments,
    /// Of a described system instead of this robot, a system.toml or the same as JSON: executors
    /// for its chains by PiCAS' allocation
    #[arg(long, value_name = "FILE", conflicts_with_all = ["config", "overlays", "assignments", "profile", "quantile"])]
    pub system: Option<PathBuf>,
    /// Execution times of this profile, or of this log, instead of those that `run` keeps
    #[arg(long, value_name = "FILE")]
    pub profile: Option<PathBuf>,
    /// Tasks take as long as this share of their runs does not exceed, such as 0.999, instead of as
    /// the longest one
    #[arg(long, value_name = "SHARE", value_parser = parse_share)]
    pub quantile: Option<f64>,
    /// Write to a file
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnalyzeFormat {
    Text,
    Json,
    Toml,
}

/// Reads a share of all runs of a task.
fn parse_share(text: &str) -> Result<f64, String> {
    let share = text.parse::<f64>().ok().filter(|share| *share > 0.0 && *share <= 1.0);
    share.ok_or_else(|| "a share is a number above 0 and up to 1, such as 0.999".to_owned())
}
