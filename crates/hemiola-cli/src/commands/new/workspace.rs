//! A cargo workspace in which a new crate happens to be created.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::error::CommandError;

/// Returns the manifest of the workspace around a folder.
pub fn around(folder: &Path) -> Option<PathBuf> {
    let folder = folder.canonicalize().ok()?;
    let manifests = folder.ancestors().skip(1).map(|folder| folder.join("Cargo.toml"));
    let is_workspace = |manifest: &PathBuf| {
        std::fs::read_to_string(manifest).is_ok_and(|text| text.lines().any(|line| line.trim() == "[workspace]"))
    };
    manifests.into_iter().find(is_workspace)
}

/// Makes the crate in a folder a workspace of its own. Cargo rejects a crate that is in a workspace
/// but not one of its members, and ignores the profiles of members.
pub fn leave(folder: &Path) -> Result<(), CommandError> {
    let path = folder.join("Cargo.toml");
    let written =
        OpenOptions::new().append(true).open(&path).and_then(|mut manifest| manifest.write_all(OWN_WORKSPACE));
    written.map_err(|error| CommandError::Write { path, error })
}

const OWN_WORKSPACE: &[u8] = b"
# It is not a member of the workspace that it lies in.
[workspace]
";
