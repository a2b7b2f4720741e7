//! The other hosts of a robot, for the process that starts those of this host. With each of them it
//! shares what is known of the safe state, compares clocks, and leads to its processes.
//!
//! Each host connects to each other one, and tells it what it knows over its own connection: so
//! none depends on the other's. One that is not there is tried again and again, and is waited for
//! by nobody. Nor is one that lets this host in, but does not say what it knows.

use std::io;
use std::mem;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use std::thread::{self, Builder};
use std::time::{Duration, Instant};

use hemiola_link::{ClockDifference, PeerClock};
use hemiola_live::protocol::{HostClock, OtherHost, RobotHosts};
use hemiola_model::configuration::Configuration;
use hemiola_realtime::monotonic_now;

use super::Event;
use super::gate::{self, Pass, Visitor, Wish};
use super::met::{Connection, KnownHost};
use super::passage::{self, OtherSide, Passage};
use super::words::{HostKnows, HostSaid, Lines, Pong, write};
use crate::notes::tell;

/// The other hosts of a robot.
pub struct OtherHosts {
    pass: Pass,
    /// The address at which this host lets the others in.
    gate: SocketAddr,
    hosts: Vec<Host>,
    /// The names of the processes of this host.
    processes: Vec<String>,
    /// A clone of this exists for each connection that passes through this process.
    open: Arc<()>,
}

/// Another host of the robot.
struct Host {
    name: String,
    gate: SocketAddr,
    processes: Vec<String>,
    /// The processes of this host without which the robot must not run.
    needed: Vec<String>,
    /// The connections over which it says what it knows.
    heard: Arc<Heard>,
    /// The connection over which it is told things.
    line: Option<TcpStream>,
    clock: Option<HostClock>,
    passages: Vec<Passage>,
}

/// The connections over which a host says what it knows, of which there may be several for a
/// moment.
#[derive(Default)]
struct Heard {
    /// A clone of this exists for each of them.
    open: Arc<()>,
}

impl Heard {
    fn is_now(&self) -> bool {
        Arc::strong_count(&self.open) > 1
    }
}

/// Something that happens between hosts. Hosts are told apart by their numbers.
pub enum HostEvent {
    /// A host is connected.
    Met(usize, TcpStream, HostClock),
    /// The clock of a host is known better.
    Clock(usize, HostClock),
    Lost(usize),
    /// A host could not be reached, or has not said what it knows. This is reported once, until it
    /// has.
    Away(usize),
    /// A host has sent what it knows, over this connection.
    Said(usize, Connection, HostKnows),
    /// The connection over which a host sends what it knows has ended.
    Silent(usize, Connection),
}

/// The time after which a host that is not there is tried again.
const AGAIN: Duration = Duration::from_millis(250);
/// The time within which a host answers a ping.
const ANSWER: Duration = Duration::from_secs(3);
/// The time within which a host says what it knows, once it has let this one in. It may be about to
/// start.
const MEETING: Duration = Duration::from_secs(10);
/// The time within which a host sends a ping.
const SILENCE: Duration = Duration::from_secs(10);
/// The time for which a host that does not read is waited for.
const WRITE_PATIENCE: Duration = Duration::from_millis(100);
/// The change of a clock's difference that is not worth telling, in nanoseconds.
const NEGLIGIBLE: i64 = 100_000;
/// The time for which connections that pass are waited for at the end, and how often they are
/// looked at.
const END: (Duration, Duration) = (Duration::from_secs(2), Duration::from_millis(2));

impl OtherHosts {
    /// Returns the other hosts of a robot, seen from a host of it; `None` if there are none, or no
    /// token by which they know each other.
    pub fn of(configuration: &Configuration, robot: &str, own: &str) -> Option<Self> {
        let token = configuration.page.token.clone()?;
        let pass = Pass { robot: robot.to_owned(), host: own.to_owned(), token };
        let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect::<Vec<_>>();
        let others = configuration.hosts.iter().filter(|host| host.name != own);
        let host = |name: &String| {
            let gate = configuration.gate(name)?;
            let processes = owned(configuration.processes_of(name));
            let needed = processes.iter().filter(|process| configuration.is_needed(process)).cloned().collect();
            let (heard, passages) = (Arc::default(), Vec::new());
            Some(Host { name: name.clone(), gate, processes, needed, heard, line: None, clock: None, passages })
        };
        // A host on which nothing runs is never started.
        let others = others.filter_map(|other| host(&other.name)).filter(|host| !host.processes.is_empty());
        let hosts: Vec<_> = others.collect();
        if hosts.is_empty() {
            return None;
        }
        let gate = configuration.gate(own)?;
        Some(Self { pass, gate, hosts, processes: owned(configuration.processes_of(own)), open: Arc::new(()) })
    }

    /// Lets the other hosts in, and connects to them. What happens becomes events.
    ///
    /// # Errors
    /// Returns an error if the address is in use or not one of this computer, or the system refuses
    /// a thread.
    pub fn open(&self, events: &SyncSender<Event>) -> io::Result<()> {
        let listener = TcpListener::bind(self.gate).map_err(|error| {
            let text = format!("host `{}` cannot listen at {} for the other hosts: {error}", self.pass.host, self.gate);
            io::Error::new(error.kind(), text)
        })?;
        let reception = Reception {
            pass: self.pass.clone(),
            hosts: self.hosts.iter().map(|host| (host.name.clone(), host.heard.clone())).collect(),
            processes: self.processes.clone(),
            open: self.open.clone(),
            events: events.clone(),
        };
        gate::open(listener, self.pass.clone(), move |visitor| reception.receive(&visitor))?;
        for (number, host) in self.hosts.iter().enumerate() {
            let visit = Visits {
                number,
                name: host.name.clone(),
                gate: host.gate,
                own: self.gate,
                pass: self.pass.clone(),
                heard: host.heard.clone(),
                patience: MEETING,
                events: events.clone(),
            };
            Builder::new().name("hemiola host".into()).spawn(move || visit.go_on())?;
        }
        Ok(())
    }

    /// Returns the hosts for processes that begin: none of them has been met.
    pub fn to_meet(&self) -> Vec<KnownHost> {
        self.hosts.iter().map(|host| KnownHost::new(&host.name, host.needed.clone())).collect()
    }

    /// Returns the hosts as they are known now.
    pub fn known(&self) -> RobotHosts {
        let other =
            |host: &Host| OtherHost { name: host.name.clone(), processes: host.processes.clone(), clock: host.clock };
        RobotHosts { own: Some(self.pass.host.clone()), others: self.hosts.iter().map(other).collect() }
    }

    /// Notes that a host is connected, and leads to its processes from now on.
    pub fn meet(&mut self, number: usize, line: TcpStream, clock: HostClock) {
        let host = &mut self.hosts[number];
        (host.line, host.clock) = (Some(line), Some(clock));
        let there =
            OtherSide { pass: self.pass.clone(), host: host.name.clone(), address: host.gate, open: self.open.clone() };
        host.passages.clear();
        let passage = |process: &String| {
            Passage::open(process, there.clone())
                .inspect_err(|error| {
                    tell(format_args!("warning: process `{process}` cannot be reached from here: {error}"))
                })
                .ok()
        };
        host.passages = host.processes.iter().filter_map(passage).collect();
    }

    pub fn note_clock(&mut self, number: usize, clock: HostClock) {
        let host = &mut self.hosts[number];
        host.clock = host.line.as_ref().map(|_| clock);
    }

    pub fn lose(&mut self, number: usize) {
        let host = &mut self.hosts[number];
        (host.line, host.clock) = (None, None);
        host.passages.clear();
    }

    /// Tells a host what is known here; without a number, all hosts. One that cannot be told is
    /// disconnected, and told when it is connected again.
    pub fn tell(&self, number: Option<usize>, knows: &HostKnows) {
        let meant = self.hosts.iter().enumerate().filter(|(at, _)| number.is_none_or(|number| number == *at));
        for line in meant.filter_map(|(_, host)| host.line.as_ref()) {
            if write(line, &HostSaid::Knows(knows.clone())).is_err() {
                _ = line.shutdown(Shutdown::Both);
            }
        }
    }

    /// Closes the ways to the other hosts, and waits a moment for what still passes, such as the
    /// answers to those who end the whole robot.
    pub fn end(self) {
        let open = self.open.clone();
        drop(self);
        let begin = Instant::now();
        // The gate keeps one, and this is another.
        while Arc::strong_count(&open) > 2 && begin.elapsed() < END.0 {
            thread::sleep(END.1);
        }
    }
}

/// The reception of hosts that come in.
struct Reception {
    pass: Pass,
    /// The other hosts, and the names of the processes of this one.
    hosts: Vec<(String, Arc<Heard>)>,
    processes: Vec<String>,
    open: Arc<()>,
    events: SyncSender<Event>,
}

impl Reception {
    fn receive(&self, visitor: &Visitor) {
        let Some(number) = self.hosts.iter().position(|(host, _)| *host == visitor.host) else {
            _ = visitor.refuse(&format!("`{}` is none of the other hosts in robot.toml there", visitor.host));
            return;
        };
        match &visitor.wish {
            Wish::Tell => {
                let connection = Connection::default();
                let listen = || self.listen(&visitor.stream, number, &connection);
                _ = visitor.welcome(&self.pass).and_then(|()| listen());
                _ = self.events.send(Event::Host(HostEvent::Silent(number, connection)));
            }
            Wish::Door { process } => {
                let _open = self.open.clone();
                let door = match self.processes.contains(process) {
                    true => passage::door(process),
                    false => Err(io::Error::other("it does not run on this host")),
                };
                _ = match door {
                    Ok(door) => visitor.welcome(&self.pass).and_then(|()| passage::connect(&door, &visitor.stream)),
                    Err(error) => visitor.refuse(&error.to_string()),
                };
            }
        }
    }

    /// Handles the messages of a host until it is gone.
    fn listen(&self, stream: &TcpStream, number: usize, connection: &Connection) -> io::Result<()> {
        stream.set_read_timeout(Some(SILENCE))?;
        let (mut lines, mut heard) = (Lines::of(stream), None);
        while let Some(said) = lines.next() {
            let arrived = now();
            match said {
                HostSaid::Ping { left } => write(stream, &Pong { left, arrived, answered: now() })?,
                HostSaid::Knows(knows) => {
                    let told = self.events.send(Event::Host(HostEvent::Said(number, connection.clone(), knows)));
                    told.map_err(|_| io::ErrorKind::BrokenPipe)?;
                    heard.get_or_insert_with(|| self.hosts[number].1.open.clone());
                }
            }
        }
        Ok(())
    }
}

/// The visits to another host.
struct Visits {
    number: usize,
    name: String,
    gate: SocketAddr,
    /// The address at which this host lets the other one in.
    own: SocketAddr,
    pass: Pass,
    heard: Arc<Heard>,
    /// The time within which it says what it knows.
    patience: Duration,
    events: SyncSender<Event>,
}

impl Visits {
    /// Visits the host whenever it is there.
    fn go_on(&self) {
        let (mut told, mut is_away) = (None, false);
        loop {
            match self.visit() {
                Ok(()) => (told, is_away) = (None, false),
                Err(error) => {
                    if !mem::replace(&mut is_away, true) && self.tell(HostEvent::Away(self.number)).is_none() {
                        return;
                    }
                    // It is there, but has another token, says nothing, or is something else.
                    let text = error.to_string();
                    if error.kind() == io::ErrorKind::Other && told.as_ref() != Some(&text) {
                        tell(format_args!("warning: host `{}` at {}: {text}", self.name, self.gate));
                        told = Some(text);
                    }
                }
            }
            thread::sleep(AGAIN);
        }
    }

    /// Connects to the host, and stays until it is gone.
    ///
    /// # Errors
    /// Returns an error if it cannot be reached, does not belong to the robot, or does not say what
    /// it knows.
    fn visit(&self) -> io::Result<()> {
        let stream = self.pass.knock(self.gate, &self.name, Wish::Tell)?;
        let ended = self.compare_clocks(&stream);
        // Whoever tells the host what is known here has the same connection.
        _ = stream.shutdown(Shutdown::Both);
        self.tell(HostEvent::Lost(self.number)).ok_or(io::ErrorKind::BrokenPipe)?;
        ended
    }

    /// Compares the clocks of both hosts until the other one is gone.
    ///
    /// # Errors
    /// Returns an error if it does not answer, or does not say what it knows.
    fn compare_clocks(&self, stream: &TcpStream) -> io::Result<()> {
        stream.set_read_timeout(Some(ANSWER))?;
        stream.set_write_timeout(Some(WRITE_PATIENCE))?;
        let (mut clock, mut told, mut lines) = (PeerClock::default(), None, Lines::of(stream));
        let (mut heard, mut was_heard) = (Instant::now(), false);
        loop {
            let begin = Instant::now();
            if self.heard.is_now() {
                (heard, was_heard) = (begin, true);
            } else if begin >= heard + self.patience {
                let (patience, own) = (hemiola_words::duration(self.patience), self.own);
                let text = format!("it lets this host in, but has said nothing at {own} within {patience}");
                return Err(io::Error::other(text));
            }
            let left = now();
            clock.ask(begin, left);
            let asked = write(stream, &HostSaid::Ping { left }).ok();
            let Some(Pong { left, arrived, answered }) = asked.and_then(|()| lines.next()) else {
                return match was_heard {
                    true => Ok(()),
                    false if begin.elapsed() < ANSWER => Err(io::ErrorKind::ConnectionAborted.into()),
                    false => Err(io::Error::other("it lets this host in, but does not answer")),
                };
            };
            let back = now();
            clock.learn([left, arrived, answered, back]);
            if let Some(known) = clock.ahead(back).and_then(|known| news(told, known)) {
                let event = match told {
                    None => HostEvent::Met(self.number, stream.try_clone()?, known),
                    Some(_) => HostEvent::Clock(self.number, known),
                };
                told = Some(known);
                self.tell(event).ok_or(io::ErrorKind::BrokenPipe)?;
            }
            let due = clock.due().unwrap_or(begin).min(heard + self.patience);
            thread::sleep(due.saturating_duration_since(Instant::now()));
        }
    }

    /// Makes something an event; returns `None` if nobody receives it any more.
    fn tell(&self, event: HostEvent) -> Option<()> {
        self.events.send(Event::Host(event)).ok()
    }
}

/// Returns the difference of a clock that is told: if what was told is not true any more, or is now
/// known much better.
fn news(told: Option<HostClock>, known: ClockDifference) -> Option<HostClock> {
    let now = HostClock { ahead_ns: known.by, error_ns: known.error.saturating_add(NEGLIGIBLE) };
    let is_new = told.is_none_or(|told| {
        let apart = told.ahead_ns.saturating_sub(known.by).saturating_abs();
        apart.saturating_add(known.error) > told.error_ns || now.error_ns < told.error_ns / 2
    });
    is_new.then_some(now)
}

/// Returns the time of the monotonic clock, in nanoseconds.
fn now() -> i64 {
    i64::try_from(monotonic_now().as_nanoseconds()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::sync::mpsc::{Receiver, sync_channel};

    use super::*;

    fn pass(host: &str) -> Pass {
        Pass { robot: "cart".into(), host: host.into(), token: "a secret of this cart".into() }
    }

    /// Returns the visits to the host `body` at that address, and what happens there.
    fn visits(gate: SocketAddr, patience: Duration) -> (Visits, Receiver<Event>) {
        let (events, happens) = sync_channel(64);
        let (name, own, pass) = ("body".to_owned(), "127.0.0.9:7777".parse().unwrap(), pass("head"));
        (Visits { number: 0, name, gate, own, pass, heard: Arc::default(), patience, events }, happens)
    }

    #[test]
    fn a_host_that_accepts_and_is_silent_counts_as_not_there_and_is_tried_again() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (visits, happens) = visits(listener.local_addr().unwrap(), MEETING);
        thread::spawn(move || visits.go_on());
        let (mut first, _) = listener.accept().unwrap();
        assert!(matches!(happens.recv(), Ok(Event::Host(HostEvent::Away(0)))));
        assert_eq!(first.read(&mut [0]).unwrap(), 0, "it is disconnected, and was told nothing");
        drop(listener.accept().unwrap());
        drop(listener.accept().unwrap());
        assert!(happens.try_recv().is_err(), "it is reported once");
    }

    /// Opens the gate of the host `body`, which answers a few pings of each visitor, and says
    /// nothing of itself.
    fn reticent() -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let answer = move |visitor: Visitor| {
            visitor.welcome(&pass("body")).unwrap();
            let mut lines = Lines::of(&visitor.stream);
            for _ in 0..4 {
                let Some(HostSaid::Ping { left }) = lines.next() else { return };
                write(&visitor.stream, &Pong { left, arrived: now(), answered: now() }).unwrap();
            }
        };
        gate::open(listener, pass("body"), answer).unwrap();
        address
    }

    #[test]
    fn a_host_that_lets_in_and_does_not_say_what_it_knows_is_not_waited_for_longer() {
        let (visits, happens) = visits(reticent(), Duration::from_millis(1));
        let error = visits.visit().unwrap_err();
        let expected = "it lets this host in, but has said nothing at 127.0.0.9:7777 within 1.00 ms";
        assert_eq!((error.kind(), error.to_string().as_str()), (io::ErrorKind::Other, expected));
        assert!(matches!(happens.try_iter().last(), Some(Event::Host(HostEvent::Lost(0)))));
    }

    #[test]
    fn a_host_that_says_what_it_knows_is_visited_until_it_is_gone() {
        let (visits, happens) = visits(reticent(), Duration::from_millis(1));
        let connection = visits.heard.open.clone();
        visits.visit().unwrap();
        assert!(matches!(happens.try_iter().next(), Some(Event::Host(HostEvent::Met(0, ..)))));
        drop(connection);
        assert!(visits.visit().is_err(), "it says nothing any more");
    }

    #[test]
    fn a_clock_is_told_when_what_was_told_is_not_true_any_more_or_much_better_known() {
        let known = |by, error| ClockDifference { by, error };
        let first = news(None, known(5_000_000, 900_000)).unwrap();
        assert_eq!(first, HostClock { ahead_ns: 5_000_000, error_ns: 1_000_000 });
        assert_eq!(news(Some(first), known(5_050_000, 900_000)), None);
        assert_eq!(news(Some(first), known(5_000_000, 400_000)), None);
        assert!(news(Some(first), known(5_000_000, 399_000)).is_some());
        assert!(news(Some(first), known(5_150_000, 900_000)).is_some());
        assert!(news(Some(first), known(5_000_000, 1_100_000)).is_some());
    }
}
