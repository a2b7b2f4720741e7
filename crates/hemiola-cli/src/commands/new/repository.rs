//! The repository of a new crate.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::command_line::new::VersionControl;
use crate::error::CommandError;

/// Creates a repository in a folder, as `cargo new` does: by default, if git is installed and the
/// folder is not in a repository already. Returns whether it did.
pub fn make(folder: &Path, wanted: Option<VersionControl>) -> Result<bool, CommandError> {
    let is_wanted = wanted.map_or_else(|| !is_in_repository(folder), |wanted| wanted == VersionControl::Git);
    if !is_wanted {
        return Ok(false);
    }
    match git_init(folder) {
        Ok(()) => Ok(true),
        Err(_) if wanted.is_none() => Ok(false),
        Err(error) => {
            Err(CommandError::Usage(format!("git cannot create a repository: {error}; --vcs none does without")))
        }
    }
}

fn is_in_repository(folder: &Path) -> bool {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    folder.ancestors().any(|folder| folder.join(".git").exists())
}

fn git_init(folder: &Path) -> io::Result<()> {
    let made = Command::new("git").args(["init", "--quiet", "--"]).arg(folder).stdin(Stdio::null()).output()?;
    let said = String::from_utf8_lossy(&made.stderr);
    if made.status.success() { Ok(()) } else { Err(io::Error::other(said.trim().to_owned())) }
}
