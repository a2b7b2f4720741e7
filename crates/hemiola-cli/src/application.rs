use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, CommandFactory, FromArgMatches};
use hemiola_bus::DeclaredService;
use hemiola_config::Base;
use hemiola_model::Data;
use hemiola_runtime::RobotHandle;

use crate::command_line::CommandLine;
use crate::commands;
use crate::error::CommandError;
use crate::program::Program;
use crate::ros_args;

/// A robot's program: its command line around the modules that are linked into it.
///
/// It finds all modules and sources that are linked into the program; none is listed anywhere.
///
/// | method | purpose |
/// |---|---|
/// | [`new`](Self::new), [`embedded`](Self::embedded) | where the configuration is: in a file, or in the program |
/// | [`started`](Self::started) | threads, executors and servers beside the cycles: one closure |
/// | [`live`](Self::live), [`summary`](Self::summary) | lines of the robot's own, while it runs and at its end: one closure each |
/// | [`service`](Self::service) | a service that tools and links may call; as often as there are services |
/// | [`command`](Self::command), [`command_with_flags`](Self::command_with_flags) | a command of the robot's own; as often as there are commands |
/// | [`run`](Self::run), [`run_with`](Self::run_with) | executes what the command line asks for, and returns the exit code |
///
/// Of closures of one kind the last one counts. Without a command the program runs the robot;
/// `--help` lists all commands.
///
/// ```no_run
/// fn main() -> std::process::ExitCode {
///     hemiola_cli::Application::new(concat!(env!("CARGO_MANIFEST_DIR"), "/robot.toml")).run()
/// }
/// ```
pub struct Application {
    program: Program,
    commands: Vec<CustomCommand>,
}

struct CustomCommand {
    name: &'static str,
    about: &'static str,
    /// The flags that the command accepts; with `None`, all arguments are passed on.
    flags: Option<&'static [&'static str]>,
    run: fn(&[String]) -> ExitCode,
}

impl Application {
    /// Creates a robot with this `robot.toml`; `--config` selects another one.
    pub fn new(configuration: impl Into<PathBuf>) -> Self {
        Self::with_base(Base::File(configuration.into()))
    }

    /// Creates a robot whose configuration is part of the program; overlays and `--set` apply to it
    /// as to a file.
    pub fn embedded(configuration: &str) -> Self {
        Self::with_base(Base::Text { name: "built-in robot.toml".into(), text: configuration.into() })
    }

    fn with_base(base: Base) -> Self {
        Self { program: Program::new(base), commands: Vec::new() }
    }

    /// Adds a command of the robot's own; `run` receives all arguments after its name.
    #[must_use]
    pub fn command(mut self, name: &'static str, about: &'static str, run: fn(&[String]) -> ExitCode) -> Self {
        self.commands.push(CustomCommand { name, about, flags: None, run });
        self
    }

    /// Adds a command of the robot's own that has these flags, such as `--json`. Any other flag is
    /// an error that suggests the nearest one; `run` receives the flags after its name first, and
    /// then all other arguments.
    ///
    /// ```
    /// use std::process::ExitCode;
    /// use hemiola_cli::Application;
    ///
    /// fn score(arguments: &[String]) -> ExitCode {
    ///     assert_eq!(arguments, ["--json", "walk"]);
    ///     ExitCode::SUCCESS
    /// }
    ///
    /// let robot = || Application::embedded("").command_with_flags("score", "Scores a recording: score DIR", &["--json"], score);
    /// assert_eq!(robot().run_with(["robot", "score", "walk", "--json"]), ExitCode::SUCCESS);
    /// assert_eq!(robot().run_with(["robot", "score", "walk", "--jsn"]), ExitCode::from(2));
    /// ```
    #[must_use]
    pub fn command_with_flags(
        mut self,
        name: &'static str,
        about: &'static str,
        flags: &'static [&'static str],
        run: fn(&[String]) -> ExitCode,
    ) -> Self {
        self.commands.push(CustomCommand { name, about, flags: Some(flags), run });
        self
    }

    /// Declares a service of this robot, with the types of its requests and answers: tools, links
    /// and other processes of the robot may call it, the answers that modules get are in logs, and
    /// `export ros-package` writes its definition. Its server is created when the robot has
    /// [started](Self::started).
    ///
    /// ```no_run
    /// use hemiola_cli::Application;
    ///
    /// fn main() -> std::process::ExitCode {
    ///     Application::new("robot.toml").service::<f64, bool>("calibrate").run()
    /// }
    /// ```
    #[must_use]
    pub fn service<Request, Response>(mut self, name: impl Into<String>) -> Self
    where
        Request: Data + Send + 'static,
        Response: Data + Send + 'static,
    {
        self.program.services.push(DeclaredService::of::<Request, Response>(name));
        self
    }

    /// Calls `start` on the main thread when the robot has started: the place for threads, servers
    /// and executors of one's own ([`RobotHandle::bus`], [`RobotHandle::executor`]). What it makes
    /// is kept by the closure, for instance in a `RefCell`: a server or executor that is dropped
    /// ends.
    ///
    /// It is called in each process of a robot that is cut into several, for robots that are
    /// stepped and replays as well, and again each time that a replay begins anew (`--loop`). A
    /// server for a service that another process serves is idle.
    #[must_use]
    pub fn started(mut self, start: impl Fn(&RobotHandle) + 'static) -> Self {
        self.program.started = Some(Box::new(start));
        self
    }

    /// Shows these lines in the live view, and below the line of each second where there is none
    /// (`--headless`). The closure is called whenever that is shown anew.
    #[must_use]
    pub fn live(mut self, lines: impl Fn(&RobotHandle) -> Vec<String> + 'static) -> Self {
        self.program.live = Some(Box::new(lines));
        self
    }

    /// Shows these lines at the end. The closure can read the last values of a robot that has
    /// stopped.
    #[must_use]
    pub fn summary(mut self, lines: impl Fn(&RobotHandle) -> Vec<String> + 'static) -> Self {
        self.program.summary = Some(Box::new(lines));
        self
    }

    /// Executes what the command line asks for.
    ///
    /// The exit code is 0 on success, 2 if the command line or the configuration is wrong, 1 if
    /// something failed while running, and 3 if part of a log is lost: of one that was read, or of
    /// the one that was to be recorded.
    pub fn run(mut self) -> ExitCode {
        self.program.is_process = true;
        self.run_with(std::env::args_os())
    }

    /// Runs like [`run`](Self::run), with these arguments, of which the first one is the program's
    /// name, and without a guard (`[guard]` of robot.toml), as the process may serve other
    /// purposes, too.
    pub fn run_with(self, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> ExitCode {
        let mut arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
        let name = robot_name(arguments.first());
        insert_run(&mut arguments);
        let is_run = arguments.get(1).is_some_and(|command| command == RUN);
        let ros_args = if is_run { ros_args::take(&mut arguments) } else { Vec::new() };
        let matches = match self.clap(&name).try_get_matches_from(&arguments) {
            Ok(matches) => matches,
            Err(error) => {
                let code = u8::try_from(error.exit_code()).unwrap_or(2);
                _ = error.print();
                return ExitCode::from(code);
            }
        };
        if let Some((name, matches)) = matches.subcommand()
            && let Some(command) = self.commands.iter().find(|command| command.name == name)
        {
            return (command.run)(&rest(matches, command.flags.unwrap_or_default()));
        }
        let done = CommandLine::from_arg_matches(&matches)
            .map_err(|error| CommandError::Usage(error.to_string()))
            .map(|line| line.with_ros_args(ros_args))
            .and_then(|line| commands::perform(&self.program, &name, self.clap(&name), &line.command));
        match done {
            Ok(code) => code,
            Err(error) => {
                complain(&error);
                error.exit_code()
            }
        }
    }

    fn clap(&self, name: &str) -> clap::Command {
        let custom = self.commands.iter().map(|command| {
            let arguments = Arg::new(REST).action(ArgAction::Append).num_args(0..).value_name("ARGUMENTS");
            let custom = clap::Command::new(command.name).about(command.about);
            let Some(flags) = command.flags else {
                let arguments = arguments.trailing_var_arg(true).allow_hyphen_values(true);
                return custom.disable_help_flag(true).arg(arguments);
            };
            let flag =
                |flag: &&'static str| Arg::new(*flag).long(flag.trim_start_matches('-')).action(ArgAction::SetTrue);
            custom.args(flags.iter().map(flag)).arg(arguments)
        });
        CommandLine::command()
            .bin_name(name.to_owned())
            .override_usage(format!("{name} [COMMAND] [OPTIONS]"))
            .subcommands(custom)
    }
}

/// The id under which clap keeps the arguments of a robot's own command.
const REST: &str = "arguments";

fn rest(matches: &ArgMatches, flags: &[&str]) -> Vec<String> {
    let flags = flags.iter().filter(|flag| matches.get_flag(flag)).map(|flag| (*flag).to_owned());
    flags.chain(matches.get_many::<String>(REST).into_iter().flatten().cloned()).collect()
}

/// Returns the robot's name: that of its program, without folder and extension.
fn robot_name(program: Option<&OsString>) -> String {
    let stem = program.and_then(|program| Path::new(program).file_stem());
    stem.map_or_else(|| "robot".to_owned(), |stem| stem.to_string_lossy().into_owned())
}

/// The command that is meant where none is typed.
const RUN: &str = "run";

/// Inserts `run` where no command is typed.
fn insert_run(arguments: &mut Vec<OsString>) {
    if arguments.is_empty() {
        arguments.push("robot".into());
    }
    let is_command = |argument: &OsString| {
        let text = argument.to_string_lossy();
        !text.starts_with('-') || matches!(text.as_ref(), "-h" | "--help")
    };
    if !arguments.get(1).is_some_and(is_command) {
        arguments.insert(1, RUN.into());
    }
}

/// Prints an error to the standard error output.
pub fn complain(error: &CommandError) {
    let mut stderr = std::io::stderr();
    let text = match error {
        CommandError::Configuration(error) if stderr.is_terminal() => error.coloured(),
        error => error.to_string(),
    };
    _ = writeln!(stderr, "{text}");
}
