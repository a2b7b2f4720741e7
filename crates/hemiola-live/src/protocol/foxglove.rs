//! Foxglove's protocol, `foxglove.sdk.v1`: the requests of its clients, the numbers of its binary
//! messages, and the messages that a process and the door of a whole robot both send.

use std::collections::BTreeSet;

use hemiola_model::Value;
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The opcode of a message of a channel that the client is subscribed to.
pub const MESSAGE_DATA: u8 = 1;
/// The opcode of the robot's time.
pub const TIME: u8 = 2;
/// The opcode of a service's answer; the head of the answer and the answer itself follow.
pub const CALL_ANSWER: u8 = 3;

/// The opcode of a message that a client publishes.
pub const CLIENT_MESSAGE: u8 = 1;
/// The opcode of a client's call of a service.
pub const CLIENT_CALL: u8 = 2;

/// The most channels and services that are advertised to a client, and the most subscriptions and
/// channels that a client has.
pub const MOST: usize = 1024;

/// A request of a client.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(tag = "op", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Request {
    Subscribe {
        subscriptions: Vec<Subscription>,
    },
    Unsubscribe {
        subscription_ids: Vec<u32>,
    },
    Advertise {
        channels: Vec<ClientChannel>,
    },
    Unadvertise {
        channel_ids: Vec<u32>,
    },
    GetParameters {
        parameter_names: Vec<String>,
        id: Option<String>,
    },
    SetParameters {
        parameters: Vec<ParameterValue>,
        id: Option<String>,
    },
    SubscribeParameterUpdates {
        parameter_names: Vec<String>,
    },
    UnsubscribeParameterUpdates {
        parameter_names: Vec<String>,
    },
    SubscribeConnectionGraph {},
    UnsubscribeConnectionGraph {},
    /// The request of another door of the same robot, which combines all processes for its client.
    /// It is answered by `description`. With `clock_origin`, all times that the process sends from
    /// then on are those of the clock that shows zero at this time of the host's clock.
    Describe {
        clock_origin: Option<u64>,
    },
}

#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Subscription {
    pub id: u32,
    pub channel_id: u32,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct ClientChannel {
    pub id: u32,
    pub topic: String,
    pub encoding: String,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct ParameterValue {
    pub name: String,
    pub value: Option<Value>,
}

/// The parameters whose changes a client is notified of: `None` for no parameters, an empty set for
/// all.
#[derive(Default)]
pub struct WatchedParameters(Option<BTreeSet<String>>);

impl WatchedParameters {
    /// Adds these parameters, or all if there are no names.
    pub fn add(&mut self, names: Vec<String>) {
        self.0.get_or_insert_default().extend(names);
    }

    /// Removes these parameters, or all if there are no names.
    pub fn remove(&mut self, names: &[String]) {
        let Some(watched) = &mut self.0 else { return };
        watched.retain(|name| !names.contains(name));
        if watched.is_empty() || names.is_empty() {
            self.0 = None;
        }
    }

    /// Returns whether the client is notified of anything.
    pub fn is_any(&self) -> bool {
        self.0.is_some()
    }

    /// Returns whether the client is notified of changes of this parameter.
    pub fn has(&self, name: &str) -> bool {
        self.0.as_ref().is_some_and(|watched| watched.is_empty() || watched.contains(name))
    }

    /// Returns the request by which a client begins to be notified of the same parameters.
    pub fn request(&self) -> Option<Request> {
        let names = self.0.as_ref()?.iter().cloned();
        Some(Request::SubscribeParameterUpdates { parameter_names: names.collect() })
    }
}

/// Returns the message that notifies a client of something that was not done.
pub fn problem(text: &str) -> serde_json::Value {
    json!({"op": "status", "level": 2, "message": text})
}

/// Returns the message that notifies a client of a failed call; `number` has the IDs of the service
/// and the call.
pub fn call_failure(number: &serde_json::Value, why: &str) -> serde_json::Value {
    json!({
        "op": "serviceCallFailure",
        "serviceId": number["serviceId"],
        "callId": number["callId"],
        "message": why,
    })
}
