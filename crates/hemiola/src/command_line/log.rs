//! What can be typed after `log`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};

use super::parse_duration;

#[derive(Args, Debug)]
pub struct LogArguments {
    #[command(subcommand)]
    pub command: LogCommand,
}

#[derive(Subcommand, Debug)]
pub enum LogCommand {
    /// Tell what is in a log, how regularly it came, and what cannot be read
    #[command(after_help = "Examples:
  log info run.mcap
  log info run.mcap --json | jq '.channels[] | {topic, rate_hz}'

Every byte is read and every checksum compared, so \"whole\" means whole. Times between messages are those at which they were recorded. \
Exit code: 0 when all can be read, 3 when not.")]
    Info(InfoArguments),
    /// Print messages
    #[command(after_help = "Examples:
  log cat run.mcap --first 10         the first ten
  log cat run.mcap --topic '/camera/*' --from 12.5s --for 2s
  log cat run.mcap --topic /imu/data --format json | jq .value.angular_velocity.z
  log cat run.mcap --format raw       without their contents: topic, type and size

Times are counted from the first message of the log. Values are decoded by the schemas in the log; no types of this robot are needed.")]
    Cat(CatArguments),
    /// Write all that is whole in a damaged log into a new one
    #[command(after_help = "Examples:
  log recover crashed.mcap whole.mcap
  log recover crashed.mcap all.mcap --doubtful
                                      also what stands in chunks whose checksum is wrong

The old file is only read; an existing file is never overwritten. Exit code: 0 when nothing was lost, 3 when something was.")]
    Recover(RecoverArguments),
    /// Check this reader and writer against a directory of files with descriptions
    #[command(after_help = "Example:
  log conformance mcap/tests/conformance/data

For each NAME.mcap with a NAME.json beside it, in any folder below: what is read must be what is described, and what is written for the \
description must be the file's bytes, wherever the writer has options for what is described. Exit code: 0 when all pass, 1 when not.")]
    Conformance(ConformanceArguments),
}

#[derive(Args, Debug)]
pub struct InfoArguments {
    /// The log
    #[arg(value_name = "FILE")]
    pub log: PathBuf,
    /// For machines
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct CatArguments {
    /// The log
    #[arg(value_name = "FILE")]
    pub log: PathBuf,
    /// Of this topic only; with * at its end, of all that begin so; repeatable
    #[arg(long = "topic", value_name = "TOPIC")]
    pub topics: Vec<String>,
    /// From so long after the first message on: 12.5s, 3min
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub from: Option<Duration>,
    /// For so long
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration)]
    pub duration: Option<Duration>,
    /// No more than so many
    #[arg(long, value_name = "COUNT")]
    pub first: Option<u64>,
    /// How
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = CatFormat::Text)]
    pub format: CatFormat,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum CatFormat {
    /// A line per message; long runs of numbers are shortened
    Text,
    /// A line of JSON per message, complete
    Json,
    /// Type and size instead of contents
    Raw,
}

#[derive(Args, Debug)]
pub struct RecoverArguments {
    /// The damaged log
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    /// The new log
    #[arg(value_name = "OUT")]
    pub output: PathBuf,
    /// Keep what stands in chunks whose checksum is wrong
    #[arg(long)]
    pub doubtful: bool,
}

#[derive(Args, Debug)]
pub struct ConformanceArguments {
    /// Of .mcap and .json files
    #[arg(value_name = "DIR")]
    pub directory: PathBuf,
}
