//! A connection to `LoLA`: frames from a stream of bytes, within bounded time and memory.

use std::io::{self, ErrorKind, Read};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rustix::net::{AddressFamily, SendFlags, SocketAddrUnix, SocketFlags, SocketType, connect, send, socket_with};

use super::LolaError;
use super::wire::{ActuatorFrame, LARGEST_FRAME, SensorFrame, WireError};

/// The reading side of a connection. The connection ends when all are dropped who have its
/// [line](Self::line), or by [`end`](Self::end).
#[derive(Debug)]
pub struct Connection {
    stream: Arc<UnixStream>,
    patience: Duration,
    buffer: Box<[u8; LARGEST_FRAME]>,
    /// The number of bytes in the buffer, which begin with a frame.
    filled: usize,
    /// The frame after the one that was received.
    next: SensorFrame,
}

impl Connection {
    /// Connects without waiting: a body that is there accepts at once.
    ///
    /// # Errors
    /// [`LolaError::Connect`] if there is none, or it is busy with others.
    pub fn open(socket: &Path, patience: Duration) -> Result<Self, LolaError> {
        let stream =
            stream(socket, patience).map_err(|error| LolaError::Connect { socket: socket.to_owned(), error })?;
        Ok(Self::over(stream, patience))
    }

    /// Receives over a stream that is connected already, and whose reads end after `patience`.
    #[must_use]
    pub fn over(stream: UnixStream, patience: Duration) -> Self {
        Self {
            stream: Arc::new(stream),
            patience,
            buffer: Box::new([0; LARGEST_FRAME]),
            filled: 0,
            next: SensorFrame::default(),
        }
    }

    /// Returns the writing side.
    #[must_use]
    pub fn line(&self) -> Arc<UnixStream> {
        self.stream.clone()
    }

    /// Ends the connection for all who have its line: values in the robot's memory hold it for a
    /// while, and the body serves one client at a time.
    pub fn end(self) {
        _ = self.stream.shutdown(Shutdown::Both);
    }

    /// Waits for the next state of the body. If several wait already, the newest of those that are
    /// read at once counts; the number of the others is returned.
    ///
    /// # Errors
    /// The connection is of no use any more: there is nothing for `patience`, the peer has hung up,
    /// or what comes is no state.
    pub fn receive(&mut self, frame: &mut SensorFrame) -> Result<u32, LolaError> {
        let until = Instant::now() + self.patience;
        loop {
            match frame.decode(&self.buffer[..self.filled]) {
                Ok(length) => return self.pass_over(length, frame),
                Err(WireError::Incomplete) if self.filled < LARGEST_FRAME => self.fill(until)?,
                Err(WireError::Incomplete) => return Err(WireError::TooLarge.into()),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Removes a frame of `length` bytes, and goes on to the last complete one that follows it.
    fn pass_over(&mut self, length: usize, frame: &mut SensorFrame) -> Result<u32, LolaError> {
        let (mut begin, mut skipped) = (length, 0);
        loop {
            match self.next.decode(&self.buffer[begin..self.filled]) {
                Ok(length) => {
                    std::mem::swap(frame, &mut self.next);
                    begin += length;
                    skipped += 1;
                }
                Err(WireError::Incomplete) => break,
                Err(error) => return Err(error.into()),
            }
        }
        self.buffer.copy_within(begin..self.filled, 0);
        self.filled -= begin;
        Ok(skipped)
    }

    /// Reads what has come, and waits for it if there is nothing.
    fn fill(&mut self, until: Instant) -> Result<(), LolaError> {
        // Someone who sends one byte at a time does not get more time.
        if Instant::now() >= until {
            return Err(LolaError::Stalled { patience: self.patience });
        }
        match (&*self.stream).read(&mut self.buffer[self.filled..]) {
            Ok(0) => Err(LolaError::HungUp),
            Ok(length) => {
                self.filled += length;
                Ok(())
            }
            Err(error) => match error.kind() {
                ErrorKind::Interrupted => Ok(()),
                ErrorKind::WouldBlock | ErrorKind::TimedOut => Err(LolaError::Stalled { patience: self.patience }),
                ErrorKind::ConnectionReset => Err(LolaError::HungUp),
                _ => Err(LolaError::Line(error)),
            },
        }
    }
}

/// Writes commands to the body without waiting, and without allocating.
///
/// # Errors
/// [`LolaError::Unheard`] if the peer takes no more: then the connection has ended, because a part
/// of a frame cannot be taken back; [`LolaError::Line`] if it had ended before.
pub fn command(line: &UnixStream, frame: &ActuatorFrame) -> Result<(), LolaError> {
    let mut buffer = [0; LARGEST_FRAME];
    let length = frame.encode(&mut buffer)?;
    match send(line, &buffer[..length], SendFlags::DONTWAIT | SendFlags::NOSIGNAL) {
        Ok(sent) if sent == length => Ok(()),
        Ok(_) | Err(rustix::io::Errno::AGAIN) => {
            _ = line.shutdown(Shutdown::Both);
            Err(LolaError::Unheard)
        }
        Err(error) => Err(LolaError::Line(error.into())),
    }
}

fn stream(socket: &Path, patience: Duration) -> io::Result<UnixStream> {
    // A socket that blocks would wait for ever behind others who wait to be accepted.
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let descriptor = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    connect(&descriptor, &SocketAddrUnix::new(socket)?)?;
    let stream = UnixStream::from(descriptor);
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(patience))?;
    Ok(stream)
}
