//! What people should know of a robot: its messages, and who changed what.

use std::collections::VecDeque;

use hemiola_model::Time;
use hemiola_runtime::{JournalEntry, JournalEvent, Severity};
use serde_json::Value;

/// The newest notes, each text once.
#[derive(Clone, Default)]
pub struct Notes {
    notes: VecDeque<Note>,
    /// How many are no longer there.
    forgotten: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// When it was said last.
    pub time: Time,
    pub kind: Kind,
    pub text: String,
    /// How often it was said.
    pub count: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Information,
    Warning,
    Error,
    /// Somebody has changed the robot, or marked a moment.
    Change,
}

/// More different notes than anybody reads.
const MOST: usize = 1000;

impl Notes {
    /// Adds a note. One that was there is counted, and moves to the end.
    pub fn add(&mut self, time: Time, kind: Kind, text: &str) {
        let text: String = text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect();
        let before = self.notes.iter().position(|note| note.text == text && note.kind == kind);
        let count = before.and_then(|place| self.notes.remove(place)).map_or(0, |note| note.count);
        if self.notes.len() == MOST {
            self.notes.pop_front();
            self.forgotten += 1;
        }
        self.notes.push_back(Note { time, kind, text, count: count + 1 });
    }

    /// Adds what is new in the journal of a robot of this process.
    pub fn add_entry(&mut self, entry: &JournalEntry) {
        match &entry.event {
            JournalEvent::Message { severity, text, .. } => self.add(entry.at, (*severity).into(), text),
            JournalEvent::Change { change, .. } => self.add(entry.at, Kind::Change, &format!("{change:?}")),
            // A message says so as well.
            JournalEvent::Exceedance(_) => {}
        }
    }

    /// Adds what an event `journal` of a door tells of.
    pub fn add_event(&mut self, event: &Value) {
        let time = Time::from_nanoseconds(event["time"].as_i64().unwrap_or_default());
        let by = |text: String, what: &Value| match what["by"].as_str().or(event["by"].as_str()) {
            Some(by) => format!("{text} (by {by})"),
            None => text,
        };
        if let Some(text) = event["message"]["text"].as_str() {
            let kind = match event["message"]["severity"].as_str() {
                Some("error") => Kind::Error,
                Some("warning") => Kind::Warning,
                _ => Kind::Information,
            };
            self.add(time, kind, text);
        }
        if let Some(change) = event["change"].as_object() {
            let text = change.iter().filter(|(key, _)| *key != "by").map(|(what, how)| in_words(what, how));
            self.add(time, Kind::Change, &by(text.collect::<Vec<_>>().join(", "), &event["change"]));
        }
        let mark = event["mark"].as_str().or(event["mark"]["text"].as_str());
        if let Some(mark) = mark {
            self.add(time, Kind::Change, &by(format!("mark: {mark}"), &event["mark"]));
        }
    }

    /// The oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Note> + ExactSizeIterator {
        self.notes.iter()
    }

    /// How many there were that are not kept.
    pub fn forgotten(&self) -> u64 {
        self.forgotten
    }
}

/// `parameter module = Walk, name = gain, value = 0.7`
fn in_words(what: &str, how: &Value) -> String {
    let Some(parts) = how.as_object() else { return format!("{what} {how}") };
    let parts: Vec<_> = parts.iter().map(|(key, value)| format!("{key} = {}", bare(value))).collect();
    format!("{what}: {}", parts.join(", "))
}

fn bare(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
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
