//! What can be typed after the robot's name.

pub mod describe;
pub mod export;
pub mod live;
pub mod log;
pub mod new;
pub mod profile;
pub mod tools;

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use hemiola_insight::why::Question;
use hemiola_log::LogCompression;
use hemiola_recording::recorder::RecordingOptions;
use hemiola_runtime::ValueRequest;

/// The whole command line. Without a command it is `run`.
#[derive(Parser, Debug)]
#[command(
    about = "Runs and examines this robot. Without a command: run.",
    disable_version_flag = true,
    after_help = "Every command explains itself: `help COMMAND`."
)]
pub struct CommandLine {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Run the robot until its sources end, the time is over, or Ctrl-C
    #[command(after_help = "Examples:
  run --duration 30s                  half a minute, with a live view
  run --fast --headless --json out.json
                                      as fast as possible and reproducible, for machines
  run --log game.mcap                 record all that is provided
  run --log game.mcap --log-only Ball,Image@2
                                      record these, images twice a second
  run --replay game.mcap --fast       the same runs again, as fast as possible
  run --replay game.mcap --fast --take BallPercept
                                      a changed ball model on the percepts of that game
  run --replay game.mcap --speed 0.5 --from 61s --to 65s --loop
                                      four seconds of it, at half the pace, again and again
  run --overlay outdoor --set cycle.motion.workers=2
  run --process vision                the part of a robot with `[process.vision]`; without: all of its processes")]
    Run(RunArguments),
    /// Check configuration and modules without running anything
    #[command(after_help = "Examples:
  check                               everything that is wrong, in one go
  check --explain cycle.motion        where each value comes from
  check --overlay outdoor --explain module.BallFinder.threshold")]
    Check(CheckArguments),
    /// Draw the task graph of a cycle
    #[command(after_help = "Examples:
  graph motion                        as text, the critical path marked
  graph cognition --format svg --output cognition.svg
  graph motion --format dot | dot -Tpdf > motion.pdf
  graph --file other.json             of any task graph: workloads and module graphs as JSON

In the text, `remaining` is how long the longest path from the task to the end of the run takes.")]
    Graph(GraphArguments),
    /// Predict what more workers would give
    #[command(after_help = "Examples:
  simulate                            all cycles with one to eight workers
  simulate cognition --workers 4 --svg schedule.svg
  simulate --file workload.json       of any task graph: workloads and module graphs as JSON

Durations are those of the profile that `run` keeps (`output.profile` in robot.toml).")]
    Simulate(SimulateArguments),
    /// Say why a run of a cycle, or a chain from a sensor to an output, took as long as it did
    #[command(after_help = "Examples:
  why                                 what can be asked about, with the longest of each
  why motion                          the longest run of motion: of the robot while it runs, else in the newest trace
  why motion --worst 3 --trace traces/nao-7.pftrace
  why motion --run 4711 --slice late.pftrace
                                      one run, and a trace of that moment for Perfetto
  why motion --at 12.3s               the one that went on at that time of the robot's clock
  why imu-to-joints                   the longest reaction time of the chain that robot.toml calls so, hop by hop
  why \"UpperCamera -> LegActuator.request\"
                                      of any chain
  why \"UpperCamera -> Leg\" --age     the greatest data age; as much of the name as is enough
  why motion --log game.mcap          the longest run of motion in a log
  why motion --robot nao              in the last seconds of a robot that runs

A run waits for its last task, that one for a result or a worker, and so on back to its release: shown are these tasks, and what passed between them.
What is usual comes from the other runs of the trace, or from the profile that `run` keeps (`output.profile` in robot.toml).")]
    Why(WhyArguments),
    /// Does every cycle, chain and callback meet its deadline: bounds, what was observed, what if
    #[command(after_help = "Examples:
  analyze                             deadline, bound, longest observed, margin of each cycle, chain and callback
  analyze --tasks                     and how long each task may take before something fails
  analyze --what-if \"cores = 4\" --what-if \"BallPerceptor takes 2x\" --what-if \"motion every 10 ms, motion priority 50\"
                                      side by side; also: NAME takes 3 ms, NAME workers 2, NAME deadline 8 ms
  analyze --fail --quantile 0.999     for continuous integration: fails if something does not fit
  analyze --profile game.mcap         with the execution times of a log
  analyze --format toml > system.toml the robot as a system that can be edited,
  analyze --system system.toml        and bounds for that, or for any other system

A bound holds if execution times do not exceed those that it rests on, which are said below it, and if nothing runs that is not part of it.
Execution times are those of the profile that `run` keeps (`output.profile` in robot.toml). More: docs/chains.md.")]
    Analyze(AnalyzeArguments),
    /// Find priorities, workers and cores for cycles and executors, so that all deadlines are met
    #[command(after_help = "Examples:
  assign                              an overlay with the reasons as comments
  assign --output assigned.toml
  run --overlay assigned.toml         obeys it
  assign --system system.toml         of any described system: its chains get executors

Sources keep their priorities: they stand for drivers. Priorities are those that cycles and executors have, in another order, if all differ.")]
    Assign(AssignArguments),
    /// Examine this machine: is it fit for real time, and what would help
    Doctor(DoctorArguments),
    /// List parameters with type, range, unit and present value; get, set, save those of a running
    /// robot
    #[command(after_help = "Examples:
  parameters                          of all modules and sources, as they are configured
  parameters BallFinder               of one
  parameters --set module.BallFinder.threshold=0.7 BallFinder
  parameters get BallFinder.threshold of the robot that runs
  parameters set BallFinder.threshold 0.7
  parameters diff                     what is not as the files say
  parameters save --overlay outdoor   writes that down; comments and layout of the file stay")]
    Parameters(ParametersArguments),
    /// List cycles, their modules, and what each update reads and provides
    #[command(
        after_help = "An update reads as its signature: `Previous<T>` is the value of the last run, `Samples<T>` all since then."
    )]
    Modules(ModulesArguments),
    /// Show or forget what was measured in earlier runs
    Profile(profile::ProfileArguments),
    /// Write the robot's types for others: packages of ROS 2
    Export(export::ExportArguments),
    /// Look into logs, print them, repair them
    Log(log::LogArguments),
    #[command(flatten)]
    Live(live::LiveCommand),
    #[command(flatten)]
    Describe(describe::DescribeCommand),
}

/// Which configuration.
#[derive(Args, Clone, Debug, Default)]
pub struct ConfigurationArguments {
    /// Another base file than the robot's own
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Put a file over it: a name in overlays/, or a path; repeatable, the last wins
    #[arg(long = "overlay", value_name = "NAME")]
    pub overlays: Vec<String>,
    /// Put a value over all files: cycle.motion.workers=2; repeatable
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub assignments: Vec<String>,
    /// The part of the robot that runs in this process of robot.toml, instead of the whole robot
    #[arg(long, value_name = "NAME")]
    pub process: Option<String>,
}

#[derive(Args, Clone, Debug)]
pub struct RunArguments {
    #[command(flatten)]
    pub configuration: ConfigurationArguments,
    /// End after so long on the robot's clock: 30s, 1.5min, 500ms
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub duration: Option<Duration>,
    /// Let the robot's clock run so many times as fast as the world's
    #[arg(long, value_name = "FACTOR", value_parser = parse_speed)]
    pub speed: Option<f64>,
    /// As fast as possible, step by step: the same bits every time
    #[arg(long, conflicts_with = "speed")]
    pub fast: bool,
    /// No live view: a line per second
    #[arg(long)]
    pub headless: bool,
    /// Write the trace here instead of traces/ beside robot.toml
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Write no trace
    #[arg(long, conflicts_with = "trace")]
    pub no_trace: bool,
    /// Take the samples of the sources from this log (a file, the first of several, or a folder
    /// with them); everything else is computed anew, in the runs that the log tells of
    #[arg(long, value_name = "FILE")]
    pub replay: Option<PathBuf>,
    /// Take these from the log as well, instead of from their providers: Percepts,Ball; goes before
    /// `take` in robot.toml
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "replay")]
    pub take: Vec<String>,
    /// Show, record and pace the replay from this time of the robot's clock on; from the last
    /// checkpoint before it, or the beginning, it is computed as fast as possible
    #[arg(long, value_name = "TIME", value_parser = parse_duration, requires = "replay")]
    pub from: Option<Duration>,
    /// End the replay at this time of the robot's clock
    #[arg(long, value_name = "TIME", value_parser = parse_duration, requires = "replay")]
    pub to: Option<Duration>,
    /// Begin the replay anew at its end, until Ctrl-C
    #[arg(long = "loop", requires = "replay", conflicts_with_all = ["log", "duration"])]
    pub repeat: bool,
    /// Record what robot.toml says, or all that is provided, in MCAP; an existing file is never
    /// overwritten
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// Record nothing, whatever robot.toml says
    #[arg(long, conflicts_with = "log")]
    pub no_log: bool,
    /// Record these only: Image,JointAngles, or Image@2 for at most 2 a second
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = parse_tap)]
    pub log_only: Vec<ValueRequest>,
    /// How the log is made smaller
    #[arg(long, value_name = "HOW", value_enum)]
    pub log_compression: Option<LogSize>,
    /// Open the page and the door of tools at this port; `[page]` in robot.toml says more
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..), conflicts_with = "no_page")]
    pub page: Option<u16>,
    /// Neither page nor door: nobody outside can look at the robot
    #[arg(long)]
    pub no_page: bool,
    /// Write the figures as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Draw 40 ms of what ran where, near the end, as SVG
    #[arg(long, value_name = "FILE")]
    pub picture: Option<PathBuf>,
}

impl RunArguments {
    /// Returns what the command line says of the robot's log.
    pub fn recording(&self) -> RecordingOptions {
        RecordingOptions {
            path: self.log.clone(),
            // A replay records what has been recorded already, so that it does so only where that
            // is asked for.
            ignores_folder: self.no_log || self.replay.is_some(),
            only: self.log_only.clone(),
            compression: self.log_compression.map(LogCompression::from),
        }
    }
}

/// [`LogCompression`] as an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogSize {
    /// Not at all: least work for the processor, most for the disk
    None,
    /// A little, quickly
    Lz4,
    /// More, with several times the work
    Zstd,
}

impl From<LogSize> for LogCompression {
    fn from(size: LogSize) -> Self {
        match size {
            LogSize::None => LogCompression::None,
            LogSize::Lz4 => LogCompression::Lz4,
            LogSize::Zstd => LogCompression::Zstd,
        }
    }
}

/// Reads `Image`, or `Image@2` for at most two a second.
fn parse_tap(text: &str) -> Result<ValueRequest, String> {
    let Some((name, rate)) = text.split_once('@') else { return Ok(ValueRequest::all(text)) };
    match rate.parse() {
        Ok(rate) if f64::is_finite(rate) && rate > 0.0 => {
            Ok(ValueRequest { rate: Some(rate), ..ValueRequest::all(name) })
        }
        _ => Err(format!("`{rate}` is no rate: write {name}@2 for at most two a second")),
    }
}

#[derive(Args, Debug)]
pub struct CheckArguments {
    #[command(flatten)]
    pub configuration: ConfigurationArguments,
    /// Tell where the value of a key, or of all keys below it, comes from
    #[arg(long, value_name = "KEY")]
    pub explain: Option<String>,
    /// For machines
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct GraphArguments {
    #[command(flatten)]
    pub configuration: ConfigurationArguments,
    /// Of a task graph in a file instead of this robot: a workload (`tasks`) or a module graph
    /// (`cycles`) as JSON
    #[arg(long, value_name = "FILE", conflicts_with_all = ["config", "overlays", "assignments", "process"])]
    pub file: Option<PathBuf>,
    /// The cycle; without it all, and for dot and svg a map of the robot where there are several:
    /// its cycles, sources and topics in their processes, and what goes from where to where
    pub cycle: Option<String>,
    /// For a terminal, for Graphviz, or as a picture
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = GraphFormat::Text)]
    pub format: GraphFormat,
    /// Write to a file
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphFormat {
    Text,
    Dot,
    Svg,
}

#[derive(Args, Debug)]
pub struct SimulateArguments {
    #[command(flatten)]
    pub configuration: ConfigurationArguments,
    /// Of a task graph in a file instead of this robot: a workload (`tasks`) or a module graph
    /// (`cycles`) as JSON
    #[arg(long, value_name = "FILE", conflicts_with_all = ["config", "overlays", "assignments", "process"])]
    pub file: Option<PathBuf>,
    /// The cycle; all without
    pub cycle: Option<String>,
    /// The most workers to try
    #[arg(long, value_name = "1..64", default_value_t = 8, value_parser = clap::value_parser!(u8).range(1..=64))]
    pub workers: u8,
    /// Draw the schedule of that many workers as a picture; needs a cycle where there are several
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// For machines: nanoseconds
    #[arg(long, conflicts_with = "svg")]
    pub json: bool,
}

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

#[derive(Args, Debug)]
pub struct DoctorArguments {
    /// For machines
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
#[command(args_conflicts_with_subcommands = true)]
pub struct ParametersArguments {
    #[command(subcommand)]
    pub command: Option<live::ParametersCommand>,
    #[command(flatten)]
    pub configuration: ConfigurationArguments,
    /// A module or a source; all without
    pub module: Option<String>,
    /// For machines
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct ModulesArguments {
    #[command(flatten)]
    pub configuration: ConfigurationArguments,
    /// For machines
    #[arg(long)]
    pub json: bool,
}

/// Reads `30s`, `1.5min` or `500ms`; a bare number is seconds.
fn parse_duration(text: &str) -> Result<Duration, String> {
    let unit_at = text.find(|character: char| character.is_ascii_alphabetic()).unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    let factor = match unit {
        "s" | "" => 1.0,
        "ms" => 1e-3,
        "min" => 60.0,
        "h" => 3600.0,
        _ => return Err("write a time as 30s, 1.5min, 500ms or 1h".to_owned()),
    };
    let seconds = number.trim().parse::<f64>().map_or(f64::NAN, |number| number * factor);
    Duration::try_from_secs_f64(seconds).map_err(|_| "write a time as 30s, 1.5min, 500ms or 1h".to_owned())
}

fn parse_speed(text: &str) -> Result<f64, String> {
    let speed = text.parse::<f64>().ok().filter(|speed| (0.001..=1000.0).contains(speed));
    speed.ok_or_else(|| "a speed is a number from 0.001 to 1000: 2.0 is twice as fast as the world".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        CommandLine::command().debug_assert();
    }

    /// Collects the options of a command and of the commands below it, such as those of `log`.
    fn options(command: &clap::Command, path: &[String], found: &mut Vec<(Vec<String>, String)>) {
        for option in command.get_arguments().filter_map(|argument| argument.get_long()) {
            found.push((path.to_vec(), format!("--{option}")));
        }
        for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
            options(inner, &[path, &[inner.get_name().to_owned()]].concat(), found);
        }
    }

    #[test]
    fn an_unknown_option_is_an_error_that_names_it_and_the_nearest_that_is_known() {
        for line in [CommandLine::command(), tools::ToolsLine::command()] {
            let mut all = Vec::new();
            options(&line, &["robot".to_owned()], &mut all);
            assert!(all.len() > 60, "{all:?}");
            for (path, option) in all {
                // The option with its last letter twice.
                let mistyped = format!("{option}{}", &option[option.len() - 1..]);
                let typed = [&path[..], std::slice::from_ref(&mistyped)].concat();
                let error = line.clone().try_get_matches_from(&typed).expect_err(&mistyped).to_string();
                assert!(error.contains(&format!("unexpected argument '{mistyped}'")), "{typed:?}: {error}");
                assert!(error.contains("a similar argument exists: '--"), "{typed:?}: {error}");
            }
        }
    }

    /// Returns the help of a command and of those below it.
    fn helps(command: &mut clap::Command) -> String {
        let own = command.render_long_help().to_string();
        let inner = command.get_subcommands_mut().map(helps);
        inner.fold(own, |all, help| all + &help)
    }

    #[test]
    fn helps_say_what_can_be_typed() {
        for mut command in [CommandLine::command(), tools::ToolsLine::command()] {
            let help = helps(&mut command);
            assert!(help.contains("\"cores = 4\"") || help.contains("\"SOURCE -> OUTPUT\""), "{help}");
            assert!(!help.contains("\\\""), "a quote needs no backslash in a comment");
        }
    }

    #[test]
    fn times_have_units() {
        for (text, milliseconds) in
            [("30s", 30_000), ("1.5min", 90_000), ("500ms", 500), ("2", 2_000), ("1h", 3_600_000)]
        {
            assert_eq!(parse_duration(text), Ok(Duration::from_millis(milliseconds)), "{text}");
        }
        for text in ["", "s", "-1s", "3 weeks", "nans", "1e400s"] {
            assert!(parse_duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn speeds_are_sane() {
        assert_eq!(parse_speed("2.5"), Ok(2.5));
        for text in ["0", "-1", "NaN", "inf", "fast"] {
            assert!(parse_speed(text).is_err(), "{text}");
        }
    }
}
