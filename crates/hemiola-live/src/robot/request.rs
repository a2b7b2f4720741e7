//! What a client can ask of a robot, and how that reads.

use hemiola_model::Value;
use hemiola_runtime::Change;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// A request, without its number.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    Describe {},
    Subscribe {
        subscription: u32,
        value: Option<String>,
        topic: Option<String>,
        rate: Option<f64>,
        #[serde(rename = "as", default)]
        form: Form,
    },
    Unsubscribe {
        subscription: u32,
    },
    Plot {
        subscription: u32,
        fields: Vec<String>,
        rate: Option<f64>,
    },
    Events {
        subscription: u32,
    },
    Watch {
        what: Watched,
        period: Option<u64>,
        /// Names of what modules show: plots, spaces and layers.
        names: Option<Vec<String>>,
    },
    Unwatch {
        what: Watched,
    },
    Read {
        value: String,
    },
    Fields {
        value: Option<String>,
        topic: Option<String>,
    },
    Change {
        change: ChangeText,
    },
    Parameters {
        module: Option<String>,
    },
    Save {
        overlay: Option<String>,
        parameters: Option<Vec<String>>,
    },
    Publish {
        topic: String,
        message: Value,
    },
    Call {
        service: String,
        request: Value,
    },
    Record {
        file: Option<String>,
        #[serde(default)]
        stop: bool,
    },
    Mark {
        text: String,
    },
    Capture {},
    Why {
        subject: Option<String>,
        worst: Option<usize>,
        run: Option<u32>,
        #[serde(default)]
        age: bool,
    },
    Bounds {},
    Layouts {
        save: Option<NamedLayout>,
        remove: Option<String>,
    },
    /// Of a replay, as all that follow.
    Play {
        speed: Option<f64>,
    },
    Pause {},
    Step {
        runs: Option<u32>,
        cycle: Option<String>,
        /// To the next event instead.
        #[serde(default)]
        event: bool,
    },
    Seek {
        time: i64,
    },
    Recorded {},
    Stop {},
}

impl Request {
    /// Whether it changes the robot, or what belongs to it.
    pub fn changes(&self) -> bool {
        match self {
            Self::Change { .. }
            | Self::Save { .. }
            | Self::Publish { .. }
            | Self::Call { .. }
            | Self::Record { .. }
            | Self::Mark { .. }
            | Self::Play { .. }
            | Self::Pause {}
            | Self::Step { .. }
            | Self::Seek { .. }
            | Self::Stop {} => true,
            Self::Layouts { save, remove } => save.is_some() || remove.is_some(),
            _ => false,
        }
    }
}

/// What was asked, and the number that its answer bears.
pub fn parse<R: DeserializeOwned>(text: &str) -> Result<(serde_json::Value, R), (serde_json::Value, String)> {
    let mut said: serde_json::Value =
        serde_json::from_str(text).map_err(|error| (serde_json::Value::Null, format!("no JSON: {error}")))?;
    let number = said.as_object_mut().and_then(|said| said.remove("id")).unwrap_or_default();
    match serde_json::from_value(said) {
        Ok(request) => Ok((number, request)),
        Err(error) => Err((number, format!("{error}; docs/door.md has all requests"))),
    }
}

/// How values are sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// CDR, the bytes that logs have.
    #[default]
    Cdr,
    /// Images only.
    Jpeg,
}

/// What comes without being asked for again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Watched {
    Statistics,
    Journal,
    Debug,
}

/// How the page is arranged.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedLayout {
    pub name: String,
    pub layout: serde_json::Value,
}

/// A [`Change`] as clients write and read it.
#[derive(Debug, PartialEq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum ChangeText {
    Parameter { module: String, name: String, value: Value },
    Provider { representation: String, module: String },
    Override { representation: String, value: Value },
    Release { representation: String },
    Workers { cycle: String, workers: Option<usize> },
    Restart { module: String },
    Trace { file: Option<String> },
    SafeState(bool),
}

impl From<ChangeText> for Change {
    fn from(text: ChangeText) -> Self {
        match text {
            ChangeText::Parameter { module, name, value } => Self::Parameter { module, parameter: name, value },
            ChangeText::Provider { representation, module } => Self::Provider { representation, module },
            ChangeText::Override { representation, value } => Self::Override { representation, value },
            ChangeText::Release { representation } => Self::Release { representation },
            ChangeText::Workers { cycle, workers } => Self::Workers { cycle, workers },
            ChangeText::Restart { module } => Self::Restart { module },
            ChangeText::Trace { file } => Self::Trace { file: file.map(Into::into) },
            ChangeText::SafeState(true) => Self::EnterSafeState,
            ChangeText::SafeState(false) => Self::LeaveSafeState,
        }
    }
}

impl From<Change> for ChangeText {
    fn from(change: Change) -> Self {
        match change {
            Change::Parameter { module, parameter, value } => Self::Parameter { module, name: parameter, value },
            Change::Provider { representation, module } => Self::Provider { representation, module },
            Change::Override { representation, value } => Self::Override { representation, value },
            Change::Release { representation } => Self::Release { representation },
            Change::Workers { cycle, workers } => Self::Workers { cycle, workers },
            Change::Restart { module } => Self::Restart { module },
            Change::Trace { file } => Self::Trace { file: file.map(|file| file.to_string_lossy().into_owned()) },
            Change::EnterSafeState => Self::SafeState(true),
            Change::LeaveSafeState => Self::SafeState(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parse(request: serde_json::Value) -> Result<Request, String> {
        serde_json::from_value(request).map_err(|error| error.to_string())
    }

    #[test]
    fn changes_read_as_they_are_described() {
        let change = json!({"parameter": {"module": "Walk", "name": "gain", "value": 0.7}});
        let text: ChangeText = serde_json::from_value(change.clone()).unwrap();
        assert_eq!(serde_json::to_value(&text).unwrap(), change);
        assert_eq!(Change::from(text), Change::parameter("Walk", "gain", 0.7));
        let safe: ChangeText = serde_json::from_value(json!({"safe_state": true})).unwrap();
        assert_eq!(Change::from(safe), Change::EnterSafeState);
        let trace: ChangeText = serde_json::from_value(json!({"trace": {}})).unwrap();
        assert_eq!(Change::from(trace), Change::Trace { file: None });
    }

    #[test]
    fn a_wrong_request_is_told_what_is_wrong() {
        let unknown = parse(json!({"do": "subscribe", "subscription": 1, "valu": "Ball"})).unwrap_err();
        assert!(unknown.contains("valu"), "{unknown}");
        let verb = parse(json!({"do": "dance"})).unwrap_err();
        assert!(verb.contains("dance"), "{verb}");
        let negative = parse(json!({"do": "unsubscribe", "subscription": -1})).unwrap_err();
        assert!(negative.contains("-1"), "{negative}");
        assert!(parse(json!({"do": "stop"})).unwrap().changes());
        assert!(!parse(json!({"do": "describe"})).unwrap().changes());
    }
}
