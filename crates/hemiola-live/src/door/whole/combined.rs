//! The part of a session with the whole robot that does not depend on the client's protocol:
//! polling the sessions with all processes, and handling what they send.

use std::time::{Duration, Instant};

use serde_json::Value;
use tungstenite::{Bytes, Message};

use super::seats::Seats;
use crate::door::errands::Outcome;
use crate::door::outbox::Outbox;
use crate::door::session::Session;

/// A session that combines the sessions with all processes of a robot. Each is a [`Session`].
pub trait Combined: Send {
    /// Returns the processes.
    fn seats(&mut self) -> &mut Seats;

    /// Handles the beginning of the connection: begins the session with this process, and seeks
    /// the others.
    fn enter(&mut self, out: &mut Outbox);

    /// Executes a text message of the client, or holds it until all processes have described
    /// themselves.
    fn request(&mut self, text: &str, out: &mut Outbox);

    /// Executes a binary message of the client.
    fn request_bytes(&mut self, bytes: &[u8], out: &mut Outbox);

    /// Returns whether messages of the client wait until all processes have described themselves.
    fn is_holding(&self) -> bool;

    /// Executes these messages. No later ones are held.
    fn release(&mut self, out: &mut Outbox);

    /// Connects to a process.
    fn seek(&mut self, index: usize, out: &mut Outbox);

    /// Notes that a process has ended.
    fn lose(&mut self, index: usize, reason: &str, out: &mut Outbox);

    /// Handles a text message of a process.
    fn said(&mut self, index: usize, said: Value, out: &mut Outbox);

    /// Forwards a binary message of a process.
    fn forward(&mut self, index: usize, bytes: Bytes, out: &mut Outbox);

    /// Sends the client which processes are there, if that has changed.
    fn tell(&mut self, out: &mut Outbox);

    /// Ends what processes have not answered in time.
    fn expire(&mut self, now: Instant, out: &mut Outbox);

    /// Returns the time until [`expire`](Self::expire) has something to end.
    fn wait(&self, now: Instant) -> Option<Duration>;

    /// Forwards the messages that have arrived, and handles their consequences.
    fn settle(&mut self, out: &mut Outbox) {
        loop {
            while let Some((index, message)) = self.seats().arrived() {
                match message {
                    Message::Text(text) => {
                        if let Ok(said) = serde_json::from_str(&text) {
                            self.said(index, said, out);
                        }
                    }
                    Message::Binary(bytes) => self.forward(index, bytes, out),
                    _ => {}
                }
            }
            match self.is_holding() {
                false => return self.tell(out),
                true if self.seats().are_beginning() => return,
                true => self.release(out),
            }
        }
    }
}

impl<C: Combined> Session for C {
    fn begin(&mut self, out: &mut Outbox) {
        self.seats().act_here(out, |session, out| session.begin(out));
        self.enter(out);
    }

    fn text(&mut self, text: &str, out: &mut Outbox) {
        self.request(text, out);
        self.settle(out);
    }

    fn bytes(&mut self, bytes: &[u8], out: &mut Outbox) {
        self.request_bytes(bytes, out);
        self.settle(out);
    }

    fn done(&mut self, request: Value, outcome: Outcome, out: &mut Outbox) {
        self.seats().act_here(out, |session, out| session.done(request, outcome, out));
        self.settle(out);
    }

    fn poll(&mut self, out: &mut Outbox) -> Option<Duration> {
        let now = Instant::now();
        for index in 0..self.seats().processes.len() {
            let goes_on = self.seats().poll(index, out, now);
            self.settle(out);
            if self.seats().processes[index].connection.is_sought(now) {
                self.seek(index, out);
            } else if let Some(reason) = self.seats().loss(index, goes_on, now) {
                self.lose(index, &reason, out);
            }
        }
        self.expire(now, out);
        self.settle(out);
        self.wait(now).into_iter().chain(self.seats().wait(now)).min()
    }

    fn end(&mut self, reason: &str, out: &mut Outbox) {
        self.seats().act_here(out, |session, out| session.end(reason, out));
        self.settle(out);
    }
}
