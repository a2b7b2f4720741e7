//! Requests and answers, by name.
//!
//! A client sends its request through a lane of its own ([`mailbox`](crate::mailbox)), and gets the answer through a
//! [`reply`](crate::reply) that it uses again and again. Names are looked up when a client finds no server, and never while there is one.

mod client;
mod server;

pub use client::{AnswerFuture, Client};
pub use server::{RunningServer, Server};

use crate::error::BusError;
use crate::mailbox::Sender;
use crate::reply::Answerer;
use std::any::{Any, type_name};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// What travels from a client to the server.
struct Question<Request, Response> {
    request: Request,
    answerer: Answerer<Response>,
}

type Questions<Request, Response> = Sender<Question<Request, Response>>;

/// What clients and servers of one name share.
struct Service<Request: Send, Response: Send> {
    name: String,
    /// What clients clone to send to the server; what is left of the last one if it is gone.
    server: Mutex<Option<Questions<Request, Response>>>,
}

impl<Request: Send, Response: Send> Service<Request, Response> {
    fn server(&self) -> MutexGuard<'_, Option<Questions<Request, Response>>> {
        self.server.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A service, as [`Bus::services`](crate::Bus::services) lists it.
///
/// ```
/// use hemiola_bus::Bus;
///
/// let bus = Bus::new();
/// let calibrate = bus.client::<f32, bool>("calibrate")?;
/// let services = bus.services();
/// assert_eq!((services[0].name.as_str(), services[0].signature, services[0].is_served), ("calibrate", "fn(f32) -> bool", false));
/// # Ok::<(), hemiola_bus::BusError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceReport {
    /// By which it is found.
    pub name: String,
    /// From what to what.
    pub signature: &'static str,
    /// Whether there is a server now.
    pub is_served: bool,
}

/// A service of whatever types.
trait AnyService: Any + Send + Sync {
    fn report(&self) -> ServiceReport;
}

impl<Request: Send + 'static, Response: Send + 'static> AnyService for Service<Request, Response> {
    fn report(&self) -> ServiceReport {
        ServiceReport {
            name: self.name.clone(),
            signature: type_name::<fn(Request) -> Response>(),
            is_served: self.server().as_ref().is_some_and(Sender::is_received),
        }
    }
}

/// All services of a bus. One exists while a server or a client holds it.
#[derive(Default)]
pub(crate) struct Services(Mutex<BTreeMap<String, Weak<dyn AnyService>>>);

impl Services {
    fn find<Request, Response>(&self, name: &str) -> Result<Arc<Service<Request, Response>>, BusError>
    where
        Request: Send + 'static,
        Response: Send + 'static,
    {
        let mut services = self.0.lock().unwrap_or_else(PoisonError::into_inner);
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
        let service = Arc::new(Service { name: name.into(), server: Mutex::new(None) });
        let weak = Arc::downgrade(&service);
        services.insert(name.into(), weak);
        Ok(service)
    }

    pub(crate) fn server<Request, Response>(
        &self,
        name: &str,
        capacity: usize,
    ) -> Result<Server<Request, Response>, BusError>
    where
        Request: Send + 'static,
        Response: Send + 'static,
    {
        Server::new(self.find(name)?, capacity)
    }

    pub(crate) fn client<Request, Response>(&self, name: &str) -> Result<Client<Request, Response>, BusError>
    where
        Request: Send + 'static,
        Response: Send + 'static,
    {
        Ok(Client::new(self.find(name)?))
    }

    pub(crate) fn reports(&self) -> Vec<ServiceReport> {
        let services = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        services.values().filter_map(Weak::upgrade).map(|service| service.report()).collect()
    }
}
