//! The seat of one process of the robot in a client's session, whether the process is running or
//! not.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::Message;

use crate::door::outbox::Outbox;
use crate::door::session::Session;

/// The time after which connecting to a process is tried again.
const AGAIN: Duration = Duration::from_millis(100);
/// The time within which a process must describe itself.
const DESCRIPTION: Duration = Duration::from_secs(5);
/// The time after which a process counts as silent that should send statistics several times a
/// second.
const SILENT: Duration = Duration::from_secs(3);

/// The seat of a process, and the session with it.
pub struct Seat {
    /// The session; `None` while the process is not connected.
    pub session: Option<Box<dyn Session>>,
    /// Set once the process has sent its description.
    pub is_described: bool,
    /// The messages that it has sent.
    pub arrived: VecDeque<Message>,
    /// The reason why it is not connected.
    pub reason: String,
    /// The process ID, and the number of times that it has connected.
    pub process: Value,
    pub meetings: u32,
    /// The name of its host, if several hosts are one robot.
    pub host: Value,
    /// The time at which it connected or disconnected.
    pub since: Instant,
    /// The time of its last message.
    heard: Instant,
    /// The time at which the session must be polled.
    due: Option<Instant>,
}

impl Seat {
    pub fn empty(now: Instant) -> Self {
        Self {
            session: None,
            is_described: false,
            arrived: VecDeque::new(),
            reason: "it is not running".to_owned(),
            process: Value::Null,
            meetings: 0,
            host: Value::Null,
            since: now,
            heard: now,
            due: None,
        }
    }

    /// Returns whether it is connected, but has not described itself.
    pub fn is_beginning(&self) -> bool {
        self.session.is_some() && !self.is_described
    }

    /// Returns whether connecting should be tried now.
    pub fn is_sought(&self, now: Instant) -> bool {
        self.session.is_none() && now >= self.since + AGAIN
    }

    /// Returns whether it has not described itself in time.
    pub fn is_overdue(&self, now: Instant) -> bool {
        self.is_beginning() && now >= self.since + DESCRIPTION
    }

    pub fn meet(&mut self, session: Box<dyn Session>, now: Instant) {
        (self.session, self.is_described) = (Some(session), false);
        (self.since, self.heard, self.due) = (now, now, Some(now));
    }

    pub fn lose(&mut self, reason: &str, now: Instant) {
        self.session = None;
        self.is_described = false;
        self.arrived.clear();
        reason.clone_into(&mut self.reason);
        self.since = now;
    }

    /// Calls a method of the session, and keeps the messages that it sends. Returns whether the
    /// session goes on.
    pub fn act(&mut self, client: &Outbox, now: Instant, act: impl FnOnce(&mut dyn Session, &mut Outbox)) -> bool {
        let Some(session) = &mut self.session else { return true };
        let mut out = client.following();
        act(session.as_mut(), &mut out);
        let messages = out.take();
        if !messages.is_empty() {
            self.heard = now;
        }
        self.arrived.extend(messages);
        // It may have something to send now.
        self.due = Some(now);
        !out.is_closed()
    }

    /// Polls the session if it is due. Returns whether the session goes on.
    pub fn poll(&mut self, client: &Outbox, now: Instant) -> bool {
        if self.due.is_none_or(|due| due > now) {
            return true;
        }
        let mut again = None;
        let goes_on = self.act(client, now, |session, out| again = session.poll(out));
        self.due = again.map(|period| now + period);
        goes_on
    }

    /// Makes the session due, as something may have arrived.
    pub fn wake(&mut self, now: Instant) {
        self.due = Some(now);
    }

    /// Returns the time until the seat must be polled.
    pub fn wait(&self, now: Instant) -> Option<Duration> {
        let due = match &self.session {
            None => Some(self.since + AGAIN),
            Some(_) if !self.is_described => self.due.into_iter().chain([self.since + DESCRIPTION]).min(),
            Some(_) => self.due,
        };
        due.map(|due| due.saturating_duration_since(now))
    }

    /// Returns the state of the process in the form for clients.
    pub fn state(&self, name: &str, sends_figures: bool, now: Instant) -> Value {
        let (state, problem) = match &self.session {
            None => ("gone", Some(self.reason.as_str())),
            Some(_) if !self.is_described => ("starting", None),
            Some(_) if sends_figures && now > self.heard + SILENT => ("silent", Some("it does not respond")),
            Some(_) => ("running", None),
        };
        json!({"name": name, "host": self.host, "state": state, "process": self.process,
               "restarts": self.meetings.saturating_sub(1), "problem": problem})
    }
}
