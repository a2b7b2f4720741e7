//! The folder that contains the Unix sockets of a user's robots.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::PathBuf;

use rustix::process::getuid;

/// Returns the folder of the user's sockets: `$XDG_RUNTIME_DIR/hemiola`, or `/tmp/hemiola-UID`
/// without that variable.
pub fn socket_folder() -> PathBuf {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_absolute());
    match runtime {
        Some(runtime) => runtime.join("hemiola"),
        None => PathBuf::from(format!("/tmp/hemiola-{}", getuid().as_raw())),
    }
}

/// Returns the same folder, and creates it if it does not exist.
///
/// # Errors
/// Returns an error if the folder cannot be created, or others may write into it: they could put a
/// socket of their own there.
pub fn make_socket_folder() -> io::Result<PathBuf> {
    let folder = socket_folder();
    match DirBuilder::new().mode(0o700).create(&folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        result => result?,
    }
    let found = fs::symlink_metadata(&folder)?;
    if !found.is_dir() || found.uid() != getuid().as_raw() || found.mode() & 0o077 != 0 {
        let text = format!("{} must be a folder that only its user can access: remove it", folder.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
    }
    Ok(folder)
}
