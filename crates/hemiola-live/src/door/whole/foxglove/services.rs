//! The services of all processes, as a client of the whole robot sees them.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::channels::number_of;
use crate::protocol::foxglove::{CLIENT_CALL, MOST};
use crate::whole::holdings::text_of;

/// The services that were advertised to the client, and its calls that have not been answered.
#[derive(Default)]
pub struct Services {
    /// The services by their numbers, which begin at 1.
    known: Vec<Service>,
    /// The services and the numbers of the calls.
    calls: BTreeSet<(u32, u32)>,
}

struct Service {
    name: String,
    home: usize,
    process: String,
    /// The number of the service in its process; it may change when the process is started again.
    number_there: u32,
}

impl Services {
    /// Notes a service that a process advertises. Returns its description for the client, if it is
    /// new to it.
    ///
    /// # Errors
    /// Returns an error if another process has a service of that name, or there are too many.
    pub fn offer(&mut self, home: usize, process: &str, service: &Value) -> Result<Option<Value>, String> {
        let (name, number_there) = (text_of(&service["name"]), number_of(service).unwrap_or_default());
        if let Some(known) = self.known.iter_mut().find(|known| known.name == name) {
            if known.home != home {
                return Err(format!(
                    "processes `{}` and `{process}` both have the service `{name}`: to call that of `{process}`, connect with ?process={process}",
                    known.process
                ));
            }
            known.number_there = number_there;
            return Ok(None);
        }
        if self.known.len() >= MOST {
            return Err(format!("there are too many services to offer `{name}`"));
        }
        let (name, process) = (name.to_owned(), process.to_owned());
        self.known.push(Service { name, home, process, number_there });
        let mut described = service.clone();
        described["id"] = self.known.len().into();
        Ok(Some(described))
    }

    /// Notes a call of the client, given without its opcode. Returns the process that it is for,
    /// and the message for that process.
    ///
    /// # Errors
    /// Returns an error if there is no such service, the call is too short, or too many have not
    /// been answered.
    pub fn call(&mut self, call: &[u8]) -> Result<(usize, Vec<u8>), String> {
        let (service, rest) = number(call).ok_or("the call is too short")?;
        let (call, _) = number(rest).ok_or("the call is too short")?;
        let known = (service as usize).checked_sub(1).and_then(|index| self.known.get(index));
        let known = known.ok_or_else(|| format!("there is no service {service}"))?;
        if self.calls.len() >= MOST {
            return Err("too many calls have not been answered yet".to_owned());
        }
        self.calls.insert((service, call));
        Ok((known.home, [&[CLIENT_CALL], &known.number_there.to_le_bytes()[..], rest].concat()))
    }

    /// Returns the answer of a process to a call, as a message for the client.
    pub fn answer(&mut self, home: usize, answer: &[u8]) -> Option<Vec<u8>> {
        let (number_there, rest) = number(answer.get(1..)?)?;
        let (call, _) = number(rest)?;
        let service = self.number(home, number_there)?;
        self.calls.remove(&(service, call));
        Some([&answer[..1], &service.to_le_bytes(), rest].concat())
    }

    /// Notes that a process has not executed a call. Returns the IDs of the call for the client.
    pub fn failed(&mut self, home: usize, failure: &Value) -> Option<Value> {
        let id = |key: &str| failure[key].as_u64()?.try_into().ok();
        let (service, call) = (self.number(home, id("serviceId")?)?, id("callId")?);
        self.calls.remove(&(service, call));
        Some(number_for_client(service, call))
    }

    /// Notes that a process has ended. Returns the IDs of the calls that it will not answer.
    pub fn lose(&mut self, home: usize) -> Vec<Value> {
        let Self { known, calls } = self;
        let mut lost = Vec::new();
        calls.retain(|(service, call)| {
            let is_lost = known[*service as usize - 1].home == home;
            lost.extend(is_lost.then(|| number_for_client(*service, *call)));
            !is_lost
        });
        lost
    }

    /// Returns the number for the client of a service with this number in its process.
    fn number(&self, home: usize, number_there: u32) -> Option<u32> {
        let is_it = |service: &Service| service.home == home && service.number_there == number_there;
        self.known.iter().position(is_it).map(|index| index as u32 + 1)
    }
}

fn number_for_client(service: u32, call: u32) -> Value {
    json!({"serviceId": service, "callId": call})
}

fn number(bytes: &[u8]) -> Option<(u32, &[u8])> {
    let (number, rest) = bytes.split_first_chunk()?;
    Some((u32::from_le_bytes(*number), rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_goes_to_the_process_that_has_the_service_and_is_answered_once() {
        let mut services = Services::default();
        let service = |id: u32, name: &str| json!({"id": id, "name": name});
        assert_eq!(services.offer(0, "main", &service(1, "stand")), Ok(Some(service(1, "stand"))));
        assert_eq!(services.offer(1, "vision", &service(1, "calibrate")), Ok(Some(service(2, "calibrate"))));
        assert!(services.offer(1, "vision", &service(2, "stand")).unwrap_err().contains("?process=vision"));

        let (home, call) = services.call(&[2, 0, 0, 0, 7, 0, 0, 0, 9]).unwrap();
        assert_eq!((home, call), (1, vec![CLIENT_CALL, 1, 0, 0, 0, 7, 0, 0, 0, 9]));
        assert_eq!(services.answer(1, &[3, 1, 0, 0, 0, 7, 0, 0, 0, 9]), Some(vec![3, 2, 0, 0, 0, 7, 0, 0, 0, 9]));
        assert_eq!(services.lose(1), [] as [Value; 0]);

        services.call(&[1, 0, 0, 0, 8, 0, 0, 0]).unwrap();
        services.call(&[2, 0, 0, 0, 8, 0, 0, 0]).unwrap();
        assert_eq!(services.lose(1), [number_for_client(2, 8)]);
        // The process is started again, and counts its services anew.
        assert_eq!(services.offer(1, "vision", &service(5, "calibrate")), Ok(None));
        let (_, call) = services.call(&[2, 0, 0, 0, 9, 0, 0, 0]).unwrap();
        assert_eq!(call[1], 5);
        assert_eq!(services.failed(1, &json!({"serviceId": 5, "callId": 9})), Some(number_for_client(2, 9)));
        assert!(services.call(&[3, 0, 0, 0, 1, 0, 0, 0]).is_err() && services.call(&[1, 0]).is_err());
    }
}
