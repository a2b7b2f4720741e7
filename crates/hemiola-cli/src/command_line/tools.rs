//! The command line of `hemiola`: all commands that do not need a robot's code.

use clap::{Args, CommandFactory, Parser, Subcommand};

use super::describe::DescribeCommand;
use super::live::{LiveCommand, ParametersCommand};
use super::new::NewArguments;
use super::{
    AnalyzeArguments, AssignArguments, Command, DoctorArguments, GraphArguments, ParametersArguments,
    SimulateArguments, WhyArguments, deploy, export, log,
};

/// The whole command line.
#[derive(Parser, Debug)]
#[command(
    name = "hemiola",
    about = "Creates new robots, observes and changes running ones, reads logs, and examines the machine.",
    version,
    arg_required_else_help = true,
    after_help = "`hemiola help COMMAND` explains a command. Commands that need a robot's modules (run, check, modules) are in the robot's own program."
)]
pub struct ToolsLine {
    #[command(subcommand)]
    pub command: ToolsCommand,
}

#[derive(Subcommand, Debug)]
#[expect(clippy::large_enum_variant, reason = "there is one of them")]
pub enum ToolsCommand {
    /// Create a new robot: a crate with a robot that runs immediately, and its tests, to start from
    #[command(after_help = "Examples:
  new my-robot                        a cart in simulation, in the folder my-robot
  new robots/my-robot --vcs none      without a git repository
  new my-robot --hemiola ~/hemiola    with Hemiola from this folder

An existing folder is never overwritten, and nothing is left behind if a step fails. More: docs/book/src/new.md.")]
    New(NewArguments),
    #[command(flatten)]
    Shared(SharedCommand),
}

/// The commands that robots' own programs have, too.
#[derive(Subcommand, Debug)]
pub enum SharedCommand {
    #[command(flatten)]
    Live(LiveCommand),
    /// Get, set and save parameters of a running robot
    #[command(after_help = "Examples:
  parameters get BallFinder
  parameters set BallFinder.threshold 0.7
  parameters diff                     the differences to the files
  parameters save --overlay outdoor   write these values; comments and layout of the file are kept")]
    Parameters(RunningParameters),
    /// Explain why a run of a cycle, or a chain, took as long as it did: of a running robot, a
    /// trace or a log
    Why(WhyArguments),
    /// Build the robot in this folder for other machines, copy it there over ssh, and start it
    #[command(after_help = deploy::EXAMPLES)]
    Deploy(deploy::DeployArguments),
    /// Write a robot's types for other programs: only in the robot's own program
    Export(export::ExportArguments),
    /// Inspect, print, compare and repair logs
    Log(log::LogArguments),
    /// Examine whether this machine is fit for real time, and show remedies
    Doctor(DoctorArguments),
    /// Compute whether everything in a system.toml meets its deadline
    Analyze(AnalyzeArguments),
    /// Find priorities and executors for a system.toml, so that all deadlines are met
    Assign(AssignArguments),
    /// Draw a task graph from a file
    Graph(GraphArguments),
    /// Predict the gain of more workers for a task graph from a file
    Simulate(SimulateArguments),
    #[command(flatten)]
    Describe(DescribeCommand),
}

/// The commands for parameters of a running robot: to list configured parameters, its modules are
/// needed.
#[derive(Args, Debug)]
pub struct RunningParameters {
    #[command(subcommand)]
    pub command: ParametersCommand,
}

impl SharedCommand {
    /// Returns what is missing for a command to run without a robot's code; `None` if nothing is.
    /// `own` is the command to type where there is one.
    pub fn lacks(&self, own: &str) -> Option<String> {
        let is_configured = |arguments: &super::ConfigurationArguments| {
            arguments.config.is_some() || !arguments.overlays.is_empty() || !arguments.assignments.is_empty()
        };
        let lack = match self {
            Self::Analyze(AnalyzeArguments { system: None, .. }) => Some("give a system: analyze --system FILE"),
            Self::Assign(AssignArguments { system: None, .. }) => Some("give a system: assign --system FILE"),
            Self::Graph(GraphArguments { file: None, .. }) => Some("give a graph: graph --file FILE"),
            Self::Simulate(SimulateArguments { file: None, .. }) => Some("give a graph: simulate --file FILE"),
            Self::Export(_) => Some("types are in the robot's own program: cargo run -- export ros-package FOLDER"),
            Self::Log(arguments) => match arguments.command {
                log::LogCommand::Verify(_) | log::LogCommand::ExtractCycle(_) => {
                    return Some(format!("it needs {MODULES}: in its folder, `{own}`"));
                }
                _ => None,
            },
            Self::Why(WhyArguments { configuration, .. }) if is_configured(configuration) => {
                return Some(format!("a configuration needs {MODULES}: in its folder, `{own}`"));
            }
            _ => None,
        };
        lack.map(str::to_owned)
    }
}

/// Returns the answer to a command of robots' own programs, such as `run`, which `hemiola` has not;
/// `None` if they have none of that name. `own` is the command to type.
pub fn only_of_robots(command: &str, own: &str) -> Option<String> {
    let line = super::CommandLine::command();
    line.find_subcommand(command).map(|_| format!("`{command}` needs {MODULES}: in its folder, `{own}`"))
}

const MODULES: &str = "the robot's modules, which are in the robot's own program";

impl From<SharedCommand> for Command {
    fn from(command: SharedCommand) -> Self {
        match command {
            SharedCommand::Live(command) => Self::Live(command),
            SharedCommand::Parameters(RunningParameters { command }) => {
                let configuration = super::ConfigurationArguments::default();
                Self::Parameters(ParametersArguments {
                    command: Some(command),
                    configuration,
                    module: None,
                    json: false,
                })
            }
            SharedCommand::Why(arguments) => Self::Why(arguments),
            SharedCommand::Deploy(arguments) => Self::Deploy(arguments),
            SharedCommand::Export(arguments) => Self::Export(arguments),
            SharedCommand::Log(arguments) => Self::Log(arguments),
            SharedCommand::Doctor(arguments) => Self::Doctor(arguments),
            SharedCommand::Analyze(arguments) => Self::Analyze(arguments),
            SharedCommand::Assign(arguments) => Self::Assign(arguments),
            SharedCommand::Graph(arguments) => Self::Graph(arguments),
            SharedCommand::Simulate(arguments) => Self::Simulate(arguments),
            SharedCommand::Describe(command) => Self::Describe(command),
        }
    }
}
