//! Links that a thread of the user's serves, instead of one of their own.

use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::Sender;
use std::time::Duration;

use hemiola_model::configuration::LinkConfiguration;
use hemiola_realtime::Wakeup;

use crate::ends::contained;
use crate::error::LinkError;
use crate::links::{LinkHost, Opened};
use crate::reactor::Reactor;
use crate::statistics::LinkStatistics;
use crate::view::LinksView;

/// Links without a thread of their own: a thread of yours serves them, at its priority and on its
/// core, whenever it [polls](Self::poll) them. What arrives is then there without another thread
/// having to wake up: for a receiver that must react within microseconds.
///
/// The thread either sleeps in `poll` until there is something to do, or spins by calling it with
/// no time at all. Over `shm:` and `auto:` addresses a message to a thread that spins takes no
/// system call on either side.
///
/// ```
/// use hemiola_bus::{Bus, Executor, Priority, RobotClock, WhenFull};
/// use hemiola_link::{LinkHost, Links, PolledLinks};
/// use hemiola_model::configuration::{LinkAddress, LinkConfiguration, LinkEnd, Received, Sent, Subject};
/// use hemiola::Representation;
/// use std::sync::Arc;
///
/// #[derive(Representation, Clone, Default)]
/// struct Torque(f32);
///
/// let clock = Arc::new(RobotClock::running(1.0));
/// let socket = std::env::temp_dir().join(format!("hemiola-polled-{}.sock", std::process::id()));
/// let at = LinkAddress::Shm(socket);
///
/// // The program of a motor: one thread, which serves its links and reacts to what they bring.
/// let receive = vec![Received::new(Subject::topic("Torque"))];
/// let link = LinkConfiguration { receive, ..LinkConfiguration::new("control", LinkEnd::Listen(at.clone())) };
/// let motor = Bus::new();
/// let mut executor = Executor::new("motor", &clock);
/// let torque = motor.readable_topic::<Torque>("Torque")?;
/// executor.subscribe(&torque, Priority(1), 8, WhenFull::DropOldest, |torque: &Torque| {
///     assert_eq!(torque.0, 0.5);
/// })?;
/// let mut links = PolledLinks::open(&[link], LinkHost::new("motor", motor, clock.clone(), |_| ()))?;
///
/// // Another program, here in a thread of the same process.
/// let control = std::thread::spawn(move || {
///     let link = LinkConfiguration {
///         send: vec![Sent::topic("Torque")],
///         ..LinkConfiguration::new("motor", LinkEnd::Connect(at))
///     };
///     let bus = Bus::new();
///     let mut torques = bus.readable_topic::<Torque>("Torque")?.publisher();
///     let links = Links::open(&[link], LinkHost::new("control", bus, clock, |_| ()))?;
///     while links.statistics()[0].sent[0].peers == 0 {
///         std::thread::yield_now();
///     }
///     torques.publish(Torque(0.5));
///     # while links.statistics()[0].sent[0].messages == 0 {
///     #     std::thread::yield_now();
///     # }
///     Ok::<_, Box<dyn std::error::Error + Send + Sync>>(links)
/// });
///
/// while executor.run_ready() == 0 {
///     links.poll(None)?;
/// }
/// # drop(control.join());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct PolledLinks {
    reactor: Reactor,
    /// Notified to end a sleep. The links close when there is nobody left who could order that.
    event: Arc<Wakeup>,
    _orders: Sender<String>,
    statistics: LinksView,
}

impl PolledLinks {
    /// Opens links, as [`Links::open`](crate::Links::open) does. They receive and send when they
    /// are polled; other threads send small messages of topics themselves.
    ///
    /// # Errors
    /// Returns an error if a link cannot be opened.
    pub fn open(links: &[LinkConfiguration], host: LinkHost) -> Result<Self, LinkError> {
        let Opened { reactor, orders, order, statistics } = Opened::of(links, host)?;
        Ok(Self { reactor, event: order, _orders: orders, statistics })
    }

    /// Returns an event that ends a sleep in [`poll`](Self::poll), for whatever else the thread
    /// waits for.
    ///
    /// ```no_run
    /// use hemiola_bus::{Signal, Topic, WhenFull};
    /// use hemiola_link::PolledLinks;
    ///
    /// fn serve(mut links: PolledLinks, commands: Topic<u32>) -> Result<(), hemiola_link::LinkError> {
    ///     let mut commands = commands.queue_with_signal(8, WhenFull::DropOldest, Signal::Wakeup(links.event()));
    ///     loop {
    ///         links.poll(None)?;
    ///         while let Some(command) = commands.receive() {
    ///             println!("{}", *command);
    ///         }
    ///     }
    /// }
    /// ```
    pub fn event(&self) -> Arc<Wakeup> {
        self.event.clone()
    }

    /// Does everything that is there to be done: publishes and delivers what has arrived, and sends
    /// what was published. If there is nothing, the thread sleeps until there is, but no longer
    /// than
    /// `most`; `None` is for ever. It may return early, with nothing done.
    ///
    /// With a `most` of zero nothing sleeps. Then peers that share memory do not ring any more, so
    /// that a thread that calls this in a loop sees their messages without a system call; the
    /// sockets are looked at with each 32nd call.
    ///
    /// # Errors
    /// Returns an error if the links have ended: code of a message's type has panicked, or the
    /// system refuses to wait for their sockets.
    pub fn poll(&mut self, most: Option<Duration>) -> Result<(), LinkError> {
        let reactor = &mut self.reactor;
        let served = contained(|| if most == Some(Duration::ZERO) { reactor.look() } else { reactor.poll(most) });
        match served.flatten() {
            Ok(true) => Ok(()),
            Ok(false) => Err(LinkError::Ended { reason: "cannot wait for their sockets any more".to_owned() }),
            Err(reason) => Err(LinkError::Ended { reason }),
        }
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
        self.reactor.end(reason);
    }
}

impl Drop for PolledLinks {
    fn drop(&mut self) {
        self.reactor.end("the robot has ended");
    }
}

impl fmt::Debug for PolledLinks {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.statistics().into_iter().map(|link| link.name)).finish()
    }
}
