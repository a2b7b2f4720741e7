//! The connections of the processes of a robot to the process that has started them: a socket
//! there, and a thread for each connection.

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

/// The connection to a process.
pub struct Line {
    stream: UnixStream,
    /// The channel that is closed when everything that the process has sent is among the events.
    ended: Receiver<Infallible>,
}

/// The time within which a process has to identify itself.
const GREETING_PATIENCE: Duration = Duration::from_secs(5);
/// The time for which a process that does not read is waited for.
const WRITE_PATIENCE: Duration = Duration::from_millis(100);
/// The largest number of connections at once: a few for each process.
const MOST_LINES: usize = 64;

/// Opens the socket in that folder. Messages of these processes become events from now on.
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

/// Forwards the messages of a process as events; returns `None` when it is gone.
fn converse(stream: &UnixStream, processes: &Arc<[String]>, events: &SyncSender<Event>) -> Option<Infallible> {
    stream.set_read_timeout(Some(GREETING_PATIENCE)).ok()?;
    stream.set_write_timeout(Some(WRITE_PATIENCE)).ok()?;
    let mut lines = Lines::of(stream);
    let Some(Said::Begins { process }) = lines.next() else { return None };
    let number = processes.iter().position(|known| *known == process)?;
    stream.set_read_timeout(None).ok()?;
    let (is_there, ended) = channel();
    events.send(Event::Begins(number, Line { stream: stream.try_clone().ok()?, ended })).ok()?;
    while let Some(said) = lines.next() {
        events.send(Event::Said(number, said)).ok()?;
    }
    // A process whose message is not valid is disconnected, and notices that.
    _ = stream.shutdown(Shutdown::Both);
    drop(is_there);
    None
}

impl Line {
    /// Sends a message to the process.
    ///
    /// # Errors
    /// Returns an error if it is gone or does not read. It is sent nothing from then on, which it
    /// notices.
    pub fn tell(&self, told: &Told) -> io::Result<()> {
        write(&self.stream, told).inspect_err(|_| _ = self.stream.shutdown(Shutdown::Both))
    }

    /// Closes the connection to a process that has died: everything that it has sent is among the
    /// events then. `wait` is called until that is so.
    pub fn end(self, mut wait: impl FnMut()) {
        _ = self.stream.shutdown(Shutdown::Both);
        while self.ended.recv_timeout(Duration::from_millis(1)) == Err(RecvTimeoutError::Timeout) {
            wait();
        }
    }
}
