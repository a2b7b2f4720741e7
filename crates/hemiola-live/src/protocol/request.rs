//! The requests of clients to a robot or a log, and their parser.

use hemiola_model::Value;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::ChangeText;

/// A request without its number. Optional fields may be omitted.
///
/// ```
/// use hemiola_live::protocol::Request;
///
/// let request: Request = serde_json::from_str(r#"{"do": "read", "value": "Ball.position"}"#)?;
/// assert!(!request.changes());
/// assert!(Request::Stop {}.changes());
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub enum Request {
    /// Describes everything that can be viewed and changed.
    Describe {},
    /// Subscribes to the values of a representation or the messages of a topic, from now on.
    Subscribe {
        /// A number that the client chooses for this subscription.
        subscription: u32,
        /// The name of the representation.
        #[serde(skip_serializing_if = "Option::is_none")]
        value: Option<String>,
        /// The name of the topic.
        #[serde(skip_serializing_if = "Option::is_none")]
        topic: Option<String>,
        /// The maximum number of values per second.
        #[serde(skip_serializing_if = "Option::is_none")]
        rate: Option<f64>,
        /// The form in which the values are sent.
        #[serde(rename = "as", default)]
        form: Form,
    },
    /// Ends a subscription.
    Unsubscribe {
        /// The number of the subscription.
        subscription: u32,
    },
    /// Subscribes to numbers over time.
    Plot {
        /// A number that the client chooses for this subscription.
        subscription: u32,
        /// The paths of the numbers, such as `Ball.position.x`.
        fields: Vec<String>,
        /// The number of messages per second.
        #[serde(skip_serializing_if = "Option::is_none")]
        rate: Option<f64>,
    },
    /// Subscribes to the events of the timeline, from now on.
    Events {
        /// A number that the client chooses for this subscription.
        subscription: u32,
    },
    /// Watches one kind of events, from now on.
    Watch {
        /// The kind of events.
        what: Watched,
        /// The time between two messages with statistics, in nanoseconds.
        #[serde(skip_serializing_if = "Option::is_none")]
        period: Option<u64>,
        /// The names of the plots, spaces and layers of modules to watch.
        #[serde(skip_serializing_if = "Option::is_none")]
        names: Option<Vec<String>>,
    },
    /// Stops watching a kind of events.
    Unwatch {
        /// The kind of events.
        what: Watched,
    },
    /// Reads the current value at a path.
    Read {
        /// The path of the value, such as `Ball.position`.
        value: String,
    },
    /// Lists the numeric fields within a representation or the messages of a topic.
    Fields {
        /// The name of the representation.
        #[serde(skip_serializing_if = "Option::is_none")]
        value: Option<String>,
        /// The name of the topic.
        #[serde(skip_serializing_if = "Option::is_none")]
        topic: Option<String>,
    },
    /// Changes the robot.
    Change {
        /// The change to make.
        change: ChangeText,
    },
    /// Lists the parameters and their values.
    Parameters {
        /// The module or source whose parameters are listed; `None` for all.
        #[serde(skip_serializing_if = "Option::is_none")]
        module: Option<String>,
    },
    /// Writes parameters into a file.
    Save {
        /// The overlay to write to; `None` for the robot's own file.
        #[serde(skip_serializing_if = "Option::is_none")]
        overlay: Option<String>,
        /// The parameters to write, such as `Walk.gain`; `None` for all that were changed.
        #[serde(skip_serializing_if = "Option::is_none")]
        parameters: Option<Vec<String>>,
    },
    /// Publishes a message.
    Publish {
        /// The name of the topic.
        topic: String,
        /// The message.
        message: Value,
    },
    /// Calls a service.
    Call {
        /// The name of the service.
        service: String,
        /// The request to the service.
        request: Value,
    },
    /// Begins a log, or ends it.
    Record {
        /// The file to begin; `None` to let the robot choose a name.
        #[serde(skip_serializing_if = "Option::is_none")]
        file: Option<String>,
        /// Set to end the log instead.
        #[serde(default)]
        stop: bool,
    },
    /// Marks the current moment in the journal.
    Mark {
        /// The text of the mark.
        text: String,
    },
    /// Captures the current values of all cycles.
    Capture {},
    /// Explains why something took as long as it did.
    Why {
        /// The name of a cycle, chain or callback.
        #[serde(skip_serializing_if = "Option::is_none")]
        subject: Option<String>,
        /// The number of longest executions to explain.
        #[serde(skip_serializing_if = "Option::is_none")]
        worst: Option<usize>,
        /// The run to explain.
        #[serde(skip_serializing_if = "Option::is_none")]
        run: Option<u32>,
        /// Set to explain the age of a chain's data instead of its reaction.
        #[serde(default)]
        age: bool,
    },
    /// Derives which deadlines are met.
    Bounds {},
    /// Lists, saves and removes layouts of the page.
    Layouts {
        /// The layout to save.
        #[serde(skip_serializing_if = "Option::is_none")]
        save: Option<NamedLayout>,
        /// The name of the layout to remove.
        #[serde(skip_serializing_if = "Option::is_none")]
        remove: Option<String>,
    },
    /// Plays a log or a replay.
    Play {
        /// The speed, where 1 is real time; `None` for the last speed.
        #[serde(skip_serializing_if = "Option::is_none")]
        speed: Option<f64>,
    },
    /// Pauses a log or a replay.
    Pause {},
    /// Jumps to another time of a log or a replay.
    Seek {
        /// The time, in nanoseconds.
        time: i64,
    },
    /// Advances a replay by a step.
    Step {
        /// The number of runs; `None` for one.
        #[serde(skip_serializing_if = "Option::is_none")]
        runs: Option<u32>,
        /// The cycle whose runs are counted; `None` to count those of all cycles.
        #[serde(skip_serializing_if = "Option::is_none")]
        cycle: Option<String>,
        /// Set to step to the next recorded event instead.
        #[serde(default)]
        event: bool,
    },
    /// Lists the recorded events of the log that is replayed.
    Recorded {},
    /// Stops the robot.
    Stop {},
}

impl Request {
    /// Returns whether the request changes a robot or something that belongs to it. Requests to the
    /// transport of a replay do, as all of its clients share it. Those to the transport of a log do
    /// not, as each client has its own; a log does not call this function.
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

    /// Returns the name of the request, which is the value of `do`.
    pub fn name(&self) -> String {
        let said = serde_json::to_value(self).ok();
        said.and_then(|said| said["do"].as_str().map(str::to_owned)).unwrap_or_default()
    }
}

/// Parses a request. Also returns its number, which the answer must contain.
pub(crate) fn parse<R: DeserializeOwned>(text: &str) -> Result<(serde_json::Value, R), (serde_json::Value, String)> {
    let mut said: serde_json::Value = serde_json::from_str(text)
        .map_err(|error| (serde_json::Value::Null, format!("the request is not valid JSON: {error}")))?;
    let number = said.as_object_mut().and_then(|said| said.remove("id")).unwrap_or_default();
    match serde_json::from_value(said) {
        Ok(request) => Ok((number, request)),
        Err(error) => Err((number, format!("{error}; docs/book/src/door.md lists all requests"))),
    }
}

/// The form in which values are sent.
///
/// ```
/// assert_eq!(hemiola_live::protocol::Form::default(), hemiola_live::protocol::Form::Cdr);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// CDR, the same bytes as in logs.
    #[default]
    Cdr,
    /// JSON, as values are read and published. A log sends what it holds, which is CDR.
    Json,
    /// JPEG, for images only.
    Jpeg,
}

/// A kind of events that a client can watch.
///
/// ```
/// assert_eq!(serde_json::to_string(&hemiola_live::protocol::Watched::Journal)?, "\"journal\"");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Watched {
    /// Statistics of cycles, chains, topics and sources.
    Statistics,
    /// The journal of the robot.
    Journal,
    /// The plots, drawings and texts of modules.
    Debug,
}

/// A layout of the page, with its name.
///
/// ```
/// let layout = hemiola_live::protocol::NamedLayout { name: "penalty".into(), layout: serde_json::Value::Null };
/// assert_eq!(layout.name, "penalty");
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct NamedLayout {
    /// The name of the layout.
    pub name: String,
    /// The layout, in a form that only the page interprets.
    pub layout: serde_json::Value,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parse(request: serde_json::Value) -> Result<Request, String> {
        serde_json::from_value(request).map_err(|error| error.to_string())
    }

    #[test]
    fn what_commands_ask_reads_as_it_is_described() {
        let asked = json!({"do": "subscribe", "subscription": 7, "value": "Ball", "rate": 10.0});
        let request = parse(asked.clone()).unwrap();
        let mut written = serde_json::to_value(&request).unwrap();
        assert_eq!(written.as_object_mut().unwrap().remove("as"), Some(json!("cdr")));
        assert_eq!((written, request.name()), (asked, "subscribe".to_owned()));
        assert_eq!(serde_json::to_value(Request::Stop {}).unwrap(), json!({"do": "stop"}));
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
