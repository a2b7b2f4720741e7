//! The place of one process of the robot, whether it runs or not.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::Message;

use crate::door::outbox::Outbox;
use crate::door::session::Session;

/// The time after which a process that is not reached is sought again.
const AGAIN: Duration = Duration::from_millis(100);
/// The time within which a process says what it has.
const DESCRIPTION: Duration = Duration::from_secs(5);
/// The time after which a process is silent that is asked to send its figures some times a second.
const SILENT: Duration = Duration::from_secs(3);

/// The place of a process, and the session with it.
pub struct Seat {
    /// `None` if it is not reached.
    pub session: Option<Box<dyn Session>>,
    /// The process has sent a description of its contents.
    pub is_described: bool,
    /// What it has sent.
    pub arrived: VecDeque<Message>,
    /// Why it is not reached.
    pub reason: String,
    /// Its number in the operating system, and how often it was met.
    pub process: Value,
    pub meetings: u32,
    /// When it was met or lost.
    pub since: Instant,
    /// When it has sent something.
    heard: Instant,
    /// When the session wants to be polled.
    due: Option<Instant>,
}

impl Seat {
    pub fn empty(now: Instant) -> Self {
        Self {
            session: None,
            is_described: false,
            arrived: VecDeque::new(),
            reason: "it does not run now".to_owned(),
            process: Value::Null,
            meetings: 0,
            since: now,
            heard: now,
            due: None,
        }
    }

    /// Returns whether it is reached, but has not said what it has.
    pub fn is_beginning(&self) -> bool {
        self.session.is_some() && !self.is_described
    }

    /// Returns whether it is to be sought.
    pub fn is_sought(&self, now: Instant) -> bool {
        self.session.is_none() && now >= self.since + AGAIN
    }

    /// Returns whether it has not said in time what it has.
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

    /// Lets the session act; what it sends has arrived. Returns whether it goes on.
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

    /// Polls the session if that is due. Returns whether it goes on.
    pub fn poll(&mut self, client: &Outbox, now: Instant) -> bool {
        if self.due.is_none_or(|due| due > now) {
            return true;
        }
        let mut again = None;
        let goes_on = self.act(client, now, |session, out| again = session.poll(out));
        self.due = again.map(|period| now + period);
        goes_on
    }

    /// Has the session polled, as something may have come.
    pub fn wake(&mut self, now: Instant) {
        self.due = Some(now);
    }

    /// Returns after how long something is to be done.
    pub fn wait(&self, now: Instant) -> Option<Duration> {
        let due = match &self.session {
            None => Some(self.since + AGAIN),
            Some(_) if !self.is_described => self.due.into_iter().chain([self.since + DESCRIPTION]).min(),
            Some(_) => self.due,
        };
        due.map(|due| due.saturating_duration_since(now))
    }

    /// Returns what clients are told of the process.
    pub fn state(&self, name: &str, sends_figures: bool, now: Instant) -> Value {
        let (state, problem) = match &self.session {
            None => ("gone", Some(self.reason.as_str())),
            Some(_) if !self.is_described => ("starting", None),
            Some(_) if sends_figures && now > self.heard + SILENT => ("silent", Some("it does not answer")),
            Some(_) => ("running", None),
        };
        json!({"name": name, "state": state, "process": self.process, "restarts": self.meetings.saturating_sub(1),
               "problem": problem})
    }
}
