//! What can be typed after `graph` and `simulate`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::ConfigurationArguments;

#[derive(Args, Debug)]
pub struct GraphArguments {
    #[command(flatten)]
    pub configuration: ConfigurationArguments,
    /// Of a task graph in a file instead of this robot: a workload (`tasks`) or a module graph
    /// (`cycles`) as JSON
    #[arg(long, value_name = "FILE", conflicts_with_all = ["config", "overlays", "assignments", "process"])]
    pub file: Option<PathBuf>,
    /// The cycle; without it all, and for dot and svg a map of the robot where there are several: its
    /// cycles, sources and topics in their processes, and what goes from where to where
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
