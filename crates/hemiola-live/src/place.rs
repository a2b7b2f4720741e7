//! The folder with the Unix sockets of running robots.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::process::{Pid, getuid, test_kill_process};

/// Returns the folder of the user's sockets: `$XDG_RUNTIME_DIR/hemiola`, or `/tmp/hemiola-UID`
/// without that variable.
pub fn folder() -> PathBuf {
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|path| path.is_absolute());
    match runtime {
        Some(runtime) => runtime.join("hemiola"),
        None => PathBuf::from(format!("/tmp/hemiola-{}", getuid().as_raw())),
    }
}

/// Returns the same folder, which is created if it does not exist.
///
/// # Errors
/// Returns an error if the folder cannot be created, or others may write into it: they could put a
/// socket of their own there.
pub fn make_folder() -> io::Result<PathBuf> {
    let folder = folder();
    match DirBuilder::new().mode(0o700).create(&folder) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        result => result?,
    }
    let found = fs::symlink_metadata(&folder)?;
    if !found.is_dir() || found.uid() != getuid().as_raw() || found.mode() & 0o077 != 0 {
        let text = format!("{} is not a folder that only its user can read: remove it", folder.display());
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, text));
    }
    Ok(folder)
}

/// The socket of a running robot.
///
/// ```
/// use hemiola_live::RunningSocket;
///
/// for robot in RunningSocket::all() {
///     println!("{} runs as process {}: {}", robot.robot, robot.process, robot.path.display());
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunningSocket {
    /// The robot's name.
    pub robot: String,
    /// The number of its process.
    pub process: i32,
    /// The path of the socket.
    pub path: PathBuf,
}

impl RunningSocket {
    /// Finds the sockets of this user's running robots, by name and process. Sockets that killed
    /// processes have left behind are removed.
    pub fn all() -> Vec<Self> {
        let Ok(entries) = fs::read_dir(folder()) else { return Vec::new() };
        let mut found: Vec<_> = entries.flatten().filter_map(|entry| Self::at(&entry.path())).collect();
        found.retain(|socket| {
            let lives = socket.lives();
            if !lives {
                _ = fs::remove_file(&socket.path);
            }
            lives
        });
        found.sort_by(|left, right| (&left.robot, left.process).cmp(&(&right.robot, right.process)));
        found
    }

    /// Returns the socket that a robot of this name creates in this process.
    pub(crate) fn of(robot: &str, folder: &Path) -> Self {
        let process = rustix::process::getpid().as_raw_nonzero().get();
        let plain = |character: char| if character == '/' || character == '\0' { '-' } else { character };
        let robot: String = robot.chars().map(plain).collect();
        let path = folder.join(format!("{robot}.{process}.sock"));
        Self { robot, process, path }
    }

    /// Parses a file's name; `None` if it is not the name of such a socket.
    fn at(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.strip_suffix(".sock")?;
        let (robot, process) = name.rsplit_once('.')?;
        let process = process.parse().ok().filter(|process| *process > 0)?;
        Some(Self { robot: robot.to_owned(), process, path: path.to_owned() })
    }

    fn lives(&self) -> bool {
        // If the number belongs to a process of another user by now, this is a permission error.
        Pid::from_raw(self.process).is_some_and(|process| test_kill_process(process).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_says_whose_it_is() {
        let own = RunningSocket::of("left/arm", Path::new("/run/user/1000/hemiola"));
        assert_eq!(own.robot, "left-arm");
        assert_eq!(RunningSocket::at(&own.path).as_ref(), Some(&own));
        assert!(own.lives());
        assert_eq!(RunningSocket::at(Path::new("/tmp/other.sock")), None);
        assert_eq!(RunningSocket::at(Path::new("/tmp/nao.-1.sock")), None);
    }
}
