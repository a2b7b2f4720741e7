use std::ffi::OsString;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, Parser};
use hemiola_config::Base;

use crate::application::complain;
use crate::command_line::tools::{SharedCommand, ToolsCommand, ToolsLine, only_of_robots};
use crate::commands;
use crate::error::CommandError;
use crate::program::Program;
use crate::shell::quoted;

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
    let arguments: Vec<OsString> = arguments.into_iter().map(Into::into).collect();
    let line = match ToolsLine::try_parse_from(&arguments) {
        Ok(line) => line,
        Err(error) => {
            let only_of_robots = unknown_command(&error).and_then(|name| only_of_robots(name, &own(&arguments)));
            match only_of_robots {
                Some(answer) => complain(&CommandError::Usage(answer)),
                None => _ = error.print(),
            }
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let done = match line.command {
        ToolsCommand::New(arguments) => commands::new(&arguments),
        ToolsCommand::Shared(command) => perform(command, &own(&arguments)),
    };
    done.unwrap_or_else(|error| {
        complain(&error);
        error.exit_code()
    })
}

fn perform(command: SharedCommand, own: &str) -> Result<ExitCode, CommandError> {
    if let Some(lack) = command.lacks(own) {
        return Err(CommandError::Usage(lack));
    }
    let program = Program::without_robot(Base::Text { name: "no robot".into(), text: String::new() });
    commands::perform(&program, "hemiola", ToolsLine::command(), &command.into())
}

/// Returns the command that does in a robot's own program what was typed, for a shell.
fn own(arguments: &[OsString]) -> String {
    arguments
        .iter()
        .skip(1)
        .fold("cargo run --".to_owned(), |own, argument| own + " " + &quoted(&argument.to_string_lossy()))
}

fn unknown_command(error: &clap::Error) -> Option<&str> {
    match error.get(ContextKind::InvalidSubcommand)? {
        ContextValue::String(name) => Some(name),
        _ => None,
    }
}
