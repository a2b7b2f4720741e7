//! `log merge`: several logs as one.

use std::process::ExitCode;

use hemiola_log::LogReader;
use hemiola_recording::parts::PartLogs;
use hemiola_words::counted;

use super::LOSSY;
use super::progress::Progress;
use crate::command_line::log::MergeArguments;
use crate::commands::print;
use crate::error::CommandError;
use crate::notes::tell;

pub fn merge(arguments: &MergeArguments) -> Result<ExitCode, CommandError> {
    let open = || arguments.inputs.iter().map(|path| LogReader::open(path)).collect::<Result<Vec<_>, _>>();
    let (mut logs, parts) = (open()?, PartLogs::of(open()?));
    let mut progress = Progress::new();
    let merged = match &parts {
        Some(parts) => {
            hemiola_log::merge_joined(&mut logs, parts, &arguments.output, |done, all| progress.show(done, all))?
        }
        None => hemiola_log::merge(&mut logs, &arguments.output, |done, all| progress.show(done, all))?,
    };
    drop(progress);
    for (process, later) in parts.iter().flat_map(PartLogs::processes).filter(|(_, later)| !later.is_zero()) {
        tell(format_args!("process {process} began {} later than the first one", hemiola_words::duration(later)));
    }
    for problem in &merged.problems {
        eprintln!("{problem}");
    }
    print(&format!("{}: {}\n", arguments.output.display(), counted(merged.messages, "message")))?;
    Ok(ExitCode::from(if merged.problems.is_empty() { 0 } else { LOSSY }))
}
