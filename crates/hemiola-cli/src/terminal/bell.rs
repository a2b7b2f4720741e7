//! A bell, by which an event ends a wait for keys and sockets.

use std::io::{self, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::time::Duration;

use hemiola_realtime::{Wakeup, WakeupSet};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// A bell, for one thread that waits. Whoever notifies its event rings it, which is a system call
/// only while that thread waits.
pub struct Bell {
    set: WakeupSet,
    event: Arc<Wakeup>,
    /// The end of a pair of sockets that can be read when the bell was rung.
    rung: UnixStream,
}

impl Bell {
    /// Creates a bell.
    ///
    /// # Errors
    /// Returns the error of a system that refuses a pair of sockets.
    pub fn new() -> io::Result<Self> {
        let (rings, rung) = UnixStream::pair()?;
        rings.set_nonblocking(true)?;
        rung.set_nonblocking(true)?;
        // If there is no room, the bell was rung often enough.
        let set = WakeupSet::new(1, move || _ = (&rings).write(&[0]));
        Ok(Self { event: set.event(0), set, rung })
    }

    /// Returns the event that rings it.
    pub fn event(&self) -> &Arc<Wakeup> {
        &self.event
    }

    /// Waits until one of these can be read, the bell is rung, or `patience` is over, if it is
    /// given. Returns at once if the bell was rung since the last wait. A signal may end the wait
    /// early.
    pub fn wait(&self, others: impl IntoIterator<Item = impl AsFd>, patience: Option<Duration>) {
        if self.set.prepare_to_sleep() {
            let others: Vec<_> = others.into_iter().collect();
            let all = others.iter().map(AsFd::as_fd).chain([self.rung.as_fd()]);
            let mut all: Vec<_> = all.map(|one| PollFd::from_borrowed_fd(one, PollFlags::IN)).collect();
            let limit = patience.and_then(|patience| Timespec::try_from(patience).ok());
            _ = poll(&mut all, limit.as_ref());
        }
        self.set.take(|_| {});
        // What is left was rung for this wait, or for an earlier one.
        _ = (&self.rung).read(&mut [0; 64]);
    }
}
