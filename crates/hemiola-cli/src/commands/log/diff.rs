//! `log diff`: a comparison of two logs.

use std::cmp::Reverse;
use std::fmt::Write;
use std::process::ExitCode;

use hemiola_log::{Comparison, Tolerance, TopicComparison};
use hemiola_words::{counted, grouped};
use serde_json::{Value, json};

use super::LOSSY;
use super::progress::Progress;
use super::selection::{open, select};
use crate::command_line::log::DiffArguments;
use crate::commands::{print, print_json};
use crate::error::CommandError;

/// The number of differences that are shown.
const SHOWN: usize = 20;

pub fn diff(arguments: &DiffArguments) -> Result<ExitCode, CommandError> {
    let (left, begin) = open(&arguments.left, &arguments.selection.span)?;
    // Both logs are read over the same span, counted from the beginning of the left one.
    let (right, _) = open(&arguments.right, &arguments.selection.span)?;
    let selection = select(&arguments.selection, begin, &[&left, &right])?;
    let everywhere = arguments.tolerances.iter().rev().find(|(field, _)| field.is_none());
    let tolerance = Tolerance::of(everywhere.map_or(0.0, |(_, tolerance)| *tolerance));
    let tolerance = arguments.tolerances.iter().fold(tolerance, |all, (field, tolerance)| match field {
        Some(field) => all.with(field, *tolerance),
        None => all,
    });
    let (left, right) = (left.select(selection.clone()), right.select(selection));
    let mut progress = Progress::new();
    let comparison = Comparison::of(left, right, &tolerance, |done, all| progress.show(done, all))?;
    drop(progress);
    match arguments.json {
        true => print_json(&as_json(&comparison))?,
        false => print(&report(&comparison))?,
    };
    let is_damaged = !comparison.problems.is_empty();
    Ok(match (comparison.is_equal(), is_damaged) {
        (true, _) => ExitCode::SUCCESS,
        (false, true) => ExitCode::from(LOSSY),
        (false, false) => ExitCode::FAILURE,
    })
}

fn report(comparison: &Comparison) -> String {
    let width = comparison.topics.keys().map(|topic| topic.chars().count()).max().unwrap_or(0).max(5);
    let mut text =
        format!("{:width$}  {:>10}  {:>10}  {:>10}  {:>10}\n", "topic", "same", "different", "only left", "only right");
    for (topic, counts) in &comparison.topics {
        let [equal, different, left, right] =
            [counts.equal, counts.different, counts.only_left, counts.only_right].map(grouped);
        // Writing to a string cannot fail.
        _ = writeln!(text, "{topic:width$}  {equal:>10}  {different:>10}  {left:>10}  {right:>10}");
    }
    text += &fields(comparison);
    if !comparison.differences.is_empty() {
        text.push('\n');
    }
    for difference in comparison.differences.iter().take(SHOWN) {
        _ = writeln!(text, "{difference}");
    }
    if comparison.differences.len() > SHOWN {
        text += "...\n";
    }
    for problem in comparison.problems.iter().take(SHOWN) {
        _ = writeln!(text, "unreadable: {problem}");
    }
    text + &verdict(comparison) + "\n"
}

/// Returns the table of the fields that differ, those in the most messages first.
fn fields(comparison: &Comparison) -> String {
    let mut fields: Vec<_> =
        comparison.fields.iter().map(|((topic, field), compared)| (named(topic, field), compared)).collect();
    fields.sort_by_key(|(_, compared)| Reverse(compared.messages));
    let shown = &fields[..fields.len().min(SHOWN)];
    if shown.is_empty() {
        return String::new();
    }
    let width = shown.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0).max(5);
    let mut text = format!("\n{:width$}  {:>10}  {:>18}  at\n", "field", "different", "largest difference");
    for (name, compared) in shown {
        let messages = grouped(compared.messages);
        let largest = compared.largest.map_or_else(|| "-".to_owned(), |largest| format!("{largest:.3e}"));
        _ = writeln!(text, "{name:width$}  {messages:>10}  {largest:>18}  {}", compared.time);
    }
    if fields.len() > SHOWN {
        _ = writeln!(text, "and {} more", counted((fields.len() - SHOWN) as u64, "field"));
    }
    text
}

fn named(topic: &str, field: &str) -> String {
    if field.is_empty() { topic.to_owned() } else { format!("{topic}.{field}") }
}

/// Returns the last line: what people look for.
fn verdict(comparison: &Comparison) -> String {
    let sum = |count: fn(&TopicComparison) -> u64| comparison.topics.values().map(count).sum::<u64>();
    let (equal, different) = (sum(|topic| topic.equal), sum(|topic| topic.different));
    let alone = sum(|topic| topic.only_left + topic.only_right);
    let mut verdict = match (different, alone) {
        (0, 0) => format!("the same: {}", counted(equal, "message")),
        (_, 0) => format!("different: {} of {}", grouped(different), counted(equal + different, "message")),
        _ => format!(
            "different: {} of {}, and {} without a counterpart",
            grouped(different),
            counted(equal + different, "message"),
            grouped(alone)
        ),
    };
    if !comparison.problems.is_empty() {
        verdict += ", as far as the logs can be read";
    }
    verdict
}

fn as_json(comparison: &Comparison) -> Value {
    let topics = comparison.topics.iter().map(|(topic, counts)| {
        json!({
            "topic": topic,
            "equal": counts.equal,
            "different": counts.different,
            "only_left": counts.only_left,
            "only_right": counts.only_right,
        })
    });
    let fields = comparison.fields.iter().map(|((topic, field), compared)| {
        json!({
            "topic": topic,
            "field": field,
            "messages": compared.messages,
            "largest": compared.largest,
            "time": compared.time.nanoseconds(),
        })
    });
    let differences = comparison.differences.iter().map(|difference| {
        json!({
            "topic": difference.topic,
            "time": difference.time.nanoseconds(),
            "path": difference.path,
            "left": difference.left,
            "right": difference.right,
        })
    });
    json!({
        "is_equal": comparison.is_equal(),
        "topics": topics.collect::<Vec<_>>(),
        "fields": fields.collect::<Vec<_>>(),
        "differences": differences.collect::<Vec<_>>(),
        "unreadable": comparison.problems.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "verdict": verdict(comparison),
    })
}
