use std::sync::Arc;

use hemiola_bus::{AnswerError, AnyAnswer, AnyClient, AnyRequest, AnyServer, Bus, BusError, SendError, Signal};
use hemiola_model::cdr::{CdrReader, CdrWriter, MessageSchema};
use hemiola_model::data::DataType;
use hemiola_realtime::Wakeup;

use super::{Cdr, contained};
use crate::wire::NoAnswer;

/// The ends of a robot's services: of those that it serves to peers, and of those of peers that it
/// calls. The types of a service are known once the program has allowed calls of it.
///
/// ```
/// use hemiola_bus::Bus;
/// use hemiola_link::ends::Services;
/// use hemiola_realtime::Wakeup;
/// use std::sync::Arc;
///
/// let bus = Bus::new();
/// let mut services = Services::new(&["double".to_owned()], &[], bus.clone(), Arc::new(Wakeup::new()));
/// bus.allow_calls::<u8, u8>("double");
/// services.look();
/// assert!(services.served[0].types.is_some() && !services.served[0].can_be_called()); // nobody serves it
/// ```
pub struct Services {
    bus: Bus,
    /// Notified when there is a request, an answer or a new service.
    wakeup: Arc<Wakeup>,
    /// The services of this robot that peers may call, in the order of robot.toml.
    pub served: Vec<Service>,
    /// The services of peers that are called here, in the order of robot.toml.
    pub called: Vec<Service>,
}

/// A service that is served to peers, or called here. See [`Services`].
pub struct Service {
    /// The service's name in this robot.
    pub name: String,
    /// The types of its requests and answers; `None` until the program has declared them.
    pub types: Option<[KnownType; 2]>,
    /// Set while this program has a server for it, as far as the link has noticed.
    pub is_served: bool,
    /// The end at which this robot's requests arrive while a peer answers them.
    server: Option<AnyServer>,
    /// Set if the program already served it itself when the link was about to.
    is_taken: bool,
}

/// A type of this program. See [`Services`].
pub struct KnownType {
    /// The type.
    pub data_type: DataType,
    /// The type as a message definition.
    pub schema: Arc<MessageSchema>,
}

/// A request of this robot that a peer must answer. See [`Services`].
pub struct Asked {
    /// The request in CDR.
    pub cdr: Cdr,
    /// The end at which the answer must be given.
    pub request: AnyRequest,
}

/// The reason why a call has no answer, as a code for the peer and in words.
pub type Unanswered = (NoAnswer, String);

/// The number of requests of each client that may wait for the links' thread; an update may have as
/// many calls in flight.
const CAPACITY: usize = 16;

impl Services {
    /// Creates the ends of the services that this robot serves to peers, and of those of peers that
    /// are called here. `wakeup` is notified when there is something to do.
    pub fn new(serve: &[String], call: &[String], bus: Bus, wakeup: Arc<Wakeup>) -> Self {
        let [served, called] = [serve, call].map(|names| names.iter().map(|name| Service::new(name)).collect());
        Self { bus, wakeup, served, called }
    }

    /// Returns whether the link has any services.
    pub fn any(&self) -> bool {
        !self.served.is_empty() || !self.called.is_empty()
    }

    /// Updates which types are known, and which services are served.
    pub fn look(&mut self) {
        if !self.any() {
            return;
        }
        for known in self.bus.callable_services() {
            let is_new = |service: &&mut Service| service.types.is_none() && service.name == known.name;
            for service in self.served.iter_mut().chain(&mut self.called).filter(is_new) {
                let [request, response] = [("Request", &known.request), ("Response", &known.response)];
                let known_type = |(what, data_type): (&str, &DataType)| KnownType {
                    data_type: data_type.clone(),
                    schema: Arc::new(MessageSchema::of(&format!("{}{what}", known.name), data_type)),
                };
                service.types = Some([known_type(request), known_type(response)]);
            }
        }
        let reports = self.bus.services();
        for service in &mut self.served {
            service.is_served = reports.iter().any(|report| report.is_served && report.name == service.name);
        }
        self.called.iter_mut().for_each(|service| service.is_taken = false);
    }

    /// Begins or stops to receive this robot's requests to a service. Clients that wait for an
    /// answer when it stops are notified that the server has ended.
    ///
    /// # Errors
    /// Returns an error with the reason if the program serves it itself; the error is returned only
    /// once.
    pub fn serve(&mut self, service: usize, is_answered: bool) -> Result<(), String> {
        let service = &mut self.called[service];
        if !is_answered {
            service.is_taken = false;
            let server = service.server.take();
            // Requests of users' types may be waiting there.
            _ = contained(move || drop(server));
        } else if service.server.is_none() && !service.is_taken {
            let signal = Signal::Wakeup(self.wakeup.clone());
            match self.bus.any_server(&service.name, CAPACITY, signal) {
                Some(Ok(server)) => service.server = Some(server),
                Some(Err(error)) => {
                    service.is_taken = true;
                    return Err(match error {
                        BusError::AlreadyServed { .. } => "this program serves it itself".to_owned(),
                        error => error.to_string(),
                    });
                }
                None => {}
            }
        }
        Ok(())
    }

    /// Returns the next request of this robot to a service. If writing a request panics, its caller
    /// is notified.
    pub fn next(&mut self, service: usize) -> Option<Asked> {
        let server = self.called[service].server.as_mut()?;
        loop {
            let received = contained(|| {
                let mut writer = CdrWriter::default();
                let request = server.receive(&mut writer)?;
                Some(Asked { cdr: writer.finish().into(), request })
            });
            if let Ok(received) = received {
                return received;
            }
        }
    }

    /// Passes a request of a peer to the server here. The client for the peer is created with its
    /// first request.
    ///
    /// # Errors
    /// Returns the reason why there will be no answer.
    pub fn ask(&self, service: usize, client: &mut Option<AnyClient>, cdr: &[u8]) -> Result<AnyAnswer, Unanswered> {
        let name = &self.served[service].name;
        let asked = contained(|| {
            let client = match client {
                Some(client) => client,
                None => {
                    let made = self.bus.any_client(name, Signal::Wakeup(self.wakeup.clone()));
                    let made = made.ok_or("its types are unknown")?;
                    client.insert(made.map_err(|error| error.to_string())?)
                }
            };
            let mut reader = CdrReader::new(cdr).map_err(|error| error.to_string())?;
            client.ask(&mut reader).map_err(|error| error.to_string())
        });
        match asked {
            Ok(Ok(Ok(answer))) => Ok(answer),
            Ok(Ok(Err(SendError::NoReceiver(())))) => Err((NoAnswer::Ended, "nobody serves it".to_owned())),
            Ok(Ok(Err(SendError::Full(())))) => Err((NoAnswer::Refused, "too many requests are waiting".to_owned())),
            Ok(Err(reason)) => Err((NoAnswer::Refused, reason)),
            Err(panic) => Err((NoAnswer::Refused, format!("its type {panic}"))),
        }
    }
}

impl Service {
    fn new(name: &str) -> Self {
        Self { name: name.to_owned(), types: None, is_served: false, server: None, is_taken: false }
    }

    /// Returns whether peers can call the service now.
    pub fn can_be_called(&self) -> bool {
        self.types.is_some() && self.is_served
    }
}

/// Returns the answer of this robot to a peer's request in CDR, or the reason why there is none;
/// `None` if neither is known yet.
pub fn taken(answer: &mut AnyAnswer) -> Option<Result<Cdr, Unanswered>> {
    let taken = contained(|| {
        let mut writer = CdrWriter::default();
        Some(answer.take(&mut writer)?.map(|()| Cdr::from(writer.finish())))
    });
    match taken {
        Ok(taken) => taken.map(|answer| answer.map_err(|error| ((&error).into(), error.to_string()))),
        Err(panic) => Some(Err((NoAnswer::Refused, format!("its answer {panic}")))),
    }
}

/// Answers a request of this robot with the answer of a peer, or with the reason for its failure.
///
/// # Errors
/// Returns an error with the reason if the bytes are not a valid answer. The caller is notified,
/// too.
pub fn answer(request: AnyRequest, cdr: Result<&[u8], String>) -> Result<(), String> {
    let answered =
        contained(move || match cdr.and_then(|cdr| CdrReader::new(cdr).map_err(|error| error.to_string())) {
            Ok(mut reader) => request.answer(&mut reader).map_err(|error| error.to_string()),
            Err(reason) => {
                request.refuse(AnswerError::Refused);
                Err(reason)
            }
        });
    answered.unwrap_or_else(|panic| Err(format!("it {panic}")))
}
