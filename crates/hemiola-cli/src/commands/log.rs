//! `log`: the commands for logs. All but `verify` and `extract-cycle` need no robot: any program
//! with Hemiola in it reads any log.

mod cat;
mod diff;
mod export;
mod extract;
mod import;
mod info;
mod merge;
mod plot;
mod progress;
mod recover;
mod selection;
mod verify;

pub use progress::read_log;

use std::process::ExitCode;

use crate::command_line::log::{LogArguments, LogCommand};
use crate::error::CommandError;
use crate::program::Program;

pub fn log(program: &Program, arguments: &LogArguments) -> Result<ExitCode, CommandError> {
    match &arguments.command {
        LogCommand::Info(arguments) => info::info(arguments),
        LogCommand::Cat(arguments) => cat::cat(arguments),
        LogCommand::Recover(arguments) => recover::recover(arguments),
        LogCommand::Filter(arguments) => recover::filter(arguments),
        LogCommand::Merge(arguments) => merge::merge(arguments),
        LogCommand::Diff(arguments) => diff::diff(arguments),
        LogCommand::Verify(arguments) => verify::verify(program, arguments),
        LogCommand::Export(arguments) => export::export(arguments),
        LogCommand::ExtractCycle(arguments) => extract::extract(program, arguments),
        LogCommand::Import(arguments) => import::import(arguments),
        LogCommand::Plot(arguments) => plot::plot(arguments),
    }
}

/// The exit code if part of the log is lost.
pub const LOSSY: u8 = 3;
