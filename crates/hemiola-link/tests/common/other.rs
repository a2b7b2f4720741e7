//! Another process of a test: the ignored test `other_process` of a test program, which is killed.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// The variable of the other process's environment with the path of the socket.
const SOCKET: &str = "HEMIOLA_TEST_SOCKET";

/// A process that is killed when it is dropped.
pub struct Other(Child);

impl Other {
    /// Starts the other process of this test program, or of a copy of it.
    pub fn start(program: &Path, socket: &Path) -> Self {
        let mut command = Command::new(program);
        command.args(["other_process", "--exact", "--ignored", "--quiet"]).env(SOCKET, socket).stdout(Stdio::null());
        Self(command.spawn().unwrap())
    }

    /// Returns the path of the socket, if this is the other process.
    pub fn socket() -> Option<PathBuf> {
        std::env::var_os(SOCKET).map(PathBuf::from)
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

/// Returns the number of mappings of links' memory in this process.
pub fn mappings() -> usize {
    std::fs::read_to_string("/proc/self/maps").unwrap().matches("/memfd:hemiola").count()
}
