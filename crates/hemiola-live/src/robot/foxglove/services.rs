//! The services that clients of Foxglove's protocol can call.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Instant;

use hemiola_model::Value;
use hemiola_model::cdr::{CdrReader, CdrWriter, MessageSchema};
use hemiola_model::data::DataType;
use serde_json::json;

use crate::door::errands::{Lane, Outcome, Runner};
use crate::door::outbox::Outbox;
use crate::protocol::foxglove::{CALL_ANSWER, MOST, call_failure};
use crate::robot::answers::patience_left;
use crate::robot::{Shared, answers};

/// The services that were advertised to one client, and the answers to its calls.
pub struct Services {
    /// The names of the services by their numbers, which begin at 1.
    offered: Vec<String>,
    /// The answers of successful calls, each with the number of its call.
    answers: (Sender<Vec<u8>>, Receiver<Vec<u8>>),
}

/// A client's call of a service. The answer has the same encoding as the request.
pub struct Call {
    service: u32,
    call: u32,
    encoding: String,
    request: Vec<u8>,
    /// The time at which it arrived.
    asked: Instant,
}

impl Default for Services {
    fn default() -> Self {
        Self { offered: Vec::new(), answers: channel() }
    }
}

impl Services {
    /// Advertises the services that are new since the last call.
    pub fn advertise(&mut self, shared: &Shared, out: &mut Outbox) {
        let mut services = Vec::new();
        for service in shared.handle.bus().callable_services() {
            let is_elsewhere = shared.handle.bus().has_left_service(&service.name);
            if is_elsewhere || self.offered.contains(&service.name) || self.offered.len() >= MOST {
                continue;
            }
            let request = schema(&format!("{}Request", service.name), &service.request);
            let response = schema(&format!("{}Response", service.name), &service.response);
            self.offered.push(service.name.clone());
            services.push(json!({
                "id": self.offered.len(),
                "name": service.name,
                "type": request["schemaName"].as_str().map(|name| name.trim_end_matches("Request").replace("/msg/", "/srv/")),
                "request": request,
                "response": response,
            }));
        }
        if !services.is_empty() {
            out.send(&json!({"op": "advertiseServices", "services": services}));
        }
    }

    /// Calls a service; [`answer`](Self::answer) sends the outcome.
    ///
    /// # Errors
    /// Returns an error if there is no such service, the encoding of the request is unknown, or too
    /// many errands wait.
    pub fn call(&self, shared: &Arc<Shared>, runner: &Runner, call: Call) -> Result<(), String> {
        let name = (call.service as usize).checked_sub(1).and_then(|index| self.offered.get(index)).cloned();
        let name = name.ok_or_else(|| format!("there is no service {}", call.service))?;
        if !matches!(call.encoding.as_str(), "json" | "cdr") {
            return Err(format!("the encoding {} of `{name}` is not supported: use cdr or json", call.encoding));
        }
        let (shared, answers) = (shared.clone(), self.answers.0.clone());
        runner.run(Lane::Calls, call.number(), move || {
            let answer = match call.encoding.as_str() {
                "json" => in_json(&shared, &name, &call)?,
                _ => in_cdr(&shared, &name, &call)?,
            };
            // Sending fails only if the client has disconnected.
            _ = answers.send(answer);
            Ok(json!({}))
        })
    }

    /// Sends the answer of this call, or that of another call that was answered at the same time;
    /// the outcome of the other call then sends this answer.
    pub fn answer(&self, number: &serde_json::Value, outcome: Outcome, out: &mut Outbox) {
        match outcome {
            Ok(_) => self.answers.1.try_iter().take(1).for_each(|answer| out.send_bytes(answer)),
            Err(error) => out.send(&call_failure(number, &error)),
        }
    }
}

impl Call {
    /// Reads a call without its opcode.
    ///
    /// # Errors
    /// Returns an error if there are too few bytes.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let (service, rest) = number(bytes)?;
        let (call, rest) = number(rest)?;
        let (length, rest) = number(rest)?;
        let (encoding, request) = rest.split_at_checked(length as usize).ok_or("the call is too short")?;
        let encoding = String::from_utf8_lossy(encoding).into_owned();
        Ok(Self { service, call, encoding, request: request.to_vec(), asked: Instant::now() })
    }

    /// Returns the ID of the call in messages to the client.
    pub fn number(&self) -> serde_json::Value {
        json!({"serviceId": self.service, "callId": self.call})
    }

    /// Returns the bytes that precede the answer.
    fn head(&self) -> Vec<u8> {
        let mut bytes = vec![CALL_ANSWER];
        for number in [self.service, self.call, self.encoding.len() as u32] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(self.encoding.as_bytes());
        bytes
    }
}

fn in_json(shared: &Shared, name: &str, call: &Call) -> Result<Vec<u8>, String> {
    let request: Value =
        serde_json::from_slice(&call.request).map_err(|error| format!("the request is not valid JSON: {error}"))?;
    let response = answers::call(shared, name, &request, call.asked)?;
    let mut bytes = call.head();
    serde_json::to_writer(&mut bytes, &response["response"]).map_err(|error| error.to_string())?;
    Ok(bytes)
}

fn in_cdr(shared: &Shared, name: &str, call: &Call) -> Result<Vec<u8>, String> {
    let mut request = CdrReader::new(&call.request).map_err(|error| error.to_string())?;
    let mut response = CdrWriter::behind(call.head());
    let patience = patience_left(name, call.asked)?;
    let answered = shared.handle.bus().call_from(name, &mut request, &mut response, patience);
    let answered = answered.ok_or_else(|| format!("`{name}` cannot be called any more"))?;
    answered.map(|()| response.finish()).map_err(|error| error.to_string())
}

fn number(bytes: &[u8]) -> Result<(u32, &[u8]), String> {
    let (number, rest) = bytes.split_first_chunk().ok_or("the call is too short")?;
    Ok((u32::from_le_bytes(*number), rest))
}

fn schema(name: &str, data_type: &DataType) -> serde_json::Value {
    let MessageSchema { name, text, .. } = MessageSchema::of(name, data_type);
    json!({"encoding": "cdr", "schemaName": name, "schemaEncoding": "ros2msg", "schema": text})
}
