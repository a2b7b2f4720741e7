//! `log merge`: several logs as one.

use std::process::ExitCode;

use hemiola_log::LogReader;
use hemiola_words::counted;

use super::LOSSY;
use super::progress::Progress;
use crate::command_line::log::MergeArguments;
use crate::commands::print;
use crate::error::CommandError;

pub fn merge(arguments: &MergeArguments) -> Result<ExitCode, CommandError> {
    let logs: Result<Vec<_>, _> = arguments.inputs.iter().map(|path| LogReader::open(path)).collect();
    let mut progress = Progress::new();
    let merged = hemiola_log::merge(&mut logs?, &arguments.output, |done, all| progress.show(done, all))?;
    drop(progress);
    for problem in &merged.problems {
        eprintln!("{problem}");
    }
    print(&format!("{}: {}\n", arguments.output.display(), counted(merged.messages, "message")))?;
    Ok(ExitCode::from(if merged.problems.is_empty() { 0 } else { LOSSY }))
}
