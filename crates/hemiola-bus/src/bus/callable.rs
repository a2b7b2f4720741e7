//! Services that can be called and served without knowing their types: by tools outside of the
//! program, and by links.

use super::Bus;
use crate::BusError;
use crate::service::{AnswerEnds, AnyClient, AnyServer};
use crate::signal::Signal;
use hemiola_model::Value;
use hemiola_model::data::{Data, DataType, Reader, ValueReader, ValueWriter, Writer};
use std::any::Any;
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// The callable services by name.
#[derive(Default)]
pub(super) struct Callable(Mutex<BTreeMap<String, View>>);

/// The way to call and to serve a service, and the types of its requests and answers.
#[derive(Clone, Copy)]
struct View {
    request: fn() -> DataType,
    response: fn() -> DataType,
    call: Call,
    client: fn(&Bus, &str, Signal) -> Result<AnyClient, BusError>,
    server: fn(&Bus, &str, usize, Signal) -> Result<AnyServer, BusError>,
    answers: MakeEnds,
}

/// Creates both ends of the topic of a client's answers.
type MakeEnds = fn(&Bus, &str) -> Result<Box<dyn Any>, BusError>;

/// Calls a service with a request that is read from the reader, and writes its answer.
type Call = fn(&Bus, &str, &mut dyn Reader, &mut dyn Writer, Duration) -> Result<(), BusError>;

/// A service that can be called from outside: see [`Bus::callable_services`].
///
/// ```
/// # fn show(service: &hemiola_bus::CallableService) {
/// println!("{}: {} gives {}", service.name, service.request, service.response);
/// # }
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CallableService {
    /// The name of the service.
    pub name: String,
    /// The type of its requests.
    pub request: DataType,
    /// The type of its answers.
    pub response: DataType,
}

impl Bus {
    /// Lets tools that do not know these types call the service of that name: from a terminal, for
    /// example. Links carry such a service, too, both where it is served and where it is called.
    /// Takes a lock: not for real-time threads.
    ///
    /// ```
    /// use hemiola_bus::Bus;
    /// use hemiola_model::Value;
    /// use hemiola_realtime::ThreadSettings;
    /// use std::time::Duration;
    ///
    /// let bus = Bus::new();
    /// bus.allow_calls::<f64, Vec<f64>>("divisors");
    /// let server = bus.server("divisors", 4)?.spawn(ThreadSettings::new("divisors"), |number: &f64| vec![1.0, *number])?;
    /// let answer = bus.call_value("divisors", &Value::Float(7.0), Duration::from_secs(5));
    /// assert_eq!(answer.expect("it can be called")?.to_string(), "[1.0, 7.0]");
    /// assert!(bus.call_value("roots", &Value::Float(7.0), Duration::ZERO).is_none());
    /// # drop(server);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn allow_calls<Request, Response>(&self, service: &str)
    where
        Request: Data + Send + 'static,
        Response: Data + Send + 'static,
    {
        let view = View {
            request: Request::data_type,
            response: Response::data_type,
            call: call::<Request, Response>,
            client: |bus, service, signal| Ok(AnyClient::new(bus.client::<Request, Response>(service)?, signal)),
            server: |bus, service, capacity, signal| {
                // It carries the requests to where they are served, whoever that is.
                let server = bus.0.services.server::<Request, Response>(service, capacity, signal)?;
                bus.0.watchers.raise();
                Ok(AnyServer::new(server))
            },
            answers: |bus, service| Ok(Box::new(AnswerEnds::<Response>::new(bus, service)?)),
        };
        let before = self.0.callable.views().insert(service.to_owned(), view);
        if before.is_none() {
            // The service may have been there, and its types were not known.
            self.0.watchers.raise();
        }
    }

    /// Returns the services that [can be called](Self::allow_calls) from outside, by name. Takes a
    /// lock: not for real-time threads.
    pub fn callable_services(&self) -> Vec<CallableService> {
        let views = self.0.callable.views();
        let services = views.iter().map(|(name, view)| CallableService {
            name: name.clone(),
            request: (view.request)(),
            response: (view.response)(),
        });
        services.collect()
    }

    /// Calls a service that [can be called](Self::allow_calls) from outside, and waits for the
    /// answer. Returns `None` if it cannot be called. Not for real-time threads.
    ///
    /// # Errors
    /// Fails if this is not a request of the service, or if it is not answered: nobody serves it,
    /// the timeout expired, or the server panicked.
    pub fn call_value(&self, service: &str, request: &Value, timeout: Duration) -> Option<Result<Value, BusError>> {
        let mut response = ValueWriter::default();
        let answered = self.call_from(service, &mut ValueReader::new(request), &mut response, timeout)?;
        Some(answered.map(|()| response.finish()))
    }

    /// Calls a service as [`call_value`](Self::call_value) does, with a request that is read from
    /// bytes, and an answer that is written as bytes.
    ///
    /// ```
    /// use hemiola_bus::Bus;
    /// use hemiola_model::cdr::{CdrReader, CdrWriter};
    /// use hemiola_realtime::ThreadSettings;
    /// use std::time::Duration;
    ///
    /// let bus = Bus::new();
    /// bus.allow_calls::<u8, u8>("double");
    /// let settings = ThreadSettings::new("double");
    /// let server = bus.server("double", 4)?.spawn(settings, |number: &u8| 2 * number)?;
    /// let mut response = CdrWriter::default();
    /// let mut request = CdrReader::new(&[0, 1, 0, 0, 21])?;
    /// let answered = bus.call_from("double", &mut request, &mut response, Duration::from_secs(5));
    /// answered.expect("it can be called")?;
    /// assert_eq!(response.bytes(), [0, 1, 0, 0, 42]);
    /// # drop(server);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Fails if this is not a request of the service, or if it is not answered: nobody serves it,
    /// the timeout expired, or the server panicked.
    pub fn call_from(
        &self,
        service: &str,
        request: &mut dyn Reader,
        response: &mut dyn Writer,
        timeout: Duration,
    ) -> Option<Result<(), BusError>> {
        let view = *self.0.callable.views().get(service)?;
        Some((view.call)(self, service, request, response, timeout))
    }

    /// Creates a client of a service that [can be called](Self::allow_calls) from outside, whose
    /// requests and answers come as data: for programs, such as links, that do not know its types
    /// and must not wait. `signal` is raised when an answer is there. Returns `None` if the service
    /// cannot be called. Allocates and takes locks: not for real-time threads.
    ///
    /// ```
    /// use hemiola_bus::{Bus, Signal};
    /// use hemiola_model::cdr::{CdrReader, CdrWriter};
    ///
    /// let bus = Bus::new();
    /// bus.allow_calls::<u8, u8>("double");
    /// let mut server = bus.server::<u8, u8>("double", 4)?;
    /// let mut client = bus.any_client("double", Signal::Nothing).expect("it can be called")?;
    /// let mut answer = client.ask(&mut CdrReader::new(&[0, 1, 0, 0, 21])?)??;
    /// let mut response = CdrWriter::default();
    /// assert!(answer.take(&mut response).is_none());
    /// server.run(1, |number| 2 * number);
    /// assert_eq!(answer.take(&mut response), Some(Ok(())));
    /// assert_eq!(response.bytes(), [0, 1, 0, 0, 42]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Returns [`BusError::OtherType`] if the service has other types.
    pub fn any_client(&self, service: &str, signal: Signal) -> Option<Result<AnyClient, BusError>> {
        let view = *self.0.callable.views().get(service)?;
        Some((view.client)(self, service, signal))
    }

    /// Creates a server of a service that [can be called](Self::allow_calls) from outside, whose
    /// requests and answers come as data: see [`any_client`](Self::any_client) and
    /// [`server`](Self::server). `signal` is raised when a request is there. Returns `None` if the
    /// service cannot be called.
    ///
    /// ```
    /// use hemiola_bus::{Bus, Signal};
    /// use hemiola_model::cdr::{CdrReader, CdrWriter};
    /// use std::{future::Future, pin::pin, task::{Context, Poll, Waker}};
    ///
    /// let bus = Bus::new();
    /// bus.allow_calls::<u8, u8>("double");
    /// let mut server = bus.any_server("double", 4, Signal::Nothing).expect("its types are known")?;
    /// let mut answer = pin!(bus.client::<u8, u8>("double")?.call_async(21)?);
    /// let mut request = CdrWriter::default();
    /// let open = server.receive(&mut request).expect("it was sent");
    /// assert_eq!(request.bytes(), [0, 1, 0, 0, 21]);
    /// open.answer(&mut CdrReader::new(&[0, 1, 0, 0, 42])?)?;
    /// assert_eq!(answer.as_mut().poll(&mut Context::from_waker(Waker::noop())), Poll::Ready(Ok(42)));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Returns the errors of [`server`](Self::server).
    ///
    /// # Panics
    /// Panics if the capacity is zero.
    pub fn any_server(&self, service: &str, capacity: usize, signal: Signal) -> Option<Result<AnyServer, BusError>> {
        let view = *self.0.callable.views().get(service)?;
        Some((view.server)(self, service, capacity, signal))
    }
}

impl Bus {
    /// Creates both ends of the topic of a client's answers. Returns `None` if the program has not
    /// declared the service, or with other answers, or if the topic is taken: then its answers are
    /// not in logs.
    pub(crate) fn answer_ends<Response: 'static>(&self, service: &str) -> Option<AnswerEnds<Response>> {
        let view = *self.0.callable.views().get(service)?;
        (view.answers)(self, service).ok()?.downcast().ok().map(|ends| *ends)
    }
}

fn call<Request, Response>(
    bus: &Bus,
    service: &str,
    request: &mut dyn Reader,
    response: &mut dyn Writer,
    timeout: Duration,
) -> Result<(), BusError>
where
    Request: Data + Send + 'static,
    Response: Data + Send + 'static,
{
    let refused = |reason: String| BusError::NotAnswered { name: service.to_owned(), reason };
    let request = Request::read(request).map_err(|error| refused(error.to_string()))?;
    let mut client = bus.client::<Request, Response>(service)?;
    let answer = client.call(request, timeout).map_err(|error| refused(error.to_string()))?;
    answer.write(response);
    Ok(())
}

impl Callable {
    fn views(&self) -> MutexGuard<'_, BTreeMap<String, View>> {
        // A map is whole even if the thread that changed it panicked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
