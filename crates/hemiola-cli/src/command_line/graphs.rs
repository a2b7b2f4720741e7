//! The arguments of `graph` and `simulate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::ConfigurationArguments;

#[derive(Args, Debug)]
pub struct GraphArguments {
    #[command(flatten)]
    pub configuration: ConfigurationArguments,
    /// Use a task graph from a file instead of this robot: a workload (`tasks`) or a module graph
    /// (`cycles`) as JSON
    #[arg(long, value_name = "FILE", conflicts_with_all = ["config", "overlays", "assignments", "process"])]
    pub file: Option<PathBuf>,
    /// The cycle; default: a map of the robot, its cycles, sources, topics and services in their
    /// processes and what they exchange, and as text all cycles, too; a picture of a robot with
    /// one cycle is that cycle
    pub cycle: Option<String>,
    /// The format: for a terminal, for Graphviz, a picture, or JSON
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = GraphFormat::Text)]
    pub format: GraphFormat,
    /// Print JSON, as --format json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Write to a file instead of the terminal
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

impl GraphArguments {
    /// Returns the format in which the graphs are printed.
    pub fn format(&self) -> GraphFormat {
        if self.json { GraphFormat::Json } else { self.format }
    }
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphFormat {
    Text,
    Dot,
    Svg,
    Json,
}

#[derive(Args, Debug)]
pub struct SimulateArguments {
    #[command(flatten)]
    pub configuration: ConfigurationArguments,
    /// Use a task graph from a file instead of this robot: a workload (`tasks`) or a module graph
    /// (`cycles`) as JSON
    #[arg(long, value_name = "FILE", conflicts_with_all = ["config", "overlays", "assignments", "process"])]
    pub file: Option<PathBuf>,
    /// The cycle; default: all
    pub cycle: Option<String>,
    /// The maximum number of workers to try
    #[arg(long, value_name = "1..64", default_value_t = 8, value_parser = clap::value_parser!(u8).range(1..=64))]
    pub workers: u8,
    /// Draw the schedule of that many workers, as SVG; needs a cycle where there are several
    #[arg(long, value_name = "FILE")]
    pub picture: Option<PathBuf>,
    /// Print JSON, with times in nanoseconds
    #[arg(long, conflicts_with = "picture")]
    pub json: bool,
}
