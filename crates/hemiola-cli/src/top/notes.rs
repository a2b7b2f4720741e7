//! The notes on a robot: its messages, and the changes with their authors.

use std::collections::VecDeque;

use hemiola_live::protocol::{Happened, JournalText, SeverityText};
use hemiola_model::Time;
use hemiola_runtime::{JournalEntry, JournalEvent, Severity};

/// The newest notes, each text once.
#[derive(Clone, Default)]
pub struct Notes {
    notes: VecDeque<Note>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The time of the last occurrence.
    pub time: Time,
    pub kind: Kind,
    pub text: String,
    /// The number of occurrences.
    pub count: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Information,
    Warning,
    Error,
    /// The robot was changed, or a moment was marked.
    Change,
}

/// The number of different notes that are kept, which is more than anybody reads.
const MOST: usize = 1000;

impl Notes {
    /// Adds a note. A known one is counted, and moves to the end.
    pub fn add(&mut self, time: Time, kind: Kind, text: &str) {
        let text: String = text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect();
        let before = self.notes.iter().position(|note| note.text == text && note.kind == kind);
        let count = before.and_then(|place| self.notes.remove(place)).map_or(0, |note| note.count);
        if self.notes.len() == MOST {
            self.notes.pop_front();
        }
        self.notes.push_back(Note { time, kind, text, count: count + 1 });
    }

    /// Adds a new entry of the journal of a robot in this process.
    pub fn add_entry(&mut self, entry: &JournalEntry) {
        match &entry.event {
            JournalEvent::Message { severity, text, .. } => self.add(entry.at, (*severity).into(), text),
            JournalEvent::Change { change, by, .. } => self.add_change(entry.at, &change.to_string(), by.as_deref()),
            JournalEvent::Mark { text, by } => self.add_change(entry.at, &format!("mark: {text}"), by.as_deref()),
            // A message reports the exceedance as well.
            JournalEvent::Exceedance(_) => {}
        }
    }

    /// Adds an entry of the journal that a door sends.
    pub fn add_text(&mut self, entry: &JournalText) {
        let time = Time::from_nanoseconds(entry.time);
        match &entry.happened {
            Happened::Message { severity, text, .. } => self.add(time, (*severity).into(), text),
            Happened::Change { text, by, .. } => self.add_change(time, text, by.as_deref()),
            Happened::Mark { text, by } => self.add_change(time, &format!("mark: {text}"), by.as_deref()),
            // A message reports the exceedance as well.
            Happened::Exceedance { .. } => {}
        }
    }

    fn add_change(&mut self, time: Time, text: &str, by: Option<&str>) {
        match by {
            Some(by) => self.add(time, Kind::Change, &format!("{text} (by {by})")),
            None => self.add(time, Kind::Change, text),
        }
    }

    /// Iterates over the notes, the oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Note> + ExactSizeIterator {
        self.notes.iter()
    }
}

impl From<Severity> for Kind {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Information => Self::Information,
            Severity::Warning => Self::Warning,
            Severity::Error => Self::Error,
        }
    }
}

impl From<SeverityText> for Kind {
    fn from(severity: SeverityText) -> Self {
        match severity {
            SeverityText::Information => Self::Information,
            SeverityText::Warning => Self::Warning,
            SeverityText::Error => Self::Error,
        }
    }
}
