//! Frames of a connection that go through a pipe in shared memory instead of the socket. The socket
//! then carries only notices: bytes that end the other side's sleep, and whose values say nothing.

use hemiola_realtime::MemoryPipe;

use super::sharing::Sharing;
use super::streams::{Peer, ended};
use crate::session::{Desk, Parting};

/// The number of bytes that are read from one peer's pipe before others have their turn.
const AT_ONCE: usize = 1 << 20;
/// A notice, in two parts.
const NOTICE: [&[u8]; 2] = [&[0], &[]];

impl Peer {
    /// Returns whether the peer's frames come through the pipe.
    pub(super) fn is_piped_to(&self) -> bool {
        self.sharing.as_ref().is_some_and(Sharing::is_piped_to)
    }

    /// Handles the frames that have come through the pipe. Returns whether there were any.
    ///
    /// The peer is rung for when it waits for room; it rings when it has sent something, unless
    /// this side looks by itself.
    pub(super) fn receive_piped(&mut self, desk: &mut Desk, buffer: &mut [u8]) -> Result<bool, Parting> {
        let mut received = 0;
        loop {
            let Some(pipe) = self.pipe_from_peer() else { return Ok(false) };
            let count = pipe.read(buffer)?;
            if count > 0 {
                self.hear_piped(&buffer[..count], desk)?;
                if self.pipe_from_peer().is_some_and(MemoryPipe::give_back) {
                    self.ring()?;
                }
            }
            received += count;
            let is_over = received >= AT_ONCE;
            if count < buffer.len() || is_over {
                self.has_piped = !self.pipe_from_peer().map_or(Ok(true), MemoryPipe::rest)?;
                if is_over || !self.has_piped {
                    return Ok(received > 0);
                }
            }
        }
    }

    /// Takes notices from the socket. When that has ended, what is in the pipe is the last thing
    /// that the peer has said.
    pub(super) fn take_notices(&mut self, desk: &mut Desk, buffer: &mut [u8]) -> Result<(), Parting> {
        match self.stream.read(buffer).map_err(ended)? {
            None => self.is_readable = false,
            Some(0) => {
                self.receive_piped(desk, buffer)?;
                return Err(Parting::Closed);
            }
            Some(count) => self.is_readable = count == buffer.len() || self.has_ended,
        }
        self.pipe_from_peer().into_iter().for_each(MemoryPipe::note_rung);
        self.look_for_room()?;
        self.receive_piped(desk, buffer)?;
        Ok(())
    }

    /// Notes that there is room in the pipe, if it had none. One of the things that a notice may
    /// say is that there is some; if there is none yet, another notice follows.
    pub(super) fn look_for_room(&mut self) -> Result<(), Parting> {
        if !self.is_writable
            && let Some(pipe) = self.sharing.as_mut().and_then(Sharing::pipe_to_peer)
        {
            self.is_writable = pipe.has_room()?;
        }
        Ok(())
    }

    /// Writes the waiting bytes into the pipe, and returns whether there was room for all of them;
    /// `None` if they go through the socket.
    pub(super) fn write_piped(&mut self) -> Result<Option<bool>, Parting> {
        loop {
            let Some(pipe) = self.sharing.as_mut().and_then(Sharing::pipe_to_peer) else { return Ok(None) };
            let mut written = 0;
            for part in self.outbox.parts().into_iter().filter(|part| !part.is_empty()) {
                let count = pipe.write(part)?;
                written += count;
                if count < part.len() {
                    break;
                }
            }
            self.outbox.advance(written);
            let (must_ring, is_written) = (pipe.send(), self.outbox.is_empty());
            let has_room = is_written || pipe.want_room()?;
            if must_ring {
                self.ring()?;
            }
            if is_written || !has_room {
                return Ok(Some(is_written));
            }
        }
    }

    /// Writes a last frame into the pipe, if there is room for it. Returns `false` if it goes
    /// through the socket.
    pub(super) fn say_piped(&mut self, frame: &[u8]) -> bool {
        let Some(pipe) = self.sharing.as_mut().and_then(Sharing::pipe_to_peer) else { return false };
        // Part of a frame is no harm: nothing follows.
        if pipe.write(frame).is_ok() && pipe.send() {
            _ = self.ring();
        }
        true
    }

    /// Looks into the pipe without a system call; the peer does not ring any more. Returns whether
    /// there is something.
    pub(super) fn look(&mut self) -> bool {
        let Some(pipe) = self.pipe_from_peer() else { return false };
        pipe.stay_awake();
        // Misuse is found again when it is read.
        let has_news = pipe.has_news().unwrap_or(true);
        self.is_marked |= has_news;
        has_news
    }

    /// Lets the peer ring again. Returns whether there is nothing to read.
    pub(super) fn prepare_to_sleep(&mut self) -> bool {
        let Some(pipe) = self.pipe_from_peer() else { return true };
        let is_empty = pipe.prepare_to_sleep().unwrap_or(false);
        (self.has_piped, self.is_marked) = (!is_empty, self.is_marked || !is_empty);
        is_empty
    }

    /// Returns the pipe if the peer's frames come through it.
    fn pipe_from_peer(&mut self) -> Option<&mut MemoryPipe> {
        self.sharing.as_mut().and_then(Sharing::pipe_from_peer)
    }

    /// Ends the peer's sleep. If the socket has no room, other notices wait there. Before this
    /// side's last frame on the socket, a notice would be read as a part of a frame: then it is
    /// owed.
    pub(super) fn ring(&mut self) -> Result<(), Parting> {
        self.owes_ring = self.sharing.as_mut().is_none_or(|sharing| sharing.pipe_to_peer().is_none());
        if self.owes_ring {
            return Ok(());
        }
        self.stream.write(NOTICE).map(drop).map_err(ended)
    }

    /// Handles the complete frames in bytes of the pipe, which follow those that wait for the rest
    /// of their frame.
    fn hear_piped(&mut self, bytes: &[u8], desk: &mut Desk) -> Result<(), Parting> {
        if self.incoming.has_memory() {
            self.incoming.push(bytes);
        }
        self.hear(bytes, desk)
    }
}
