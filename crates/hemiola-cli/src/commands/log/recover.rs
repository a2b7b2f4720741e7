//! `log recover`: the undamaged parts in a new file; `log filter`: some of them.

use std::fs::File;
use std::path::Path;
use std::process::ExitCode;

use hemiola_log::{Doubt, LogError, LogReader, Recovery};
use hemiola_words::counted;

use super::LOSSY;
use super::progress::Progress;
use super::selection::{open, select};
use crate::command_line::log::{FilterArguments, RecoverArguments};
use crate::commands::print;
use crate::error::CommandError;

/// The largest amount of memory that a chunk or record may need.
const MEMORY_LIMIT: u64 = 1 << 30;

pub fn recover(arguments: &RecoverArguments) -> Result<ExitCode, CommandError> {
    let input = arguments.input.clone();
    let file = File::open(&input).map_err(|error| LogError::Open { path: input.clone(), error })?;
    let doubt = if arguments.doubtful { Doubt::Deliver } else { Doubt::Skip };
    write(LogReader::with(file, input, doubt, MEMORY_LIMIT)?, arguments.result.path())
}

pub fn filter(arguments: &FilterArguments) -> Result<ExitCode, CommandError> {
    let (log, begin) = open(&arguments.input, &arguments.selection.span)?;
    let selection = select(&arguments.selection, begin, &[&log])?;
    write(log.keep(selection), arguments.result.path())
}

fn write(mut log: LogReader, output: &Path) -> Result<ExitCode, CommandError> {
    let mut progress = Progress::new();
    let recovery = hemiola_log::recover(&mut log, output, |done, all| progress.show(done, all))?;
    drop(progress);
    print(&report(&recovery, output))?;
    Ok(ExitCode::from(if recovery.has_losses() { LOSSY } else { 0 }))
}

fn report(recovery: &Recovery, output: &Path) -> String {
    let Recovery { messages, attachments, metadata, .. } = recovery;
    let mut text = format!("{}: kept {}", output.display(), counted(*messages, "message"));
    if *attachments > 0 {
        text += &format!(", {}", counted(*attachments, "attachment"));
    }
    if *metadata > 0 {
        text += &format!(", {}", counted(*metadata, "metadata record"));
    }
    text += "\n";
    for problem in &recovery.problems {
        let problem = problem.to_string();
        // The advice to use `log recover` is removed, because that is running.
        text += &format!("  {}\n", problem.split(" (`log recover").next().unwrap_or(&problem));
    }
    let untold = recovery.problem_count - recovery.problems.len() as u64;
    if untold > 0 {
        text += &format!("  and {untold} more\n");
    }
    if recovery.orphans > 0 {
        text +=
            &format!("lost: {} of channels that nothing readable describes\n", counted(recovery.orphans, "message"));
    }
    text += &match (recovery.missing, recovery.has_losses()) {
        (Some(missing @ 1..), _) => {
            format!("lost: {}, according to the log's own statistics\n", counted(missing, "message"))
        }
        (_, true) => "lost: the contents of those places; the number of messages is not known\n".to_owned(),
        (_, false) if recovery.problem_count == 0 => "lost: nothing\n".to_owned(),
        (_, false) => {
            "lost: nothing that was in the file; messages that were not written yet are not known\n".to_owned()
        }
    };
    text
}
