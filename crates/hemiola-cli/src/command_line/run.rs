//! The arguments of `run`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use hemiola_log::LogCompression;
use hemiola_recording::recorder::RecordingOptions;
use hemiola_runtime::ValueRequest;

use super::ConfigurationArguments;
use super::time::parse_duration;

#[derive(Args, Clone, Debug)]
pub struct RunArguments {
    #[command(flatten)]
    pub configuration: ConfigurationArguments,
    /// Start the processes of this host of robot.toml; default: of the one with the machine's name
    #[arg(long, value_name = "NAME")]
    pub host: Option<String>,
    /// End after this time on the robot's clock: 30s, 1.5min, 500ms
    #[arg(long, visible_alias = "for", value_name = "TIME", value_parser = parse_duration)]
    pub duration: Option<Duration>,
    /// Run the robot's clock at this multiple of real time
    #[arg(long, value_name = "FACTOR", value_parser = parse_speed)]
    pub speed: Option<f64>,
    /// Run as fast as possible, step by step, with results that are the same bit for bit every time
    #[arg(long, conflicts_with = "speed")]
    pub fast: bool,
    /// Print a line per second instead of the live view
    #[arg(long)]
    pub headless: bool,
    /// Write the trace to this file instead of traces/ beside robot.toml
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Write no trace
    #[arg(long, conflicts_with = "trace")]
    pub no_trace: bool,
    /// Replay the samples of the sources from this log (a file, the first of several, or a folder
    /// with them); everything else is computed again, in the runs that the log contains
    #[arg(long, value_name = "FILE")]
    pub replay: Option<PathBuf>,
    /// Replay these from the log, too, instead of computing them: Percepts,Ball; overrides `take`
    /// in robot.toml
    #[arg(long, value_name = "NAMES", value_delimiter = ',', requires = "replay")]
    pub take: Vec<String>,
    /// Show, record and pace the replay from this time of the robot's clock on; up to it, the
    /// replay runs as fast as possible, from the last checkpoint before it or from the beginning
    #[arg(long, value_name = "TIME", value_parser = parse_duration, requires = "replay")]
    pub from: Option<Duration>,
    /// End the replay at this time of the robot's clock
    #[arg(long, value_name = "TIME", value_parser = parse_duration, requires = "replay")]
    pub to: Option<Duration>,
    /// Begin the replay again at its end, until Ctrl-C
    #[arg(long = "loop", requires = "replay", conflicts_with_all = ["log", "duration"])]
    pub repeat: bool,
    /// Record what robot.toml selects, or everything that is provided, in MCAP; an existing file is
    /// never overwritten
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// Record nothing, whatever robot.toml says
    #[arg(long, conflicts_with = "log")]
    pub no_log: bool,
    /// Record only these: Image,JointAngles, or Image@2 for at most 2 per second
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = parse_tap)]
    pub log_only: Vec<ValueRequest>,
    /// The compression of the log
    #[arg(long, value_name = "HOW", value_enum)]
    pub log_compression: Option<LogSize>,
    /// Open the page and the door for tools at this port; `[page]` in robot.toml has more settings
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..), conflicts_with = "no_page")]
    pub page: Option<u16>,
    /// Open neither page nor door, so that no other program can observe the robot
    #[arg(long)]
    pub no_page: bool,
    /// Write the statistics to this file, as JSON
    #[arg(long, value_name = "FILE")]
    pub statistics: Option<PathBuf>,
    /// Draw a timeline of 40 ms near the end, as SVG
    #[arg(long, value_name = "FILE")]
    pub picture: Option<PathBuf>,
    /// The arguments of ROS 2, which are taken out before the others are read.
    #[arg(skip)]
    pub ros_args: Vec<String>,
}

impl RunArguments {
    /// Returns the options of the robot's log.
    pub fn recording(&self) -> RecordingOptions {
        RecordingOptions {
            path: self.log.clone(),
            // The values of a replay have been recorded already, so it records only on request.
            ignores_folder: self.no_log || self.replay.is_some(),
            only: self.log_only.clone(),
            compression: self.log_compression.map(LogCompression::from),
        }
    }
}

/// [`LogCompression`] as an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogSize {
    /// No compression: the least work for the processor, the most for the disk
    None,
    /// Fast compression
    Lz4,
    /// Better compression, with several times the work
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

/// Reads `Image`, or `Image@2` for at most two per second.
fn parse_tap(text: &str) -> Result<ValueRequest, String> {
    let Some((name, rate)) = text.split_once('@') else { return Ok(ValueRequest::all(text)) };
    match rate.parse() {
        Ok(rate) if f64::is_finite(rate) && rate > 0.0 => {
            Ok(ValueRequest { rate: Some(rate), ..ValueRequest::all(name) })
        }
        _ => Err(format!("`{rate}` is not a rate: write {name}@2 for at most two per second")),
    }
}

fn parse_speed(text: &str) -> Result<f64, String> {
    let speed = text.parse::<f64>().ok().filter(|speed| (0.001..=1000.0).contains(speed));
    speed.ok_or_else(|| "a speed is a number from 0.001 to 1000: 2.0 is twice as fast as real time".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_are_sane() {
        assert_eq!(parse_speed("2.5"), Ok(2.5));
        for text in ["0", "-1", "NaN", "inf", "fast"] {
            assert!(parse_speed(text).is_err(), "{text}");
        }
    }
}
