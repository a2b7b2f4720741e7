//! The entries of the journal in the form for clients: the events `journal`.

use hemiola_runtime::{Bounded, Exceedance, JournalEntry, JournalEvent, Severity};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::ChangeText;

/// An entry of the journal of a robot or a log.
///
/// ```
/// use hemiola_live::protocol::{Happened, JournalText};
///
/// let text = r#"{"event": "journal", "number": 7, "time": 1500000000, "mark": {"text": "goal", "by": null}}"#;
/// let entry: JournalText = serde_json::from_str(text)?;
/// assert_eq!(entry.happened, Happened::Mark { text: "goal".into(), by: None });
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
pub struct JournalText {
    event: Name,
    /// The number of the entry; a missing number was lost.
    pub number: u64,
    /// The time of the event, in nanoseconds.
    pub time: i64,
    /// The event itself.
    #[serde(flatten)]
    pub happened: Happened,
}

/// The name of the event, which distinguishes it from other events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
enum Name {
    Journal,
}

/// An event in the life of a robot.
///
/// See [`JournalText`].
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Happened {
    /// The robot has reported something.
    Message {
        /// The severity of the message.
        severity: SeverityText,
        /// The subject of the message, such as an update, a source or the watchdog.
        about: String,
        /// The message in words.
        text: String,
    },
    /// Somebody has changed the robot.
    Change {
        /// The change that was made.
        change: ChangeText,
        /// The client that made it, if it was made by a client.
        by: Option<String>,
        /// The change in words.
        text: String,
    },
    /// Somebody has marked a moment.
    Mark {
        /// The text of the mark.
        text: String,
        /// The client that made it, if it was made by a client.
        by: Option<String>,
    },
    /// A latency has exceeded its bound.
    Exceedance {
        /// A description of the latency.
        text: String,
        /// The cycle or chain whose latency it is, in the form that `docs/book/src/door.md`
        /// describes.
        of: Value,
        /// The run that took too long.
        run: u32,
        /// The bound, in nanoseconds.
        bound: u64,
        /// The latency, in nanoseconds.
        observed: u64,
        /// The cause, in words.
        cause: String,
        /// The number of further exceedances since the last reported one.
        others: u64,
    },
}

/// The severity of a message.
///
/// ```
/// assert_eq!(serde_json::to_string(&hemiola_live::protocol::SeverityText::Error)?, "\"error\"");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SeverityText {
    /// Something worth knowing.
    Information,
    /// Something that is not as it should be.
    Warning,
    /// A failure.
    Error,
}

impl From<JournalEntry> for JournalText {
    fn from(entry: JournalEntry) -> Self {
        let JournalEntry { number, at, event } = entry;
        Self { event: Name::Journal, number, time: at.nanoseconds(), happened: event.into() }
    }
}

impl From<JournalEvent> for Happened {
    fn from(event: JournalEvent) -> Self {
        match event {
            JournalEvent::Message { severity, about, text } => Self::Message { severity: severity.into(), about, text },
            JournalEvent::Change { change, by, .. } => {
                let text = change.to_string();
                Self::Change { change: change.into(), by, text }
            }
            JournalEvent::Mark { text, by } => Self::Mark { text, by },
            JournalEvent::Exceedance(exceedance) => exceedance.into(),
        }
    }
}

impl From<Exceedance> for Happened {
    fn from(exceedance: Exceedance) -> Self {
        let text = exceedance.to_string();
        let Exceedance { of, run, bound, observed, explanation, others, .. } = exceedance;
        let nanoseconds = |duration: std::time::Duration| u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        let (bound, observed) = (nanoseconds(bound), nanoseconds(observed));
        Self::Exceedance { text, of: bounded(&of), run, bound, observed, cause: explanation, others }
    }
}

impl From<Severity> for SeverityText {
    fn from(severity: Severity) -> Self {
        match severity {
            Severity::Information => Self::Information,
            Severity::Warning => Self::Warning,
            Severity::Error => Self::Error,
        }
    }
}

/// Returns the cycle or chain that has a bound, in the form for clients.
pub(crate) fn bounded(of: &Bounded) -> Value {
    match of {
        Bounded::Response { cycle } => serde_json::json!({"response": cycle}),
        Bounded::Reaction { source, output } => serde_json::json!({"reaction": [source, output]}),
        Bounded::DataAge { source, output } => serde_json::json!({"data_age": [source, output]}),
        Bounded::Callback { executor, callback } => serde_json::json!({"callback": [executor, callback]}),
    }
}

#[cfg(test)]
mod tests {
    use hemiola_model::Time;
    use hemiola_runtime::Change;
    use serde_json::json;

    use super::*;

    #[test]
    fn an_entry_reads_as_it_is_described_and_comes_back() {
        let entry = |number, event| JournalText::from(JournalEntry { number, at: Time::from_nanoseconds(5), event });
        let (about, text) = ("Walk.joints".to_owned(), "Walk.joints failed".to_owned());
        let change = Change::parameter("Walk", "gain", 0.7);
        let words = change.to_string();
        let told = [
            entry(7, JournalEvent::Message { severity: Severity::Warning, about, text }),
            entry(8, JournalEvent::Change { change, number: Some(3), by: Some("a page".into()) }),
        ];
        let read = json!([
            {"event": "journal", "number": 7, "time": 5,
             "message": {"severity": "warning", "about": "Walk.joints", "text": "Walk.joints failed"}},
            {"event": "journal", "number": 8, "time": 5,
             "change": {"change": {"parameter": {"module": "Walk", "name": "gain", "value": 0.7}},
                        "by": "a page", "text": words}},
        ]);
        assert_eq!(serde_json::to_value(&told).unwrap(), read);
        let back: [JournalText; 2] = serde_json::from_value(read).unwrap();
        assert_eq!(back, told);
    }
}
