//! The selection of messages of a log, by topic and time since its first message.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

use hemiola_log::{Entry, LogReader, LogTime, Selection};

use crate::command_line::log::{SelectionArguments, SpanArguments};
use crate::error::CommandError;

/// Opens a log, and finds the time of its earliest message.
pub fn open(path: &Path, span: &SpanArguments) -> Result<(LogReader, LogTime), CommandError> {
    let mut log = LogReader::open(path)?;
    if let Some(statistics) = log.summary().and_then(|summary| summary.statistics.as_ref())
        && statistics.message_count > 0
    {
        let begin = LogTime::from_nanoseconds(statistics.message_start_time);
        return Ok((log, begin));
    }
    // Without statistics, the first message that can be read counts as the earliest.
    let mut begin = None;
    while begin.is_none()
        && let Some(entry) = log.next_entry()
    {
        if let Ok(Entry::Message(message)) = entry {
            begin = Some(message.log_time);
        }
    }
    if begin.is_none() && span.is_given() {
        return Err(CommandError::Usage(format!(
            "{} has no messages, so that times have no reference",
            path.display()
        )));
    }
    Ok((LogReader::open(path)?, begin.unwrap_or_default()))
}

/// Returns the selection of messages of one or several logs.
///
/// A topic that none of them has is an error. For a log without a summary, only [`check_topics`]
/// finds that, when all of the log has been read, and topics have to be named in full.
pub fn select(arguments: &SelectionArguments, begin: LogTime, logs: &[&LogReader]) -> Result<Selection, CommandError> {
    if logs.iter().all(|log| log.summary().is_some()) {
        check_topics(arguments, logs)?;
    }
    let known = known(logs);
    let topics = arguments.topics.iter().flat_map(|topic| in_full(topic, &known));
    Ok(topics.fold(span(&arguments.span, begin), Selection::topic))
}

/// Checks that each topic in the arguments is in one of the logs, as far as they were read.
pub fn check_topics(arguments: &SelectionArguments, logs: &[&LogReader]) -> Result<(), CommandError> {
    let known = known(logs);
    for topic in &arguments.topics {
        let wanted = in_full(topic, &known).into_iter().fold(Selection::all(), Selection::topic);
        if !known.iter().any(|known| wanted.has_topic(known)) {
            return Err(CommandError::unknown("topic", topic, usual(&known)));
        }
    }
    Ok(())
}

/// Returns the topics of logs, as far as they were read.
fn known<'l>(logs: &[&'l LogReader]) -> BTreeSet<&'l str> {
    logs.iter().flat_map(|log| log.channels()).map(|channel| channel.topic.as_str()).collect()
}

/// Returns the full names of the topics that a name stands for: `Pose` for `/motion/Pose`, if no
/// topic has that name in full.
fn in_full(name: &str, known: &BTreeSet<&str>) -> Vec<String> {
    let ends = |topic: &&str| topic.rsplit('/').next() == Some(name);
    let ending: Vec<_> = usual(known).filter(ends).map(str::to_owned).collect();
    if ending.is_empty() || known.contains(name) { vec![name.to_owned()] } else { ending }
}

/// Returns the topics without those of module states and of inputs of runs, which are hardly ever
/// wanted.
pub fn usual<S: AsRef<str>>(topics: &BTreeSet<S>) -> impl Iterator<Item = &str> {
    topics.iter().map(AsRef::as_ref).filter(|topic| !topic.contains("/_"))
}

pub fn span(arguments: &SpanArguments, begin: LogTime) -> Selection {
    let after = |time: LogTime, duration: Duration| {
        let nanoseconds = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        LogTime::from_nanoseconds(time.nanoseconds().saturating_add(nanoseconds))
    };
    let from = after(begin, arguments.from.unwrap_or_default());
    let selection = Selection::all();
    let selection = if arguments.from.is_some() { selection.from(from) } else { selection };
    match arguments.end() {
        Some(end) => selection.before(after(begin, end)),
        None => selection,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_part_of_a_name_stands_for_all_topics_that_end_with_it() {
        let known =
            BTreeSet::from(["/left/Image", "/right/Image", "/motion/Pose", "/motion/_state/value/Pose", "/Tick"]);
        assert_eq!(in_full("Pose", &known), ["/motion/Pose"]);
        assert_eq!(in_full("Image", &known), ["/left/Image", "/right/Image"]);
        for name in ["/motion/_state/value/Pose", "/left/*", "Goal", "age"] {
            assert_eq!(in_full(name, &known), [name]);
        }
        let known = BTreeSet::from(["Pose", "/motion/Pose"]);
        assert_eq!(in_full("Pose", &known), ["Pose"], "a log of another program has topics without a slash");
    }
}
