//! All links of a robot, and their threads.

use std::fmt;
use std::io;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use hemiola_bus::{Bus, RobotClock, Watch};
use hemiola_model::configuration::LinkConfiguration;
use hemiola_realtime::{Generation, Wakeup};
use hemiola_runtime::RobotHandle;
use hemiola_trace::TickScale;
use mio::{Events, Poll, Waker};

use crate::ends::{Ends, Note, Services, Topics, contained};
use crate::error::LinkError;
use crate::link::{Link, Tokens};
use crate::session::Desk;
use crate::statistics::LinkStatistics;

/// The robot to which links belong, and what they need of it.
///
/// See [`Links::open`].
#[derive(Clone)]
pub struct LinkHost {
    robot: String,
    ends: Ends,
    note: Note,
}

impl LinkHost {
    /// Returns the robot's name.
    pub fn robot(&self) -> &str {
        &self.robot
    }

    /// Returns the robot whose topics and representations are carried.
    pub fn ends(&self) -> &Ends {
        &self.ends
    }

    /// Returns where remarks go.
    pub fn note(&self) -> &Note {
        &self.note
    }

    /// Creates the host for a program of this name, whose topics are on that bus. Remarks of links
    /// go to `note`, on the links' thread.
    pub fn new(
        robot: impl Into<String>,
        bus: Bus,
        clock: Arc<RobotClock>,
        note: impl Fn(String) + Send + Sync + 'static,
    ) -> Self {
        let ends = Ends { bus, clock, scale: None, robot: None };
        Self { robot: robot.into(), ends, note: Arc::new(note) }
    }

    /// Creates the host for a robot of this name, with its topics and representations. Remarks of
    /// links are among its messages.
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

    /// Sets the scale of the bus's ticks: then messages carry the time at which they were
    /// published, instead of that at which the links' thread received them.
    #[must_use]
    pub fn with_ticks(self, scale: TickScale) -> Self {
        Self { ends: Ends { scale: Some(scale), ..self.ends }, ..self }
    }
}

/// The links of a robot. When they are dropped, they say goodbye to all peers, with the reason that
/// the robot has ended, and close.
///
/// See the [crate's example](crate).
pub struct Links {
    orders: Sender<String>,
    ended: Receiver<()>,
    /// Notified when there is something to send.
    wakeup: Arc<Wakeup>,
    statistics: LinksView,
}

/// A view of the links of a robot, for whatever shows them while the robot runs. Clones show the
/// same links, and the default view shows none.
///
/// ```
/// use hemiola_link::LinksView;
///
/// let without_links = LinksView::default();
/// assert!(without_links.statistics().is_empty());
/// ```
#[derive(Clone, Debug, Default)]
pub struct LinksView(Vec<Shown>);

/// The statistics of links of one thread, which writes them.
type Shown = Arc<Mutex<Vec<LinkStatistics>>>;

/// The time within which the links' thread has to say goodbye.
const END_PATIENCE: Duration = Duration::from_millis(500);
/// The number of bytes that are read at once.
const BUFFER: usize = 64 << 10;
const WAKER: mio::Token = mio::Token(usize::MAX);

impl Links {
    /// Opens links. Those that listen do so when this returns; those that connect try until they
    /// reach their peer.
    ///
    /// # Errors
    /// Returns an error if a link cannot listen at its address, or the system provides no thread.
    pub fn open(links: &[LinkConfiguration], host: LinkHost) -> Result<Self, LinkError> {
        let system = |what: &'static str| move |source: io::Error| LinkError::System { what, source };
        let poll = Poll::new().map_err(system("an epoll instance"))?;
        let waker = Waker::new(poll.registry(), WAKER).map_err(system("a waker"))?;
        let [wakeup, news] = [(); 2].map(|()| Arc::new(Wakeup::new()));
        let mut opened = Vec::new();
        for (place, link) in links.iter().enumerate() {
            let LinkHost { robot, ends, note } = host.clone();
            let services = Services::new(&link.serve, &link.call, ends.bus.clone(), wakeup.clone());
            let topics = Topics::of_link(link, ends, wakeup.clone());
            let desk = Desk::new(robot, topics, services, LinkStatistics::of(link), note).with_on_loss(link.on_loss);
            let link = Link::open(link, desk, Tokens::of(place), poll.registry()).map_err(|source| {
                LinkError::Listen { link: link.name.clone(), address: link.end.to_string(), source }
            })?;
            opened.push(link);
        }
        let statistics = opened.iter().map(|link| link.desk().statistics.clone()).collect();
        let statistics = Arc::new(Mutex::new(statistics));
        // The order matters: `news` is notified first, so that the thread that `wakeup` wakes sees
        // new topics.
        let bus = &host.ends.bus;
        let watches = [bus.watch(news.clone().into()), bus.watch(wakeup.clone().into())];
        let (orders, ordered) = channel();
        let (end, ended) = channel();
        let (bell_end, bell_ended) = channel::<()>();
        let mut reactor = Reactor {
            poll,
            links: opened,
            seen: None,
            news,
            _watches: watches,
            ordered,
            statistics: statistics.clone(),
        };
        let rung = wakeup.clone();
        start("hemiola bell", move || ring(&rung, &waker, &bell_ended)).map_err(system("a thread"))?;
        let (note, bell) = (host.note, wakeup.clone());
        start("hemiola links", move || {
            if let Err(panic) = contained(|| reactor.run()) {
                note(format!("the links have ended: they {panic}"));
            }
            // The reactor owns the sockets, and messages of users' types.
            _ = contained(move || drop(reactor));
            drop(bell_end);
            bell.notify_all();
            drop(end);
        })
        .map_err(system("a thread"))?;
        Ok(Self { orders, ended, wakeup, statistics: LinksView(vec![statistics]) })
    }

    /// Returns the statistics of each link, in the order of the configuration.
    pub fn statistics(&self) -> Vec<LinkStatistics> {
        self.statistics.statistics()
    }

    /// Returns a view of these links, which goes on to show the last statistics when they are
    /// closed.
    pub fn view(&self) -> LinksView {
        self.statistics.clone()
    }

    /// Says goodbye to all peers, with this reason, and closes.
    pub fn close(mut self, reason: &str) {
        self.end(reason);
    }

    fn end(&mut self, reason: &str) {
        if self.orders.send(reason.to_owned()).is_ok() {
            self.wakeup.notify_all();
            // The thread ends at once, unless a user's type delays it. Whoever stops a robot does
            // not wait long for that.
            _ = self.ended.recv_timeout(END_PATIENCE) == Err(RecvTimeoutError::Timeout);
        }
    }
}

impl LinksView {
    /// Returns a view of what somebody else carries, as a link does, with its first statistics.
    ///
    /// ```
    /// use hemiola_link::{LinkStatistics, LinksView};
    ///
    /// let mut first = LinkStatistics::default();
    /// first.name = "ros2".to_owned();
    /// let view = LinksView::of(first);
    /// view.show(&LinkStatistics::default());
    /// assert_eq!(view.statistics(), [LinkStatistics::default()]);
    /// ```
    pub fn of(statistics: LinkStatistics) -> Self {
        Self(vec![Arc::new(Mutex::new(vec![statistics]))])
    }

    /// Returns a view of these links, and then of those.
    #[must_use]
    pub fn and(mut self, others: Self) -> Self {
        self.0.extend(others.0);
        self
    }

    /// Shows new statistics, in a view that was made [of](Self::of) the first ones.
    pub fn show(&self, statistics: &LinkStatistics) {
        let Some(shown) = self.0.first() else { return };
        if let Some(shown) = lock(shown).first_mut()
            && shown != statistics
        {
            shown.clone_from(statistics);
        }
    }

    /// Returns the statistics of each link, in the order of the configuration.
    pub fn statistics(&self) -> Vec<LinkStatistics> {
        self.0.iter().flat_map(|shown| lock(shown).clone()).collect()
    }
}

fn lock(shown: &Shown) -> MutexGuard<'_, Vec<LinkStatistics>> {
    // The statistics are consistent even if another thread has panicked.
    shown.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Drop for Links {
    fn drop(&mut self) {
        self.end("the robot has ended");
    }
}

impl fmt::Debug for Links {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.statistics().iter().map(|link| &link.name)).finish()
    }
}

/// The state of the links' thread, which waits for all sockets and for a wake-up at the same time.
struct Reactor {
    poll: Poll,
    links: Vec<Link>,
    /// Notified when there are new topics or services.
    news: Arc<Wakeup>,
    seen: Option<Generation>,
    _watches: [Watch; 2],
    /// Receives the reason why the links close.
    ordered: Receiver<String>,
    statistics: Shown,
}

impl Reactor {
    fn run(&mut self) {
        let mut events = Events::with_capacity(64);
        let mut buffer = vec![0; BUFFER];
        loop {
            let todo = self.turn(&mut buffer);
            let timeout = match todo.is_more {
                true => Some(Duration::ZERO),
                false => todo.due.map(|due| due.saturating_duration_since(Instant::now())),
            };
            match self.poll.poll(&mut events, timeout) {
                Err(error) if error.kind() != io::ErrorKind::Interrupted => return,
                _ => {}
            }
            for event in events.iter().filter(|event| event.token() != WAKER) {
                let (link, socket) = Tokens::read(event.token());
                let is_readable = event.is_readable() || event.is_read_closed() || event.is_error();
                let is_writable = event.is_writable() || event.is_write_closed() || event.is_error();
                self.links[link].ready(socket, is_readable, is_writable);
            }
            match self.ordered.try_recv() {
                Err(TryRecvError::Empty) => {}
                order => {
                    let reason = order.unwrap_or_default();
                    return self.links.iter_mut().for_each(|link| link.end(&reason));
                }
            }
        }
    }

    fn turn(&mut self, buffer: &mut [u8]) -> crate::link::Todo {
        let news = self.news.generation();
        let is_new = self.seen.replace(news) != Some(news);
        let (now, registry) = (Instant::now(), self.poll.registry());
        let mut all = crate::link::Todo::default();
        for link in &mut self.links {
            all.join(link.turn(is_new, now, registry, buffer));
        }
        let mut shown = lock(&self.statistics);
        for (shown, link) in shown.iter_mut().zip(&self.links) {
            if *shown != link.desk().statistics {
                shown.clone_from(&link.desk().statistics);
            }
        }
        all
    }
}

/// Wakes the poll of the links' thread whenever `wakeup` was notified: a publisher pays for a
/// signal of the bus, and makes no system call of its own while this thread is awake.
fn ring(wakeup: &Wakeup, waker: &Waker, ended: &Receiver<()>) {
    loop {
        let seen = wakeup.generation();
        if ended.try_recv() != Err(TryRecvError::Empty) || waker.wake().is_err() {
            return;
        }
        wakeup.wait(seen, None);
    }
}

fn start(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name(name.to_owned()).spawn(work).map(drop)
}
