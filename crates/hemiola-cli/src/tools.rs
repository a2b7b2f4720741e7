use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;
use hemiola_config::Base;

use crate::application::complain;
use crate::command_line::tools::ToolsLine;
use crate::commands;
use crate::error::CommandError;
use crate::program::Program;

/// Runs a command of the program `hemiola`, which needs no robot's code: it looks at running robots
/// and changes them, reads logs, and examines the machine. The exit code is that of
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
    let done = match line.command.lacks() {
        Some(lack) => Err(CommandError::Usage(lack.to_owned())),
        None => {
            let program = Program::without_robot(Base::Text { name: "no robot".into(), text: String::new() });
            commands::perform(&program, "hemiola", &line.command.into())
        }
    };
    done.unwrap_or_else(|error| {
        complain(&error);
        error.exit_code()
    })
}
