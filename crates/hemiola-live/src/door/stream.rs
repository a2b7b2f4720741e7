//! The socket of a connection, over TCP or Unix, which counts the bytes that the kernel has
//! accepted.

use std::io::{self, Read, Write};

use mio::event::Source;
use mio::net::{TcpStream, UnixStream};
use mio::{Interest, Registry, Token};

/// The socket of a connection.
pub enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

/// A socket, and the number of bytes that have been written to it.
pub struct Stream {
    socket: Socket,
    written: u64,
}

impl Stream {
    pub fn new(socket: Socket) -> Self {
        Self { socket, written: 0 }
    }

    /// Returns the number of bytes that the kernel has accepted for the client.
    pub fn written(&self) -> u64 {
        self.written
    }

    pub fn register(&mut self, registry: &Registry, token: Token) -> io::Result<()> {
        let both = Interest::READABLE | Interest::WRITABLE;
        match &mut self.socket {
            Socket::Tcp(socket) => socket.register(registry, token, both),
            Socket::Unix(socket) => socket.register(registry, token, both),
        }
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.socket {
            Socket::Tcp(socket) => socket.read(buffer),
            Socket::Unix(socket) => socket.read(buffer),
        }
    }
}

impl Write for Stream {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = match &mut self.socket {
            Socket::Tcp(socket) => socket.write(bytes),
            Socket::Unix(socket) => socket.write(bytes),
        }?;
        self.written += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
