//! A program that speaks to a link by frames of its choice.

use std::io::{IoSlice, Write};
use std::mem::MaybeUninit;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;

use hemiola_link::wire::{Frame, Incoming, VERSION};
use hemiola_model::configuration::LinkAddress;
use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};

use super::{PATIENCE, Side, framed, hear};

/// A program that sends arbitrary frames and passes arbitrary descriptors.
pub struct Stranger {
    pub stream: UnixStream,
    pub incoming: Incoming,
}

impl Stranger {
    /// Connects at a `shm:` address, and says hello.
    pub fn at(side: &Side) -> Self {
        let LinkAddress::Shm(path) = side.address() else { panic!("it is shared memory") };
        let stream = UnixStream::connect(path).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut stranger = Self { stream, incoming: Incoming::default() };
        stranger.say(&Frame::Hello { version: VERSION, robot: "stranger" });
        stranger
    }

    /// Sends a frame, unless the other side has ended the connection.
    pub fn say(&mut self, frame: &Frame<'_>) -> bool {
        self.stream.write_all(&framed(frame)).is_ok()
    }

    /// Sends a frame with a descriptor, unless the other side has ended the connection.
    pub fn pass(&mut self, frame: &Frame<'_>, descriptor: impl AsFd) -> bool {
        let descriptors = [descriptor.as_fd()];
        let mut room = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = SendAncillaryBuffer::new(&mut room);
        control.push(SendAncillaryMessage::ScmRights(&descriptors));
        sendmsg(&self.stream, &[IoSlice::new(&framed(frame))], &mut control, SendFlags::NOSIGNAL).is_ok()
    }

    pub fn hear<T>(&mut self, wanted: impl Fn(&Frame<'_>) -> Option<T>) -> Option<T> {
        hear(&mut self.stream, &mut self.incoming, wanted)
    }
}
