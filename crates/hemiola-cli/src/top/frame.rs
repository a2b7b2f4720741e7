use std::collections::BTreeMap;

use hemiola_link::LinkStatistics;
use hemiola_model::Time;
use hemiola_runtime::{LatencyBounds, RobotHandle};
use hemiola_trace::Report;
use serde_json::Value;

use super::notes::Notes;
use crate::traffic::Traffic;

/// One moment of a running robot.
#[derive(Clone, Default)]
pub struct Frame {
    /// The robot's name.
    pub robot: String,
    /// The pace of the robot's clock, in words.
    pub pace: String,
    pub now: Time,
    pub report: Report,
    /// The process of each cycle; empty if the robot is a single one.
    pub processes: BTreeMap<String, String>,
    /// The processes of the robot that cannot be reached now.
    pub missing: Vec<String>,
    /// The time since which the robot is in its safe state, and why.
    pub safe_state: Option<String>,
    /// The traffic on the bus.
    pub channels: Vec<Channel>,
    /// The links to other programs.
    pub links: Vec<LinkStatistics>,
    pub bounds: Bounds,
    /// The number of times that a bound was exceeded.
    pub exceedances: u64,
    /// The log that is being written.
    pub recording: Option<String>,
    /// The lines that the robot adds.
    pub lines: Vec<String>,
    pub notes: Notes,
}

/// A topic, a service, or another channel of messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Channel {
    pub name: String,
    pub sent: u64,
    pub waiting: u64,
    pub lost: u64,
}

/// The bounds on latencies, in nanoseconds.
#[derive(Clone, Debug, Default)]
pub struct Bounds {
    /// Bounds on response times, by cycle.
    pub responses: BTreeMap<String, u64>,
    /// Bounds on reaction times, by source and output.
    pub reactions: BTreeMap<(String, String), u64>,
    /// Bounds on data ages, by source and output.
    pub data_ages: BTreeMap<(String, String), u64>,
    /// Bounds on response times of callbacks, by executor and callback.
    pub callbacks: BTreeMap<(String, String), u64>,
}

impl Frame {
    /// Returns the current moment of a robot in this process.
    pub fn of_robot(handle: &RobotHandle) -> Self {
        Self {
            now: handle.now(),
            report: handle.report(),
            safe_state: handle.safe_state().map(|entry| entry.to_string()),
            channels: Traffic::of(handle.bus()).channels().collect(),
            exceedances: handle.exceedances().into_values().sum(),
            ..Self::default()
        }
    }

    /// Returns the moment of an event `statistics` of a door. What the event lacks is empty.
    pub fn of_event(event: &Value) -> Self {
        let nanoseconds = |value: &Value| Time::from_nanoseconds(value.as_i64().unwrap_or_default());
        let safe_state = event["safe_state"].as_object().map(|entry| {
            let since = nanoseconds(&entry.get("since").cloned().unwrap_or_default()).seconds();
            let cause = entry.get("cause").and_then(Value::as_str).unwrap_or("it does not say why");
            format!("since {since:.1} s, because {cause}")
        });
        let exceedances = match &event["exceedances"] {
            Value::Object(of) => of.values().filter_map(Value::as_u64).sum(),
            Value::Array(of) => of.iter().filter_map(|one| one["count"].as_u64()).sum(),
            count => count.as_u64().unwrap_or_default(),
        };
        let recording = match &event["recording"] {
            Value::String(file) => Some(file.clone()),
            recording => recording["file"].as_str().map(str::to_owned),
        };
        Self {
            now: nanoseconds(&event["time"]),
            report: serde_json::from_value(event["report"].clone()).unwrap_or_default(),
            processes: processes(&event["report"]["cycles"]),
            safe_state,
            channels: channels(&event["topics"]),
            links: serde_json::from_value(event["links"].clone()).unwrap_or_default(),
            exceedances,
            recording,
            ..Self::default()
        }
    }
}

fn processes(cycles: &Value) -> BTreeMap<String, String> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let cycles = cycles.as_array().into_iter().flatten();
    cycles.filter_map(|cycle| Some((text(&cycle["name"])?, text(&cycle["process"])?))).collect()
}

fn channels(topics: &Value) -> Vec<Channel> {
    let channel = |name: &str, topic: &Value| {
        let [sent, waiting, lost] = ["sent", "waiting", "lost"].map(|key| topic[key].as_u64().unwrap_or_default());
        Channel { name: name.to_owned(), sent, waiting, lost }
    };
    match topics {
        Value::Array(topics) => {
            topics.iter().map(|topic| channel(topic["name"].as_str().unwrap_or_default(), topic)).collect()
        }
        Value::Object(topics) => topics.iter().map(|(name, topic)| channel(name, topic)).collect(),
        _ => Vec::new(),
    }
}

impl Bounds {
    /// Reads a door's answer to a request for `bounds`: rows as in `analyze --format json`, whose
    /// chains are named `SOURCE → OUTPUT`, after their name in the configuration.
    pub fn of_answer(answer: &Value) -> Self {
        let mut bounds = Self::default();
        for row in answer["rows"].as_array().into_iter().flatten() {
            let (Some(name), Some(bound)) = (row["name"].as_str(), row["bound"].as_u64()) else { continue };
            let owned = |(left, right): (&str, &str)| (left.to_owned(), right.to_owned());
            let chain = || {
                let (begin, output) = name.split_once(" → ")?;
                Some(owned((begin.rsplit_once(": ").map_or(begin, |(_, begin)| begin), output)))
            };
            match row["what"].as_str() {
                Some("cycle") => _ = bounds.responses.insert(name.to_owned(), bound),
                Some("reaction time") => bounds.reactions.extend(chain().map(|chain| (chain, bound))),
                Some("data age") => bounds.data_ages.extend(chain().map(|chain| (chain, bound))),
                Some("callback") => {
                    bounds.callbacks.extend(name.split_once(": ").map(|callback| (owned(callback), bound)));
                }
                _ => {}
            }
        }
        bounds
    }
}

impl From<&LatencyBounds> for Bounds {
    fn from(bounds: &LatencyBounds) -> Self {
        let nanoseconds = |bound: &std::time::Duration| u64::try_from(bound.as_nanos()).unwrap_or(u64::MAX);
        let pairs = |of: &BTreeMap<(String, String), std::time::Duration>| {
            of.iter().map(|(key, bound)| (key.clone(), nanoseconds(bound))).collect()
        };
        Self {
            responses: bounds.responses.iter().map(|(key, bound)| (key.clone(), nanoseconds(bound))).collect(),
            reactions: pairs(&bounds.reactions),
            data_ages: pairs(&bounds.data_ages),
            callbacks: pairs(&bounds.callbacks),
        }
    }
}
