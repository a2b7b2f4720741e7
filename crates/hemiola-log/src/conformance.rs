//! Suites of files with a description beside each, as the MCAP project keeps one.

mod describe;
mod write;

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::error::LogError;
use crate::framing::{Doubt, Framing};
use crate::source::Source;

/// How a file of a suite fared: `NAME.mcap`, with what it contains in `NAME.json`.
///
/// ```no_run
/// for case in hemiola_log::run_conformance("tests/conformance/data".as_ref())? {
///     println!("{}: reading {:?}, writing {:?}", case.path.display(), case.reading, case.writing);
/// }
/// # Ok::<(), hemiola_log::LogError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConformanceCase {
    /// The file.
    pub path: PathBuf,
    /// Whether what is read is what is described.
    pub reading: Outcome,
    /// Whether the bytes that are written for the description are those of the file.
    pub writing: Outcome,
}

/// Of a case.
///
/// ```
/// use hemiola_log::Outcome;
///
/// assert_ne!(Outcome::Passed, Outcome::NotDefined("its writer pads records".into()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Equal.
    Passed,
    /// What differs.
    Failed(String),
    /// Why there is nothing to compare.
    NotDefined(String),
}

/// Runs all cases below a directory, in the order of their names.
///
/// # Errors
/// The directory cannot be read. What goes wrong with a single file is the outcome of its case.
pub fn run_conformance(directory: &Path) -> Result<Vec<ConformanceCase>, LogError> {
    let mut paths = Vec::new();
    collect(directory, &mut paths)?;
    paths.sort();
    Ok(paths.into_iter().map(ConformanceCase::run).collect())
}

/// Files that end in `.mcap` and have a description.
fn collect(directory: &Path, paths: &mut Vec<PathBuf>) -> Result<(), LogError> {
    let failed = |error| LogError::Open { path: directory.to_owned(), error };
    for entry in fs::read_dir(directory).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let path = entry.path();
        // Links are not followed: they may lead in circles.
        if entry.file_type().map_err(failed)?.is_dir() {
            collect(&path, paths)?;
        } else if path.extension().is_some_and(|extension| extension == "mcap") && path.with_extension("json").is_file()
        {
            paths.push(path);
        }
    }
    Ok(())
}

impl ConformanceCase {
    fn run(path: PathBuf) -> Self {
        let description = fs::read(path.with_extension("json"))
            .map_err(|error| error.to_string())
            .and_then(|text| serde_json::from_slice::<Value>(&text).map_err(|error| error.to_string()));
        let (reading, writing) = match description {
            Ok(description) => (read(&path, &description), write(&path, &description)),
            Err(error) => {
                let failed = Outcome::Failed(format!("the description cannot be read: {error}"));
                (failed.clone(), failed)
            }
        };
        Self { path, reading, writing }
    }
}

fn read(path: &Path, description: &Value) -> Outcome {
    let records = match describe::records(path) {
        Ok(records) => records,
        Err(error) => return Outcome::Failed(error.to_string()),
    };
    let expected = description["records"].as_array().map_or(&[][..], Vec::as_slice);
    for (index, (found, expected)) in records.iter().zip(expected).enumerate() {
        if found != expected {
            return Outcome::Failed(format!("record {index} is {found} instead of {expected}"));
        }
    }
    match (records.len(), expected.len()) {
        (found, expected) if found == expected => Outcome::Passed,
        (found, expected) => Outcome::Failed(format!("{found} records instead of {expected}")),
    }
}

fn write(path: &Path, description: &Value) -> Outcome {
    let written = match write::file(description) {
        Ok(written) => written,
        Err(write::Refusal::NotDefined(reason)) => return Outcome::NotDefined(reason),
        Err(write::Refusal::Failed(reason)) => return Outcome::Failed(reason),
    };
    match fs::read(path) {
        Ok(expected) if expected == written => Outcome::Passed,
        Ok(expected) => {
            let same = expected.iter().zip(&written).take_while(|(expected, written)| expected == written).count();
            let (expected, written) = (expected.len(), written.len());
            Outcome::Failed(format!("byte {same} differs; {written} bytes instead of {expected}"))
        }
        Err(error) => Outcome::Failed(error.to_string()),
    }
}

fn open(path: &Path) -> Result<Framing<File>, LogError> {
    let failed = |error| LogError::Open { path: path.to_owned(), error };
    let source = File::open(path).and_then(|file| Source::new(file, path.to_owned())).map_err(failed)?;
    Framing::new(source, Doubt::Skip, 1 << 30)
}
