//! Data that several tests read and that is not part of the repository.

use std::path::PathBuf;

fn data() -> PathBuf {
    let root = std::env::var_os("HEMIOLA_SHARED").map(PathBuf::from);
    root.unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared")).join("data")
}

/// Returns all files of a folder of data with that extension, by their names: their texts, or why
/// they cannot be read. There are none (with a loud message) where the shared data is missing.
#[allow(dead_code, reason = "not every test reads a whole folder")]
pub fn data_files(folder: &str, extension: &str) -> Vec<(String, Result<String, String>)> {
    let folder = data().join(folder);
    let Ok(entries) = folder.read_dir() else {
        eprintln!("SKIPPED: there is no {}; set HEMIOLA_SHARED to where the data lies", folder.display());
        return Vec::new();
    };
    let paths = entries.flatten().map(|entry| entry.path());
    let mut paths: Vec<_> = paths.filter(|path| path.extension().is_some_and(|found| found == extension)).collect();
    paths.sort();
    let read = |path: PathBuf| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        (name, std::fs::read_to_string(&path).map_err(|error| error.to_string()))
    };
    paths.into_iter().map(read).collect()
}

/// Returns the text of a data file, or nothing (with a loud message) where the shared data is
/// missing.
#[allow(dead_code, reason = "not every test reads a single file")]
pub fn data_file(path: &str) -> Option<String> {
    let path = data().join(path);
    match std::fs::read_to_string(&path) {
        Ok(text) => Some(text),
        Err(error) => {
            eprintln!(
                "SKIPPED: {} cannot be read ({error}); set HEMIOLA_SHARED to where the data lies",
                path.display()
            );
            None
        }
    }
}
