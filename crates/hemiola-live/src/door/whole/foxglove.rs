//! The session of a client of Foxglove's protocol with the whole robot: it combines the sessions
//! with all processes.
//!
//! | file | what |
//! |---|---|
//! | `channels` | the channels of all processes |
//! | `services` | the services of all processes, and the calls that have not been answered |
//! | `parameters` | the answers of all processes about parameters |
//! | `graph` | the connection graphs of all processes |
//!
//! Each process answers as it does a client of its own, and is asked to describe itself first: what
//! it only receives from another process is left out. It converts all times to those of the process
//! behind this door, so that its messages are forwarded as they are. The channels of a process that
//! has ended stay, and its subscriptions are renewed when it is started again.

mod channels;
mod graph;
mod parameters;
mod services;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tungstenite::{Bytes, Message};

use super::combined::Combined;
use super::seats::{Opener, Seats};
use super::{MOST_HELD, hosts};
use crate::door::outbox::Outbox;
use crate::door::session::Session;
use crate::protocol::foxglove::{
    CALL_ANSWER, CLIENT_CALL, CLIENT_MESSAGE, ClientChannel, MOST, ParameterValue, Request, Subscription, TIME,
    WatchedParameters, call_failure, problem,
};
use crate::whole::clock::HostClocks;
use crate::whole::holdings::{Holdings, Sought, items, text_of};
use channels::Channels;
use graph::Graphs;
use parameters::Questions;
use services::Services;

/// The session of a client of Foxglove's protocol with all processes of a robot.
pub struct FoxgloveWhole {
    seats: Seats,
    /// The origin of the clock of the process behind this door, which all others use.
    origin: Option<u64>,
    hosts: HostClocks,
    /// The messages that processes have sent before their descriptions.
    early: BTreeMap<usize, Vec<Value>>,
    channels: Channels,
    /// The numbers of the channels that the client is subscribed to, by its subscriptions.
    subscriptions: BTreeMap<u32, u32>,
    /// The channels that the client publishes to.
    published: BTreeMap<u32, ClientChannel>,
    services: Services,
    questions: Questions,
    watched: WatchedParameters,
    graphs: Graphs,
    wants_graph: bool,
    /// The client's messages that wait until all processes have described themselves.
    held: Option<Vec<Message>>,
    /// The processes of which the client knows that they are gone.
    gone: Vec<usize>,
}

impl FoxgloveWhole {
    /// Creates a session from that with this process; `open` opens those with the others.
    pub fn new(own: Box<dyn Session>, open: Opener) -> Self {
        Self {
            seats: Seats::new(own, open),
            origin: None,
            hosts: HostClocks::default(),
            early: BTreeMap::new(),
            channels: Channels::default(),
            subscriptions: BTreeMap::new(),
            published: BTreeMap::new(),
            services: Services::default(),
            questions: Questions::default(),
            watched: WatchedParameters::default(),
            graphs: Graphs::default(),
            wants_graph: false,
            held: Some(Vec::new()),
            gone: Vec::new(),
        }
    }

    /// Sends a request to a process, if it is connected.
    fn ask(&mut self, index: usize, request: &Request, out: &mut Outbox) {
        let text = json!(request).to_string();
        self.act(index, out, |session, out| session.text(&text, out));
    }

    fn ask_all(&mut self, request: &Request, out: &mut Outbox) {
        (0..self.seats.processes.len()).for_each(|index| self.ask(index, request, out));
    }

    fn act(&mut self, index: usize, out: &mut Outbox, act: impl FnOnce(&mut dyn Session, &mut Outbox)) {
        if !self.seats.processes[index].connection.act(out, Instant::now(), act) {
            self.lose(index, "its door has closed", out);
        }
    }

    /// Asks a process for its description, and to convert its times to the clock of the process
    /// behind this door.
    fn ask_to_describe(&mut self, index: usize, out: &mut Outbox) {
        let ahead = self.hosts.ahead(&self.seats.processes[index].name);
        // The origin as the clock of that process's host shows it.
        let clock_origin = self.origin.map(|origin| origin.saturating_add_signed(ahead));
        self.ask(index, &Request::Describe { clock_origin }, out);
    }

    /// Notifies the client that a process will not answer its calls.
    fn fail_calls(&mut self, index: usize, out: &mut Outbox) {
        for number in self.services.lose(index) {
            out.send(&call_failure(&number, &self.seats.processes[index].connection.reason));
        }
    }

    /// Executes a request of the client.
    fn perform(&mut self, request: Request, out: &mut Outbox) -> Result<(), String> {
        match request {
            Request::Subscribe { subscriptions } => {
                for Subscription { id, channel_id } in subscriptions {
                    self.subscribe(id, channel_id, out)?;
                }
            }
            Request::Unsubscribe { ref subscription_ids } => {
                self.subscriptions.retain(|id, _| !subscription_ids.contains(id));
                self.ask_all(&request, out);
            }
            Request::Advertise { channels } => {
                for channel in channels {
                    if self.published.len() >= MOST {
                        return Err("there are too many channels".to_owned());
                    }
                    self.published.insert(channel.id, channel.clone());
                    let homes = self.homes(&channel.topic);
                    let request = Request::Advertise { channels: vec![channel] };
                    homes.into_iter().for_each(|index| self.ask(index, &request, out));
                }
            }
            Request::Unadvertise { ref channel_ids } => {
                self.published.retain(|id, _| !channel_ids.contains(id));
                self.ask_all(&request, out);
            }
            Request::GetParameters { parameter_names, id } => {
                let seats = self.seats.processes.iter().enumerate();
                let described = seats.filter(|(_, process)| process.connection.is_described);
                let asked: Vec<_> = described.map(|(index, _)| index).collect();
                let number = self.questions.begin(id, asked.clone());
                let request = Request::GetParameters { parameter_names, id: Some(number) };
                asked.into_iter().for_each(|index| self.ask(index, &request, out));
            }
            Request::SetParameters { parameters, id } => self.set_parameters(parameters, id, out)?,
            Request::SubscribeParameterUpdates { ref parameter_names } => {
                self.watched.add(parameter_names.clone());
                self.ask_all(&request, out);
            }
            Request::UnsubscribeParameterUpdates { ref parameter_names } => {
                self.watched.remove(parameter_names);
                self.ask_all(&request, out);
            }
            Request::SubscribeConnectionGraph {} => {
                self.wants_graph = true;
                self.ask_all(&request, out);
            }
            Request::UnsubscribeConnectionGraph {} => {
                self.wants_graph = false;
                self.ask_all(&request, out);
            }
            Request::Describe { .. } => return Err("describe a process: connect with ?process=NAME".to_owned()),
        }
        Ok(())
    }

    fn subscribe(&mut self, id: u32, channel: u32, out: &mut Outbox) -> Result<(), String> {
        let homes = self.channels.homes(channel).ok_or("there is no such channel")?.to_vec();
        if self.subscriptions.contains_key(&id) || self.subscriptions.len() >= MOST {
            return Err(format!(
                "subscription {id} is refused: it exists already, or there are too many subscriptions"
            ));
        }
        self.subscriptions.insert(id, channel);
        homes.into_iter().for_each(|(index, channel)| self.ask(index, &subscribing(id, channel), out));
        Ok(())
    }

    /// Sends each process the parameters of its modules. Each answers for itself.
    fn set_parameters(
        &mut self,
        parameters: Vec<ParameterValue>,
        id: Option<String>,
        out: &mut Outbox,
    ) -> Result<(), String> {
        let mut of_homes: BTreeMap<usize, Vec<ParameterValue>> = BTreeMap::new();
        for parameter in parameters {
            of_homes.entry(self.home_of_parameter(&parameter.name)).or_default().push(parameter);
        }
        for (index, parameters) in of_homes {
            let process = &self.seats.processes[index];
            if process.connection.session.is_none() {
                return Err(format!(
                    "`{}` belongs to process `{}`, which cannot be reached: {}",
                    parameters[0].name, process.name, process.connection.reason
                ));
            }
            self.ask(index, &Request::SetParameters { parameters, id: id.clone() }, out);
        }
        Ok(())
    }

    /// Returns the process in which the module of a parameter runs; the first one if none runs it.
    fn home_of_parameter(&self, parameter: &str) -> usize {
        let module = parameter.split('.').next().unwrap_or_default();
        self.seats.processes.iter().position(|process| process.holdings.runs(module)).unwrap_or(0)
    }

    /// Returns the processes that have a topic; this one if none has it.
    fn homes(&self, topic: &str) -> Vec<usize> {
        let seats = self.seats.processes.iter().enumerate();
        let homes = seats.filter(|(_, process)| process.holdings.have(Sought::Topic(topic)));
        let homes: Vec<_> = homes.map(|(index, _)| index).collect();
        if homes.is_empty() { vec![self.seats.own] } else { homes }
    }

    /// Executes a binary message of the client.
    fn perform_bytes(&mut self, bytes: &[u8], out: &mut Outbox) -> Result<(), String> {
        match bytes {
            [CLIENT_MESSAGE, message @ ..] => {
                let (number, _) = message.split_first_chunk().ok_or("the message is too short")?;
                let channel = self.published.get(&u32::from_le_bytes(*number));
                let topic = &channel.ok_or("this channel was not advertised")?.topic;
                for index in self.homes(topic) {
                    self.act(index, out, |session, out| session.bytes(bytes, out));
                }
            }
            [CLIENT_CALL, call @ ..] => {
                let (index, call) = self.services.call(call)?;
                self.act(index, out, |session, out| session.bytes(&call, out));
                if self.seats.processes[index].connection.session.is_none() {
                    self.fail_calls(index, out);
                }
            }
            [opcode, ..] => return Err(format!("the opcode {opcode} is unknown")),
            [] => return Err("the message is empty".to_owned()),
        }
        Ok(())
    }

    fn take(&mut self, message: &Message, out: &mut Outbox) {
        let done = match message {
            Message::Text(text) => {
                let request = serde_json::from_str(text).map_err(|error| error.to_string());
                request.and_then(|request| self.perform(request, out))
            }
            Message::Binary(bytes) => self.perform_bytes(bytes, out),
            _ => Ok(()),
        };
        if let Err(error) = done {
            out.send(&problem(&error));
        }
    }

    /// Executes a message of the client, or keeps it until all processes have described themselves.
    fn receive(&mut self, message: Message, out: &mut Outbox) {
        match &mut self.held {
            None => self.take(&message, out),
            Some(held) if held.len() < MOST_HELD => held.push(message),
            Some(_) => out.send(&problem("the door is still connecting to the processes of the robot")),
        }
    }

    /// Notes the description of a process, and renews everything that the client wants of it.
    fn described(&mut self, index: usize, said: &Value, out: &mut Outbox) {
        let process = &mut self.seats.processes[index];
        process.holdings = Holdings::of(&said["description"]);
        let is_first = !std::mem::replace(&mut process.connection.is_described, true);
        if index == self.seats.own && !is_first {
            // A robot may have postponed its beginning.
            self.origin = said["clockOrigin"].as_u64();
            self.hosts.renew(&hosts(said));
            for other in self.seats.others() {
                self.ask_to_describe(other, out);
            }
        }
        if !is_first {
            return;
        }
        for said in self.early.remove(&index).unwrap_or_default() {
            self.said(index, said, out);
        }
        for channel in self.published.values().cloned().collect::<Vec<_>>() {
            if self.homes(&channel.topic).contains(&index) {
                self.ask(index, &Request::Advertise { channels: vec![channel] }, out);
            }
        }
        let graph = self.wants_graph.then_some(Request::SubscribeConnectionGraph {});
        self.watched.request().into_iter().chain(graph).for_each(|request| self.ask(index, &request, out));
    }

    /// Offers the client a channel of a process, and renews the subscriptions to it.
    fn offer(&mut self, index: usize, channel: &Value, out: &mut Outbox) {
        if self.seats.processes[index].holdings.receives(text_of(&channel["topic"])) {
            return;
        }
        let Some(joined) = self.channels.add(index, channel) else { return };
        if let Some(channel) = joined.new {
            return out.send(&json!({"op": "advertise", "channels": [channel]}));
        }
        let subscribed = self.subscriptions.iter().filter(|(_, channel)| **channel == joined.number);
        for id in subscribed.map(|(id, _)| *id).collect::<Vec<_>>() {
            self.ask(index, &subscribing(id, joined.number_there), out);
        }
    }
}

fn subscribing(id: u32, channel_id: u32) -> Request {
    Request::Subscribe { subscriptions: vec![Subscription { id, channel_id }] }
}

impl Combined for FoxgloveWhole {
    fn seats(&mut self) -> &mut Seats {
        &mut self.seats
    }

    fn enter(&mut self, out: &mut Outbox) {
        self.ask(self.seats.own, &Request::Describe { clock_origin: None }, out);
        let arrived = &self.seats.processes[self.seats.own].connection.arrived;
        let said = arrived.iter().filter_map(|message| serde_json::from_str::<Value>(message.to_text().ok()?).ok());
        let said: Vec<_> = said.collect();
        let find = |op: &str| said.iter().find(|said| said["op"] == op);
        let (Some(info), Some(description)) = (find("serverInfo"), find("description")) else { return out.close() };
        self.seats.seat_all(&description["part"], &description["parts"], Instant::now());
        self.origin = description["clockOrigin"].as_u64();
        self.hosts = HostClocks::of(&hosts(description));
        let mut info = info.clone();
        info["name"] = description["robot"].clone();
        out.send(&info);
        self.seats.others().for_each(|index| self.seek(index, out));
        self.settle(out);
    }

    fn request(&mut self, text: &str, out: &mut Outbox) {
        self.receive(Message::text(text), out);
    }

    fn request_bytes(&mut self, bytes: &[u8], out: &mut Outbox) {
        self.receive(Message::binary(bytes.to_vec()), out);
    }

    fn is_holding(&self) -> bool {
        self.held.is_some()
    }

    fn release(&mut self, out: &mut Outbox) {
        for message in self.held.take().unwrap_or_default() {
            self.take(&message, out);
        }
    }

    fn seek(&mut self, index: usize, out: &mut Outbox) {
        if self.seats.seek(index, Instant::now()) {
            self.ask_to_describe(index, out);
        }
    }

    /// Notes that a process has ended. Its holdings are kept, so that what is for it does not go to
    /// another one.
    fn lose(&mut self, index: usize, reason: &str, out: &mut Outbox) {
        self.seats.processes[index].connection.lose(reason, Instant::now());
        self.early.remove(&index);
        self.channels.lose(index);
        self.fail_calls(index, out);
        self.questions.give_up(index, out);
        if index == self.seats.own {
            out.close();
        }
    }

    fn forward(&mut self, index: usize, bytes: Bytes, out: &mut Outbox) {
        match bytes.first().copied() {
            Some(TIME) if index != self.seats.own => {}
            Some(CALL_ANSWER) => {
                self.services.answer(index, &bytes).into_iter().for_each(|answer| out.send_bytes(answer));
            }
            _ => out.send_bytes(bytes.into()),
        }
    }

    /// Notifies the client of processes that are gone, and withdraws that when they are back.
    fn tell(&mut self, out: &mut Outbox) {
        for (index, process) in self.seats.processes.iter().enumerate() {
            let id = format!("process {}", process.name);
            let seat = &process.connection;
            if seat.session.is_none() && !self.gone.contains(&index) {
                self.gone.push(index);
                let message = format!("process `{}` cannot be reached: {}", process.name, seat.reason);
                out.send(&json!({"op": "status", "level": 1, "id": id, "message": message}));
            } else if seat.is_described && self.gone.contains(&index) {
                self.gone.retain(|gone| *gone != index);
                out.send(&json!({"op": "removeStatus", "statusIds": [id]}));
            }
        }
    }

    fn expire(&mut self, now: Instant, out: &mut Outbox) {
        self.questions.expire(now, out);
    }

    fn wait(&self, now: Instant) -> Option<Duration> {
        self.questions.wait(now)
    }

    fn said(&mut self, index: usize, mut said: Value, out: &mut Outbox) {
        let op = text_of(&said["op"]).to_owned();
        let process = &mut self.seats.processes[index];
        match op.as_str() {
            "description" => self.described(index, &said, out),
            // The reason is part of the state of the process.
            "" => process.connection.reason = text_of(&said["reason"]).to_owned(),
            "status" if index != self.seats.own && said["level"] == 1 => {
                process.connection.reason = text_of(&said["message"]).to_owned();
            }
            _ if !process.connection.is_described => self.early.entry(index).or_default().push(said),
            "serverInfo" => {}
            "advertise" => {
                for channel in items(&said["channels"]) {
                    self.offer(index, channel, out);
                }
            }
            "unadvertise" => {
                let withdrawn = items(&said["channelIds"]).filter_map(Value::as_u64);
                let withdrawn: Vec<_> = withdrawn.filter_map(|id| self.channels.remove(index, id as u32)).collect();
                if !withdrawn.is_empty() {
                    self.subscriptions.retain(|_, channel| !withdrawn.contains(channel));
                    out.send(&json!({"op": "unadvertise", "channelIds": withdrawn}));
                }
            }
            "advertiseServices" => {
                let name = &process.name;
                let offered = items(&said["services"]).map(|service| self.services.offer(index, name, service));
                let (mut services, mut problems) = (Vec::new(), Vec::new());
                for offered in offered {
                    match offered {
                        Ok(service) => services.extend(service),
                        Err(error) => problems.push(error),
                    }
                }
                if !services.is_empty() {
                    out.send(&json!({"op": "advertiseServices", "services": services}));
                }
                problems.iter().for_each(|error| out.send(&problem(error)));
            }
            "serviceCallFailure" => {
                if let Some(number) = self.services.failed(index, &said) {
                    out.send(&call_failure(&number, text_of(&said["message"])));
                }
            }
            "parameterValues" => {
                let all = items(&said["parameters"]);
                let of_process = all.filter(|it| self.home_of_parameter(text_of(&it["name"])) == index);
                said["parameters"] = of_process.cloned().collect();
                self.questions.answer(index, &said, out);
            }
            "connectionGraphUpdate" => {
                let joined = self.graphs.join(index, &process.holdings, &said);
                if self.wants_graph {
                    out.send(&joined);
                }
            }
            _ => out.send(&said),
        }
    }
}
