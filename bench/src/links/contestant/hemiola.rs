//! Topics over links of Hemiola: from the publisher of one process to the callback of another one.
//! The receiver's links have a thread of their own, or are polled by that of the callback.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::Stdio;
use std::sync::Arc;
use std::time::{Duration, Instant};
use std::{fs, io};

use hemiola::Representation;
use hemiola::configuration::{Keep, LinkAddress, LinkConfiguration, LinkEnd, Received, Sent, Subject};
use hemiola::data::SharedBytes;
use hemiola::link::{LinkHost, LinkStatistics, Links, PolledLinks};
use hemiola_bench_contestant::links::{self, Arrivals, Partner, measure};
use hemiola_bench_contestant::messages::Assignment;
use hemiola_bench_contestant::monotonic_ns;
use hemiola_bus::{Bus, Executor, Priority, Publisher, RobotClock, WhenFull};
use hemiola_realtime::accept_errands;

use super::{HEAD, system};
use crate::error::BenchError;
use crate::sync::{AtomicBool, Ordering};

/// A message. In CDR its fields are as long as the messages of other contestants.
#[derive(Representation, Clone, Default)]
struct Packet {
    number: u64,
    stamp_ns: u64,
    data: SharedBytes,
}

/// The bytes of the length of a sequence in CDR.
const LENGTH: usize = 4;

/// The topic whose messages are measured.
const USED: &str = "Packet";
/// The topic of all other links, on which nothing is published.
const IDLE: &str = "Idle";
/// The maximum number of peers of a link that listens.
const MOST_PEERS: usize = 16;
/// The time within which all links have to connect.
const PATIENCE: Duration = Duration::from_secs(30);

/// The end of the name of a contestant whose receiver polls.
const POLLED: &str = "-polled";

pub fn run(assignment: &Assignment) -> Result<(), BenchError> {
    if assignment.receives() { receive(assignment) } else { send(assignment) }
}

/// Returns the capacity of each queue on the way, in messages.
fn room(assignment: &Assignment) -> usize {
    2 * assignment.number("window") as usize
}

fn send(assignment: &Assignment) -> Result<(), BenchError> {
    let mut partner = Partner::start(Stdio::null());
    let heard = partner.hear(READY);
    let addresses: Option<Vec<LinkAddress>> = heard.split('\t').map(address_of).collect();
    let addresses = addresses.ok_or(BenchError::Assignment(heard))?;
    let bus = Bus::new();
    let publisher = bus.readable_topic::<Packet>(USED)?.publisher();
    let _idle = bus.readable_topic::<Packet>(IDLE)?.publisher();
    let links: Vec<LinkConfiguration> = (0..=assignment.number("idle") as usize)
        .map(|number| {
            let sent = match number {
                0 => Sent { keep: Keep::Last(room(assignment)), ..Sent::topic(USED) },
                _ => Sent { keep: Keep::Newest, ..Sent::topic(IDLE) },
            };
            let end = LinkEnd::Connect(addresses[number / MOST_PEERS].clone());
            LinkConfiguration { send: vec![sent], ..LinkConfiguration::new(format!("to-{number}"), end) }
        })
        .collect();
    let links = Links::open(&links, host("sender", bus))?;
    let end = Instant::now() + PATIENCE;
    while links.statistics().iter().any(|link| link.sent[0].peers == 0) {
        if Instant::now() > end {
            return Err(system(std::io::ErrorKind::TimedOut.into()));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    if assignment.contestant() == "hemiola-auto" && has_tcp().map_err(system)? {
        return Err(BenchError::Assignment("auto: has chosen TCP on one host, not a Unix socket".to_owned()));
    }
    // As other contestants do, the publisher's thread sends by itself, although it is a real-time
    // one.
    accept_errands();
    let data = assignment.number("bytes") as usize - HEAD - LENGTH;
    let shares_memory = ["shm", "auto"].iter().any(|it| assignment.contestant().contains(it));
    measure(assignment, partner, &mut Publishing { publisher, data, shares_memory });
    Ok(())
}

/// Returns whether this process has a TCP socket.
fn has_tcp() -> io::Result<bool> {
    let sockets = fs::read_to_string("/proc/self/net/tcp")?;
    let mut open = fs::read_dir("/proc/self/fd")?.filter_map(|file| fs::read_link(file.ok()?.path()).ok());
    Ok(open.any(|target| {
        let inode = target.to_str().and_then(|name| name.strip_prefix("socket:[")?.strip_suffix(']'));
        inode.is_some_and(|inode| sockets.lines().any(|line| line.split_whitespace().nth(INODE) == Some(inode)))
    }))
}

/// The column of a socket's inode in /proc/net/tcp.
const INODE: usize = 9;

struct Publishing {
    publisher: Publisher<Packet>,
    /// The length of a message without its head.
    data: usize,
    /// Set if the receiver may read messages where they are written.
    shares_memory: bool,
}

impl links::Sender for Publishing {
    fn send(&mut self, number: u64) {
        let mut packet = self.publisher.loan();
        packet.data.overwrite(self.data, |data| {
            // iceoryx2 writes all bytes of what it lends, too; others send what is there already.
            if self.shares_memory {
                data.fill(0);
            }
        });
        (packet.number, packet.stamp_ns) = (number, monotonic_ns());
        packet.publish();
    }
}

fn receive(assignment: &Assignment) -> Result<(), BenchError> {
    let bus = Bus::new();
    let mut executor = Executor::new("callbacks", &Arc::new(RobotClock::running(1.0)));
    let used = bus.readable_topic::<Packet>(USED)?;
    let _idle = bus.readable_topic::<Packet>(IDLE)?.queue(1, WhenFull::DropOldest);
    let mut arrivals = Arrivals::expected(assignment);
    if assignment.number("spins") == 1 {
        let mut queue = used.queue(room(assignment), WhenFull::DropOldest);
        let mut links = poll(assignment, bus)?;
        loop {
            links.poll(Some(Duration::ZERO))?;
            while let Some(packet) = queue.receive() {
                if arrivals.note(packet.number, packet.stamp_ns).map_err(BenchError::Assignment)? {
                    return Ok(());
                }
            }
        }
    }
    let (handle, ended) = (executor.handle(), Arc::new(AtomicBool::new(false)));
    let end = ended.clone();
    let take = move |packet: &Packet| match arrivals.note(packet.number, packet.stamp_ns) {
        Ok(true) => {
            end.store(true, Ordering::Relaxed);
            handle.stop();
        }
        Ok(false) => {}
        // An executor continues after a panic, and this process must not.
        Err(problem) => {
            eprintln!("{problem}");
            std::process::exit(1);
        }
    };
    executor.subscribe(&used, Priority(1), room(assignment), WhenFull::DropOldest, take)?;
    if assignment.contestant().ends_with(POLLED) {
        let mut links = poll(assignment, bus)?;
        while !ended.load(Ordering::Relaxed) {
            links.poll(None)?;
            executor.run_ready();
        }
        return Ok(());
    }
    let _links = listen(assignment, bus)?;
    executor.run();
    Ok(())
}

/// Opens the links of the receiving process, with a thread of their own, and tells the other one
/// where they listen.
fn listen(assignment: &Assignment, bus: Bus) -> Result<Links, BenchError> {
    let links = Links::open(&listening(assignment), host("receiver", bus))?;
    announce(&links.statistics());
    Ok(links)
}

/// Opens links that are to be polled, and tells the other process where they listen.
fn poll(assignment: &Assignment, bus: Bus) -> Result<PolledLinks, BenchError> {
    let links = PolledLinks::open(&listening(assignment), host("receiver", bus))?;
    announce(&links.statistics());
    Ok(links)
}

fn announce(links: &[LinkStatistics]) {
    let addresses: Vec<&str> = links.iter().map(|link| &*link.address).collect();
    println!("{READY} {}", addresses.join("\t"));
}

fn listening(assignment: &Assignment) -> Vec<LinkConfiguration> {
    let connections = assignment.number("idle") as usize + 1;
    let listening = |number| {
        let end = LinkEnd::Listen(free_address(assignment.contestant(), number));
        let receive = [USED, IDLE].map(|topic| Received::new(Subject::topic(topic))).into();
        LinkConfiguration { receive, ..LinkConfiguration::new(format!("from-{number}"), end) }
    };
    (0..connections.div_ceil(MOST_PEERS)).map(listening).collect()
}

/// The line with the addresses at which the receiving process listens, separated by tabs.
const READY: &str = "ready";

fn host(robot: &str, bus: Bus) -> LinkHost {
    // Remarks, such as which peers connect, are for people.
    LinkHost::new(robot, bus, Arc::new(RobotClock::running(1.0)), |_| ())
}

/// Returns a free address.
fn free_address(contestant: &str, number: usize) -> LinkAddress {
    let any = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let contestant = contestant.strip_suffix(POLLED).unwrap_or(contestant);
    match contestant {
        "hemiola-tcp" => LinkAddress::Tcp(any),
        "hemiola-udp" => LinkAddress::Udp(any),
        "hemiola-auto" => LinkAddress::Auto(any),
        _ => {
            let name = format!("hemiola-bench-links-{}-{number}.sock", std::process::id());
            let path = std::env::temp_dir().join(name);
            if contestant == "hemiola-shm" { LinkAddress::Shm(path) } else { LinkAddress::Unix(path) }
        }
    }
}

/// Reads an address as statistics show it.
fn address_of(text: &str) -> Option<LinkAddress> {
    match text.split_once(':')? {
        ("shm", path) => Some(LinkAddress::Shm(path.into())),
        ("unix", path) => Some(LinkAddress::Unix(path.into())),
        ("tcp", address) => address.parse().ok().map(LinkAddress::Tcp),
        ("auto", address) => address.parse().ok().map(LinkAddress::Auto),
        ("udp", address) => address.parse().ok().map(LinkAddress::Udp),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_process_with_a_tcp_socket_is_seen_to_have_one() {
        let _socket = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        assert!(has_tcp().unwrap());
    }
}
