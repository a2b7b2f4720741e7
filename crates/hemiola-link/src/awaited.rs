//! A watch on the Unix socket that a link waits for. The kernel reports when somebody listens
//! there, so that two processes meet at once, and not only after a pause.

use std::io;
use std::path::Path;

use mio::{Registry, Token};

/// A watch on the folder of a Unix socket. Where there is none (on other systems than Linux, and
/// while the folder does not exist), the link keeps trying to connect, with pauses.
pub struct AwaitedSocket {
    #[cfg(target_os = "linux")]
    watch: rustix::fd::OwnedFd,
    #[cfg(target_os = "linux")]
    name: std::ffi::CString,
}

#[cfg(target_os = "linux")]
impl AwaitedSocket {
    /// Watches for a process that [listens](crate::socket::Listener::unix) at this path from now
    /// on.
    ///
    /// # Errors
    /// Returns an error if there is no such folder, or the user has too many watches.
    pub fn at(path: &Path, registry: &Registry, token: Token) -> io::Result<Self> {
        use std::os::fd::AsRawFd;
        use std::os::unix::ffi::OsStrExt;

        use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};

        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(io::ErrorKind::InvalidInput.into());
        };
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        let watch = init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        // A process that begins to listen changes the mode of the socket's file.
        add_watch(&watch, folder, WatchFlags::ATTRIB | WatchFlags::ONLYDIR)?;
        registry.register(&mut mio::unix::SourceFd(&watch.as_raw_fd()), token, mio::Interest::READABLE)?;
        Ok(Self { watch, name: std::ffi::CString::new(name.as_bytes())? })
    }

    /// Returns whether a process may have begun to listen there since the last call.
    pub fn has_come(&self) -> bool {
        let mut buffer = [std::mem::MaybeUninit::uninit(); 1024];
        let mut events = rustix::fs::inotify::Reader::new(&self.watch, &mut buffer);
        let mut has_come = false;
        loop {
            match events.next() {
                // An event without a name reports that others were lost.
                Ok(event) => has_come |= event.file_name().is_none_or(|name| name == self.name.as_c_str()),
                Err(rustix::io::Errno::INTR) => {}
                Err(_) => return has_come,
            }
        }
    }
}

#[cfg(not(target_os = "linux"))]
impl AwaitedSocket {
    /// Returns an error: no such watch is available on this system.
    pub fn at(_: &Path, _: &Registry, _: Token) -> io::Result<Self> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Returns `false`.
    pub fn has_come(&self) -> bool {
        false
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::fs;

    use super::*;
    use crate::socket::Listener;

    #[test]
    fn who_listens_at_the_path_is_noticed_and_nobody_else() {
        let folder = std::env::temp_dir().join(format!("hemiola-link-awaited-{}", std::process::id()));
        _ = fs::remove_dir_all(&folder);
        let poll = mio::Poll::new().unwrap();
        let path = folder.join("here.sock");
        let awaited = || AwaitedSocket::at(&path, poll.registry(), Token(0));
        assert!(awaited().is_err(), "there is no folder");
        fs::create_dir(&folder).unwrap();
        let awaited = awaited().unwrap();
        assert!(!awaited.has_come());
        let _other = Listener::unix(&folder.join("there.sock")).unwrap();
        assert!(!awaited.has_come());
        let listener = Listener::unix(&path).unwrap();
        assert!(awaited.has_come() && !awaited.has_come());
        drop(listener);
        assert!(!awaited.has_come());
        let _again = Listener::unix(&path).unwrap();
        assert!(awaited.has_come());
        fs::remove_dir_all(&folder).unwrap();
    }
}
