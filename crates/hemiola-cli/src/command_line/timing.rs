//! The arguments of `why`, `analyze` and `assign`.

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
    /// The trace to examine; default: the newest one in traces/ beside robot.toml
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// The log to examine: it contains traces of the longest run of each cycle
    #[arg(long, value_name = "FILE", conflicts_with = "trace")]
    pub log: Option<PathBuf>,
    /// The number of the run of the cycle
    #[arg(long, value_name = "NUMBER")]
    pub run: Option<u32>,
    /// The run at this time of the robot's clock: 12.3s; or the robot at this address
    #[arg(long, value_name = "TIME or HOST:PORT", value_parser = parse_at, conflicts_with = "run")]
    pub at: Option<At>,
    /// The number of the longest runs to show
    #[arg(long, value_name = "COUNT", default_value_t = 1, conflicts_with_all = ["run", "at"])]
    pub worst: usize,
    /// Explain the data age of a chain instead of its reaction time
    #[arg(long)]
    pub age: bool,
    /// Write a trace of that moment for Perfetto
    #[arg(long, value_name = "FILE")]
    pub slice: Option<PathBuf>,
    /// The running robot with this name; default: the only running one, unless another option
    /// selects something else
    #[arg(long, value_name = "NAME", conflicts_with_all = ["trace", "log", "slice", "at"])]
    pub robot: Option<String>,
    /// Print JSON, with times in nanoseconds
    #[arg(long)]
    pub json: bool,
}

/// A moment on the robot's clock, or the address of a robot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum At {
    /// A time on the robot's clock.
    Time(Duration),
    /// The address of a robot's door.
    Address(String),
}

/// Reads a time or an address. Addresses have a colon, times have none.
fn parse_at(text: &str) -> Result<At, String> {
    match parse_duration(text) {
        Ok(time) => Ok(At::Time(time)),
        Err(_) if text.contains(':') => Ok(At::Address(text.to_owned())),
        Err(error) => Err(format!("{error}, or an address as HOST:PORT")),
    }
}

impl WhyArguments {
    /// Returns the question, without the configuration.
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
    /// Analyze a described system instead of this robot: a system.toml, or the same as JSON
    #[arg(long, value_name = "FILE", conflicts_with_all = ["config", "overlays", "assignments", "profile", "quantile"])]
    pub system: Option<PathBuf>,
    /// Use the execution times of this profile or log instead of those that `run` keeps
    #[arg(long, value_name = "FILE")]
    pub profile: Option<PathBuf>,
    /// Assume the execution time that this share of a task's runs does not exceed, such as 0.999,
    /// instead of the longest one
    #[arg(long, value_name = "SHARE", value_parser = parse_share)]
    pub quantile: Option<f64>,
    /// Analyze this change, too: "cores = 4", "Ball takes 2x", "motion every 10 ms"; repeatable
    #[arg(long = "what-if", value_name = "CHANGE")]
    pub what_if: Vec<hemiola_analysis::WhatIf>,
    /// Show how long each task may take before a deadline is missed
    #[arg(long)]
    pub tasks: bool,
    /// The format: for a terminal, JSON, or a system.toml
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = AnalyzeFormat::Text)]
    pub format: AnalyzeFormat,
    /// Print JSON, as --format json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Write to a file instead of the terminal
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// End with exit code 1 if a deadline may be missed, or if that is not known
    #[arg(long)]
    pub fail: bool,
}

impl AnalyzeArguments {
    /// Returns the format in which the answer is printed.
    pub fn format(&self) -> AnalyzeFormat {
        if self.json { AnalyzeFormat::Json } else { self.format }
    }
}

#[derive(Args, Debug)]
pub struct AssignArguments {
    #[command(flatten)]
    pub configuration: ConfigurationArguments,
    /// Assign a described system instead of this robot, a system.toml or the same as JSON: its
    /// chains get executors by PiCAS' allocation
    #[arg(long, value_name = "FILE", conflicts_with_all = ["config", "overlays", "assignments", "profile", "quantile"])]
    pub system: Option<PathBuf>,
    /// Use the execution times of this profile or log instead of those that `run` keeps
    #[arg(long, value_name = "FILE")]
    pub profile: Option<PathBuf>,
    /// Assume the execution time that this share of a task's runs does not exceed, such as 0.999,
    /// instead of the longest one
    #[arg(long, value_name = "SHARE", value_parser = parse_share)]
    pub quantile: Option<f64>,
    /// Print JSON, with times in nanoseconds
    #[arg(long)]
    pub json: bool,
    /// Write to a file instead of the terminal
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
