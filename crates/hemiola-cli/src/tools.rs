use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use hemiola_config::Base;

use crate::application::complain;
use crate::command_line::tools::{SharedCommand, ToolsCommand, ToolsLine};
use crate::commands;
use crate::error::CommandError;
use crate::program::Program;

/// Runs a command of the program `hemiola`, which does not need a robot's code: it observes and
/// changes running robots, reads logs, and examines the machine. The exit code is that of
/// [`Application::run`](crate::Application::run).
///
/// ```
/// use std::process::ExitCode;
///
/// assert_eq!(hemiola_cli::tools(["hemiola", "ps"]), ExitCode::SUCCESS);
/// assert_eq!(hemiola_cli::tools(["hemiola", "pss"]), ExitCode::from(2));
/// ```
pub fn tools(arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> ExitCode {
    let line = match ToolsLine::try_parse_from(arguments) {
        Ok(line) => line,
        Err(error) => {
            _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let done = match line.command {
        ToolsCommand::New(arguments) => commands::new(&arguments),
        ToolsCommand::Shared(command) => perform(command),
    };
    done.unwrap_or_else(|error| {
        complain(&error);
        error.exit_code()
    })
}

fn perform(command: SharedCommand) -> Result<ExitCode, CommandError> {
    if let Some(lack) = command.lacks() {
        return Err(CommandError::Usage(lack.to_owned()));
    }
    let program = Program::without_robot(Base::Text { name: "no robot".into(), text: String::new() });
    commands::perform(&program, "hemiola", ToolsLine::command(), &command.into())
}
