//! The doctor, which examines whether this machine is suitable for real time, and how it could be
//! improved.
//!
//! Every check reads files below a root folder (`/` on a real machine, a generated tree in tests)
//! and judges what it finds; the measurements at the end show the effect of all settings together.
//! A check whose files do not exist has no finding.

mod kernel;
mod measurements;
mod permissions;
mod processor;

use crate::os;
use crate::system_tree::SystemTree;
use serde::Serialize;
use std::fmt::Write;
use std::path::Path;

/// The result of one check.
///
/// ```
/// use hemiola_realtime::{Finding, State, findings_as_text};
///
/// let finding = Finding {
///     topic: "swap",
///     state: State::Advice,
///     found: "1 swap device in use".to_string(),
///     why: "memory that was paged out takes milliseconds to come back",
///     remedy: Some("`sudo swapoff -a`".to_string()),
/// };
/// assert!(findings_as_text(&[finding], 80).contains("remedy  `sudo swapoff -a`"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The subject of the check, in a few words.
    pub topic: &'static str,
    /// The judgement of the finding.
    pub state: State,
    /// The text of what was found.
    pub found: String,
    /// The reason why it matters to a real-time program.
    pub why: &'static str,
    /// The remedy; nothing if all is well.
    pub remedy: Option<String>,
}

impl Finding {
    fn good(topic: &'static str, why: &'static str, found: impl Into<String>) -> Self {
        Finding { topic, state: State::Good, found: found.into(), why, remedy: None }
    }

    fn advice(topic: &'static str, why: &'static str, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Finding { topic, state: State::Advice, found: found.into(), why, remedy: Some(remedy.into()) }
    }

    fn problem(topic: &'static str, why: &'static str, found: impl Into<String>, remedy: impl Into<String>) -> Self {
        Finding { topic, state: State::Problem, found: found.into(), why, remedy: Some(remedy.into()) }
    }
}

/// The judgement of a finding.
///
/// ```
/// use hemiola_realtime::{State, examine_settings};
///
/// let findings = examine_settings("/".as_ref());
/// match findings.iter().map(|finding| finding.state).max() {
///     Some(State::Problem) => println!("this machine will miss deadlines"),
///     _ => println!("nothing is in the way"),
/// }
/// assert!(State::Good < State::Advice && State::Advice < State::Problem);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Nothing needs to be done.
    Good,
    /// Works, but could be better.
    Advice,
    /// Deadlines will be missed because of it, sooner or later.
    Problem,
}

/// Examines this machine: everything that [`examine_settings`] reads, and measurements. This takes
/// about a second and a half, during which two cores are busy for some of the time.
pub fn examine() -> Vec<Finding> {
    let mut findings = examine_settings(Path::new("/"));
    findings.extend(os::clock_resolution().map(kernel::timer_resolution));
    findings.extend(measurements::findings());
    findings
}

/// Examines the settings of the machine whose `proc` and `sys` are found below `root`. It reads
/// some dozen files.
///
/// ```
/// use hemiola_realtime::{examine_settings, findings_as_text};
/// use std::path::Path;
///
/// println!("{}", findings_as_text(&examine_settings(Path::new("/")), 80));
/// assert!(examine_settings(Path::new("/no such folder")).is_empty());
/// ```
pub fn examine_settings(root: &Path) -> Vec<Finding> {
    let tree = SystemTree::below(root);
    let checks: &[fn(&SystemTree) -> Option<Finding>] = &[
        permissions::real_time_priority,
        permissions::locked_memory,
        permissions::group_bandwidth,
        permissions::group_quota,
        kernel::preemption,
        kernel::throttling,
        kernel::timer_slack,
        kernel::clock_source,
        kernel::huge_pages,
        kernel::swap,
        processor::cores,
        processor::hardware_threads,
        processor::frequency,
        processor::idle_states,
        processor::virtual_machine,
    ];
    checks.iter().filter_map(|check| check(&tree)).collect()
}

/// Formats the findings for people: a paragraph each, wrapped to `columns` columns, with reason and
/// remedy where there is something to do, and a summary.
pub fn findings_as_text(findings: &[Finding], columns: usize) -> String {
    const INDENT: usize = 4;
    let topic_width = findings.iter().map(|finding| finding.topic.len()).max().unwrap_or(0);
    let mut text = String::new();
    for finding in findings {
        let mark = match finding.state {
            State::Good => '✓',
            State::Advice => '!',
            State::Problem => '✗',
        };
        // Writing to a string cannot fail.
        let label = format!("{mark} {:topic_width$}  ", finding.topic);
        write_indented(&mut text, columns, 0, &label, &finding.found);
        if let Some(remedy) = &finding.remedy {
            write_indented(&mut text, columns, INDENT, "why     ", finding.why);
            write_indented(&mut text, columns, INDENT, "remedy  ", remedy);
        }
    }
    let count = |state| findings.iter().filter(|finding| finding.state == state).count();
    let _ = writeln!(
        text,
        "{} in order, {} to improve, {} in the way of real time",
        count(State::Good),
        count(State::Advice),
        count(State::Problem)
    );
    text
}

/// Formats the findings for machines: a JSON array of objects with the fields of [`Finding`];
/// `state` is `good`, `advice` or `problem`.
pub fn findings_as_json(findings: &[Finding]) -> String {
    serde_json::to_string_pretty(findings).expect("text and unit variants always have a JSON form")
}

/// Writes `words` after a label, wrapped, with all lines starting in one column.
fn write_indented(text: &mut String, columns: usize, indent: usize, label: &str, words: &str) {
    let start = indent + label.chars().count();
    let mut column = start;
    let _ = write!(text, "{:indent$}{label}", "");
    for (index, word) in words.split_whitespace().enumerate() {
        let length = word.chars().count();
        if index > 0 && column + 1 + length > columns {
            let _ = write!(text, "\n{:start$}", "");
            column = start;
        } else if index > 0 {
            text.push(' ');
            column += 1;
        }
        text.push_str(word);
        column += length;
    }
    text.push('\n');
}

#[cfg(test)]
mod tests;
