//! `log import`: a log from recordings in other formats.

use std::process::ExitCode;

use hemiola_log::Timing;
use hemiola_words::{counted, grouped};

use super::LOSSY;
use super::progress::Progress;
use crate::command_line::log::ImportArguments;
use crate::commands::print;
use crate::error::CommandError;

/// The number of problems that are printed.
const MOST_PROBLEMS: usize = 20;

pub fn import(arguments: &ImportArguments) -> Result<ExitCode, CommandError> {
    let ImportArguments { recording, result, time_column, rate, compression } = arguments;
    let output = result.path();
    let timing = Timing { column: time_column.clone(), rate: *rate };
    let mut progress = Progress::new();
    let imported = hemiola_log::import(recording, output, (*compression).into(), &timing, |done, all| {
        progress.show(done, all);
    })?;
    drop(progress);
    for problem in imported.problems.iter().take(MOST_PROBLEMS) {
        eprintln!("{problem}");
    }
    if let Some(more) = imported.problem_count.checked_sub(MOST_PROBLEMS as u64).filter(|&more| more > 0) {
        eprintln!("and {} more", grouped(more));
    }
    for note in imported.notes.iter().take(MOST_PROBLEMS) {
        eprintln!("{note}");
    }
    if let Some(more) = imported.notes.len().checked_sub(MOST_PROBLEMS).filter(|&more| more > 0) {
        eprintln!("and {} more", grouped(more as u64));
    }
    let width = imported.channels.iter().map(|channel| channel.topic.chars().count()).max().unwrap_or(0);
    let mut text = format!("{}\n", output.display());
    for channel in &imported.channels {
        text += &format!("  {:width$}  {}\n", channel.topic, counted(channel.messages, "message"));
    }
    print(&text)?;
    Ok(ExitCode::from(if imported.problem_count == 0 { 0 } else { LOSSY }))
}
