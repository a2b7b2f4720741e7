//! The session of a client with the whole robot: it combines the sessions with all processes.
//!
//! | file | what |
//! |---|---|
//! | `combined` | the part that does not depend on the client's protocol |
//! | `seats`, `seat` | the places of all processes, and of one, whether it runs or not |
//! | `numbers` | the meaning of the numbers in events |
//! | `frames` | the conversion of a process's binary messages to those of the robot |
//! | `foxglove` | the same for clients that use Foxglove's protocol |
//!
//! The process that has opened the door serves its session here; the others are reached as by
//! [`Relay`](super::relay::Relay). The session reconnects to a process that has ended as soon as it
//! is started again, and then renews all of the client's subscriptions there. All times are those
//! of this process's clock.

mod combined;
pub mod foxglove;
mod frames;
mod numbers;
mod seat;
mod seats;

use std::collections::{BTreeMap, VecDeque};
use std::mem;
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::{Value, json};
use tungstenite::{Bytes, Message};

use super::outbox::Outbox;
use super::session::Session;
use crate::protocol::{Request, RobotHosts, parse};
use crate::whole::clock::{Clock, HostClocks};
use crate::whole::holdings::{Holdings, text_of};
use crate::whole::routes::{self, Route, Undone};
use crate::whole::statistics;
use combined::Combined;
use numbers::Numbers;
use seats::{Opener, Seats};

/// The most requests that wait until all processes have described themselves.
const MOST_HELD: usize = 256;

/// The session of a client with all processes of a robot.
pub struct Whole {
    seats: Seats,
    /// The origin of the clock of the process behind this door, with which the others are compared.
    origin: Option<u64>,
    hosts: HostClocks,
    /// The requests sent to processes, by their numbers.
    asked: BTreeMap<u64, (usize, Purpose)>,
    number: u64,
    /// The client's requests that have not been answered yet.
    pending: BTreeMap<u64, Pending>,
    /// The requests that wait until all processes have described themselves.
    held: Option<Vec<(Value, Request)>>,
    /// The subscriptions that a process gets when it is started later.
    wishes: BTreeMap<String, Request>,
    numbers: Numbers,
    /// The state of the processes that was last sent to the client.
    told: Value,
}

/// The purpose of a request to a process.
enum Purpose {
    /// A request for the process's description.
    Description,
    /// A subscription that is renewed after the process was started again.
    Wish(Request),
    /// A part of this request of the client.
    Answer(u64),
}

/// A request of the client.
struct Pending {
    id: Value,
    request: Request,
    route: Route,
    /// The processes that are asked after the one before them has answered.
    next: VecDeque<(usize, Request)>,
    open: usize,
    answers: Vec<(usize, Result<Value, String>)>,
    deadline: Instant,
}

impl Whole {
    /// Creates a session from that with this process; `open` opens those with the others.
    pub fn new(own: Box<dyn Session>, open: Opener) -> Self {
        let (origin, hosts, asked, number, pending, wishes, numbers, told) = Default::default();
        let (seats, held) = (Seats::new(own, open), Some(Vec::new()));
        Self { seats, origin, hosts, asked, number, pending, held, wishes, numbers, told }
    }

    /// Sends a request to a process. The answer arrives through [`settle`](Self::settle).
    fn ask(&mut self, index: usize, request: &Request, purpose: Purpose, out: &mut Outbox) {
        self.number += 1;
        let number = self.number;
        self.asked.insert(number, (index, purpose));
        let mut text = json!(request);
        text["id"] = number.into();
        let seat = &mut self.seats.processes[index].connection;
        if seat.session.is_none() {
            let reason = seat.reason.clone();
            return self.answered(number, Err(reason), out);
        }
        if !seat.act(out, Instant::now(), |session, out| session.text(&text.to_string(), out)) {
            self.lose(index, "its door has closed", out);
        }
    }

    /// Begins to execute a request of the client.
    fn begin_request(&mut self, id: Value, request: Request, out: &mut Outbox) {
        let missing = self.seats.processes.iter().filter(|process| process.connection.session.is_none());
        let missing: Vec<_> =
            missing.map(|process| (process.name.clone(), process.connection.reason.clone())).collect();
        let mut route = match self.route(&missing, &request) {
            Ok(route) => route,
            Err(error) => return out.send(&json!({"id": id, "error": error})),
        };
        self.wish(&request);
        let mut next: VecDeque<_> = mem::take(&mut route.asked).into();
        let first: Vec<_> =
            if route.is_in_turn() { next.drain(..next.len().min(1)).collect() } else { next.drain(..).collect() };
        for (index, request) in &first {
            self.seats.processes[*index].note(request, route.numbers(*index));
        }
        self.number += 1;
        let key = self.number;
        let deadline = Instant::now() + routes::patience(&request);
        let pending = Pending { id, request, route, next, open: first.len(), answers: Vec::new(), deadline };
        self.pending.insert(key, pending);
        for (index, request) in first {
            self.ask(index, &request, Purpose::Answer(key), out);
        }
        self.conclude(key, out);
    }

    fn route(&self, missing: &[(String, String)], request: &Request) -> Result<Route, String> {
        routes::route(&self.seats.processes, missing, request)
    }

    /// Notes the subscriptions that processes get when they are started later.
    fn wish(&mut self, request: &Request) {
        match request {
            Request::Subscribe { subscription, .. }
            | Request::Plot { subscription, .. }
            | Request::Events { subscription } => _ = self.wishes.insert(subscription.to_string(), request.clone()),
            Request::Unsubscribe { subscription } => _ = self.wishes.remove(&subscription.to_string()),
            Request::Watch { what, .. } => _ = self.wishes.insert(format!("{what:?}"), request.clone()),
            Request::Unwatch { what } => _ = self.wishes.remove(&format!("{what:?}")),
            _ => {}
        }
    }

    fn answered(&mut self, number: u64, answer: Result<Value, String>, out: &mut Outbox) {
        let Some((index, purpose)) = self.asked.remove(&number) else { return };
        match (purpose, answer) {
            (Purpose::Description, Ok(described)) => self.described(index, &described, out),
            (Purpose::Description, Err(_)) => {}
            (Purpose::Wish(request), answer) => self.note_names(index, &request, answer.as_ref().ok(), out),
            (Purpose::Answer(key), answer) => {
                let Some(pending) = self.pending.get_mut(&key) else { return };
                pending.open -= 1;
                let (is_over, request) = (answer.is_err(), pending.request.clone());
                if let (Request::Events { .. }, Ok(answer)) = (&request, &answer) {
                    self.numbers.learn(&self.seats.processes[index].name, &answer["names"]);
                }
                pending.answers.push((index, answer));
                match pending.next.pop_front().filter(|_| !is_over) {
                    Some((index, request)) => {
                        pending.open += 1;
                        self.ask(index, &request, Purpose::Answer(key), out);
                    }
                    None => self.conclude(key, out),
                }
            }
        }
    }

    /// Answers a request of the client if all processes that were asked have answered.
    fn conclude(&mut self, key: u64, out: &mut Outbox) {
        let is_over = |pending: &Pending| pending.open == 0 || pending.deadline <= Instant::now();
        if !self.pending.get(&key).is_some_and(is_over) {
            return;
        }
        let Some(Pending { id, request, route, mut answers, .. }) = self.pending.remove(&key) else { return };
        let silent = self.asked.values().filter(|(_, purpose)| matches!(purpose, Purpose::Answer(of) if *of == key));
        answers.extend(silent.map(|(index, _)| (*index, Err("it does not respond".to_owned()))));
        answers.sort_by_key(|(index, _)| *index);
        let answer = match (&request, route.answer(&self.seats.processes, &[], answers)) {
            (Request::Events { .. }, Ok(_)) => Ok(json!({"names": self.numbers.names()})),
            (_, answer) => answer,
        };
        out.send(&match answer {
            Ok(result) => json!({"id": id, "result": result}),
            Err(Undone::Refused(error)) => {
                // A refused subscription is not renewed.
                if let Request::Subscribe { subscription, .. } | Request::Plot { subscription, .. } = request {
                    self.wishes.remove(&subscription.to_string());
                }
                json!({"id": id, "error": error})
            }
            Err(Undone::Processes { done, failed }) => {
                json!({"id": id, "error": routes::undone_by(&done, &failed)})
            }
        });
    }

    /// Notes the description of a process, and renews the client's subscriptions there.
    fn described(&mut self, index: usize, described: &Value, out: &mut Outbox) {
        let process = &mut self.seats.processes[index];
        process.holdings = Holdings::of(described);
        process.connection.is_described = true;
        process.connection.meetings += 1;
        for wish in self.wishes.values().cloned().collect::<Vec<_>>() {
            let Ok(route) = self.route(&[], &wish) else { continue };
            for (_, request) in route.asked.iter().filter(|(asked, _)| *asked == index) {
                self.seats.processes[index].note(request, route.numbers(index));
                self.ask(index, request, Purpose::Wish(wish.clone()), out);
            }
        }
    }

    fn note_names(&mut self, index: usize, request: &Request, answer: Option<&Value>, out: &mut Outbox) {
        if let (Request::Events { .. }, Some(answer)) = (request, answer) {
            self.numbers.learn(&self.seats.processes[index].name, &answer["names"]);
            out.send(&json!({"event": "names", "names": self.numbers.names()}));
        }
    }
}

/// Returns the hosts that a process reports.
fn hosts(said: &Value) -> RobotHosts {
    RobotHosts::deserialize(said).unwrap_or_default()
}

impl Combined for Whole {
    fn seats(&mut self) -> &mut Seats {
        &mut self.seats
    }

    fn enter(&mut self, out: &mut Outbox) {
        let now = Instant::now();
        let arrived = &self.seats.processes[0].connection.arrived;
        let Some(Message::Text(welcome)) = arrived.front() else { return };
        let Ok(mut welcome) = serde_json::from_str::<Value>(welcome) else { return };
        self.seats.seat_all(&welcome["part"], &welcome["parts"], now);
        self.origin = welcome["clock_origin"].as_u64();
        self.hosts = HostClocks::of(&hosts(&welcome));
        (welcome["name"], welcome["part"]) = (welcome["robot"].clone(), Value::Null);
        out.send(&welcome);
        self.seats.others().for_each(|index| _ = self.seats.seek(index, now));
        self.settle(out);
    }

    fn request(&mut self, text: &str, out: &mut Outbox) {
        match (parse::<Request>(text), &mut self.held) {
            (Err((id, error)), _) => out.send(&json!({"id": id, "error": error})),
            (Ok((id, request)), None) => self.begin_request(id, request, out),
            (Ok((id, request)), Some(held)) if held.len() < MOST_HELD => held.push((id, request)),
            (Ok((id, _)), _) => {
                out.send(&json!({"id": id, "error": "the door is still connecting to the processes of the robot"}))
            }
        }
    }

    fn request_bytes(&mut self, bytes: &[u8], out: &mut Outbox) {
        self.seats.act_here(out, |session, out| session.bytes(bytes, out));
    }

    fn is_holding(&self) -> bool {
        self.held.is_some()
    }

    fn release(&mut self, out: &mut Outbox) {
        for (id, request) in self.held.take().unwrap_or_default() {
            self.begin_request(id, request, out);
        }
    }

    fn seek(&mut self, index: usize, _: &mut Outbox) {
        self.seats.seek(index, Instant::now());
    }

    /// Notes that a process has ended: its pending requests are answered with the reason.
    fn lose(&mut self, index: usize, reason: &str, out: &mut Outbox) {
        let process = &mut self.seats.processes[index];
        process.connection.lose(reason, Instant::now());
        process.holdings = Holdings::default();
        (process.statistics, process.fresh) = (None, 0);
        process.subscriptions.clear();
        let unanswered: Vec<_> =
            self.asked.iter().filter(|(_, (of, _))| *of == index).map(|(number, _)| *number).collect();
        for number in unanswered {
            self.answered(number, Err(reason.to_owned()), out);
        }
        if index == self.seats.own {
            out.close();
        }
    }

    fn forward(&mut self, index: usize, bytes: Bytes, out: &mut Outbox) {
        let process = &self.seats.processes[index];
        frames::converted(process, &self.numbers, bytes.into()).into_iter().for_each(|bytes| out.send_bytes(bytes));
    }

    fn tell(&mut self, out: &mut Outbox) {
        let (sends_figures, now) = (self.wishes.contains_key("Statistics"), Instant::now());
        let states =
            self.seats.processes.iter().map(|process| process.connection.state(&process.name, sends_figures, now));
        let processes = states.collect::<Value>();
        if processes != self.told {
            out.send(&json!({"event": "processes", "processes": processes}));
            self.told = processes;
        }
    }

    fn expire(&mut self, _: Instant, out: &mut Outbox) {
        for key in self.pending.keys().copied().collect::<Vec<_>>() {
            self.conclude(key, out);
        }
    }

    fn wait(&self, now: Instant) -> Option<Duration> {
        self.pending.values().map(|pending| pending.deadline.saturating_duration_since(now)).min()
    }

    fn said(&mut self, index: usize, mut said: Value, out: &mut Outbox) {
        if let Some(number) = said["id"].as_u64() {
            let answer = match said.get("error") {
                Some(error) => Err(text_of(error).to_owned()),
                None => Ok(said["result"].take()),
            };
            return self.answered(number, answer, out);
        }
        let process = &mut self.seats.processes[index];
        let clock = process.clock;
        let convert = |time: &mut Value| {
            if let Some(own) = time.as_i64() {
                *time = clock.convert(own).into();
            }
        };
        match text_of(&said["event"]) {
            "welcome" => {
                let ahead = self.hosts.ahead(&process.name);
                process.clock = Clock::between(said["clock_origin"].as_u64(), self.origin, ahead);
                process.connection.process = said["process"].clone();
                process.connection.host = said["host"].clone();
                self.ask(index, &Request::Describe {}, Purpose::Description, out);
            }
            "statistics" => {
                self.hosts.renew(&hosts(&said));
                // A process that had not begun when it was reached may have postponed its
                // beginning.
                if let Some(origin) = said["clock_origin"].as_u64() {
                    if index == self.seats.own {
                        self.origin = Some(origin);
                    }
                    process.clock = Clock::between(Some(origin), self.origin, self.hosts.ahead(&process.name));
                }
                if let Some(statistics) = statistics(&mut self.seats.processes, index, said) {
                    out.send(&statistics);
                }
            }
            "names" => {
                self.numbers.learn(&process.name, &said["names"]);
                out.send(&json!({"event": "names", "names": self.numbers.names()}));
            }
            // The reason is part of the state of the process.
            "ended" if index != self.seats.own => process.connection.reason = text_of(&said["reason"]).to_owned(),
            _ => {
                said.get_mut("time").map(convert);
                let records = said.get_mut("records").and_then(Value::as_array_mut).into_iter().flatten();
                records.filter_map(|record| record.get_mut("time")).for_each(convert);
                said["process"] = process.name.clone().into();
                out.send(&said);
            }
        }
    }
}
