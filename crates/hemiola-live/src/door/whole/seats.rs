//! The processes of a robot in a client's session, each with the session with it.

use std::time::{Duration, Instant};

use serde_json::Value;
use tungstenite::Message;

use super::seat::Seat;
use crate::door::outbox::Outbox;
use crate::door::session::Session;
use crate::whole::holdings::{items, text_of};
use crate::whole::process::Process;

/// Opens a session with another process of the robot.
pub type Opener = Box<dyn Fn(&str) -> Result<Box<dyn Session>, String> + Send>;

/// The processes of a robot.
pub struct Seats {
    open: Opener,
    /// The processes, in the order of `robot.toml`.
    pub processes: Vec<Process<Seat>>,
    /// The index of the process behind this door.
    pub own: usize,
}

impl Seats {
    /// Creates the only seat that is known at first, that of this process; `open` opens the
    /// sessions with the others.
    pub fn new(own: Box<dyn Session>, open: Opener) -> Self {
        let mut seat = Seat::empty(Instant::now());
        seat.meet(own, Instant::now());
        Self { open, processes: vec![Process::new(String::new(), seat)], own: 0 }
    }

    /// Creates a seat for each of these processes; `own` is the name of this one.
    pub fn seat_all(&mut self, own: &Value, all: &Value, now: Instant) {
        let Some(here) = self.processes.pop() else { return };
        let here = Process { name: text_of(own).to_owned(), ..here };
        self.processes = items(all).map(|name| Process::new(text_of(name).to_owned(), Seat::empty(now))).collect();
        match self.processes.iter().position(|process| process.name == here.name) {
            Some(own) => (self.own, self.processes[own]) = (own, here),
            None => (self.own, self.processes) = (0, vec![here]),
        }
    }

    /// Connects to a process. Returns whether that has begun.
    pub fn seek(&mut self, index: usize, now: Instant) -> bool {
        let process = &mut self.processes[index];
        match (self.open)(&process.name) {
            Ok(session) => process.connection.meet(session, now),
            Err(reason) => process.connection.lose(&reason, now),
        }
        process.connection.session.is_some()
    }

    /// Returns the indices of the processes behind other doors.
    pub fn others(&self) -> impl Iterator<Item = usize> + use<> {
        let own = self.own;
        (0..self.processes.len()).filter(move |index| *index != own)
    }

    /// Returns whether a process is connected, but has not described itself.
    pub fn are_beginning(&self) -> bool {
        self.processes.iter().any(|process| process.connection.is_beginning())
    }

    /// Removes and returns the next message of a process, with the index of the process.
    pub fn arrived(&mut self) -> Option<(usize, Message)> {
        let mut all = self.processes.iter_mut().enumerate();
        all.find_map(|(index, process)| Some((index, process.connection.arrived.pop_front()?)))
    }

    /// Calls a method of the session with this process.
    pub fn act_here(&mut self, out: &Outbox, act: impl FnOnce(&mut dyn Session, &mut Outbox)) {
        self.processes[self.own].connection.act(out, Instant::now(), act);
    }

    /// Polls the session with a process. Returns whether it goes on.
    pub fn poll(&mut self, index: usize, out: &Outbox, now: Instant) -> bool {
        let seat = &mut self.processes[index].connection;
        if index != self.own {
            seat.wake(now);
        }
        seat.poll(out, now)
    }

    /// Returns the reason for which a process is lost, after everything that it has sent was
    /// handled; `goes_on` is the result of [`poll`](Self::poll).
    pub fn loss(&self, index: usize, goes_on: bool, now: Instant) -> Option<String> {
        let seat = &self.processes[index].connection;
        let is_there = seat.session.is_some();
        match is_there && !goes_on {
            true => Some(seat.reason.clone()),
            false => seat.is_overdue(now).then(|| "it has sent no description".to_owned()),
        }
    }

    /// Returns the time until a process must be polled.
    pub fn wait(&self, now: Instant) -> Option<Duration> {
        self.processes.iter().filter_map(|process| process.connection.wait(now)).min()
    }
}
