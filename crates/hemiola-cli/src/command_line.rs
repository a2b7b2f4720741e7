//! The command line of a robot's program.

pub mod deploy;
#[cfg(feature = "tools")]
pub mod describe;
pub mod export;
mod graphs;
pub mod live;
pub mod log;
#[cfg(feature = "tools")]
pub mod new;
pub mod profile;
mod result;
mod run;
mod time;
mod timing;
#[cfg(feature = "tools")]
pub mod tools;

pub use graphs::{GraphArguments, GraphFormat, SimulateArguments};
pub use result::ResultArguments;
pub use run::{LogSize, RunArguments};
pub use timing::{AnalyzeArguments, AnalyzeFormat, AssignArguments, At, WhyArguments};

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use hemiola_config::ForeignFile;

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

impl CommandLine {
    /// Adds the arguments of ROS 2 to those of `run`.
    pub fn with_ros_args(mut self, ros_args: Vec<String>) -> Self {
        if let Command::Run(arguments) = &mut self.command {
            arguments.ros_args = ros_args;
        }
        self
    }
}

#[derive(Subcommand, Debug)]
pub enum Command {
    /// Run the robot until its sources end, the time is over, or Ctrl-C
    #[command(after_help = "Examples:
  run --duration 30s                  half a minute, with a live view
  run --fast --headless --statistics out.json
                                      as fast as possible and reproducible, with statistics as JSON
  run --log game.mcap                 record everything that is provided
  run --log game.mcap --log-only Ball,Image@2
                                      record only these, images twice per second
  run --replay game.mcap --fast       the same runs again, as fast as possible
  run --replay game.mcap --fast --take BallPercept
                                      a changed ball model, on the recorded percepts
  run --replay game.mcap --speed 0.5 --from 61s --to 65s --loop
                                      four seconds of it, at half speed, repeatedly
  run --overlay outdoor --set cycle.motion.workers=2
  run --ros-args -r /scan:=/front/scan -r __ns:=/left -p Walk.gain:=0.5 --params-file walk.yaml
                                      arguments of ROS 2, as launch files pass them; `--` ends them
  run --process vision                only this process of a robot that has several; default: all of them
  run --host head                     the processes of this host, of a robot that has several")]
    Run(RunArguments),
    /// Check configuration and modules without running anything
    #[command(after_help = "Examples:
  check                               all errors and warnings
  check --explain cycle.motion        the origin of each value
  check --overlay outdoor --explain module.BallFinder.threshold")]
    Check(CheckArguments),
    /// Draw the whole robot, or the task graph of a cycle
    #[command(after_help = "Examples:
  graph                               the whole robot, and the tasks of all cycles, as text
  graph --format svg --output robot.svg
                                      a picture of the whole robot
  graph motion                        as text, with the critical path marked
  graph cognition --format svg --output cognition.svg
  graph motion --format dot | dot -Tpdf > motion.pdf
  graph --json | jq '.ways[] | [.from.name, .to.name, .carries]'
  graph --file other.json             for any task graph: workloads and module graphs as JSON

In the text, `remaining` is the length of the longest path from the task to the end of the run.")]
    Graph(GraphArguments),
    /// Predict the gain of more workers
    #[command(after_help = "Examples:
  simulate                            all cycles, with one to eight workers
  simulate cognition --workers 4 --picture schedule.svg
  simulate --file workload.json       for any task graph: workloads and module graphs as JSON

Durations are those of the profile that `run` keeps (`output.profile` in robot.toml).")]
    Simulate(SimulateArguments),
    /// Explain why a run of a cycle, or a chain from a sensor to an output, took as long as it did
    #[command(after_help = "Examples:
  why                                 all cycles and chains, with the longest of each
  why motion                          the longest run of motion: of the running robot, or else in the newest trace
  why motion --worst 3 --trace traces/nao-7.pftrace
  why motion --run 4711 --slice late.pftrace
                                      one run, and a trace of that moment for Perfetto
  why motion --at 12.3s               the run at this time of the robot's clock
  why imu-to-joints                   the longest reaction time of this chain in robot.toml, hop by hop
  why \"UpperCamera -> LegActuator.request\"
                                      the same for any chain
  why \"UpperCamera -> Leg\" --age     the longest data age; a unique part of the name is enough
  why motion --log game.mcap          the longest run of motion in a log
  why motion --robot nao              in the last seconds of a running robot

A run waits for its last task, which waits for a result or a worker, and so on back to the release of the run: the command shows these tasks, and what happened between them.
Usual durations come from the other runs of the trace, or from the profile that `run` keeps (`output.profile` in robot.toml).")]
    Why(WhyArguments),
    /// Compute whether all cycles, chains and callbacks meet their deadlines, also after changes
    #[command(after_help = "Examples:
  analyze                             deadline, bound, longest observed, margin of each cycle, chain and callback
  analyze --tasks                     also the time that each task may take before a deadline is missed
  analyze --what-if \"cores = 4\" --what-if \"BallPerceptor takes 2x\" --what-if \"motion every 10 ms, motion priority 50\"
                                      side by side; also: NAME takes 3 ms, NAME workers 2, NAME deadline 8 ms
  analyze --fail --quantile 0.999     for continuous integration: fails if a deadline may be missed
  analyze --profile game.mcap         with the execution times of a log
  analyze --format toml > system.toml the robot as a system that can be edited,
  analyze --system system.toml        and the bounds of that, or of any other system

A bound holds if execution times do not exceed those on which it rests, which are shown below the table, and if nothing else runs.
Execution times are those of the profile that `run` keeps (`output.profile` in robot.toml). More: docs/book/src/chains.md.")]
    Analyze(AnalyzeArguments),
    /// Find priorities, workers and cores for cycles and executors, so that all deadlines are met
    #[command(after_help = "Examples:
  assign                              an overlay with the reasons as comments
  assign --output assigned.toml
  assign --json | jq '.rows[] | [.name, .before.bound, .after.bound]'
  run --overlay assigned.toml         applies it
  assign --system system.toml         for any described system: its chains get executors, too

Sources keep their priorities, as they stand for drivers. If all priorities differ, they are only permuted among cycles and executors.")]
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
  parameters diff                     the differences to the files
  parameters save --overlay outdoor   write these values; comments and layout of the file are kept")]
    Parameters(ParametersArguments),
    /// List cycles, their modules, and what each update reads and provides
    #[command(
        after_help = "Updates are shown like their signatures: `Previous<T>` is the value of the previous run, `Samples<T>` are all samples since then."
    )]
    Modules(ModulesArguments),
    /// Show or delete the measurements of earlier runs
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
    #[cfg(feature = "tools")]
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
    /// The files of ROS 2 parameters, with those that are for this robot.
    #[arg(skip)]
    pub foreign: Vec<ForeignFile>,
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

#[cfg(all(test, feature = "tools"))]
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

    /// Returns all commands that are no groups of commands, with their words.
    fn leaves(command: &clap::Command, path: &str, found: &mut Vec<(String, clap::Command)>) {
        let inner: Vec<_> = command.get_subcommands().filter(|inner| inner.get_name() != "help").collect();
        if inner.is_empty() {
            found.push((path.trim().to_owned(), command.clone()));
        }
        inner.iter().for_each(|inner| leaves(inner, &format!("{path} {}", inner.get_name()), found));
    }

    /// The commands that print no facts: they do something, or draw, or write for a program.
    const WITHOUT_JSON: &[&str] = &[
        "run",
        "new",
        "view",
        "frames",
        "profile reset",
        "export ros-package",
        "completions",
        "man",
        "log recover",
        "log filter",
        "log merge",
        "log extract-cycle",
        "log export",
        "log import",
        "log plot",
    ];

    #[test]
    fn commands_have_one_form_for_one_need() {
        let mut all = Vec::new();
        [CommandLine::command(), tools::ToolsLine::command()].iter().for_each(|line| leaves(line, "", &mut all));
        assert!(all.len() > 60, "{}", all.len());
        for (path, command) in &all {
            let option = |name: &str| {
                command.get_arguments().find(|option| {
                    let aliases = option.get_visible_aliases().unwrap_or_default();
                    option.get_long() == Some(name) || aliases.contains(&name)
                })
            };
            match option("json") {
                // The name of a file would be another meaning of the word.
                Some(json) => assert!(!json.get_action().takes_values(), "{path}"),
                None => assert!(WITHOUT_JSON.contains(&path.as_str()), "{path} has no --json"),
            }
            let has = |name: &str| option(name).is_some();
            if has("count") {
                assert!(has("for"), "{path} has --count without --for");
            }
            if has("from") {
                assert!(has("to") && has("for"), "{path} has --from without --to and --for");
            }
            for old in ["svg", "out", "output-dir", "until", "start", "end", "tolerances"] {
                assert!(!has(old), "{path} --{old}");
            }
            let values = command.get_arguments().flat_map(|option| option.get_value_names().unwrap_or_default());
            for value in values {
                assert!(!["DIR", "DIRECTORY", "PATH", "N", "SECONDS"].contains(&value.as_str()), "{path} {value}");
            }
        }
    }

    #[test]
    fn what_writes_a_file_or_folder_takes_output() {
        let mut all = Vec::new();
        leaves(&CommandLine::command(), "", &mut all);
        for path in [
            "graph",
            "analyze",
            "assign",
            "snapshot",
            "export ros-package",
            "man",
            "log recover",
            "log filter",
            "log merge",
            "log extract-cycle",
            "log export",
            "log import",
            "log plot",
        ] {
            let (_, command) = all.iter().find(|(found, _)| found == path).unwrap();
            assert!(command.get_arguments().any(|option| option.get_long() == Some("output")), "{path}");
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
