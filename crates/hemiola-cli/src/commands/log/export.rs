//! `log export`: tables and pictures.

use std::process::ExitCode;

use hemiola_words::counted;

use super::LOSSY;
use super::progress::Progress;
use super::selection::{open, select};
use crate::command_line::log::ExportArguments;
use crate::commands::print;
use crate::error::CommandError;

/// The number of problems that are printed.
const MOST_PROBLEMS: usize = 20;

pub fn export(arguments: &ExportArguments) -> Result<ExitCode, CommandError> {
    let (log, begin) = open(&arguments.log, &arguments.selection.span)?;
    let selection = select(&arguments.selection, begin, &[&log])?;
    let mut log = log.keep(selection);
    let mut progress = Progress::new();
    let exported = hemiola_log::export(&mut log, arguments.result.path(), |done, all| progress.show(done, all))?;
    drop(progress);
    let mut text = String::new();
    for file in &exported.files {
        let content = if file.messages > 0 { counted(file.messages, "message") } else { "attachment".to_owned() };
        text += &format!("{}: {content}\n", file.path.display());
    }
    for problem in exported.problems.iter().take(MOST_PROBLEMS) {
        text += &format!("not exported: {problem}\n");
    }
    if exported.problems.len() > MOST_PROBLEMS {
        text += &format!("not exported: {} more\n", exported.problems.len() - MOST_PROBLEMS);
    }
    print(&text)?;
    Ok(ExitCode::from(if exported.problems.is_empty() { 0 } else { LOSSY }))
}
