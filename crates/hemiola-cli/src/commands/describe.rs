//! `completions` and `man`: the command line, for shells and for `man`.

use std::path::Path;
use std::process::ExitCode;

use super::print;
use crate::command_line::describe::DescribeCommand;
use crate::error::CommandError;
use crate::notes::tell;

/// Describes the command line of the program of that name.
pub fn describe(name: &str, line: clap::Command, command: &DescribeCommand) -> Result<ExitCode, CommandError> {
    match command {
        DescribeCommand::Completions(arguments) => {
            let (mut line, mut script) = (line, Vec::new());
            clap_complete::generate(arguments.shell, &mut line, name, &mut script);
            print(&String::from_utf8_lossy(&script))
        }
        DescribeCommand::Man(arguments) => man(name, line, arguments.result.path()),
    }
}

fn man(name: &str, line: clap::Command, folder: &Path) -> Result<ExitCode, CommandError> {
    std::fs::create_dir_all(folder)
        // Pages have the name of the program, not the one in its sources.
        .and_then(|()| clap_mangen::generate_to(line.display_name(name.to_owned()), folder))
        .map_err(|error| CommandError::Write { path: folder.to_owned(), error })?;
    tell(format_args!("written: {}", folder.join(format!("{name}.1")).display()));
    Ok(ExitCode::SUCCESS)
}
