//! `log extract-cycle`: a run of a module, as a test.

use std::fs;
use std::process::ExitCode;

use hemiola_recording::extracted::Extraction;
use hemiola_words::bytes;

use super::progress::read_log;
use crate::command_line::log::ExtractArguments;
use crate::commands::{check, print};
use crate::error::CommandError;
use crate::notes::note_differences;
use crate::program::Program;
use crate::session::Session;

pub fn extract(program: &Program, arguments: &ExtractArguments) -> Result<ExitCode, CommandError> {
    let wanted = Extraction::of(&arguments.module, &*arguments.cycle, arguments.run)?;
    let wanted = if arguments.replace { wanted.replacing() } else { wanted };
    let log = read_log(&arguments.log)?;
    wanted.find(&log)?;
    let session = Session::of_log(program, &arguments.configuration, &log)?;
    let differences = session.differences_from(&log)?;
    let Session { robot, warnings, remarks, .. } = session;
    remarks.iter().for_each(|remark| eprintln!("{remark}"));
    check::warn(&warnings, &[]);
    note_differences(&differences);
    let files = wanted.write(robot, &log, &arguments.output, |warning| eprintln!("warning: {warning}"))?;
    let size = fs::metadata(&files.data).map(|data| data.len()).unwrap_or_default();
    print(&format!(
        "{}: run {} of {}, at {}, with {} ({})\n",
        files.test.display(),
        files.run.run,
        files.run.cycle,
        files.run.now,
        files.data.display(),
        bytes(size)
    ))?;
    Ok(ExitCode::SUCCESS)
}
