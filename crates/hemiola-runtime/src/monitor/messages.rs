//! Messages for people.

use std::collections::BTreeMap;
use std::sync::Arc;

use hemiola_bus::RobotClock;

use crate::journal::{Journal, JournalEntry, JournalEvent};
use crate::record::Severity;

/// A message for people. Repetitions are counted.
///
/// ```
/// let message = hemiola_runtime::Message { text: "BallFinder failed".into(), count: 3 };
/// assert_eq!(message.to_string(), "BallFinder failed (3 times)");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// The text: what happened, and what to do about it.
    pub text: String,
    /// The number of repetitions so far.
    pub count: u64,
}

impl std::fmt::Display for Message {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.count {
            1 => formatter.write_str(&self.text),
            count => write!(formatter, "{} ({count} times)", self.text),
        }
    }
}

/// All messages, and the journal.
pub struct Messages {
    order: Vec<String>,
    counts: BTreeMap<String, u64>,
    /// The number of the journal's entry that is passed on next.
    told: u64,
    /// The journal: every occurrence of a message, and other events.
    journal: Journal,
    clock: Arc<RobotClock>,
}

/// The maximum number of different messages, more than anybody reads.
const MOST_MESSAGES: usize = 1000;

impl Messages {
    pub fn new(clock: Arc<RobotClock>) -> Self {
        Self { order: Vec::new(), counts: BTreeMap::new(), told: 0, journal: Journal::default(), clock }
    }

    pub fn happened(&mut self, event: JournalEvent) {
        self.journal.add(self.clock.now(), event);
    }

    pub fn add(&mut self, severity: Severity, about: &str, text: String) {
        self.happened(JournalEvent::Message { severity, about: about.to_owned(), text: text.clone() });
        match self.counts.get_mut(&text) {
            Some(count) => *count += 1,
            None if self.order.len() < MOST_MESSAGES => {
                self.order.push(text.clone());
                self.counts.insert(text, 1);
            }
            None => *self.counts.entry(String::from("further messages, not shown")).or_default() += 1,
        }
    }

    /// Returns the entries of the journal since the last call.
    pub fn told(&mut self) -> impl Iterator<Item = &JournalEntry> {
        let told = std::mem::replace(&mut self.told, self.journal.next());
        self.journal.from(told)
    }

    /// Returns all messages so far.
    pub fn all(&self) -> Vec<Message> {
        let messages = self.order.iter();
        messages.map(|text| Message { text: text.clone(), count: self.counts[text] }).collect()
    }

    /// Returns the entries of the journal from this number on.
    pub fn journal(&self, number: u64) -> Vec<JournalEntry> {
        self.journal.since(number)
    }
}
