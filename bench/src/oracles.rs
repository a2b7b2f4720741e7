use std::path::{Path, PathBuf};

use clap::Args;
use hemiola_analysis::oracles::{self, OracleError, Report};

use crate::error::{BenchError, read};

#[derive(Args)]
#[command(after_help = "Examples:
  hemiola-bench oracles ../shared/data/oracles
  hemiola-bench oracles cases/ --all")]
pub struct Options {
    /// The folder with the files; the name of each says what its cases mean.
    directory: PathBuf,
    /// Shows all cases that differ, not only the first ones of each file.
    #[arg(long)]
    all: bool,
}

/// How many differing cases of a file are enough to see what is wrong.
const SHOWN: usize = 5;

/// Checks every file in a folder and prints what agrees and what differs.
pub fn run(options: &Options) -> Result<(), BenchError> {
    let files = files(&options.directory)?;
    let width = files.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let (mut cases, mut differing, mut unknown) = (0, 0, 0);
    for (name, path) in &files {
        match oracles::check(name, &read(path)?) {
            Ok(report) => {
                cases += report.cases;
                differing += report.differing.len();
                print(name, width, &report, if options.all { usize::MAX } else { SHOWN });
            }
            Err(OracleError::Unknown { .. }) => {
                unknown += 1;
                println!("{name:width$}  not checked: nothing here computes it");
            }
            Err(error) => return Err(BenchError::Oracle { path: path.clone(), error }),
        }
    }
    println!("\n{} of {cases} cases agree, {differing} differ; {unknown} files not checked", cases - differing);
    if differing > 0 { Err(BenchError::OraclesDiffer { differing, cases }) } else { Ok(()) }
}

fn print(name: &str, width: usize, report: &Report, shown: usize) {
    let Report { cases, left_out, values, differing, remarks } = report;
    let more = if *left_out > 0 { format!(", {left_out} more not checked") } else { String::new() };
    println!("{name:width$}  {:>4} of {cases:>4} cases agree ({values} values{more})", cases - differing.len());
    remarks.iter().for_each(|remark| println!("{:width$}  note: {remark}", ""));
    differing.iter().take(shown).for_each(|difference| println!("{:width$}  differs: {difference}", ""));
    if differing.len() > shown {
        println!("{:width$}  ... and {} more (--all)", "", differing.len() - shown);
    }
}

/// The JSON files of a folder by name, without their ending.
fn files(directory: &Path) -> Result<Vec<(String, PathBuf)>, BenchError> {
    let failed = |error| BenchError::Read { path: directory.to_owned(), error };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if let Some(name) = path.file_stem().filter(|_| path.extension().is_some_and(|ending| ending == "json")) {
            files.push((name.to_string_lossy().into_owned(), path.clone()));
        }
    }
    files.sort();
    Ok(files)
}
