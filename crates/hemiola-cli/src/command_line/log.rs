//! The arguments of `log`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand, ValueEnum};
use hemiola_log::{LogError, TimeUnit};

use super::time::parse_duration;
use super::{ConfigurationArguments, LogSize, ResultArguments};

#[derive(Args, Debug)]
pub struct LogArguments {
    #[command(subcommand)]
    pub command: LogCommand,
}

#[derive(Subcommand, Debug)]
pub enum LogCommand {
    /// Show what a log contains, how regular its messages are, and which parts cannot be read
    #[command(after_help = "Examples:
  log info run.mcap
  log info run-*.mcap                 several, one after the other
  log info run.mcap --json | jq '.channels[] | {topic, rate_hz}'

Every byte is read and every checksum is verified before a log is called whole. Intervals are between the times at which messages were recorded. \
Exit code: 0 if everything can be read, 3 otherwise.")]
    Info(InfoArguments),
    /// Print messages
    #[command(after_help = "Examples:
  log cat run.mcap --first 10         the first ten messages
  log cat run.mcap --topic '/camera/*' --from 12.5s --for 2s
  log cat run.mcap --topic /imu/data --json | jq .value.angular_velocity.z
  log cat run.mcap --format raw       without contents: topic, type and size

Times are relative to the first message of the log. Values are decoded by the schemas in the log; no types of this robot are needed.")]
    Cat(CatArguments),
    /// Write the undamaged parts of a log into a new one
    #[command(after_help = "Examples:
  log recover crashed.mcap whole.mcap
  log recover crashed.mcap all.mcap --doubtful
                                      also the contents of chunks whose checksum is wrong

The old file is only read; an existing file is never overwritten. Exit code: 0 if nothing was lost, 3 otherwise.")]
    Recover(RecoverArguments),
    /// Write some of the messages into a new log
    #[command(after_help = "Examples:
  log filter run.mcap fall.mcap --from 61s --for 5s
  log filter run.mcap small.mcap --topic '/imu/*' --topic /joints

Attachments and metadata are copied; the old log is only read, and an existing file is never overwritten. Damage is reported as by \
`log recover`. Exit code: 0 if everything could be read, 3 otherwise.")]
    Filter(FilterArguments),
    /// Merge several logs into a new one, by time
    #[command(after_help = "Examples:
  log merge head.mcap body.mcap --output robot.mcap
  log merge game-*.mcap --output game.mcap
                                      a log that was split (`split`, `keep` in robot.toml), as one file
  log merge game-main.mcap game-vision.mcap --output game.mcap
                                      the logs of a robot's processes, as one log on one clock

In logs of a robot's processes, each value comes from the process that has it; data that only replays need is omitted, because such logs are verified without merging. Channels that are the same in several logs become one, and metadata that all have is written once. An existing file is never overwritten. Exit code: 0 if everything could be read, 3 \
otherwise.")]
    Merge(MergeArguments),
    /// Compare two logs, message by message
    #[command(after_help = "Examples:
  log diff robot.mcap replay.mcap
  log diff a.mcap b.mcap --tolerance 1e-9 --tolerance /imu/data.linear_acceleration=1e-3
  log diff a.mcap b.mcap --topic /joints --from 60s --for 5s
  log diff a.mcap b.mcap --json | jq .fields

Messages of a topic that were recorded at the same time are compared with each other. Numbers are equal if they differ by no more than the \
tolerance, which is 0 by default. For each field it is said in how many messages it differs, and by how much at most. Exit code: 0 if the logs are equal, 1 if they differ, 3 if one is damaged.")]
    Diff(DiffArguments),
    /// Repeat every run of a log and compare the results with the recorded ones, bit for bit
    #[command(after_help = "Examples:
  log verify game.mcap
  log verify game-001.mcap            a log in several files: the first one, or their folder
  log verify game-main.mcap game-vision.mcap
                                      the logs of a robot's processes, with one verdict
  log verify game.mcap --workers 3    with another number of workers in every cycle
  log verify game.mcap --set module.BallFinder.threshold=0.4
                                      the first difference with another value of a parameter
  log verify game.mcap --from 4min    from the last checkpoint before this time on
  log verify game.mcap --from 4min --for 10s
                                      only up to this time

Samples come from the log; each run of each cycle begins with the recorded clock and inputs, and everything that the cycles provide is computed again. Times are those of the robot's clock. Exit code: 0 if everything is equal, 1 if something differs, 3 if the log is damaged or incomplete.")]
    Verify(VerifyArguments),
    /// Extract a run of a module from a log, as a test that repeats it
    #[command(after_help = "Example:
  log extract-cycle game.mcap --cycle cognition --run 1234 --module BallFilter
                                      tests/ball_filter_1234.rs, and its data in tests/extracted

The data file contains the state of the module, its parameters, the clock, everything that it read and provided, and its state afterwards. The test repeats that \
run and compares bit for bit; `cargo test` runs it from then on. The robot's crate must be a library, which the test links.")]
    ExtractCycle(ExtractArguments),
    /// Write messages as tables (CSV), and pictures and attachments as files
    #[command(after_help = "Example:
  log export run.mcap tables          tables/imu_data.csv, tables/camera_upper/000000_12.5.jpg, ...

A table has a line for each message and a column for each number; a sequence is a column of JSON. Times are in seconds. Pictures that are \
not compressed become PGM and PPM. The folder must not exist. Exit code: 0 if everything could be exported, 3 otherwise.")]
    Export(ExportArguments),
    /// Create a log from other recordings: a ROS 1 bag, a PX4 log, sound, or a folder with such
    /// files, tables and pictures
    #[command(after_help = "Examples:
  log import drive.bag drive.mcap                      a ROS 1 bag, with its topics and types
  log import flight.ulg flight.mcap                    a PX4 log, with its parameters and texts
  log import whistle.flac whistle.mcap                 sound, with a topic for each microphone
  log import euroc euroc.mcap                          everything in a folder and its subfolders
  log import road road.mcap --rate 25                  pictures without times, 25 per second
  log import wander wander.mcap --time when=ms         time stamps in milliseconds, in a column of that name

A table (CSV, also compressed with gzip) becomes a channel with a message for each row; a column of times is recognized by its name, such as t_s or \
\"time [ns]\"; --rate overrides that, and --time overrides both. A column that names pictures becomes a channel of pictures, as does a folder of pictures that no table names. In a folder, the topics of \
a bag or flight are prefixed with its name; hidden files are skipped. Exit code: 0 if \
everything could be imported, 3 otherwise.")]
    Import(ImportArguments),
    /// Plot numbers over time as a picture (SVG)
    #[command(after_help = "Examples:
  log plot run.mcap /imu/data.angular_velocity.z --output gyroscope.svg
  log plot run.mcap '/joints.position[3]' /imu/data.linear_acceleration.x --from 60s --for 10s > fall.svg

  log plot run.mcap plot:ball.score   what a module plots by that name

A field is a topic, a dot, and the path of a number in its messages, as `log cat` shows them.")]
    Plot(PlotArguments),
}

#[derive(Args, Debug)]
pub struct InfoArguments {
    /// The logs
    #[arg(value_name = "FILE", required = true)]
    pub logs: Vec<PathBuf>,
    /// Print JSON, a line for each log
    #[arg(long)]
    pub json: bool,
}

/// The options that select messages.
#[derive(Args, Debug)]
pub struct SelectionArguments {
    /// Only messages of this topic, or, with * at its end, of all topics with this prefix; the last
    /// part of its name is enough; repeatable
    #[arg(long = "topic", value_name = "TOPIC")]
    pub topics: Vec<String>,
    #[command(flatten)]
    pub span: SpanArguments,
}

/// The options that select a part of the log.
#[derive(Args, Debug)]
pub struct SpanArguments {
    /// Begin this long after the first message: 12.5s, 3min
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub from: Option<Duration>,
    /// End this long after the first message
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub to: Option<Duration>,
    /// End after this time
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration, conflicts_with = "to")]
    pub duration: Option<Duration>,
}

impl SpanArguments {
    /// Returns whether a part of the log was selected.
    pub fn is_given(&self) -> bool {
        self.from.is_some() || self.end().is_some()
    }

    /// Returns the time since the first message at which the part ends.
    pub fn end(&self) -> Option<Duration> {
        self.to.or_else(|| Some(self.from.unwrap_or_default().saturating_add(self.duration?)))
    }
}

#[derive(Args, Debug)]
pub struct CatArguments {
    /// The log
    #[arg(value_name = "FILE")]
    pub log: PathBuf,
    #[command(flatten)]
    pub selection: SelectionArguments,
    /// End after this number of messages
    #[arg(long, value_name = "COUNT")]
    pub first: Option<u64>,
    /// The format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = CatFormat::Text)]
    pub format: CatFormat,
    /// Print JSON, as --format json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
}

impl CatArguments {
    /// Returns the format in which messages are printed.
    pub fn format(&self) -> CatFormat {
        if self.json { CatFormat::Json } else { self.format }
    }
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum CatFormat {
    /// A line per message; long runs of numbers are shortened
    Text,
    /// A complete line of JSON per message
    Json,
    /// Type and size instead of contents
    Raw,
}

#[derive(Args, Debug)]
pub struct RecoverArguments {
    /// The damaged log
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    #[command(flatten)]
    pub result: ResultArguments,
    /// Keep the contents of chunks whose checksum is wrong
    #[arg(long)]
    pub doubtful: bool,
}

#[derive(Args, Debug)]
pub struct FilterArguments {
    /// The log
    #[arg(value_name = "IN")]
    pub input: PathBuf,
    #[command(flatten)]
    pub result: ResultArguments,
    #[command(flatten)]
    pub selection: SelectionArguments,
}

#[derive(Args, Debug)]
pub struct MergeArguments {
    /// The logs
    #[arg(value_name = "FILE", required = true)]
    pub inputs: Vec<PathBuf>,
    /// The new log
    #[arg(long, value_name = "FILE")]
    pub output: PathBuf,
}

#[derive(Args, Debug)]
pub struct DiffArguments {
    /// A log
    #[arg(value_name = "LEFT")]
    pub left: PathBuf,
    /// Another log
    #[arg(value_name = "RIGHT")]
    pub right: PathBuf,
    #[command(flatten)]
    pub selection: SelectionArguments,
    /// The maximum difference of numbers, everywhere or in a field; repeatable
    #[arg(long = "tolerance", value_name = "[TOPIC.FIELD=]NUMBER", value_parser = parse_tolerance)]
    pub tolerances: Vec<(Option<String>, f64)>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct VerifyArguments {
    /// The log, or the logs of all processes of a robot
    #[arg(value_name = "FILE", required = true)]
    pub logs: Vec<PathBuf>,
    #[command(flatten)]
    pub configuration: ConfigurationArguments,
    /// The number of workers of every cycle
    #[arg(long, value_name = "COUNT")]
    pub workers: Option<usize>,
    /// Begin with the last checkpoint before this time of the robot's clock
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub from: Option<Duration>,
    /// End before this time of the robot's clock
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub to: Option<Duration>,
    /// End this long after --from, or after the robot's start
    #[arg(long = "for", value_name = "TIME", value_parser = parse_duration, conflicts_with = "to")]
    pub duration: Option<Duration>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

impl VerifyArguments {
    /// Returns the time of the robot's clock at which the comparison ends.
    pub fn end(&self) -> Option<Duration> {
        self.to.or_else(|| Some(self.from.unwrap_or_default().saturating_add(self.duration?)))
    }
}

#[derive(Args, Debug)]
pub struct ExtractArguments {
    /// The log
    #[arg(value_name = "FILE")]
    pub log: PathBuf,
    /// The cycle
    #[arg(long, value_name = "NAME")]
    pub cycle: String,
    /// The number of the run, as `log cat --topic /cycle/_run` shows it
    #[arg(long, value_name = "NUMBER")]
    pub run: u32,
    /// The module
    #[arg(long, value_name = "NAME")]
    pub module: String,
    /// The folder of tests
    #[arg(long, value_name = "FOLDER", default_value = "tests")]
    pub output: PathBuf,
    /// Replace an earlier extraction of the run, such as one from before the module was mended
    #[arg(long)]
    pub replace: bool,
    #[command(flatten)]
    pub configuration: ConfigurationArguments,
}

#[derive(Args, Debug)]
pub struct ExportArguments {
    /// The log
    #[arg(value_name = "FILE")]
    pub log: PathBuf,
    #[command(flatten)]
    pub result: ResultArguments,
    #[command(flatten)]
    pub selection: SelectionArguments,
}

#[derive(Args, Debug)]
pub struct ImportArguments {
    /// A recording, or a folder with recordings in it or below it
    #[arg(value_name = "IN")]
    pub recording: PathBuf,
    #[command(flatten)]
    pub result: ResultArguments,
    /// The column that holds the times, and their unit: s, ms, us or ns
    #[arg(long = "time", value_name = "COLUMN=UNIT", value_parser = parse_time_column)]
    pub time_column: Option<(String, TimeUnit)>,
    /// Rows or pictures per second, if no column holds their times
    #[arg(long, value_name = "HZ", value_parser = parse_rate)]
    pub rate: Option<f64>,
    /// The compression of chunks
    #[arg(long, value_name = "HOW", value_enum, default_value_t = LogSize::Lz4)]
    pub compression: LogSize,
}

#[derive(Args, Debug)]
pub struct PlotArguments {
    /// The log
    #[arg(value_name = "FILE")]
    pub log: PathBuf,
    /// The number to plot: /topic.field.of.the.message; the last part of the topic is enough if no
    /// other topic ends with it
    #[arg(value_name = "TOPIC.FIELD", required = true)]
    pub fields: Vec<String>,
    #[command(flatten)]
    pub span: SpanArguments,
    /// Write to a file instead of the terminal
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

fn parse_time_column(text: &str) -> Result<(String, TimeUnit), String> {
    let (column, unit) = text.rsplit_once('=').ok_or("write a column and its unit, such as stamp=ms")?;
    Ok((column.to_owned(), unit.parse().map_err(|error: LogError| error.to_string())?))
}

fn parse_rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        // The same range as in robot.toml.
        Ok(rate) if (1e-3..=1e6).contains(&rate) => Ok(rate),
        _ => Err("write a number per second, from 0.001 to 1000000, such as 25".to_owned()),
    }
}

fn parse_tolerance(text: &str) -> Result<(Option<String>, f64), String> {
    let (field, number) = match text.rsplit_once('=') {
        Some((field, number)) => (Some(field.to_owned()), number),
        None => (None, text),
    };
    match number.trim().parse::<f64>() {
        Ok(tolerance) if tolerance >= 0.0 => Ok((field, tolerance)),
        _ => Err("write a tolerance such as 1e-9 or /topic.field=1e-9".to_owned()),
    }
}
