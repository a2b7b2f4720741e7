//! The registry in which topics and services are found by name.

mod callable;
mod listed;
mod readable;
mod watch;

pub use callable::CallableService;
pub use readable::{AnyMessage, AnyQueue};
pub use watch::Watch;

use crate::BusError;
use crate::actor::{Actor, ActorReport};
use crate::event_loop::EventLoopReport;
#[cfg(not(loom))]
use crate::event_loop::{Claims, Producer};
use crate::service::{Client, Server, ServiceReport, Services};
use crate::signal::Signal;
use crate::statistics::TopicReport;
use crate::topic::{Hub, Message, Topic};
use callable::Callable;
use hemiola_trace::TickScale;
use listed::Listed;
use readable::Readable;
use std::any::{Any, type_name};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use watch::Watchers;

/// The registry in which topics and services are found by name. A clone is the same bus.
///
/// ```
/// use hemiola_bus::{Bus, BusError, WhenFull};
///
/// let bus = Bus::new();
/// let mut queue = bus.topic::<f32>("battery")?.queue(4, WhenFull::DropOldest);
/// bus.topic("battery")?.publisher().publish(0.9_f32); // the same topic
/// assert_eq!(queue.receive().as_deref(), Some(&0.9));
/// assert!(matches!(bus.topic::<u8>("battery"), Err(BusError::OtherType { .. })));
/// # Ok::<(), BusError>(())
/// ```
#[derive(Clone, Default)]
pub struct Bus(Arc<Registry>);

#[derive(Default)]
struct Registry {
    /// Set if the bus measures time.
    scale: Option<TickScale>,
    topics: Mutex<BTreeMap<String, Weak<dyn AnyTopic>>>,
    services: Services,
    listed: Listed,
    readable: Readable,
    callable: Callable,
    watchers: Watchers,
}

/// A topic of whatever type.
trait AnyTopic: Any + Send + Sync {
    fn type_name(&self) -> &'static str;
    fn report(&self) -> TopicReport;
    fn listen(self: Arc<Self>, signal: Signal) -> Listener;
}

impl<T: Message> AnyTopic for Hub<T> {
    fn type_name(&self) -> &'static str {
        type_name::<T>()
    }

    fn report(&self) -> TopicReport {
        Hub::report(self)
    }

    fn listen(self: Arc<Self>, signal: Signal) -> Listener {
        let mut newest = Topic::new(self).latest_with_signal(signal);
        Listener(Box::new(move || newest.take().is_some()))
    }
}

/// Notices new messages on a topic, whatever their type.
///
/// ```
/// use hemiola_bus::{Bus, Signal};
///
/// let bus = Bus::new();
/// let mut publisher = bus.topic::<f32>("battery")?.publisher();
/// let mut listener = bus.listen("battery", Signal::Nothing).expect("the publisher holds it");
/// publisher.publish(0.9);
/// publisher.publish(0.8);
/// assert!(listener.heard());
/// assert!(!listener.heard()); // nothing since
/// # Ok::<(), hemiola_bus::BusError>(())
/// ```
pub struct Listener(Box<dyn FnMut() -> bool + Send>);

impl Listener {
    /// Returns whether a message was published since the last call. Wait-free.
    pub fn heard(&mut self) -> bool {
        (self.0)()
    }
}

impl fmt::Debug for Listener {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Listener")
    }
}

impl Bus {
    /// Creates a bus that does not read the clock: sending and receiving take some nanoseconds.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a bus that stamps each message and measures how long it took to be received, or
    /// answered. This reads the processor's counter twice per message, some 10 ns each on a small
    /// virtual machine. Of the calls and events of [listed](Self::list_actor) actors and event
    /// loops, which take less than that, one of sixteen is measured. Creating it takes
    /// [`CALIBRATION`](hemiola_trace::CALIBRATION), to calibrate the counter.
    pub fn with_timing() -> Self {
        Self::timed_by(TickScale::calibrate())
    }

    /// Creates a bus that [measures time](Self::with_timing) by a counter that is calibrated
    /// already, which takes no time.
    ///
    /// ```
    /// use hemiola_bus::Bus;
    /// use hemiola_trace::TickScale;
    ///
    /// let scale = TickScale::calibrate();
    /// let (left, right) = (Bus::timed_by(scale.clone()), Bus::timed_by(scale));
    /// # drop((left, right));
    /// ```
    pub fn timed_by(scale: TickScale) -> Self {
        let services = Services::timed(scale.clone());
        Self(Arc::new(Registry { scale: Some(scale), services, ..Registry::default() }))
    }

    /// Returns the topic of that name, and creates it if nobody holds it yet. Allocates and takes a
    /// lock: not for real-time threads.
    ///
    /// # Errors
    /// Returns [`BusError::OtherType`] if the topic carries other messages.
    pub fn topic<T: Message>(&self, name: &str) -> Result<Topic<T>, BusError> {
        let mut topics = self.registered();
        if let Some(existing) = topics.get(name).and_then(Weak::upgrade) {
            let carries = existing.type_name();
            let any: Arc<dyn Any + Send + Sync> = existing;
            return any.downcast().map(Topic::new).map_err(|_| BusError::OtherType {
                name: name.into(),
                existing: carries,
                asked: type_name::<T>(),
            });
        }
        topics.retain(|_, topic| topic.strong_count() > 0);
        let hub = Arc::new(Hub::<T>::new(name.into(), self.0.scale.clone()));
        let weak = Arc::downgrade(&hub);
        topics.insert(name.into(), weak);
        drop(topics);
        self.0.watchers.raise();
        Ok(Topic::new(hub))
    }

    /// Subscribes to the topic of that name without knowing its type; `None` if nobody holds one.
    /// Allocates and takes a lock: not for real-time threads.
    pub fn listen(&self, name: &str, signal: Signal) -> Option<Listener> {
        let topic = self.registered().get(name).and_then(Weak::upgrade)?;
        Some(topic.listen(signal))
    }

    /// Raises `signal` whenever a new topic or a new server appears, or a service [can be
    /// called](Self::allow_calls) for the first time, until the result is dropped. What exists
    /// already raises nothing: [`topics`](Self::topics), [`services`](Self::services) and
    /// [`callable_services`](Self::callable_services) list it.
    ///
    /// ```
    /// use hemiola_bus::Bus;
    /// use hemiola_realtime::Wakeup;
    /// use std::sync::Arc;
    ///
    /// let (bus, wakeup) = (Bus::new(), Arc::new(Wakeup::new()));
    /// let watch = bus.watch(wakeup.clone().into());
    /// let seen = wakeup.generation();
    /// let battery = bus.topic::<f32>("battery")?;
    /// wakeup.wait(seen, None);
    /// assert_eq!(bus.topics()[0].name, "battery");
    /// # Ok::<(), hemiola_bus::BusError>(())
    /// ```
    pub fn watch(&self, signal: Signal) -> Watch {
        self.0.watchers.add(signal)
    }

    /// Returns reports of all topics, by name. Takes locks: not for real-time threads.
    pub fn topics(&self) -> Vec<TopicReport> {
        let topics: Vec<_> = self.registered().values().filter_map(Weak::upgrade).collect();
        topics.iter().map(|topic| topic.report()).collect()
    }

    /// Creates a server for the service of that name. Of each client, `capacity` requests may wait.
    /// Allocates and takes a lock: not for real-time threads.
    ///
    /// # Errors
    /// Returns [`BusError::AlreadyServed`] if the service has a server, [`BusError::OtherType`] if
    /// it has other requests or answers.
    ///
    /// # Panics
    /// Panics if the capacity is zero.
    pub fn server<Request, Response>(&self, name: &str, capacity: usize) -> Result<Server<Request, Response>, BusError>
    where
        Request: Send + 'static,
        Response: Send + 'static,
    {
        self.server_with_signal(name, capacity, Signal::Nothing)
    }

    /// Creates a [`server`](Self::server) for a thread that waits for other things, too: sending a
    /// request raises `signal`.
    ///
    /// ```
    /// use hemiola_bus::Bus;
    /// use hemiola_realtime::{Reason, Wakeup, monotonic_now};
    /// use std::sync::Arc;
    ///
    /// let (bus, wakeup) = (Bus::new(), Arc::new(Wakeup::new()));
    /// let mut doubles = bus.server_with_signal::<u8, u8>("double", 8, wakeup.clone().into())?;
    /// let mut halves = bus.server_with_signal::<u8, u8>("halve", 8, wakeup.clone().into())?;
    /// let seen = wakeup.generation();
    /// let answer = bus.client::<u8, u8>("halve")?.call_async(8);
    /// assert_eq!(wakeup.wait(seen, Some(monotonic_now())), Reason::Signalled);
    /// assert_eq!((doubles.run(8, |number| 2 * number), halves.run(8, |number| number / 2)), (0, 1));
    /// # drop(answer);
    /// # Ok::<(), hemiola_bus::BusError>(())
    /// ```
    ///
    /// # Errors
    /// Returns the errors of [`server`](Self::server).
    ///
    /// # Panics
    /// Panics if the capacity is zero.
    pub fn server_with_signal<Request, Response>(
        &self,
        name: &str,
        capacity: usize,
        signal: Signal,
    ) -> Result<Server<Request, Response>, BusError>
    where
        Request: Send + 'static,
        Response: Send + 'static,
    {
        let server = self.0.services.own_server(name, capacity, signal)?;
        self.0.watchers.raise();
        Ok(server)
    }

    /// Leaves a service to another process of the robot. A server that this program makes for it
    /// from now on receives nothing: a link to that process receives the requests.
    ///
    /// ```
    /// use hemiola_bus::Bus;
    ///
    /// let bus = Bus::new();
    /// bus.leave_service("double");
    /// let _idle = bus.server::<u8, u8>("double", 4)?;
    /// assert!(bus.client::<u8, u8>("double")?.call_async(7).is_err()); // nobody serves it here
    /// # Ok::<(), hemiola_bus::BusError>(())
    /// ```
    pub fn leave_service(&self, name: &str) {
        self.0.services.leave(name);
    }

    /// Returns whether a service was [left](Self::leave_service) to another process.
    pub fn has_left_service(&self, name: &str) -> bool {
        self.0.services.is_left(name)
    }

    /// Creates a client of the service of that name, whether or not it has a server yet. Allocates
    /// and takes a lock: not for real-time threads.
    ///
    /// # Errors
    /// Returns [`BusError::OtherType`] if the service has other requests or answers.
    pub fn client<Request, Response>(&self, name: &str) -> Result<Client<Request, Response>, BusError>
    where
        Request: Send + 'static,
        Response: Send + 'static,
    {
        self.0.services.client(name)
    }

    /// Returns reports of all services, by name. Takes locks: not for real-time threads.
    pub fn services(&self) -> Vec<ServiceReport> {
        self.0.services.reports()
    }

    /// Lists an actor by this name for as long as it lives. Takes a lock: not for real-time
    /// threads.
    pub fn list_actor<S: 'static>(&self, name: &str, actor: &Actor<S>) {
        self.0.listed.add_actor(name, actor, self.0.scale.as_ref());
    }

    /// Returns reports of the actors that are [listed](Self::list_actor), in the order in which
    /// they were listed. Takes a lock: not for real-time threads.
    pub fn actors(&self) -> Vec<ActorReport> {
        self.0.listed.actors()
    }

    /// Lists the event loop of a producer by this name for as long as it has producers or
    /// consumers. Takes a lock: not for real-time threads.
    #[cfg(not(loom))]
    pub fn list_event_loop<E: Send + Sync + 'static, C: Claims>(&self, name: &str, producer: &Producer<E, C>) {
        self.0.listed.add_event_loop(name, producer, self.0.scale.as_ref());
    }

    /// Returns reports of the event loops that are [listed](Self::list_event_loop), in the order in
    /// which they were listed. Takes a lock: not for real-time threads.
    pub fn event_loops(&self) -> Vec<EventLoopReport> {
        self.0.listed.event_loops()
    }

    fn registered(&self) -> MutexGuard<'_, BTreeMap<String, Weak<dyn AnyTopic>>> {
        self.0.topics.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Bus {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Bus").field("topics", &self.registered().keys()).finish_non_exhaustive()
    }
}
