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
//!
//! While the thread sleeps, whoever publishes does its [duty](Duty) if that is all that is to be
//! done: a small message of a topic, which one link sends to one peer. Such a thread writes to the
//! socket itself, which takes as long as waking the links' thread would. It must be one that [may
//! do errands](may_do_errands). It calls no code of users but that which writes the message, and
//! ends no conversation: everything else is left to the links' thread, which is woken.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::mem;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError};
use std::time::{Duration, Instant};

use hemiola_bus::{Bus, Watch};
use hemiola_model::configuration::{LinkConfiguration, Sent, SubjectKind};
use hemiola_realtime::{Duty, Wakeup, WakeupSet, may_do_errands};
use mio::{Events, Poll, Registry, Token};

use crate::ends::contained;
use crate::link::{Link, Tokens};
use crate::view::LinksView;

/// The links' thread.
pub struct Reactor {
    poll: Poll,
    duty: Arc<LinksDuty>,
    /// Receives the reason for which the links close.
    ordered: Receiver<String>,
    ready: Events,
    buffer: Vec<u8>,
    rest: Rest,
    /// Set if something has arrived, and the turns in which it has are to be finished.
    hands_over: bool,
    /// The number of looks since the last sleep; `None` if there was none.
    looks: Option<u32>,
}

/// The time for which there is nothing to do.
#[derive(Clone, Copy)]
enum Rest {
    Not,
    Until(Instant),
    UntilWoken,
}

/// The duty of the links' thread.
#[derive(Debug, Default)]
pub struct LinksDuty(Duty<Work>);

/// The state of the links, for whoever serves them.
struct Work {
    events: EventTable,
    links: Turns,
    /// Set if the links must close.
    is_ordered: bool,
    /// Raises the event for new topics and services.
    _watch: Watch,
    registry: Registry,
    statistics: LinksView,
    /// The panic of a thread that stood in for the links' thread.
    panic: Option<String>,
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
    /// A link's topic or representation was published. `is_alone` if no other link sends that
    /// topic.
    Published { link: usize, topic: usize, is_alone: bool },
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
/// The number of looks into pipes for each one at the sockets, which costs a system call.
const LOOKS_FOR_EACH_POLL: u32 = 32;

impl Reactor {
    /// # Errors
    /// Returns an error if the system has no room for another handle of the poll.
    pub fn new(
        poll: Poll,
        (events, duty): (EventTable, Arc<LinksDuty>),
        links: Vec<Link>,
        bus: &Bus,
        ordered: Receiver<String>,
        statistics: LinksView,
    ) -> io::Result<Self> {
        let watch = bus.watch(events.news().into());
        let (links, registry) = (Turns::of(links), poll.registry().try_clone()?);
        let work = Work { events, links, is_ordered: false, _watch: watch, registry, statistics, panic: None };
        duty.0.begin(work);
        let (ready, buffer) = (Events::with_capacity(AT_ONCE), vec![0; BUFFER]);
        Ok(Self { poll, duty, ordered, ready, buffer, rest: Rest::Not, hands_over: false, looks: None })
    }

    /// Serves all links until they must close.
    ///
    /// # Errors
    /// Returns the description of a panic of a thread that stood in for this one.
    pub fn run(&mut self) -> Result<(), String> {
        // Each link has its first turn, also if all must close at once.
        _ = self.duty.0.hold(|work| work.turn(&mut self.buffer));
        while self.poll(None)? {}
        Ok(())
    }

    /// Sleeps until there is something to do, but no longer than `most`, and does it; if something
    /// has arrived, the rest is left to the next call. Returns whether the links go on.
    ///
    /// # Errors
    /// Returns the description of a panic of a thread that stood in for this one.
    pub fn poll(&mut self, most: Option<Duration>) -> Result<bool, String> {
        self.finish_turns();
        let sleep = match self.rest {
            Rest::Not => Some(Duration::ZERO),
            Rest::Until(due) => Some(due.saturating_duration_since(Instant::now())),
            Rest::UntilWoken => None,
        };
        let mut sleep = [sleep, most].into_iter().flatten().min();
        if sleep != Some(Duration::ZERO) && self.looks.take().is_some() && !self.prepare_pipes_to_sleep() {
            sleep = Some(Duration::ZERO);
        }
        match self.poll.poll(&mut self.ready, sleep) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => return Ok(false),
            _ => {}
        }
        self.serve()
    }

    /// Does what is there to do, without sleeping: sends what was published, looks into the pipes
    /// of peers, who do not ring any more, and every now and then at the sockets. Returns whether
    /// the links go on.
    ///
    /// # Errors
    /// Returns the description of a panic of a thread that stood in for this one.
    pub fn look(&mut self) -> Result<bool, String> {
        self.finish_turns();
        let looks = self.looks.map_or(0, |looks| looks.wrapping_add(1));
        self.looks = Some(looks);
        if looks.is_multiple_of(LOOKS_FOR_EACH_POLL) {
            return self.poll(Some(Duration::ZERO));
        }
        let Self { duty, buffer, rest, hands_over, .. } = self;
        let served = duty.0.hold(|work| {
            // What this thread has published itself, perhaps: then nobody else sends it.
            work.take_events();
            if work.look() {
                *hands_over = work.receive(buffer);
                if !*hands_over {
                    work.turn(buffer);
                    // What is left, or due, is known when the next sleep is prepared.
                    *rest = Rest::Not;
                }
            }
            work.panic.take().map_or(Ok(true), Err)
        });
        served.unwrap_or(Ok(false))
    }

    /// Says goodbye to all peers with this reason.
    pub fn end(&mut self, reason: &str) {
        _ = self.duty.0.hold(|work| work.links.links.iter_mut().for_each(|link| link.end(reason)));
    }

    /// Does what the poll and the events have told.
    fn serve(&mut self) -> Result<bool, String> {
        let Self { duty, ordered, ready, buffer, rest, hands_over, .. } = self;
        let served = duty.0.hold(|work| {
            if let Some(panic) = work.panic.take() {
                return Err(panic);
            }
            for event in ready.iter().filter(|event| event.token() != WAKER) {
                let (link, socket) = Tokens::read(event.token());
                work.links.turn_of(link).note_ready(socket, event.into());
            }
            work.take_events();
            if mem::take(&mut work.is_ordered) {
                match ordered.try_recv() {
                    Err(TryRecvError::Empty) => {}
                    order => {
                        let reason = order.unwrap_or_default();
                        work.links.links.iter_mut().for_each(|link| link.end(&reason));
                        return Ok(false);
                    }
                }
            }
            *hands_over = work.receive(buffer);
            if !*hands_over {
                work.turn(buffer);
                *rest = work.prepare_to_sleep();
            }
            Ok(true)
        });
        served.unwrap_or(Ok(false))
    }

    /// Does the rest of turns in which something has arrived.
    fn finish_turns(&mut self) {
        let Self { duty, buffer, rest, hands_over, .. } = self;
        if mem::take(hands_over) {
            let finish = |work: &mut Work| {
                work.turn(buffer);
                work.prepare_to_sleep()
            };
            *rest = duty.0.hold(finish).unwrap_or(Rest::Not);
        }
    }

    /// Lets peers ring again. Returns whether nothing is in their pipes.
    fn prepare_pipes_to_sleep(&mut self) -> bool {
        self.duty.0.hold(Work::prepare_pipes_to_sleep).unwrap_or(true)
    }
}

impl Drop for Reactor {
    fn drop(&mut self) {
        // It owns the sockets, and messages of users' types.
        drop(self.duty.0.end());
    }
}

impl LinksDuty {
    /// Serves the links in place of their thread, which sleeps, if this thread may do that. Returns
    /// `false` if the links' thread has to be woken.
    pub fn stand_in(&self) -> bool {
        // A panic must not leave the lock behind, and ends the links.
        let serve = |work: &mut Work| match contained(|| work.send_published()) {
            Ok(is_done) => is_done,
            Err(panic) => {
                work.panic = Some(panic);
                false
            }
        };
        may_do_errands() && self.0.stand_in(|work| &work.events.set, serve)
    }
}

impl Work {
    /// Notes the notified events.
    fn take_events(&mut self) {
        let Self { events: EventTable { set, origins, .. }, links, is_ordered, .. } = self;
        set.take(|event| origins.get(event).into_iter().for_each(|&origin| *is_ordered |= links.note(origin)));
    }

    /// Sends what was published, if it was one topic that no other link sends, and nothing else was
    /// notified. Returns whether nothing is left to do.
    fn send_published(&mut self) -> bool {
        let Self { events: EventTable { set, origins, .. }, links, is_ordered, statistics, .. } = self;
        let mut only = None;
        let mut is_more = !links.next.is_empty() || *is_ordered;
        set.take(|event| match origins.get(event) {
            Some(&Origin::Published { link, topic, is_alone: true }) if only.is_none() => only = Some((link, topic)),
            origin => {
                origin.into_iter().for_each(|&origin| *is_ordered |= links.note(origin));
                is_more = true;
            }
        });
        let Some((link, topic)) = only else { return !is_more };
        let is_sent = !is_more && links.links[link].send_at_once(topic);
        let is_done = is_sent && statistics.update_at_once(link, links.links[link].tally());
        if !is_done {
            links.turn_of(link).note_published(topic);
        }
        is_done
    }

    /// Lets the links that have a turn receive what has arrived. Returns whether there was
    /// anything.
    fn receive(&mut self, buffer: &mut [u8]) -> bool {
        let Self { links: Turns { links, next, .. }, registry, .. } = self;
        let mut has_received = false;
        for &number in &*next {
            has_received |= links[number].receive(Instant::now, registry, buffer);
        }
        has_received
    }

    fn turn(&mut self, buffer: &mut [u8]) {
        let now = Instant::now();
        let Self { links, registry, statistics, .. } = self;
        links.note_time(now);
        for _ in 0..links.next.len() {
            let Some(number) = links.next.pop_front() else { break };
            links.has_turn[number] = false;
            let link = &mut links.links[number];
            let todo = link.turn(now, registry, buffer);
            statistics.update(number, link.tally());
            links.set_due(number, todo.due);
            if todo.is_more {
                links.turn_of(number);
            }
        }
    }

    /// Gives a turn to links in whose pipes there is something. Returns whether any has one.
    fn look(&mut self) -> bool {
        for link in 0..self.links.links.len() {
            if self.links.links[link].look() {
                self.links.turn_of(link);
            }
        }
        !self.links.next.is_empty()
    }

    /// Lets peers ring again. Returns whether nothing is in their pipes.
    fn prepare_pipes_to_sleep(&mut self) -> bool {
        for link in 0..self.links.links.len() {
            if !self.links.links[link].prepare_to_sleep() {
                self.links.turn_of(link);
            }
        }
        self.links.next.is_empty()
    }

    /// Returns how long the thread may sleep.
    fn prepare_to_sleep(&self) -> Rest {
        match (self.links.next.is_empty() && self.events.set.prepare_to_sleep(), self.links.dues.first()) {
            (false, _) => Rest::Not,
            (true, Some((due, _))) => Rest::Until(*due),
            (true, None) => Rest::UntilWoken,
        }
    }
}

impl EventTable {
    /// Creates the events of links. `ring` ends the thread's sleep.
    pub fn new(links: &[LinkConfiguration], ring: impl Fn() + Send + Sync + 'static) -> Self {
        let (mut origins, mut places) = (vec![Origin::News, Origin::Order], Vec::new());
        let mut senders = BTreeMap::<&str, usize>::new();
        let topics = links.iter().flat_map(|link| &link.send).filter(|sent| sent.subject.kind == SubjectKind::Topic);
        topics.for_each(|sent| *senders.entry(&sent.subject.name).or_default() += 1);
        let is_alone =
            |sent: &Sent| sent.subject.kind == SubjectKind::Topic && senders.get(&*sent.subject.name) == Some(&1);
        for (link, configuration) in links.iter().enumerate() {
            let sent = &configuration.send;
            places.push((origins.len(), origins.len() + sent.len()));
            let published = |(topic, sent)| Origin::Published { link, topic, is_alone: is_alone(sent) };
            origins.extend(sent.iter().enumerate().map(published));
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

    /// Notes an event, which gives links a turn. Returns whether the links may have to close.
    fn note(&mut self, origin: Origin) -> bool {
        match origin {
            Origin::Published { link, topic, .. } => self.turn_of(link).note_published(topic),
            Origin::Calls { link } => self.turn_of(link).note_calls(),
            Origin::News => (0..self.links.len()).for_each(|link| self.turn_of(link).note_news()),
            Origin::Order => return true,
        }
        false
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
}
