//! The Unix sockets of running robots.

use std::path::{Path, PathBuf};
use std::{fs, io};

use hemiola_link::{make_socket_folder, socket_folder};
use rustix::process::{Pid, test_kill_process};

/// The socket of a running robot, or of one of its processes.
///
/// ```
/// use hemiola_live::RunningSocket;
///
/// for socket in RunningSocket::all() {
///     println!("{} runs as process {}: {}", socket.name(), socket.process, socket.path.display());
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunningSocket {
    /// The robot's name.
    pub robot: String,
    /// The part of the robot that this process runs; `None` if the robot is a single process.
    pub part: Option<Part>,
    /// The ID of the process.
    pub process: i32,
    /// The path of the socket.
    pub path: PathBuf,
}

/// The part of a robot that one of its processes runs.
///
/// ```
/// use hemiola_live::Part;
///
/// let vision = Part { process: "vision".into(), started_by: Some(4700) };
/// assert_eq!(vision.process, "vision");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Part {
    /// The name of the process in `robot.toml`.
    pub process: String,
    /// The ID of the process that started all processes of the robot; `None` if they were started
    /// one by one.
    pub started_by: Option<u32>,
}

/// A running robot: its single process, or all of its processes that are running now.
///
/// ```
/// use hemiola_live::RunningRobot;
///
/// for robot in RunningRobot::all() {
///     println!("{}: {} processes", robot.name, robot.sockets.len());
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunningRobot {
    /// The robot's name.
    pub name: String,
    /// The sockets of its processes, sorted by name; at least one.
    pub sockets: Vec<RunningSocket>,
}

impl RunningRobot {
    /// Finds the running robots of this user, sorted by name.
    pub fn all() -> Vec<Self> {
        Self::of(RunningSocket::all())
    }

    /// Groups sockets by the robots that they belong to.
    pub fn of(mut sockets: Vec<RunningSocket>) -> Vec<Self> {
        sockets.sort_by(|left, right| left.key().cmp(&right.key()));
        let robots = sockets.chunk_by(|left, right| left.is_of_one_robot(right));
        robots.map(|sockets| Self { name: sockets[0].robot.clone(), sockets: sockets.to_vec() }).collect()
    }

    /// Returns whether the robot consists of several processes.
    pub fn is_cut(&self) -> bool {
        self.sockets.iter().any(|socket| socket.part.is_some())
    }
}

/// The separator between the parts of a socket's name; the names of robots do not contain it.
const BETWEEN: char = '@';

impl RunningSocket {
    /// Finds the sockets of this user's running robots, sorted by name and process. Removes sockets
    /// that killed processes have left behind.
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
        found.sort_by(|left, right| left.key().cmp(&right.key()));
        found
    }

    /// Returns the name of the robot or process behind the socket: `nao`, or `nao-vision` for a
    /// process of it.
    pub fn name(&self) -> String {
        match &self.part {
            Some(part) => format!("{}-{}", self.robot, part.process),
            None => self.robot.clone(),
        }
    }

    /// Returns whether this is the way to a process on another host, which the process that has
    /// started those of this host keeps open.
    pub fn leads_elsewhere(&self) -> bool {
        self.part.as_ref().is_some_and(|part| part.started_by == Some(self.process.cast_unsigned()))
    }

    /// Returns the socket of another process of the same robot.
    pub(crate) fn other(&self, process: &str) -> Option<Self> {
        let is_meant = |part: &Part| part.process == process;
        let all = Self::all().into_iter();
        all.filter(|socket| self.is_of_one_robot(socket)).find(|socket| socket.part.as_ref().is_some_and(is_meant))
    }

    /// Returns the socket that this process creates for a robot of this name, or for a part of it:
    /// its own door, or a way to one on another host. The folder exists from now on, and the path
    /// is free.
    ///
    /// # Errors
    /// Returns an error if the folder cannot be created, or the path is in use.
    pub fn claim(robot: &str, part: Option<&Part>) -> io::Result<Self> {
        let socket = Self::of(robot, part, &make_socket_folder()?);
        if socket.path.exists() {
            // An earlier process with the same ID has left the socket behind.
            fs::remove_file(&socket.path)?;
        }
        Ok(socket)
    }

    fn of(robot: &str, part: Option<&Part>, folder: &Path) -> Self {
        let process = rustix::process::getpid().as_raw_nonzero().get();
        let is_apart = |character: char| matches!(character, '/' | '\0' | BETWEEN);
        let plain = |name: &str| name.replace(is_apart, "-");
        let robot = plain(robot);
        let part = part.map(|part| Part { process: plain(&part.process), started_by: part.started_by });
        let name = match &part {
            None => robot.clone(),
            Some(Part { process, started_by: None }) => format!("{robot}{BETWEEN}{process}"),
            Some(Part { process, started_by: Some(by) }) => format!("{robot}{BETWEEN}{process}{BETWEEN}{by}"),
        };
        let path = folder.join(format!("{name}.{process}.sock"));
        Self { robot, part, process, path }
    }

    /// Parses the name of a file; `None` if it is not the name of such a socket.
    fn at(path: &Path) -> Option<Self> {
        let name = path.file_name()?.to_str()?.strip_suffix(".sock")?;
        let (name, process) = name.rsplit_once('.')?;
        let process = process.parse().ok().filter(|process| *process > 0)?;
        let parts: Vec<&str> = name.split(BETWEEN).collect();
        let part = |process: &str, started_by| Some(Part { process: process.to_owned(), started_by });
        let (robot, part) = match parts[..] {
            [robot] => (robot, None),
            [robot, process] => (robot, part(process, None)),
            [robot, process, by] => (robot, part(process, Some(by.parse().ok()?))),
            _ => return None,
        };
        Some(Self { robot: robot.to_owned(), part, process, path: path.to_owned() })
    }

    /// Returns the key that sockets are sorted by, so that those of one robot are adjacent.
    fn key(&self) -> (&str, Option<(Option<u32>, &str)>, i32) {
        let part = self.part.as_ref().map(|part| (part.started_by, part.process.as_str()));
        (&self.robot, part, self.process)
    }

    /// Returns whether both belong to the same robot.
    pub(crate) fn is_of_one_robot(&self, other: &Self) -> bool {
        match (&self.part, &other.part) {
            (Some(part), Some(another)) => self.robot == other.robot && part.started_by == another.started_by,
            _ => self.path == other.path,
        }
    }

    fn lives(&self) -> bool {
        // If a process of another user has this ID by now, the result is a permission error.
        Pid::from_raw(self.process).is_some_and(|process| test_kill_process(process).is_ok())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_socket_says_whose_it_is() {
        let own = RunningSocket::of("left/arm", None, Path::new("/run/user/1000/hemiola"));
        assert_eq!((own.robot.as_str(), own.name().as_str()), ("left-arm", "left-arm"));
        assert_eq!(RunningSocket::at(&own.path).as_ref(), Some(&own));
        assert!(own.lives());
        assert_eq!(RunningSocket::at(Path::new("/tmp/other.sock")), None);
        assert_eq!(RunningSocket::at(Path::new("/tmp/nao.-1.sock")), None);
        assert_eq!(RunningSocket::at(Path::new("/tmp/nao@vision@who.7.sock")), None);
    }

    #[test]
    fn the_sockets_of_a_cut_robot_belong_together() {
        let socket = |robot: &str, process: &str, started_by| {
            let part = Part { process: process.to_owned(), started_by };
            RunningSocket::of(robot, Some(&part), Path::new("/run/user/1000/hemiola"))
        };
        let whole = RunningSocket::of("nao", None, Path::new("/run/user/1000/hemiola"));
        let sockets = [
            socket("nao", "vision", Some(7)),
            socket("nao", "main", Some(8)),
            whole,
            socket("nao", "main", Some(7)),
            socket("n@o", "main", None),
            socket("nao", "alone", None),
        ];
        for socket in &sockets {
            assert_eq!(RunningSocket::at(&socket.path).as_ref(), Some(socket));
        }
        let robots = RunningRobot::of(sockets.into());
        let names = |robot: &RunningRobot| robot.sockets.iter().map(RunningSocket::name).collect::<Vec<_>>();
        let names: Vec<_> = robots.iter().map(names).collect();
        let expected: &[&[&str]] =
            &[&["n-o-main"], &["nao"], &["nao-alone"], &["nao-main", "nao-vision"], &["nao-main"]];
        assert_eq!(names, expected);
        assert!(!robots[1].is_cut() && robots[3].is_cut());
        let this = std::process::id();
        assert!(socket("nao", "vision", Some(this)).leads_elsewhere());
        assert!(!robots.iter().flat_map(|robot| &robot.sockets).any(RunningSocket::leads_elsewhere));
    }
}
