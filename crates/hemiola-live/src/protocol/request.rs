//! What a client can ask of a robot or a log, and how that reads.

use hemiola_model::Value;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::ChangeText;

/// A request, without its number. What is optional may be left out.
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
    /// What there is.
    Describe {},
    /// Values of a representation, or messages of a topic, from now on.
    Subscribe {
        /// A number of the client's.
        subscription: u32,
        /// The representation.
        #[serde(skip_serializing_if = "Option::is_none")]
        value: Option<String>,
        /// The topic.
        #[serde(skip_serializing_if = "Option::is_none")]
        topic: Option<String>,
        /// At most so many a second.
        #[serde(skip_serializing_if = "Option::is_none")]
        rate: Option<f64>,
        /// How they are sent.
        #[serde(rename = "as", default)]
        form: Form,
    },
    /// Ends a subscription.
    Unsubscribe {
        /// Its number.
        subscription: u32,
    },
    /// Numbers over time.
    Plot {
        /// A number of the client's.
        subscription: u32,
        /// Paths of numbers.
        fields: Vec<String>,
        /// So many messages a second.
        #[serde(skip_serializing_if = "Option::is_none")]
        rate: Option<f64>,
    },
    /// What runs where and when, from now on.
    Events {
        /// A number of the client's.
        subscription: u32,
    },
    /// Events of one kind, from now on.
    Watch {
        /// Which.
        what: Watched,
        /// Of statistics: the distance of two, in nanoseconds.
        #[serde(skip_serializing_if = "Option::is_none")]
        period: Option<u64>,
        /// Names of what modules show: plots, spaces and layers.
        #[serde(skip_serializing_if = "Option::is_none")]
        names: Option<Vec<String>>,
    },
    /// No more of them.
    Unwatch {
        /// Which.
        what: Watched,
    },
    /// A value as it is now.
    Read {
        /// Its path.
        value: String,
    },
    /// The numbers within a representation or the messages of a topic.
    Fields {
        /// The representation.
        #[serde(skip_serializing_if = "Option::is_none")]
        value: Option<String>,
        /// The topic.
        #[serde(skip_serializing_if = "Option::is_none")]
        topic: Option<String>,
    },
    /// Changes the robot.
    Change {
        /// How.
        change: ChangeText,
    },
    /// What can be tuned, and how it is.
    Parameters {
        /// Of this module or source alone.
        #[serde(skip_serializing_if = "Option::is_none")]
        module: Option<String>,
    },
    /// Writes parameters into a file.
    Save {
        /// The overlay; without it the robot's own file.
        #[serde(skip_serializing_if = "Option::is_none")]
        overlay: Option<String>,
        /// These alone: `Walk.gain`.
        #[serde(skip_serializing_if = "Option::is_none")]
        parameters: Option<Vec<String>>,
    },
    /// Publishes a message.
    Publish {
        /// Where.
        topic: String,
        /// What.
        message: Value,
    },
    /// Calls a service.
    Call {
        /// Which.
        service: String,
        /// With what.
        request: Value,
    },
    /// Begins a log, or ends it.
    Record {
        /// The file.
        #[serde(skip_serializing_if = "Option::is_none")]
        file: Option<String>,
        /// Whether it is to end.
        #[serde(default)]
        stop: bool,
    },
    /// Marks this moment.
    Mark {
        /// With what.
        text: String,
    },
    /// All values of all cycles as they are now.
    Capture {},
    /// Why something took as long as it did.
    Why {
        /// A cycle, chain or callback.
        #[serde(skip_serializing_if = "Option::is_none")]
        subject: Option<String>,
        /// So many of the longest.
        #[serde(skip_serializing_if = "Option::is_none")]
        worst: Option<usize>,
        /// This run.
        #[serde(skip_serializing_if = "Option::is_none")]
        run: Option<u32>,
        /// The age of a chain's data instead of its reaction.
        #[serde(default)]
        age: bool,
    },
    /// What meets its deadline.
    Bounds {},
    /// How people have arranged the page.
    Layouts {
        /// Keeps one.
        #[serde(skip_serializing_if = "Option::is_none")]
        save: Option<NamedLayout>,
        /// Removes the one of this name.
        #[serde(skip_serializing_if = "Option::is_none")]
        remove: Option<String>,
    },
    /// Plays a log, or a robot that repeats one, as all of the transport do.
    Play {
        /// How fast.
        #[serde(skip_serializing_if = "Option::is_none")]
        speed: Option<f64>,
    },
    /// Lets it stand still.
    Pause {},
    /// Goes to another time.
    Seek {
        /// In nanoseconds.
        time: i64,
    },
    /// Lets a robot that repeats a log make a step.
    Step {
        /// So many runs, one if nothing is said.
        #[serde(skip_serializing_if = "Option::is_none")]
        runs: Option<u32>,
        /// Only runs of this cycle count.
        #[serde(skip_serializing_if = "Option::is_none")]
        cycle: Option<String>,
        /// To the next thing that happened when it was recorded, instead.
        #[serde(default)]
        event: bool,
    },
    /// What happened when that which a robot repeats was recorded.
    Recorded {},
    /// Ends the robot.
    Stop {},
}

impl Request {
    /// Whether it changes a robot, or what belongs to it. The transport of a replay is shared by all its
    /// clients, and counts; a log, where each client has its own, does not ask this.
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

    /// What it is called: what stands behind `do`.
    pub fn name(&self) -> String {
        let said = serde_json::to_value(self).ok();
        said.and_then(|said| said["do"].as_str().map(str::to_owned)).unwrap_or_default()
    }
}

/// What was asked, and the number that its answer bears.
pub(crate) fn parse<R: DeserializeOwned>(text: &str) -> Result<(serde_json::Value, R), (serde_json::Value, String)> {
    let mut said: serde_json::Value =
        serde_json::from_str(text).map_err(|error| (serde_json::Value::Null, format!("no JSON: {error}")))?;
    let number = said.as_object_mut().and_then(|said| said.remove("id")).unwrap_or_default();
    match serde_json::from_value(said) {
        Ok(request) => Ok((number, request)),
        Err(error) => Err((number, format!("{error}; docs/door.md has all requests"))),
    }
}

/// How values are sent.
///
/// ```
/// assert_eq!(hemiola_live::protocol::Form::default(), hemiola_live::protocol::Form::Cdr);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// CDR, the bytes that logs have.
    #[default]
    Cdr,
    /// Images only.
    Jpeg,
}

/// What comes without being asked for again.
///
/// ```
/// assert_eq!(serde_json::to_string(&hemiola_live::protocol::Watched::Journal)?, "\"journal\"");
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Watched {
    /// Figures.
    Statistics,
    /// What happens.
    Journal,
    /// What modules show.
    Debug,
}

/// How the page is arranged.
///
/// ```
/// let layout = hemiola_live::protocol::NamedLayout { name: "penalty".into(), layout: serde_json::Value::Null };
/// assert_eq!(layout.name, "penalty");
/// ```
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct NamedLayout {
    /// What it is called.
    pub name: String,
    /// What the page makes of it.
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
