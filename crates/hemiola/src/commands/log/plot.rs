//! `log plot`: numbers over time as a picture.

use std::collections::BTreeSet;
use std::process::ExitCode;

use hemiola_log::{Series, plot_svg};

use super::LOSSY;
use super::progress::Progress;
use super::selection::{open, span};
use crate::command_line::log::PlotArguments;
use crate::commands::print_or_write;
use crate::error::CommandError;

pub fn plot(arguments: &PlotArguments) -> Result<ExitCode, CommandError> {
    let (mut log, begin) = open(&arguments.log, &arguments.span)?;
    if log.summary().is_none_or(|summary| summary.channels.is_empty()) {
        // Channels are described on the way; what is wrong there is told when it is read again.
        while log.next_entry().is_some() {}
    }
    let topics: BTreeSet<String> = log.channels().map(|channel| channel.topic.clone()).collect();
    let fields = arguments.fields.iter().map(|field| series(field, &topics)).collect::<Result<Vec<_>, _>>()?;
    let (log, _) = open(&arguments.log, &arguments.span)?;
    let mut problems = 0;
    let mut progress = Progress::new();
    let span = span(&arguments.span, begin);
    let series = Series::read(
        log,
        span,
        fields,
        |done, all| progress.show(done, all),
        |problem| {
            eprintln!("{problem}");
            problems += 1;
        },
    )?;
    drop(progress);
    if let Some(empty) = series.iter().find(|series| series.count() == 0) {
        let (topic, path) = (&empty.topic, &empty.path);
        return Err(CommandError::Usage(format!(
            "{topic} has no number at `{path}` in this span of time; `log cat {} --topic {topic} --first 1` shows what it has",
            arguments.log.display()
        )));
    }
    print_or_write(&plot_svg(&series), arguments.output.as_deref())?;
    Ok(ExitCode::from(if problems > 0 { LOSSY } else { 0 }))
}

/// The longest topic that it may mean: topics may have dots in them.
fn series(field: &str, topics: &BTreeSet<String>) -> Result<Series, CommandError> {
    let rest = |topic: &String| field.strip_prefix(topic.as_str())?.strip_prefix('.').map(|path| (topic.clone(), path));
    match topics.iter().filter_map(rest).max_by_key(|(topic, _)| topic.len()) {
        Some((topic, path)) => Ok(Series::new(&topic, path)),
        None => Err(CommandError::unknown("topic with a field", field, topics.iter().map(String::as_str))),
    }
}
