//! The commands, one file for each.

mod analyze;
mod assign;
mod check;
mod deploy;
#[cfg(feature = "tools")]
mod describe;
mod doctor;
mod export;
mod graph;
mod live;
mod log;
mod modules;
#[cfg(feature = "tools")]
mod new;
mod parameters;
mod profile;
mod run;
mod simulate;
mod subject;
mod why;

pub use check::warn;
#[cfg(feature = "tools")]
pub use new::new;

use std::io::{self, ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use rustix::fs::{FileType, Stat, fstat};
use rustix::io::Errno;

use crate::command_line::Command;
use crate::error::CommandError;
use crate::notes::tell;
use crate::program::Program;
use crate::ros_args;

/// Executes a command of the program of that name, whose command line is `line`.
pub fn perform(
    program: &Program,
    name: &str,
    line: clap::Command,
    command: &Command,
) -> Result<ExitCode, CommandError> {
    #[cfg(not(feature = "tools"))]
    drop(line);
    match command {
        Command::Run(arguments) => run::run(program, name, &ros_args::applied(program, name, arguments)?),
        Command::Check(arguments) => check::check(program, arguments),
        Command::Graph(arguments) => graph::graph(program, name, arguments),
        Command::Simulate(arguments) => simulate::simulate(program, arguments),
        Command::Why(arguments) => why::why(program, name, arguments),
        Command::Analyze(arguments) => analyze::analyze(program, arguments),
        Command::Assign(arguments) => assign::assign(program, arguments),
        Command::Doctor(arguments) => doctor::doctor(arguments),
        Command::Parameters(arguments) => parameters::parameters(program, name, arguments),
        Command::Modules(arguments) => modules::modules(program, arguments),
        Command::Profile(arguments) => profile::profile(program, arguments),
        Command::Export(arguments) => export::export(program, arguments),
        Command::Log(arguments) => log::log(program, arguments),
        Command::Deploy(arguments) => deploy::deploy(program, arguments),
        Command::Live(command) => live::live(own_name(program, name), command),
        #[cfg(feature = "tools")]
        Command::Describe(command) => describe::describe(name, line, command),
    }
}

/// Returns the name of this program's robots, by which commands look for a running one.
fn own_name<'n>(program: &Program, name: &'n str) -> Option<&'n str> {
    program.has_robot.then_some(name)
}

/// Prints a text. A reader that closes its end, as `head` does, or a terminal that closes, is not
/// an error.
fn print(text: &str) -> Result<ExitCode, CommandError> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe && !is_hung_up(&error) => {
            Err(CommandError::Write { path: "the standard output".into(), error })
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// Returns whether the error is that of a closed terminal.
fn is_hung_up(error: &io::Error) -> bool {
    let is_device = |stat: Stat| FileType::from_raw_mode(stat.st_mode) == FileType::CharacterDevice;
    Errno::from_io_error(error) == Some(Errno::IO) && fstat(io::stdout()).is_ok_and(is_device)
}

/// Prints an answer as JSON.
fn print_json(answer: &serde_json::Value) -> Result<ExitCode, CommandError> {
    print(&(serde_json::to_string_pretty(answer).unwrap_or_default() + "\n"))
}

/// Returns a duration as nanoseconds for JSON.
fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// Writes to a file, or prints.
fn print_or_write(text: &str, path: Option<&Path>) -> Result<ExitCode, CommandError> {
    let Some(path) = path else { return print(text) };
    std::fs::write(path, text).map_err(|error| CommandError::Write { path: path.to_owned(), error })?;
    tell(format_args!("written: {}", path.display()));
    Ok(ExitCode::SUCCESS)
}

/// Returns the number of columns of the terminal, or `otherwise` if there is none.
fn columns(otherwise: usize) -> usize {
    crate::terminal::terminal_size().map_or(otherwise, |size| size.columns)
}

/// Returns words that begin in column `indent` of a line, wrapped to the width of the terminal with
/// that indent.
fn wrapped(words: &str, indent: usize) -> String {
    let width = columns(usize::MAX).max(indent + NARROWEST_TEXT);
    let (mut text, mut column) = (String::new(), indent);
    for (index, word) in words.split_whitespace().enumerate() {
        let length = word.chars().count();
        if index > 0 && column + 1 + length > width {
            text += &format!("\n{:indent$}", "");
            column = indent;
        } else if index > 0 {
            text.push(' ');
            column += 1;
        }
        text += word;
        column += length;
    }
    text
}

/// The minimum width of wrapped text; a narrower terminal wraps lines itself.
const NARROWEST_TEXT: usize = 30;
