//! Requests and answers, by name.
//!
//! A client sends its request through a lane of its own ([`mailbox`](crate::mailbox)), and gets the
//! answer through a [`reply`](crate::reply) that it reuses. Names are looked up once: a new server
//! makes a lane for every client and hands it over as cycles hand over values
//! ([`exchange`](crate::exchange)), so that clients on real-time threads find it without waiting.

mod answers;
mod any;
mod client;
mod declared;
mod report;
mod server;

pub use answers::answers_of;
pub(crate) use answers::{AnswerEnds, Tell};
pub use any::{AnyAnswer, AnyClient, AnyRequest, AnyServer};
pub(crate) use client::Pending;
pub use client::{AnswerFuture, Client};
pub use declared::DeclaredService;
pub use report::ServiceReport;
pub(crate) use server::Arrived;
pub use server::{RunningServer, Server};

use crate::error::BusError;
use crate::exchange::{LatestReader, LatestWriter, latest};
use crate::mailbox::Sender;
use crate::reply::Answerer;
use crate::signal::Signal;
use hemiola_trace::{TickScale, Ticks};
use report::Figures;
use std::any::{Any, type_name};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// A request on its way from a client to the server.
struct Question<Request, Response> {
    request: Request,
    number: u64,
    /// The time at which the request was sent, if that is measured.
    sent: Ticks,
    answerer: Answerer<Given<Response>>,
    /// An earlier answer that the client is done with, to be dropped by the server: freeing memory
    /// is not for real-time threads.
    spent: Option<Response>,
    /// The one that is told the answer, too, so that it is in logs.
    told: Option<Arc<dyn Tell<Response>>>,
}

/// An answer on its way back to the client.
struct Given<Response> {
    response: Response,
    /// The time at which the answer was given, if that is measured.
    at: Ticks,
    /// The number among the answers that were told for this client.
    number: u64,
}

/// A client's lane to the server.
type Lane<Request, Response> = Sender<Question<Request, Response>>;

/// The state that clients and servers of one name share.
struct Service<Request: Send, Response: Send> {
    name: String,
    ends: Mutex<Ends<Request, Response>>,
    figures: Figures,
}

struct Ends<Request: Send, Response: Send> {
    /// A lane to the server, or to the last one if there is none now.
    server: Option<Lane<Request, Response>>,
    /// The writers that hand a lane to each client.
    clients: Vec<LatestWriter<Option<Lane<Request, Response>>>>,
}

impl<Request: Send, Response: Send> Service<Request, Response> {
    fn new(name: &str, scale: Option<TickScale>) -> Self {
        let ends = Mutex::new(Ends { server: None, clients: Vec::new() });
        Self { name: name.into(), ends, figures: Figures::new(scale) }
    }

    /// Hands every client a lane to this server, unless there is a server already.
    fn open(&self, server: Lane<Request, Response>) -> Result<(), BusError> {
        let mut ends = self.ends();
        if ends.is_served() {
            return Err(BusError::AlreadyServed { name: self.name.clone() });
        }
        self.figures.forget_waiting();
        ends.clients.retain(LatestWriter::is_read);
        ends.clients.iter_mut().for_each(|client| hand_over(client, &server));
        ends.server = Some(server);
        Ok(())
    }

    /// Returns the reader from which a new client gets its lane, now or later.
    fn join(&self) -> LatestReader<Option<Lane<Request, Response>>> {
        let mut ends = self.ends();
        ends.clients.retain(LatestWriter::is_read);
        let (mut client, lane) = latest(|| None);
        if let Some(server) = ends.server.as_ref().filter(|server| server.is_received()) {
            hand_over(&mut client, server);
        }
        ends.clients.push(client);
        lane
    }

    fn ends(&self) -> MutexGuard<'_, Ends<Request, Response>> {
        self.ends.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<Request: Send, Response: Send> Ends<Request, Response> {
    fn is_served(&self) -> bool {
        self.server.as_ref().is_some_and(Sender::is_received)
    }
}

fn hand_over<T: Send>(client: &mut LatestWriter<Option<Sender<T>>>, server: &Sender<T>) {
    client.with_back(|back| *back = Some(server.clone()));
    client.publish();
    // The buffer that came back leads to a server that is gone.
    client.with_back(|back| *back = None);
}

/// A service whose requests and answers are of any type.
trait AnyService: Any + Send + Sync {
    fn report(&self) -> ServiceReport;
}

impl<Request: Send + 'static, Response: Send + 'static> AnyService for Service<Request, Response> {
    fn report(&self) -> ServiceReport {
        Service::report(self)
    }
}

/// All services of a bus. A service exists while a server or a client holds it.
#[derive(Default)]
pub(crate) struct Services {
    /// Set if the bus measures time.
    scale: Option<TickScale>,
    services: Mutex<BTreeMap<String, Weak<dyn AnyService>>>,
    /// The services that another process of the robot serves.
    elsewhere: Mutex<BTreeSet<String>>,
}

impl Services {
    pub(crate) fn timed(scale: TickScale) -> Self {
        Self { scale: Some(scale), ..Self::default() }
    }

    fn find<Request, Response>(&self, name: &str) -> Result<Arc<Service<Request, Response>>, BusError>
    where
        Request: Send + 'static,
        Response: Send + 'static,
    {
        let mut services = self.services.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(existing) = services.get(name).and_then(Weak::upgrade) {
            let carries = existing.report().signature;
            let any: Arc<dyn Any + Send + Sync> = existing;
            return any.downcast().map_err(|_| BusError::OtherType {
                name: name.into(),
                existing: carries,
                asked: type_name::<fn(Request) -> Response>(),
            });
        }
        services.retain(|_, service| service.strong_count() > 0);
        let service = Arc::new(Service::<Request, Response>::new(name, self.scale.clone()));
        let weak = Arc::downgrade(&service);
        services.insert(name.into(), weak);
        Ok(service)
    }

    /// Notes that another process of the robot serves the service of that name.
    pub(crate) fn leave(&self, name: &str) {
        self.elsewhere().insert(name.to_owned());
    }

    /// Returns whether another process of the robot serves the service of that name.
    pub(crate) fn is_left(&self, name: &str) -> bool {
        self.elsewhere().contains(name)
    }

    fn elsewhere(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.elsewhere.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Creates the server of this program, which receives nothing if another process serves.
    pub(crate) fn own_server<Request, Response>(
        &self,
        name: &str,
        capacity: usize,
        signal: Signal,
    ) -> Result<Server<Request, Response>, BusError>
    where
        Request: Send + 'static,
        Response: Send + 'static,
    {
        if self.is_left(name) {
            return Ok(Server::idle(self.find(name)?, capacity, signal));
        }
        self.server(name, capacity, signal)
    }

    pub(crate) fn server<Request, Response>(
        &self,
        name: &str,
        capacity: usize,
        signal: Signal,
    ) -> Result<Server<Request, Response>, BusError>
    where
        Request: Send + 'static,
        Response: Send + 'static,
    {
        Server::new(self.find(name)?, capacity, signal)
    }

    pub(crate) fn client<Request, Response>(&self, name: &str) -> Result<Client<Request, Response>, BusError>
    where
        Request: Send + 'static,
        Response: Send + 'static,
    {
        Ok(Client::new(self.find(name)?))
    }

    pub(crate) fn reports(&self) -> Vec<ServiceReport> {
        let services = self.services.lock().unwrap_or_else(PoisonError::into_inner);
        services.values().filter_map(Weak::upgrade).map(|service| service.report()).collect()
    }
}
