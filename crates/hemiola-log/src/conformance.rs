//! The conformance suite of the MCAP project: files with a description beside each, which are read
//! as described, and written from it byte for byte.

mod describe;
mod write;

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::error::LogError;
use crate::framing::{Doubt, Framing};
use crate::source::Source;

/// The result for a file of a suite: `NAME.mcap`, whose content is described in `NAME.json`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct ConformanceCase {
    /// The file.
    path: PathBuf,
    /// The result of comparing what is read with the description.
    reading: Outcome,
    /// The result of comparing the bytes that are written for the description with those of the
    /// file.
    writing: Outcome,
}

/// The result of one half of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Outcome {
    /// Both are equal.
    Passed,
    /// A difference, as described here.
    Failed(String),
    /// Nothing to compare, for this reason.
    NotDefined(String),
}

#[test]
fn the_conformance_suite_is_read_and_written_with_equal_results() {
    let default = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("HEMIOLA_SHARED").map_or_else(default, PathBuf::from);
    let directory = shared.join("data/recordings/mcap-conformance");
    if !directory.exists() {
        eprintln!("SKIPPED: there is no {}; set HEMIOLA_SHARED", directory.display());
        return;
    }
    let mut paths = Vec::new();
    collect(&directory, &mut paths).expect("the directory can be read");
    paths.sort();
    assert_eq!(paths.len(), 277);
    for case in paths.into_iter().map(ConformanceCase::run) {
        assert_eq!(case.reading, Outcome::Passed, "{}", case.path.display());
        assert_eq!(case.writing, Outcome::Passed, "{}", case.path.display());
    }
}

/// Collects files that end in `.mcap` and have a description.
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
