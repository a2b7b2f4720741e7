//! Data that several tests read and that is not part of the repository.

use std::path::PathBuf;

/// Returns the text of a data file, or nothing (with a loud message) where the shared data is
/// missing.
pub fn data_file(path: &str) -> Option<String> {
    let root = std::env::var_os("HEMIOLA_SHARED")
        .map(PathBuf::from)
        .unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"));
    let path = root.join("data").join(path);
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
