//! Where the processes of a robot say what becomes of it: a socket of the process that has started
//! them, and a thread for each that is there.

use std::convert::Infallible;
use std::io;
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, channel};
use std::thread::Builder;
use std::time::Duration;

use super::Event;
use super::words::{Lines, SOCKET, Said, Told, write};

/// The conversation with a process.
pub struct Line {
    stream: UnixStream,
    /// It ends when everything that the process has said is among the events.
    ended: Receiver<Infallible>,
}

/// The time within which a process has to say who it is.
const GREETING_PATIENCE: Duration = Duration::from_secs(5);
/// The time for which a process is waited for that reads nothing.
const WRITE_PATIENCE: Duration = Duration::from_millis(100);
/// The most conversations at once: a few for each process.
const MOST_LINES: usize = 64;

/// Opens the socket in that folder. What these processes say becomes events from now on.
pub fn open(folder: &Path, processes: Vec<String>, events: SyncSender<Event>) -> io::Result<()> {
    let listener = UnixListener::bind(folder.join(SOCKET))?;
    let processes: Arc<[String]> = processes.into();
    let listen = move || {
        for stream in listener.incoming().flatten() {
            if Arc::strong_count(&processes) > MOST_LINES {
                continue;
            }
            let (processes, events) = (processes.clone(), events.clone());
            _ = Builder::new().name("hemiola process".into()).spawn(move || converse(&stream, &processes, &events));
        }
    };
    Builder::new().name("hemiola processes".into()).spawn(listen).map(drop)
}

/// Passes on what a process says; returns `None` when it is gone.
fn converse(stream: &UnixStream, processes: &Arc<[String]>, events: &SyncSender<Event>) -> Option<Infallible> {
    stream.set_read_timeout(Some(GREETING_PATIENCE)).ok()?;
    stream.set_write_timeout(Some(WRITE_PATIENCE)).ok()?;
    let mut lines = Lines::of(stream).ok()?;
    let Some(Said::Begins { process }) = lines.next() else { return None };
    let number = processes.iter().position(|known| *known == process)?;
    stream.set_read_timeout(None).ok()?;
    let (is_there, ended) = channel();
    events.send(Event::Begins(number, Line { stream: stream.try_clone().ok()?, ended })).ok()?;
    while let Some(said) = lines.next() {
        events.send(Event::Said(number, said)).ok()?;
    }
    // Whoever cannot be understood is not listened to any more, and notices that.
    _ = stream.shutdown(Shutdown::Both);
    drop(is_there);
    None
}

impl Line {
    /// Tells the process something.
    ///
    /// # Errors
    /// It is gone, or does not read. It is told nothing from then on, which it notices.
    pub fn tell(&self, told: &Told) -> io::Result<()> {
        write(&self.stream, told).inspect_err(|_| _ = self.stream.shutdown(Shutdown::Both))
    }

    /// Ends the conversation with a process that has died: what it had said before is among the
    /// events then. `wait` is called while that is not so.
    pub fn end(self, mut wait: impl FnMut()) {
        _ = self.stream.shutdown(Shutdown::Both);
        while self.ended.recv_timeout(Duration::from_millis(1)) == Err(RecvTimeoutError::Timeout) {
            wait();
        }
    }
}
