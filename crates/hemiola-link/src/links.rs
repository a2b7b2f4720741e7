//! All links of a robot: the interface of this crate.

use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use hemiola_bus::{Bus, RobotClock};
use hemiola_model::configuration::{LinkConfiguration, LinkEnd, LossPolicy};
use hemiola_realtime::Wakeup;
use hemiola_runtime::{RobotHandle, SafeStateWait};
use hemiola_trace::TickScale;
use mio::{Poll, Waker};

use crate::ends::{Ends, Note, Services, Topics, contained};
use crate::error::LinkError;
use crate::link::{Link, Tokens};
use crate::reactor::{EventTable, LinksDuty, Reactor, WAKER};
use crate::session::Desk;
use crate::statistics::LinkStatistics;
use crate::transport::Transport;
use crate::view::LinksView;

/// The robot that links belong to, and everything that they need from it.
///
/// See [`Links::open`].
#[derive(Clone)]
pub struct LinkHost {
    robot: String,
    ends: Ends,
    note: Note,
    transport: Option<Arc<dyn Transport>>,
    /// The names of links to other processes of the robot.
    to_parts: Vec<String>,
}

impl LinkHost {
    /// Returns the robot's name.
    pub fn robot(&self) -> &str {
        &self.robot
    }

    /// Returns the robot whose topics and representations are exchanged.
    pub fn ends(&self) -> &Ends {
        &self.ends
    }

    /// Returns the destination of remarks.
    pub fn note(&self) -> &Note {
        &self.note
    }

    /// Creates the host for a program with this name and the topics of this bus. Remarks of links
    /// go to `note`, which is called on the links' thread.
    pub fn new(
        robot: impl Into<String>,
        bus: Bus,
        clock: Arc<RobotClock>,
        note: impl Fn(String) + Send + Sync + 'static,
    ) -> Self {
        let ends = Ends { bus, clock, scale: None, robot: None };
        Self { robot: robot.into(), ends, note: Arc::new(note), transport: None, to_parts: Vec::new() }
    }

    /// Creates the host for a robot with this name, with its topics and representations. Remarks of
    /// links become messages of the robot.
    ///
    /// ```
    /// use hemiola_link::{LinkHost, Links};
    /// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
    /// # use hemiola_runtime::{Pace, Robot};
    /// # let mut configuration = Configuration::default();
    /// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
    /// let robot = Robot::assemble(configuration)?;
    /// let configured = robot.configuration().links.clone();
    /// let prepared = robot.prepare(Pace::RealTime)?;
    /// let links = Links::open(&configured, LinkHost::of("rover", prepared.handle()))?;
    /// # drop((links, prepared));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of(robot: impl Into<String>, handle: &RobotHandle) -> Self {
        let told = handle.clone();
        let host = Self::new(robot, handle.bus().clone(), handle.clock().clone(), move |note| told.note(note));
        let ends = Ends { scale: Some(handle.tick_scale()), robot: Some(handle.clone()), ..host.ends };
        Self { ends, ..host }
    }

    /// Sets the scale of the bus's ticks. Messages then carry the time at which they were published
    /// instead of that at which the links' thread received them.
    #[must_use]
    pub fn with_ticks(self, scale: TickScale) -> Self {
        Self { ends: Ends { scale: Some(scale), ..self.ends }, ..self }
    }

    /// Sets the transport of links at `zenoh:` addresses, which another crate provides.
    ///
    /// See [`Transport`].
    #[must_use]
    pub fn with_transport(self, transport: Arc<dyn Transport>) -> Self {
        Self { transport: Some(transport), ..self }
    }

    /// Sets the names of links to other processes of the same robot. Where such a link has the
    /// policy [`LossPolicy::SafeState`], the robot
    /// [waits in its safe state](RobotHandle::wait_in_safe_state) until it has met its peer: a
    /// process that is not there yet is no better than one that is lost.
    #[must_use]
    pub fn with_links_to_parts(self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self { to_parts: names.into_iter().map(Into::into).collect(), ..self }
    }

    /// Lets the robot wait for the peer of a link, if it must not move without it.
    fn wait_for_peer(&self, link: &LinkConfiguration) -> Option<SafeStateWait> {
        let is_needed = link.on_loss == LossPolicy::SafeState && self.to_parts.contains(&link.name);
        let robot = self.ends.robot.as_ref().filter(|_| is_needed)?;
        Some(robot.wait_in_safe_state(format!("process `{}`: it has not been met yet", link.name)))
    }
}

/// The links of a robot. When they are dropped, they say goodbye to all peers with the reason that
/// the robot has ended, and close.
///
/// See the [crate's example](crate).
pub struct Links {
    orders: Sender<String>,
    ended: Receiver<()>,
    /// Notified when the links must close.
    order: Arc<Wakeup>,
    statistics: LinksView,
}

/// The time within which the links' thread must say goodbye.
const END_PATIENCE: Duration = Duration::from_millis(500);

/// Links that are open, and not served yet.
pub(crate) struct Opened {
    pub(crate) reactor: Reactor,
    pub(crate) orders: Sender<String>,
    pub(crate) order: Arc<Wakeup>,
    pub(crate) statistics: LinksView,
}

impl Links {
    /// Opens links. When this returns, the listening ones do so; the others try to connect until
    /// they reach their peer.
    ///
    /// # Errors
    /// Returns an error if a link cannot listen at its address or join its group, it needs a
    /// [transport](LinkHost::with_transport) that the host does not have, or the system provides no
    /// thread.
    pub fn open(links: &[LinkConfiguration], host: LinkHost) -> Result<Self, LinkError> {
        let (note, opened) = (host.note.clone(), Opened::of(links, host)?);
        let Opened { mut reactor, orders, order, statistics } = opened;
        let (end, ended) = channel();
        let work = move || {
            if let Err(panic) = contained(|| reactor.run()).flatten() {
                note(format!("the links have ended: they {panic}"));
            }
            _ = contained(move || drop(reactor));
            drop(end);
        };
        thread::Builder::new().name("hemiola links".to_owned()).spawn(work).map_err(system("a thread"))?;
        Ok(Self { orders, ended, order, statistics })
    }

    /// Returns the statistics of each link, in the order of the configuration.
    pub fn statistics(&self) -> Vec<LinkStatistics> {
        self.statistics.statistics()
    }

    /// Returns a view of these links. It continues to show the last statistics after they have been
    /// closed.
    pub fn view(&self) -> LinksView {
        self.statistics.clone()
    }

    /// Says goodbye to all peers with this reason, and closes the links.
    pub fn close(mut self, reason: &str) {
        self.end(reason);
    }

    fn end(&mut self, reason: &str) {
        if self.orders.send(reason.to_owned()).is_ok() {
            self.order.notify_all();
            // The thread ends at once, unless a user's type delays it. Stopping a robot must not
            // wait for that any longer.
            _ = self.ended.recv_timeout(END_PATIENCE) == Err(RecvTimeoutError::Timeout);
        }
    }
}

impl Opened {
    pub(crate) fn of(links: &[LinkConfiguration], host: LinkHost) -> Result<Self, LinkError> {
        let poll = Poll::new().map_err(system("an epoll instance"))?;
        let waker = Waker::new(poll.registry(), WAKER).map_err(system("a waker"))?;
        let duty = Arc::new(LinksDuty::default());
        let ring = {
            let duty = duty.clone();
            move || {
                if !duty.stand_in() {
                    // A publisher makes this system call if the thread is asleep. It does not
                    // block.
                    _ = waker.wake();
                }
            }
        };
        let events = EventTable::new(links, ring);
        let mut opened = Vec::new();
        for (place, link) in links.iter().enumerate() {
            let LinkHost { robot, ends, note, transport, .. } = host.clone();
            if link.end.is_over_zenoh() && transport.is_none() {
                return Err(LinkError::without_zenoh(link));
            }
            let (published, calls) = events.of_link(place);
            let services = Services::new(&link.serve, &link.call, ends.bus.clone(), calls);
            let topics = Topics::of_link(link, ends, &published);
            let desk = Desk::new(robot, topics, services, LinkStatistics::of(link), note)
                .with_on_loss(link.on_loss)
                .waiting(host.wait_for_peer(link));
            let io = (Tokens::of(place), poll.registry());
            let link = Link::open(link, desk, transport.as_deref(), io).map_err(|source| {
                let (name, address) = (link.name.clone(), link.end.to_string());
                match link.end {
                    _ if link.end.is_over_zenoh() => LinkError::Zenoh { link: name, address, source },
                    LinkEnd::Join(_) => LinkError::Join { link: name, address, source },
                    LinkEnd::Listen(_) | LinkEnd::Connect(_) => LinkError::Listen { link: name, address, source },
                }
            })?;
            opened.push(link);
        }
        let statistics = LinksView::of_links(opened.iter().map(|link| link.desk().statistics.clone()));
        let (orders, ordered) = channel();
        let order = events.order();
        let reactor = Reactor::new(poll, (events, duty), opened, &host.ends.bus, ordered, statistics.clone());
        let reactor = reactor.map_err(system("a handle of the epoll instance"))?;
        Ok(Self { reactor, orders, order, statistics })
    }
}

fn system(what: &'static str) -> impl Fn(io::Error) -> LinkError {
    move |source| LinkError::System { what, source }
}

impl Drop for Links {
    fn drop(&mut self) {
        self.end("the robot has ended");
    }
}

impl fmt::Debug for Links {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.statistics().into_iter().map(|link| link.name)).finish()
    }
}
