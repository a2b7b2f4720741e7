//! The command line of a robot's program.

pub mod deploy;
pub mod describe;
pub mod export;
mod graphs;
pub mod live;
pub mod log;
pub mod new;
pub mod profile;
mod run;
mod time;
mod timing;
pub mod tools;

pub use graphs::{GraphArguments, GraphFormat, SimulateArguments};
pub use run::{LogSize, RunArguments};
pub use timing::{AnalyzeArguments, AnalyzeFormat, AssignArguments, At, WhyArguments};

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// The whole command line. Without a command, the command is `run`.
#[derive(Parser, Debug)]
#[command(
    about = "Runs and examines this robot. Without a command: run.",
    disable_version_flag = true,
    after_help = "`help COMMAND` explains a command."
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
                                      as fast as possible and reproducible, with figures as JSON
  run --log game.mcap                 record all that is provided
  run --log game.mcap --log-only Ball,Image@2
                                      record these, images twice a second
  run --replay game.mcap --fast       the same runs again, as fast as possible
  run --replay game.mcap --fast --take BallPercept
                                      a changed ball model on the percepts of that game
  run --replay game.mcap --speed 0.5 --from 61s --to 65s --loop
                                      four seconds of it, at half the pace, repeatedly
  run --overlay outdoor --set cycle.motion.workers=2
  run --process vision                the part of a robot with `[process.vision]`; without: all of its processes
  run --host head                     the processes of that host, of a robot that has several")]
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
    /// Predict the gain of more workers
    #[command(after_help = "Examples:
  simulate                            all cycles with one to eight workers
  simulate cognition --workers 4 --svg schedule.svg
  simulate --file workload.json       of any task graph: workloads and module graphs as JSON

Durations are those of the profile that `run` keeps (`output.profile` in robot.toml).")]
    Simulate(SimulateArguments),
    /// Explain why a run of a cycle, or a chain from a sensor to an output, took as long as it did
    #[command(after_help = "Examples:
  why                                 what can be asked about, with the longest of each
  why motion                          the longest run of motion: of the robot while it runs, else in the newest trace
  why motion --worst 3 --trace traces/nao-7.pftrace
  why motion --run 4711 --slice late.pftrace
                                      one run, and a trace of that moment for Perfetto
  why motion --at 12.3s               the run at this time of the robot's clock
  why imu-to-joints                   the longest reaction time of the chain with this name in robot.toml, hop by hop
  why \"UpperCamera -> LegActuator.request\"
                                      of any chain
  why \"UpperCamera -> Leg\" --age     the greatest data age; a unique part of the name is enough
  why motion --log game.mcap          the longest run of motion in a log
  why motion --robot nao              in the last seconds of a running robot

A run waits for its last task, which waits for a result or a worker, and so on back to the release of the run: the command shows these tasks, and what happened between them.
Usual durations come from the other runs of the trace, or from the profile that `run` keeps (`output.profile` in robot.toml).")]
    Why(WhyArguments),
    /// Compute whether all cycles, chains and callbacks meet their deadlines, also after changes
    #[command(after_help = "Examples:
  analyze                             deadline, bound, longest observed, margin of each cycle, chain and callback
  analyze --tasks                     and how long each task may take before something fails
  analyze --what-if \"cores = 4\" --what-if \"BallPerceptor takes 2x\" --what-if \"motion every 10 ms, motion priority 50\"
                                      side by side; also: NAME takes 3 ms, NAME workers 2, NAME deadline 8 ms
  analyze --fail --quantile 0.999     for continuous integration: fails if something does not fit
  analyze --profile game.mcap         with the execution times of a log
  analyze --format toml > system.toml the robot as a system that can be edited,
  analyze --system system.toml        and bounds for that, or for any other system

A bound holds if execution times do not exceed those that it rests on, which are shown below it, and if nothing runs that is not part of it.
Execution times are those of the profile that `run` keeps (`output.profile` in robot.toml). More: docs/book/src/chains.md.")]
    Analyze(AnalyzeArguments),
    /// Find priorities, workers and cores for cycles and executors, so that all deadlines are met
    #[command(after_help = "Examples:
  assign                              an overlay with the reasons as comments
  assign --output assigned.toml
  run --overlay assigned.toml         applies it
  assign --system system.toml         of any described system: its chains get executors

Sources keep their priorities: they stand for drivers. Priorities are those that cycles and executors have, in another order, if all differ.")]
    Assign(AssignArguments),
    /// Examine whether this machine is fit for real time, and show remedies
    Doctor(DoctorArguments),
    /// List parameters with type, range, unit and current value; get, set and save those of a
    /// running robot
    #[command(after_help = "Examples:
  parameters                          of all modules and sources, as configured
  parameters BallFinder               of one
  parameters --set module.BallFinder.threshold=0.7 BallFinder
  parameters get BallFinder.threshold of the running robot
  parameters set BallFinder.threshold 0.7
  parameters diff                     what differs from the files
  parameters save --overlay outdoor   writes these values; comments and layout of the file stay")]
    Parameters(ParametersArguments),
    /// List cycles, their modules, and what each update reads and provides
    #[command(
        after_help = "Updates are shown like their signatures: `Previous<T>` is the value of the last run, `Samples<T>` all since then."
    )]
    Modules(ModulesArguments),
    /// Show or delete what was measured in earlier runs
    Profile(profile::ProfileArguments),
    /// Build the robot for other machines, copy it there over ssh, and start it
    #[command(after_help = deploy::EXAMPLES)]
    Deploy(deploy::DeployArguments),
    /// Write the robot's types for other programs: ROS 2 packages
    Export(export::ExportArguments),
    /// Inspect, print, compare and repair logs
    Log(log::LogArguments),
    #[command(flatten)]
    Live(live::LiveCommand),
    #[command(flatten)]
    Describe(describe::DescribeCommand),
}

/// The options that select the configuration.
#[derive(Args, Clone, Debug, Default)]
pub struct ConfigurationArguments {
    /// A base file to use instead of the robot's own
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Apply an overlay: a name in overlays/, or a path; repeatable, the last one has precedence
    #[arg(long = "overlay", value_name = "NAME")]
    pub overlays: Vec<String>,
    /// Override a value of the files: cycle.motion.workers=2; repeatable
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub assignments: Vec<String>,
    /// The part of the robot that runs in this process of robot.toml, instead of the whole robot
    #[arg(long, value_name = "NAME")]
    pub process: Option<String>,
}

#[derive(Args, Debug)]
pub struct CheckArguments {
    #[command(flatten)]
    pub configuration: ConfigurationArguments,
    /// Show where the value of a key, or of all keys below it, comes from
    #[arg(long, value_name = "KEY")]
    pub explain: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct DoctorArguments {
    /// Print JSON
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
    /// A module or a source; default: all
    pub module: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Args, Debug)]
pub struct ModulesArguments {
    #[command(flatten)]
    pub configuration: ConfigurationArguments,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
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
}
