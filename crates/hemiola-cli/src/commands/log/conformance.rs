//! `log conformance`: this reader and writer against files by others.

use std::collections::BTreeMap;
use std::process::ExitCode;

use hemiola_log::{ConformanceCase, Outcome, run_conformance};
use hemiola_words::counted;

use crate::command_line::log::ConformanceArguments;
use crate::commands::print;
use crate::error::CommandError;

pub fn conformance(arguments: &ConformanceArguments) -> Result<ExitCode, CommandError> {
    let cases = run_conformance(&arguments.directory)?;
    if cases.is_empty() {
        let directory = arguments.directory.display();
        return Err(CommandError::Usage(format!(
            "{directory} has no .mcap file with a .json of the same name beside it"
        )));
    }
    let mut text = String::new();
    let mut reasons: BTreeMap<&str, u64> = BTreeMap::new();
    let (mut read, mut written, mut failed) = (0, 0, 0);
    for case in &cases {
        for (what, outcome) in [("read", &case.reading), ("written", &case.writing)] {
            match outcome {
                Outcome::Passed if what == "read" => read += 1,
                Outcome::Passed => written += 1,
                Outcome::Failed(reason) => {
                    failed += 1;
                    text += &format!("FAILED {}: {what}: {reason}\n", name(case, arguments));
                }
                Outcome::NotDefined(reason) => *reasons.entry(reason).or_default() += 1,
            }
        }
    }
    let count = cases.len() as u64;
    text += &format!("{}: {read} read as described, {written} written with equal bytes", counted(count, "file"));
    for (reason, count) in reasons {
        text += &format!(", {count} not written ({reason})");
    }
    text += &format!(", {failed} failed\n");
    print(&text)?;
    Ok(ExitCode::from(u8::from(failed > 0)))
}

fn name(case: &ConformanceCase, arguments: &ConformanceArguments) -> String {
    case.path.strip_prefix(&arguments.directory).unwrap_or(&case.path).display().to_string()
}
