//! `log diff`: a comparison of two logs.

use std::fmt::Write;
use std::process::ExitCode;

use hemiola_log::{Comparison, Tolerance};
use hemiola_words::grouped;

use super::LOSSY;
use super::progress::Progress;
use super::selection::{open, select};
use crate::command_line::log::DiffArguments;
use crate::commands::print;
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
    print(&report(&comparison))?;
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
    for difference in comparison.differences.iter().take(SHOWN) {
        _ = writeln!(text, "{difference}");
    }
    if comparison.differences.len() > SHOWN {
        text += "...\n";
    }
    for problem in comparison.problems.iter().take(SHOWN) {
        _ = writeln!(text, "unreadable: {problem}");
    }
    if comparison.is_equal() {
        text += "the same\n";
    }
    text
}
