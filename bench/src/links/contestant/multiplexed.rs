//! Many Unix sockets in the receiving process, which waits for all of them by `epoll`, by `poll`,
//! or by a thread each.
//! One of them is used.

use std::fs;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};
use std::process::Stdio;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, PoisonError};

use hemiola_bench_contestant::links::{Arrivals, Partner, measure};
use hemiola_bench_contestant::messages::Assignment;
use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, epoll, poll};

use super::plain::{Plain, note};

pub fn run(assignment: &Assignment) -> io::Result<()> {
    if assignment.receives() { receive(assignment) } else { send(assignment) }
}

fn send(assignment: &Assignment) -> io::Result<()> {
    let mut partner = Partner::start(Stdio::null());
    let path = partner.hear(READY);
    let connect = || UnixStream::connect(&path);
    let _idle: Vec<UnixStream> = (0..assignment.number("idle")).map(|_| connect()).collect::<io::Result<_>>()?;
    let used = OwnedFd::from(connect()?);
    measure(assignment, partner, &mut Plain::new(used, assignment, usize::MAX));
    Ok(())
}

fn receive(assignment: &Assignment) -> io::Result<()> {
    let path = std::env::temp_dir().join(format!("hemiola-bench-links-{}.sock", std::process::id()));
    let listener = UnixListener::bind(&path)?;
    println!("{READY} {}", path.display());
    let accept = |_| listener.accept().map(|(stream, _)| stream);
    let connections = (0..=assignment.number("idle")).map(accept).collect::<io::Result<Vec<UnixStream>>>()?;
    fs::remove_file(&path)?;
    let mut arrivals = Arrivals::expected(assignment);
    let bytes = assignment.number("bytes") as usize;
    if assignment.contestant() == "unix-threads" {
        return by_threads(connections, arrivals, bytes);
    }
    let mut message = vec![0; bytes];
    let take = |mut connection: &UnixStream| {
        connection.read_exact(&mut message)?;
        note(&mut arrivals, &message)
    };
    if assignment.contestant() == "unix-epoll" { by_epoll(&connections, take) } else { by_poll(&connections, take) }
}

/// The line with the path at which the receiving process listens.
const READY: &str = "ready";
/// The maximum number of events that `epoll` returns at once.
const AT_ONCE: usize = 64;

/// Calls `take` with each connection on which something has come, until it returns `true`.
fn by_epoll(connections: &[UnixStream], mut take: impl FnMut(&UnixStream) -> io::Result<bool>) -> io::Result<()> {
    let all = epoll::create(epoll::CreateFlags::CLOEXEC)?;
    for (number, connection) in connections.iter().enumerate() {
        epoll::add(&all, connection, epoll::EventData::new_u64(number as u64), epoll::EventFlags::IN)?;
    }
    let mut events = Vec::<epoll::Event>::with_capacity(AT_ONCE);
    loop {
        epoll::wait(&all, spare_capacity(&mut events), None)?;
        for event in events.drain(..) {
            let number = event.data;
            if take(&connections[number.u64() as usize])? {
                return Ok(());
            }
        }
    }
}

/// Does the same by `poll`, which gets all connections each time.
fn by_poll(connections: &[UnixStream], mut take: impl FnMut(&UnixStream) -> io::Result<bool>) -> io::Result<()> {
    let mut all: Vec<PollFd<'_>> =
        connections.iter().map(|connection| PollFd::new(connection, PollFlags::IN)).collect();
    loop {
        poll(&mut all, None)?;
        for (connection, looked_at) in connections.iter().zip(&all) {
            if looked_at.revents().contains(PollFlags::IN) && take(connection)? {
                return Ok(());
            }
        }
    }
}

/// Reads each connection on a thread of its own, which sleeps in `read`.
fn by_threads(connections: Vec<UnixStream>, arrivals: Arrivals, bytes: usize) -> io::Result<()> {
    let (arrivals, (ended, end)) = (Arc::new(Mutex::new(arrivals)), sync_channel(1));
    for mut connection in connections {
        let (arrivals, ended) = (Arc::clone(&arrivals), ended.clone());
        let mut read = move || -> io::Result<()> {
            let mut message = vec![0; bytes];
            loop {
                connection.read_exact(&mut message)?;
                let mut arrivals = arrivals.lock().unwrap_or_else(PoisonError::into_inner);
                if note(&mut arrivals, &message)? {
                    return Ok(());
                }
            }
        };
        // The first one that ends counts: with it, the process and all other threads end.
        std::thread::Builder::new().stack_size(STACK).spawn(move || _ = ended.try_send(read()))?;
    }
    end.recv().unwrap_or_else(|error| Err(io::Error::other(error)))
}

/// The memory of a thread that reads one connection.
const STACK: usize = 64 * 1024;
