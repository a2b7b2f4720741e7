//! The protocol of Foxglove, `foxglove.sdk.v1`, which Lichtblick and PlotJuggler use as well.
//!
//! Source: <https://github.com/foxglove/ws-protocol>, version 1 of the protocol. Representations,
//! topics and the output that modules show are channels in CDR with ros2msg schemas. Clients can
//! read, set and subscribe to parameters, publish to topics, and call services. The connection
//! graph shows who provides and reads what. As everywhere, requests that may change the robot
//! require the token: `ws://127.0.0.1:8765/?token=…`.
//!
//! | file | what |
//! |---|---|
//! | `channels` | the channels that clients can subscribe to |
//! | `shown` | the plots, drawings and texts of modules |
//! | `places` | where the spaces of drawings lie in each other |
//! | `showing` | what modules show, gathered into messages |
//! | `services` | the services that clients can call |
//! | `graph` | the connection graph: who provides and reads what |

mod channels;
mod graph;
mod places;
mod services;
mod showing;
mod shown;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

use hemiola_model::Value;
use hemiola_model::cdr::CdrReader;
use hemiola_recording::shown::Message;
use hemiola_runtime::{Change, JournalEvent, Observation, Observer};
use serde_json::json;

use self::channels::{Channel, Channels};
use self::graph::connection_graph;
use self::places::PlacesStream;
use self::services::{Call, Services};
use self::shown::ShownStream;
use super::opening::Opening;
use super::values::ValueStream;
use super::{Shared, describe, parameters};
use crate::door::DoorClient;
use crate::door::errands::{Lane, Outcome};
use crate::door::outbox::Outbox;
use crate::door::session::Session;
use crate::protocol::Form;
use crate::protocol::binary::Head;
use crate::protocol::foxglove::{
    CLIENT_CALL, CLIENT_MESSAGE, ClientChannel, MESSAGE_DATA, MOST, ParameterValue, Request, Subscription, TIME,
    WatchedParameters, call_failure, problem,
};
use crate::whole::clock::Clock;

/// The period at which values and messages are polled.
const FAST: Duration = Duration::from_millis(16);
/// The period at which the output of modules is polled, which is also the period at which it is
/// collected.
const SHOWN: Duration = Duration::from_millis(50);
/// The period at which parameters and the time are polled.
const SLOW: Duration = Duration::from_millis(100);

/// The session of one client of Foxglove's protocol.
pub struct FoxgloveSession {
    shared: Arc<Shared>,
    client: DoorClient,
    channels: Channels,
    values: Vec<ValueStream>,
    opening: Opening<ValueStream>,
    shown: Vec<ShownStream>,
    /// The subscription to the placements of spaces.
    places: Option<PlacesStream>,
    /// The channels of the client: the topic of each, and the encoding of its messages.
    published: BTreeMap<u32, (String, String)>,
    services: Services,
    /// The parameters whose changes the client is notified of.
    watched: WatchedParameters,
    journal: Option<Observer>,
    wants_graph: bool,
    /// Set if the client is another door of the robot.
    forwarded: Option<Forwarded>,
    looked: Instant,
}

/// The door of a whole robot, which sends its client what this process sends.
struct Forwarded {
    /// The time of the host's clock at which the clock of the client shows zero; `None` if the
    /// client has the clock of this process.
    origin: Option<u64>,
    /// The origin of this process's clock that was last sent.
    told: Option<u64>,
}

impl FoxgloveSession {
    pub fn new(shared: Arc<Shared>, client: DoorClient) -> Self {
        Self {
            shared,
            client,
            channels: Channels::default(),
            values: Vec::new(),
            opening: Opening::default(),
            shown: Vec::new(),
            places: None,
            published: BTreeMap::new(),
            services: Services::default(),
            watched: WatchedParameters::default(),
            journal: None,
            wants_graph: false,
            forwarded: None,
            looked: Instant::now(),
        }
    }

    /// Advertises the channels that are new, if a new check is due.
    fn advertise(&mut self, out: &mut Outbox) {
        let Self { shared, channels, shown, places, .. } = self;
        if !channels.advertise(shared, out) {
            return;
        }
        shown.retain_mut(|stream| match channels.get(stream.number()) {
            Some(Channel::Shown(channel)) => stream.follow(&shared.handle, channel).is_ok(),
            _ => false,
        });
        if let Some(stream) = places {
            let computed = shown.iter().filter_map(|stream| channels.get(stream.number()));
            let computed = computed.filter_map(|channel| match channel {
                Channel::Shown(channel) => Some(&channel.names),
                _ => None,
            });
            let computed = computed.flatten().copied().collect();
            if stream.follow(&shared.handle, channels, &computed).is_err() {
                *places = None;
            }
        }
        if self.client.access.may_change() {
            self.services.advertise(&self.shared, out);
        }
    }

    fn perform(&mut self, request: Request, out: &mut Outbox) -> Result<(), String> {
        match request {
            Request::Subscribe { subscriptions } => {
                for Subscription { id, channel_id } in subscriptions {
                    self.subscribe(id, channel_id)?;
                }
            }
            Request::Unsubscribe { subscription_ids } => {
                self.values.retain(|stream| !subscription_ids.contains(&stream.subscription()));
                self.shown.retain(|stream| !subscription_ids.contains(&stream.subscription()));
                _ = self.places.take_if(|stream| subscription_ids.contains(&stream.subscription()));
                subscription_ids.into_iter().for_each(|id| self.opening.cancel(id));
            }
            Request::Advertise { channels } => {
                self.may_change("publish")?;
                for ClientChannel { id, topic, encoding } in channels {
                    if self.published.len() >= MOST {
                        return Err("there are too many channels".to_owned());
                    }
                    if !matches!(encoding.as_str(), "json" | "cdr") {
                        return Err(format!("the encoding {encoding} of `{topic}` is not supported: use cdr or json"));
                    }
                    self.published.insert(id, (topic, encoding));
                }
            }
            Request::Unadvertise { channel_ids } => self.published.retain(|id, _| !channel_ids.contains(id)),
            Request::GetParameters { parameter_names, id } => self.send_parameters(&parameter_names, id, out)?,
            Request::SetParameters { parameters, id } => self.set_parameters(parameters, id)?,
            Request::SubscribeParameterUpdates { parameter_names } => self.watch_parameters(parameter_names)?,
            Request::UnsubscribeParameterUpdates { parameter_names } => {
                self.watched.remove(&parameter_names);
                self.journal = self.journal.take().filter(|_| self.watched.is_any());
            }
            Request::SubscribeConnectionGraph {} => {
                self.wants_graph = true;
                out.send(&connection_graph(&self.shared));
            }
            Request::UnsubscribeConnectionGraph {} => self.wants_graph = false,
            Request::Describe { clock_origin } => {
                self.forwarded = Some(Forwarded { origin: clock_origin, told: None });
                self.describe(out);
            }
        }
        Ok(())
    }

    fn may_change(&self, what: &str) -> Result<(), String> {
        match self.client.access.may_change() {
            true => Ok(()),
            false => Err(format!(
                "to {what}, connect with the token that the robot printed when it started: ws://ADDRESS/?token=…"
            )),
        }
    }

    fn subscribe(&mut self, id: u32, number: u32) -> Result<(), String> {
        let channel = self.channels.get(number).ok_or("there is no such channel")?;
        let has_it = self.opening.has(id)
            || self.values.iter().any(|stream| stream.subscription() == id)
            || self.shown.iter().any(|stream| stream.subscription() == id)
            || self.places.as_ref().is_some_and(|stream| stream.subscription() == id);
        if has_it || self.values.len() + self.shown.len() + self.opening.count() >= MOST {
            return Err(format!(
                "subscription {id} is refused: it exists already, or there are too many subscriptions"
            ));
        }
        let (value, topic) = match channel {
            Channel::Value(name) => (Some(name.clone()), None),
            Channel::Topic(name) => (None, Some(name.clone())),
            Channel::Shown(shown) => {
                let images = self.channels.images();
                self.shown.push(ShownStream::open(&self.shared.handle, id, (number, shown), images)?);
                return Ok(());
            }
            Channel::Places => {
                if self.places.is_some() {
                    return Err("the placements of spaces are subscribed to already".to_owned());
                }
                self.places = Some(PlacesStream::open(&self.shared.handle, id, &self.channels)?);
                return Ok(());
            }
            Channel::Withdrawn => return Err("this channel was withdrawn".to_owned()),
        };
        let shared = self.shared.clone();
        let open = move || Ok((ValueStream::open(&shared.handle, id, value, topic, None, Form::Cdr)?, json!({})));
        self.opening.begin(&self.client.runner, json!({}), id, open)
    }

    fn send_parameters(&self, names: &[String], id: Option<String>, out: &mut Outbox) -> Result<(), String> {
        let mut answer = json!({"op": "parameterValues", "parameters": self.parameters(names)?});
        if let Some(id) = id {
            answer["id"] = id.into();
        }
        out.send(&answer);
        Ok(())
    }

    /// Returns the current values of these parameters, or of all.
    fn parameters(&self, names: &[String]) -> Result<Vec<serde_json::Value>, String> {
        let all = parameters::list(&self.shared, None)?;
        let all = all.as_array().into_iter().flatten().filter_map(|parameter| {
            let name = format!("{}.{}", parameter["module"].as_str()?, parameter["name"].as_str()?);
            let is_wanted = names.is_empty() || names.contains(&name);
            is_wanted.then(|| json!({"name": name, "value": parameter["value"]}))
        });
        Ok(all.collect())
    }

    fn set_parameters(&mut self, wanted: Vec<ParameterValue>, id: Option<String>) -> Result<(), String> {
        self.may_change("set parameters")?;
        let mut changes = Vec::new();
        let mut names = Vec::new();
        for ParameterValue { name, value } in wanted {
            let (module, parameter) =
                name.split_once('.').ok_or_else(|| format!("`{name}` does not have the form Module.parameter"))?;
            let value = value.ok_or_else(|| format!("`{name}` cannot be unset: a value is required"))?;
            changes.push(Change::parameter(module, parameter, value));
            names.push(name);
        }
        let (shared, who) = (self.shared.clone(), self.client.name.clone());
        let request = json!({"names": names, "id": id});
        self.client.runner.run(Lane::Changes, request, move || {
            for change in changes {
                shared.handle.change_by(change, &who).wait().map_err(|error| error.to_string())?;
            }
            Ok(json!({}))
        })
    }

    fn watch_parameters(&mut self, names: Vec<String>) -> Result<(), String> {
        if self.journal.is_none() {
            let observation = Observation::default().with_journal();
            let mut journal = self.shared.handle.observe(observation).map_err(|error| error.to_string())?;
            // Earlier changes are already in the values that the client has requested.
            while journal.next_entry().is_some() {}
            self.journal = Some(journal);
        }
        self.watched.add(names);
        Ok(())
    }

    /// Notifies the client of the parameters that have been changed.
    fn send_changed(&mut self, out: &mut Outbox) {
        let Some(journal) = &mut self.journal else { return };
        let mut changed = BTreeSet::new();
        while let Some(entry) = journal.next_entry() {
            if let JournalEvent::Change { change: Change::Parameter { module, parameter, .. }, .. } = entry.event {
                let name = format!("{module}.{parameter}");
                if self.watched.has(&name) {
                    changed.insert(name);
                }
            }
        }
        if !changed.is_empty() {
            let changed: Vec<_> = changed.into_iter().collect();
            _ = self.send_parameters(&changed, None, out);
        }
    }

    fn publish(&self, message: &[u8]) -> Result<(), String> {
        let (number, payload) = message.split_first_chunk().ok_or("the message is too short")?;
        let number = u32::from_le_bytes(*number);
        let payload = payload.to_vec();
        let (topic, encoding) = self.published.get(&number).cloned().ok_or("this channel was not advertised")?;
        let shared = self.shared.clone();
        self.client.runner.run(Lane::Messages, json!({}), move || {
            let bus = shared.handle.bus();
            let published = if encoding == "json" {
                let value: Value = serde_json::from_slice(&payload)
                    .map_err(|error| format!("the message is not valid JSON: {error}"))?;
                bus.publish_value(&topic, &value)
            } else {
                let mut reader = CdrReader::new(&payload).map_err(|error| error.to_string())?;
                bus.publish_from(&topic, &mut reader)
            };
            let published = published.ok_or_else(|| super::values::unknown_topic(&shared.handle, &topic))?;
            published.map(|()| json!({})).map_err(|error| error.to_string())
        })
    }

    /// Calls a service, or sends the reason why it cannot be called.
    fn call(&self, call: Call, out: &mut Outbox) {
        let number = call.number();
        let begun = self.may_change("call services");
        if let Err(error) = begun.and_then(|()| self.services.call(&self.shared, &self.client.runner, call)) {
            out.send(&call_failure(&number, &error));
        }
    }

    /// Sends another door of the robot what this process is and has.
    fn describe(&mut self, out: &mut Outbox) {
        let origin = self.shared.clock_origin();
        self.forwarded.iter_mut().for_each(|forwarded| forwarded.told = origin);
        let (part, parts) = self.shared.part();
        let hosts = self.shared.facts.hosts.hosts();
        out.send(&json!({
            "op": "description",
            "robot": self.shared.whole(),
            "part": part,
            "parts": parts,
            "host": hosts.own,
            "hosts": hosts.others,
            "clockOrigin": origin,
            "description": describe::describe(&self.shared),
        }));
    }

    /// Returns the conversion of this process's times to those of the client.
    fn clock(&self) -> Clock {
        let origin = self.forwarded.as_ref().and_then(|forwarded| forwarded.origin);
        Clock::between(self.shared.clock_origin(), origin, 0)
    }
}

impl Session for FoxgloveSession {
    fn begin(&mut self, out: &mut Outbox) {
        let mut capabilities = vec!["time", "parameters", "parametersSubscribe", "connectionGraph"];
        if self.client.access.may_change() {
            capabilities.extend(["clientPublish", "services"]);
        }
        let Shared { facts, .. } = &*self.shared;
        out.send(&json!({
            "op": "serverInfo",
            "name": facts.name,
            "capabilities": capabilities,
            "supportedEncodings": ["cdr", "json"],
            "metadata": {"program": facts.program},
            "sessionId": std::process::id().to_string(),
        }));
        self.advertise(out);
    }

    fn text(&mut self, text: &str, out: &mut Outbox) {
        let request = serde_json::from_str(text).map_err(|error| error.to_string());
        if let Err(error) = request.and_then(|request| self.perform(request, out)) {
            out.send(&problem(&error));
        }
    }

    fn bytes(&mut self, bytes: &[u8], out: &mut Outbox) {
        let done = match bytes {
            [CLIENT_MESSAGE, message @ ..] => self.may_change("publish").and_then(|()| self.publish(message)),
            [CLIENT_CALL, call @ ..] => Call::read(call).map(|call| self.call(call, out)),
            [opcode, ..] => Err(format!("the opcode {opcode} is unknown")),
            [] => Err("the message is empty".to_owned()),
        };
        if let Err(error) = done {
            out.send(&problem(&error));
        }
    }

    fn done(&mut self, request: serde_json::Value, outcome: Outcome, out: &mut Outbox) {
        self.values.extend(self.opening.take());
        if request["callId"].is_number() {
            return self.services.answer(&request, outcome, out);
        }
        if let Err(error) = outcome {
            out.send(&problem(&error));
        }
        if request["names"].is_null() {
            return;
        }
        // The values are sent even if the change was refused, so that the client learns the current
        // ones.
        let names: Vec<String> = serde_json::from_value(request["names"].clone()).unwrap_or_default();
        let id = request["id"].as_str().map(str::to_owned);
        _ = self.send_parameters(&names, id, out);
    }

    fn poll(&mut self, out: &mut Outbox) -> Option<Duration> {
        let clock = self.clock();
        self.values.iter_mut().for_each(|stream| stream.send(out, |own| head(own, clock)));
        self.shown.iter_mut().for_each(|stream| stream.send(clock, out));
        self.places.iter_mut().for_each(|stream| stream.send(clock, out));
        if self.looked.elapsed() >= SLOW {
            self.looked = Instant::now();
            if self.forwarded.as_ref().is_some_and(|forwarded| forwarded.told != self.shared.clock_origin()) {
                self.describe(out);
            }
            self.advertise(out);
            self.send_changed(out);
            let mut time = vec![TIME];
            time.extend_from_slice(&nanoseconds(self.shared.handle.now().nanoseconds()).to_le_bytes());
            out.send_bytes(time);
        }
        Some(match (self.values.is_empty(), self.shown.is_empty() && self.places.is_none()) {
            (false, _) => FAST,
            (true, false) => SHOWN,
            (true, true) => SLOW,
        })
    }

    fn end(&mut self, reason: &str, out: &mut Outbox) {
        out.send(&json!({"op": "status", "level": 1, "message": reason}));
    }
}

/// Returns the bytes that precede a value, whose time is converted for the client.
fn head(head: Head, clock: Clock) -> Vec<u8> {
    let mut bytes = vec![MESSAGE_DATA];
    bytes.extend_from_slice(&head.subscription.to_le_bytes());
    bytes.extend_from_slice(&nanoseconds(clock.convert(head.time)).to_le_bytes());
    bytes
}

/// Sends a message of what modules show. Messages for a congested client are dropped.
fn send_message(subscription: u32, message: Message, out: &mut Outbox) {
    if !out.is_congested() {
        let time = message.time.nanoseconds();
        let head = head(Head { subscription, sequence: 0, run: 0, time, stamp: time }, Clock::default());
        out.send_bytes([head, message.bytes].concat());
    }
}

/// Returns a time for the client, whose times cannot be negative. Those of a process that began
/// before the client's are negative at first.
fn nanoseconds(time: i64) -> u64 {
    u64::try_from(time).unwrap_or(0)
}
