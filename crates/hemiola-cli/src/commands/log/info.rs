//! `log info`: the contents of a log, the regularity of its messages, and the parts that cannot be
//! read.

use std::fmt::Write;
use std::process::ExitCode;

use hemiola_log::{ChannelSurvey, LogReader, LogTime, Survey};
use hemiola_words::{Column, Columns, bytes, counted, duration, grouped};
use serde_json::{Value, json};

use super::LOSSY;
use super::progress::Progress;
use crate::command_line::log::InfoArguments;
use crate::commands::{columns, print};
use crate::error::CommandError;
use hemiola_recording::checkpoints::is_checkpoint;
use hemiola_recording::names::COUNTS;

pub fn info(arguments: &InfoArguments) -> Result<ExitCode, CommandError> {
    let mut code = ExitCode::SUCCESS;
    for (index, path) in arguments.logs.iter().enumerate() {
        let mut log = LogReader::open(path)?;
        let mut progress = Progress::new();
        let survey = Survey::of(&mut log, |done, all| progress.show(done, all))?;
        drop(progress);
        if arguments.json {
            print(&(as_json(&log, &survey).to_string() + "\n"))?;
        } else {
            let distance = if index > 0 { "\n" } else { "" };
            print(&format!("{distance}{}", as_text(&log, &survey)))?;
        }
        if survey.problem_count > 0 {
            code = ExitCode::from(LOSSY);
        }
    }
    Ok(code)
}

fn as_text(log: &LogReader, survey: &Survey) -> String {
    let mut text = heading(log, survey);
    text += &table(survey);
    text += &checkpoints(survey);
    for (compression, totals) in &survey.chunks {
        let name = if compression.is_empty() { "not compressed" } else { compression };
        let share = totals.compressed as f64 / totals.uncompressed.max(1) as f64 * 100.0;
        let (of, in_file) = (bytes(totals.uncompressed), bytes(totals.compressed));
        // Writing to a string cannot fail.
        _ = writeln!(text, "{}, {name}: {of} in {in_file} ({share:.0} %)", counted(totals.chunks, "chunk"));
    }
    for attachment in &survey.attachments {
        let (name, media_type) = (&attachment.name, &attachment.media_type);
        _ = writeln!(text, "attachment {name} ({media_type}, {})", bytes(attachment.data_length));
    }
    for metadata in &survey.metadata {
        _ = writeln!(text, "metadata {} ({})", metadata.name, counted(metadata.entries.len() as u64, "entry"));
    }
    for channel in survey.channels.iter().filter(|channel| !is_checkpoint(&channel.channel.topic)) {
        text += &remarks(channel, survey);
    }
    for problem in &survey.problems {
        _ = writeln!(text, "unreadable: {problem}");
    }
    let untold = survey.problem_count - survey.problems.len() as u64;
    if untold > 0 {
        _ = writeln!(text, "unreadable: {untold} more places");
    }
    if log.orphans() > 0 {
        _ = writeln!(text, "unreadable: {} of channels that nothing describes", counted(log.orphans(), "message"));
    }
    text
}

fn heading(log: &LogReader, survey: &Survey) -> String {
    let mut text = format!("{}: {}", log.path().display(), bytes(log.progress().1));
    if !log.profile().is_empty() {
        text += &format!(", profile {}", log.profile());
    }
    if !log.library().is_empty() {
        text += &format!(", written by {}", log.library());
    }
    text += "\n";
    if let Some((first, last)) = survey.span {
        text += &format!("{}, {:.1} s, ", span(first, last), last.seconds_since(first));
    }
    let state = match survey.problem_count {
        0 => "whole".to_owned(),
        count => format!("damaged in {}", counted(count, "place")),
    };
    let (messages, topics) = (counted(survey.messages(), "message"), counted(survey.channels.len() as u64, "channel"));
    text + &format!("{messages} in {topics}, {state}\n\n")
}

fn table(survey: &Survey) -> String {
    let heads =
        ["topic", "type", "messages", "dropped", "rate", "step: median", "99 %", "longest", "size", "", "share"];
    let all: u64 = survey.channels.iter().map(|channel| channel.bytes).sum();
    let mut rows = vec![heads.map(str::to_owned)];
    for channel in survey.channels.iter().filter(|channel| !is_checkpoint(&channel.channel.topic)) {
        let share = channel.bytes as f64 / all.max(1) as f64;
        let step = |step| if channel.messages > 1 { duration(step) } else { String::new() };
        let type_name = channel.channel.type_name().replace("/msg/", "/");
        rows.push([
            channel.channel.topic.clone(),
            if channel.channel.encoding == "cdr" {
                type_name
            } else {
                format!("{type_name} ({})", channel.channel.encoding)
            },
            grouped(channel.messages),
            Some(dropped(channel, survey)).filter(|count| *count > 0).map_or_else(String::new, grouped),
            if channel.messages > 1 { format!("{:.1} Hz", channel.rate()) } else { String::new() },
            step(channel.median_step),
            step(channel.p99_step),
            step(channel.longest_step),
            bytes(channel.bytes),
            format!("{:.0} %", share * 100.0),
            "▇".repeat((share * 10.0).round() as usize),
        ]);
    }
    let layout = |index| if index < 2 { Column::left(0) } else { Column::right(0) };
    let layout = (0..heads.len() - 1).map(|index| layout(index).after(if index > 0 { 2 } else { 0 }));
    let table = Columns::new(layout.chain([Column::left(0).after(2)])).fit(&rows);
    // The column with the bars is shown where it fits.
    let shown = if table.width() <= columns(usize::MAX) { heads.len() } else { heads.len() - 1 };
    rows.iter().map(|row| table.line(&row[..shown]) + "\n").chain(["\n".to_owned()]).collect()
}

/// Sums up the states of modules in the log in one line, because they are too many to list.
fn checkpoints(survey: &Survey) -> String {
    let channels = || survey.channels.iter().filter(|channel| is_checkpoint(&channel.channel.topic));
    let Some(longest) = channels().max_by_key(|channel| channel.messages) else { return String::new() };
    let all = bytes(channels().map(|channel| channel.bytes).sum());
    let every = match longest.messages {
        1 => String::new(),
        _ => format!(", every {}", duration(longest.median_step)),
    };
    let (count, channels) = (counted(longest.messages, "checkpoint"), counted(channels().count() as u64, "channel"));
    format!("{count} of the states of modules{every}: {all} in {channels}, from which a replay can begin\n")
}

/// Returns the number of messages of a channel that the log lacks, from the numbers of those that
/// it has, and from the count of the recorder, which includes the last ones.
fn dropped(channel: &ChannelSurvey, survey: &Survey) -> u64 {
    let topic = channel.channel.topic.as_str();
    let counts = survey.metadata.iter().filter(|metadata| metadata.name == COUNTS);
    let counts = counts.filter_map(|metadata| metadata.entries.get(topic));
    let told = counts.filter_map(|counts| serde_json::from_str::<Value>(counts).ok()?.get("dropped")?.as_u64()).max();
    channel.missing.max(told.unwrap_or(0))
}

/// Returns the gaps and disorder of a channel, a line each.
fn remarks(channel: &ChannelSurvey, survey: &Survey) -> String {
    let topic = &channel.channel.topic;
    let begin = survey.span.map_or(LogTime::default(), |(first, _)| first);
    let mut text = String::new();
    let is_gap = channel.messages > 10 && channel.longest_step > channel.median_step * GAP;
    if is_gap {
        let (longest, from) = (duration(channel.longest_step), channel.longest_step_from.seconds_since(begin));
        _ = writeln!(text, "gap: {topic}: nothing for {longest}, {from:.3} s after the beginning");
    }
    if channel.backwards > 0 {
        _ = writeln!(text, "order: {topic}: {} earlier than the one before", counted(channel.backwards, "message"));
    }
    text
}

/// The number of usual steps above which a time without messages is a gap.
const GAP: u32 = 5;

/// Describes the time from one moment to another; a date is written once if both are on it.
fn span(first: LogTime, last: LogTime) -> String {
    let (first, last) = (moment(first), moment(last));
    let last = match (first.split_once(' '), last.split_once(' ')) {
        (Some((day, _)), Some((same, time))) if day == same && time.ends_with(UTC) => time,
        _ => &last,
    };
    format!("{} to {last}", first.trim_end_matches(UTC))
}

/// The end of a moment with a date.
const UTC: &str = " UTC";

/// Returns a date if the clock shows wall time, or seconds.
fn moment(time: LogTime) -> String {
    let seconds = time.nanoseconds() / 1_000_000_000;
    // A robot's clock may begin when it is switched on.
    if seconds < FIRST_DATE {
        return format!("{:.3} s", time.seconds_since(LogTime::default()));
    }
    let (days, of_day) = (seconds / 86400, seconds % 86400);
    let (year, month, day) = date(days);
    let (hour, minute, second) = (of_day / 3600, of_day / 60 % 60, of_day % 60);
    format!("{year}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}{UTC}")
}

/// The beginning of 1990: an earlier time counts as seconds instead of a date.
const FIRST_DATE: u64 = 631_152_000;

/// Returns year, month and day of the given day after 1970-01-01, in the Gregorian calendar.
fn date(mut days: u64) -> (u64, u64, u64) {
    let is_leap = |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    // 400 years have 146097 days; times in logs end in 2554.
    let mut year = 1970 + days / 146_097 * 400;
    days %= 146_097;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 0;
    while days >= lengths[month] {
        days -= lengths[month];
        month += 1;
    }
    (year, month as u64 + 1, days + 1)
}

fn as_json(log: &LogReader, survey: &Survey) -> Value {
    let channels: Vec<Value> = survey
        .channels
        .iter()
        .map(|channel| {
            json!({
                "topic": channel.channel.topic,
                "type": channel.channel.type_name(),
                "encoding": channel.channel.encoding,
                "messages": channel.messages,
                "bytes": channel.bytes,
                "rate_hz": channel.rate(),
                "median_step_s": channel.median_step.as_secs_f64(),
                "p99_step_s": channel.p99_step.as_secs_f64(),
                "longest_step_s": channel.longest_step.as_secs_f64(),
                "longest_step_from_ns": channel.longest_step_from.nanoseconds(),
                "missing": channel.missing,
                "dropped": dropped(channel, survey),
                "backwards": channel.backwards,
            })
        })
        .collect();
    let chunks: Vec<Value> = survey
        .chunks
        .iter()
        .map(|(compression, totals)| {
            json!({
                "compression": compression,
                "chunks": totals.chunks,
                "compressed": totals.compressed,
                "uncompressed": totals.uncompressed,
            })
        })
        .collect();
    json!({
        "file": log.path(),
        "bytes": log.progress().1,
        "profile": log.profile(),
        "library": log.library(),
        "first_ns": survey.span.map(|(first, _)| first.nanoseconds()),
        "last_ns": survey.span.map(|(_, last)| last.nanoseconds()),
        "messages": survey.messages(),
        "channels": channels,
        "chunks": chunks,
        "attachments": survey.attachments.iter().map(|attachment| &attachment.name).collect::<Vec<_>>(),
        "metadata": survey.metadata.iter().map(|metadata| (metadata.name.clone(), json!(metadata.entries))).collect::<serde_json::Map<_, _>>(),
        "problems": survey.problems.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "problem_count": survey.problem_count,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        let moment = |seconds: u64| moment(LogTime::from_nanoseconds(seconds * 1_000_000_000));
        assert_eq!(moment(951_782_399), "2000-02-28 23:59:59 UTC");
        assert_eq!(moment(951_782_400), "2000-02-29 00:00:00 UTC");
        assert_eq!(moment(1_432_235_782), "2015-05-21 19:16:22 UTC");
        assert_eq!(moment(4_107_542_400), "2100-03-01 00:00:00 UTC");
        assert_eq!(moment(12), "12.000 s");
    }

    #[test]
    fn a_span_of_time_names_both_of_its_ends() {
        let span = |first: u64, last: u64| {
            let [first, last] = [first, last].map(|seconds| LogTime::from_nanoseconds(seconds * 1_000_000_000));
            span(first, last)
        };
        assert_eq!(span(0, 0), "0.000 s to 0.000 s");
        assert_eq!(span(0, 12), "0.000 s to 12.000 s");
        assert_eq!(span(1_432_235_782, 1_432_235_790), "2015-05-21 19:16:22 to 19:16:30 UTC");
        assert_eq!(span(951_782_399, 951_782_400), "2000-02-28 23:59:59 to 2000-02-29 00:00:00 UTC");
    }
}
