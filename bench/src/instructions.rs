//! The number of instructions in a run of the executor: a figure without noise, so that continuous
//! integration can check it.
//!
//! Valgrind counts them, which gives the same figure every time. A process is counted with some
//! number of runs and with twice as many; the difference is what the runs took, without start and
//! end.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::error::{BenchError, read, write};
use crate::machine::first_line;
use crate::workload::Workload;

/// Instructions per run, by case, and what compiled them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    pub compiler: String,
    pub per_run: BTreeMap<String, u64>,
}

const RUNS: u64 = 500;
/// The rise in percent above which the check fails.
const TOLERANCE: u64 = 5;
/// The cases: workload and contestant.
const CASES: [(&str, &str); 4] =
    [("chain100", "hemiola"), ("forkjoin100", "hemiola"), ("rand150", "hemiola"), ("rand150", "hemiola-traced")];

/// Returns the path of the file with the reference counts.
pub fn stored() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("instructions.json")
}

/// Counts all cases.
pub fn count(program: &Path, workloads: &[Workload], folder: &Path) -> Result<Counts, BenchError> {
    std::fs::create_dir_all(folder).map_err(|error| BenchError::Write { path: folder.to_owned(), error })?;
    let mut per_run = BTreeMap::new();
    for (workload, contestant) in CASES {
        let Some(workload) = workloads.iter().find(|known| known.name == workload) else { continue };
        let graph = folder.join(workload.name).with_extension("graph");
        write(&graph, &workload.text)?;
        let total = |runs| total(program, contestant, &graph, runs);
        let instructions = total(2 * RUNS)?.saturating_sub(total(RUNS)?) / RUNS;
        per_run.insert(format!("{}, {contestant}", workload.name), instructions);
    }
    Ok(Counts { compiler: first_line("rustc", "--version").unwrap_or_default(), per_run })
}

/// Counts the instructions of a whole process.
fn total(program: &Path, contestant: &str, graph: &Path, runs: u64) -> Result<u64, BenchError> {
    let output = Command::new("valgrind")
        .args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"])
        .arg(program)
        .args(["contestant", contestant, "--mode", "bare", "--workers", "1", "--period-ns", "0"])
        .args(["--runs", &runs.to_string()])
        .arg("--graph")
        .arg(graph)
        .output()
        .map_err(|error| BenchError::Valgrind { problem: error.to_string() })?;
    let report = String::from_utf8_lossy(&output.stderr).into_owned();
    report.lines().find_map(counted).ok_or_else(|| BenchError::Valgrind {
        problem: report.lines().last().unwrap_or("it prints nothing").to_owned(),
    })
}

/// Reads the line of valgrind's summary that says how many instructions there were, as
/// `==123== I   refs:      4,567`, in newer versions with one space.
pub fn counted(line: &str) -> Option<u64> {
    let line = Some(line).filter(|line| line.contains("I ") && line.contains("refs:"))?;
    line.rsplit(':').next()?.trim().replace(',', "").parse().ok()
}

/// Reads the reference counts.
pub fn load(path: &Path) -> Result<Counts, BenchError> {
    serde_json::from_str(&read(path)?).map_err(|error| BenchError::Report { path: path.to_owned(), error })
}

/// Stores counts as the reference.
pub fn store(path: &Path, counts: &Counts) -> Result<(), BenchError> {
    let json =
        serde_json::to_string_pretty(counts).map_err(|error| BenchError::Report { path: path.to_owned(), error })?;
    write(path, &(json + "\n"))
}

/// Compares counts with the reference.
///
/// # Errors
/// If one has risen by more than 5 %.
pub fn compare(stored: &Counts, counted: &Counts) -> Result<String, BenchError> {
    let mut text = String::from("instructions per run            stored  counted   change\n");
    let mut has_risen = false;
    for (case, &now) in &counted.per_run {
        let before = stored.per_run.get(case).copied();
        let change = before.map(|before| now as f64 / before as f64 - 1.0);
        has_risen |= before.is_some_and(|before| now * 100 > before * (100 + TOLERANCE));
        let before = before.map_or_else(|| "–".to_owned(), |before| before.to_string());
        let change = change.map_or_else(|| "new".to_owned(), |change| format!("{:+.1} %", 100.0 * change));
        // Writing to a string cannot fail.
        _ = writeln!(text, "  {case:28}{before:>8}{now:>9}{change:>9}");
    }
    if stored.compiler != counted.compiler {
        _ = writeln!(text, "The stored counts are from {}, these from {}.", stored.compiler, counted.compiler);
    }
    if has_risen { Err(BenchError::MoreInstructions { text }) } else { Ok(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(instructions: u64) -> Counts {
        Counts { compiler: "rustc 1".to_owned(), per_run: [("rand150".to_owned(), instructions)].into() }
    }

    #[test]
    fn a_rise_by_more_than_five_percent_fails_with_the_difference() {
        assert!(compare(&counts(1000), &counts(1050)).is_ok());
        let error = compare(&counts(1000), &counts(1051)).unwrap_err().to_string();
        assert!(error.contains("1000") && error.contains("1051") && error.contains("+5.1 %"), "{error}");
        assert!(compare(&counts(1000), &counts(10)).expect("a fall is fine").contains("-99.0 %"));
    }

    #[test]
    fn the_summary_of_valgrind_is_understood() {
        assert_eq!(counted("==7== I   refs:      12,345,678"), Some(12_345_678));
        assert_eq!(counted("==7== I refs:  9"), Some(9));
        assert_eq!(counted("valgrind: no program"), None);
    }
}
