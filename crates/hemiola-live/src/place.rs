//! The Unix sockets of running robots.

use std::fs;
use std::path::{Path, PathBuf};

use hemiola_link::socket_folder;
use rustix::process::{Pid, test_kill_process};

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
        let Ok(entries) = fs::read_dir(socket_folder()) else { return Vec::new() };
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
