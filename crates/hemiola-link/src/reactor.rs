//! The thread of all links of a robot, which waits for their sockets and for publications at the
//! same time.
//!
//! | event | how the thread is notified | which link has a turn |
//! |---|---|---|
//! | a socket is ready | an event of the poll | its link |
//! | something was published, called or created here | an event of the [`WakeupSet`], which ends the poll | the link; all links for a new topic or service |
//! | something is due | the poll's timeout, which is the first of `dues` | the link |
//!
//! Nothing else is visited, so that a message costs the same beside a thousand links as beside
//! none.

use std::collections::{BTreeSet, VecDeque};
use std::io;
use std::mem;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::{Duration, Instant};

use hemiola_bus::{Bus, Watch};
use hemiola_realtime::{Wakeup, WakeupSet};
use mio::{Events, Poll, Token};

use crate::link::{Link, Tokens};
use crate::view::LinksView;

/// The state of the links' thread.
pub struct Reactor {
    poll: Poll,
    events: EventTable,
    links: Turns,
    /// Raises the event for new topics and services.
    _watch: Watch,
    /// Receives the reason for which the links close.
    ordered: Receiver<String>,
    statistics: LinksView,
}

/// The events of a robot that the thread waits for, and the link that each of them concerns.
pub struct EventTable {
    set: WakeupSet,
    origins: Vec<Origin>,
    /// The index of the first event of each link's topics, and that of its calls.
    places: Vec<(usize, usize)>,
}

/// The cause of an event.
#[derive(Clone, Copy, Debug)]
enum Origin {
    /// There is a new topic or service.
    News,
    /// The links must close.
    Order,
    /// A link's topic or representation was published.
    Published { link: usize, topic: usize },
    /// A link's services have requests or answers.
    Calls { link: usize },
}

/// The links, and the turns that they have.
struct Turns {
    links: Vec<Link>,
    /// The links that have a turn next, each of them once.
    next: VecDeque<usize>,
    has_turn: Vec<bool>,
    /// The times at which there is something to do for a link.
    dues: BTreeSet<(Instant, usize)>,
    due: Vec<Option<Instant>>,
}

/// The token of the waker that ends the poll when an event is notified.
pub const WAKER: Token = Token(usize::MAX);
/// The number of bytes that are read at once.
const BUFFER: usize = 64 << 10;
/// The most sockets that are ready at once; others have their turn after these.
const AT_ONCE: usize = 64;

impl Reactor {
    pub fn new(
        poll: Poll,
        events: EventTable,
        links: Vec<Link>,
        bus: &Bus,
        ordered: Receiver<String>,
        statistics: LinksView,
    ) -> Self {
        let watch = bus.watch(events.news().into());
        Self { poll, events, links: Turns::of(links), _watch: watch, ordered, statistics }
    }

    /// Serves all links until they must close.
    pub fn run(&mut self) {
        let mut ready = Events::with_capacity(AT_ONCE);
        let mut buffer = vec![0; BUFFER];
        loop {
            self.turn(&mut buffer);
            let timeout = match self.links.next.is_empty() && self.events.set.prepare_to_sleep() {
                true => self.links.time_left(),
                false => Some(Duration::ZERO),
            };
            match self.poll.poll(&mut ready, timeout) {
                Err(error) if error.kind() != io::ErrorKind::Interrupted => return,
                _ => {}
            }
            for event in ready.iter().filter(|event| event.token() != WAKER) {
                let (link, socket) = Tokens::read(event.token());
                self.links.turn_of(link).note_ready(socket, event.into());
            }
            if self.take_events() {
                match self.ordered.try_recv() {
                    Err(TryRecvError::Empty) => {}
                    order => {
                        let reason = order.unwrap_or_default();
                        return self.links.links.iter_mut().for_each(|link| link.end(&reason));
                    }
                }
            }
        }
    }

    /// Handles the notified events. Returns whether the links may have to close.
    fn take_events(&mut self) -> bool {
        let Self { events: EventTable { set, origins, .. }, links, .. } = self;
        let mut is_ordered = false;
        set.take(|event| match origins.get(event) {
            Some(&Origin::Published { link, topic }) => links.turn_of(link).note_published(topic),
            Some(&Origin::Calls { link }) => links.turn_of(link).note_calls(),
            Some(Origin::News) => (0..links.links.len()).for_each(|link| links.turn_of(link).note_news()),
            Some(Origin::Order) => is_ordered = true,
            None => {}
        });
        is_ordered
    }

    fn turn(&mut self, buffer: &mut [u8]) {
        let now = Instant::now();
        let Self { links, poll, statistics, .. } = self;
        links.note_time(now);
        for _ in 0..links.next.len() {
            let Some(number) = links.next.pop_front() else { break };
            links.has_turn[number] = false;
            let link = &mut links.links[number];
            let todo = link.turn(now, poll.registry(), buffer);
            statistics.update(number, &link.desk().statistics);
            links.set_due(number, todo.due);
            if todo.is_more {
                links.turn_of(number);
            }
        }
    }
}

impl EventTable {
    /// Creates the events of links that send these numbers of topics and representations. `ring`
    /// ends the thread's sleep.
    pub fn new(sent: impl Iterator<Item = usize>, ring: impl Fn() + Send + Sync + 'static) -> Self {
        let (mut origins, mut places) = (vec![Origin::News, Origin::Order], Vec::new());
        for (link, topics) in sent.enumerate() {
            places.push((origins.len(), origins.len() + topics));
            origins.extend((0..topics).map(|topic| Origin::Published { link, topic }));
            origins.push(Origin::Calls { link });
        }
        Self { set: WakeupSet::new(origins.len(), ring), origins, places }
    }

    /// Returns the event for new topics and services.
    fn news(&self) -> Arc<Wakeup> {
        self.set.event(0)
    }

    /// Returns the event for closing the links.
    pub fn order(&self) -> Arc<Wakeup> {
        self.set.event(1)
    }

    /// Returns the events for each topic or representation that a link sends, and the event for its
    /// requests and answers.
    pub fn of_link(&self, link: usize) -> (Vec<Arc<Wakeup>>, Arc<Wakeup>) {
        let (first, calls) = self.places[link];
        ((first..calls).map(|event| self.set.event(event)).collect(), self.set.event(calls))
    }
}

impl Turns {
    /// Gives each link its first turn.
    fn of(links: Vec<Link>) -> Self {
        let count = links.len();
        Self {
            links,
            next: (0..count).collect(),
            has_turn: vec![true; count],
            dues: BTreeSet::new(),
            due: vec![None; count],
        }
    }

    /// Gives a link a turn, and returns the link.
    fn turn_of(&mut self, link: usize) -> &mut Link {
        if !mem::replace(&mut self.has_turn[link], true) {
            self.next.push_back(link);
        }
        &mut self.links[link]
    }

    /// Gives a turn to the links for which something is due.
    fn note_time(&mut self, now: Instant) {
        while let Some(&(due, link)) = self.dues.first()
            && due <= now
        {
            self.set_due(link, None);
            self.turn_of(link).note_time();
        }
    }

    fn set_due(&mut self, link: usize, due: Option<Instant>) {
        let before = mem::replace(&mut self.due[link], due);
        if before != due {
            before.iter().for_each(|before| _ = self.dues.remove(&(*before, link)));
            self.dues.extend(due.map(|due| (due, link)));
        }
    }

    /// Returns the time until there is something to do for a link; `None` if there is none.
    fn time_left(&self) -> Option<Duration> {
        let (due, _) = self.dues.first()?;
        Some(due.saturating_duration_since(Instant::now()))
    }
}
