//! Peers that run the same program as this process, for the same user.

use std::fs;
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;

#[cfg(target_os = "linux")]
use rustix::fd::OwnedFd;

/// The process of a peer of which the kernel says that it belongs to the user of this process and
/// runs the same executable: what this program's code never does, it does not do either.
#[derive(Debug)]
pub struct Kin {
    /// The process, which another one cannot be confused with.
    #[cfg(target_os = "linux")]
    process: OwnedFd,
}

impl Kin {
    /// Returns the process at the other end of a Unix socket if it is such a peer: the one that has
    /// connected it, or that listens.
    #[cfg(target_os = "linux")]
    pub fn of(socket: impl AsFd) -> Option<Self> {
        use rustix::net::sockopt;
        use rustix::process::{PidfdFlags, geteuid, pidfd_open};

        let peer = sockopt::socket_peercred(&socket).ok()?;
        if peer.uid != geteuid() {
            return None;
        }
        // A process that has ended, and whose number another one has now, is found out by the
        // descriptor, which is opened before the executable is looked at.
        let process = pidfd_open(peer.pid, PidfdFlags::empty()).ok()?;
        let executable = |process: &str| {
            let file = fs::metadata(format!("/proc/{process}/exe")).ok()?;
            Some((file.dev(), file.ino()))
        };
        let is_same = executable("self")? == executable(&peer.pid.to_string())?;
        let kin = Self { process };
        (is_same && !kin.has_ended()).then_some(kin)
    }

    /// Other systems than Linux have no such memory as is shared with such peers.
    #[cfg(not(target_os = "linux"))]
    pub fn of(_: impl AsFd) -> Option<Self> {
        None
    }

    /// Returns whether the process has ended.
    #[cfg(target_os = "linux")]
    pub fn has_ended(&self) -> bool {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};

        let mut process = [PollFd::new(&self.process, PollFlags::IN)];
        poll(&mut process, Some(&Timespec::default())).is_ok_and(|ready| ready > 0)
    }

    /// Returns whether the process has ended.
    #[cfg(not(target_os = "linux"))]
    pub fn has_ended(&self) -> bool {
        true
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::unix::net::UnixStream;

    use super::*;

    #[test]
    fn this_process_is_its_own_kin_and_lives() {
        let (socket, _other) = UnixStream::pair().unwrap();
        assert!(!Kin::of(&socket).unwrap().has_ended());
    }
}
