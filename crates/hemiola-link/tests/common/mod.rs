//! Two programs that meet, each with a bus of its own.
#![allow(dead_code, unused_imports, reason = "each test uses some of it")]

#[cfg(target_os = "linux")]
mod other;
mod patience;
mod side;
#[cfg(target_os = "linux")]
mod stranger;

#[path = "../../../../tests/addresses.rs"]
mod addresses;

use std::io::{ErrorKind, Read};
use std::net::{Ipv4Addr, SocketAddr, UdpSocket};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hemiola_bus::Bus;
use hemiola_link::LinkStatistics;
use hemiola_link::wire::{Frame, Incoming};
use hemiola_model::configuration::{LinkAddress, LinkConfiguration, LinkEnd, LinkGroup};

#[cfg(target_os = "linux")]
pub use other::{Other, mappings};
pub use patience::{PATIENCE, eventually, next};
pub use side::{Side, link, open};
#[cfg(target_os = "linux")]
pub use stranger::Stranger;

impl Side {
    pub fn open(robot: &str, link: LinkConfiguration) -> Self {
        Self::on(&Bus::new(), robot, link)
    }

    pub fn on(bus: &Bus, robot: &str, link: LinkConfiguration) -> Self {
        Self::with(bus, robot, &[link], |host| host)
    }

    /// Waits until a peer answers calls of the first service that this side calls.
    pub fn until_answered(&self) {
        self.until(|link| link.called[0].peers > 0);
    }

    /// Returns the address at which others can connect.
    pub fn address(&self) -> LinkAddress {
        address_of(&self.statistics())
    }
}

/// Returns the address at which others can connect to a link that listens.
pub fn address_of(link: &LinkStatistics) -> LinkAddress {
    match link.address.split_once(':').unwrap() {
        ("unix", path) => LinkAddress::Unix(path.into()),
        ("shm", path) => LinkAddress::Shm(path.into()),
        ("tcp", address) => LinkAddress::Tcp(address.parse().unwrap()),
        ("auto", address) => LinkAddress::Auto(address.parse().unwrap()),
        ("udp", address) => LinkAddress::Udp(address.parse().unwrap()),
        other => panic!("{other:?}"),
    }
}

pub fn free_tcp() -> LinkAddress {
    LinkAddress::Tcp(SocketAddr::from((addresses::own_loopback(0), 0)))
}

pub fn free_udp() -> LinkAddress {
    LinkAddress::Udp(SocketAddr::from((addresses::own_loopback(0), 0)))
}

/// Returns a group on the loopback interface that nobody has joined; `None` where there is no such
/// thing.
pub fn free_group() -> Option<LinkGroup> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let [_, _, high, low] = std::process::id().to_be_bytes();
    let port = 7500 + NEXT.fetch_add(1, Ordering::Relaxed) as u16;
    let group = LinkGroup { interface: Some("lo".into()), ..LinkGroup::new(([239, 255, high, low], port).into()) };
    let comes_back = || -> std::io::Result<()> {
        let socket = UdpSocket::bind(group.address)?;
        socket.set_read_timeout(Some(Duration::from_secs(1)))?;
        socket.join_multicast_v4(&Ipv4Addr::new(239, 255, high, low), &Ipv4Addr::LOCALHOST)?;
        rustix::net::sockopt::set_ip_multicast_if(&socket, &Ipv4Addr::LOCALHOST)?;
        socket.send_to(b"hello", group.address)?;
        socket.recv(&mut [0; 5]).map(drop)
    };
    match comes_back() {
        Ok(()) => Some(group),
        Err(error) => {
            eprintln!("SKIPPED: there is no multicast over the loopback interface here: {error}");
            None
        }
    }
}

/// Returns a path of a Unix socket at which nobody listens.
pub fn free_path() -> PathBuf {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    std::env::temp_dir().join(format!("hemiola-link-{}-{number}.sock", std::process::id()))
}

pub fn free_unix() -> LinkAddress {
    LinkAddress::Unix(free_path())
}

pub fn listening(address: LinkAddress, send: &[&str], receive: &[&str]) -> LinkConfiguration {
    link("here", LinkEnd::Listen(address), send, receive)
}

pub fn connecting(address: LinkAddress, send: &[&str], receive: &[&str]) -> LinkConfiguration {
    link("there", LinkEnd::Connect(address), send, receive)
}

/// Returns the link of a program that listens and serves these services.
pub fn serving(address: LinkAddress, services: &[&str]) -> LinkConfiguration {
    let serve = services.iter().map(|&service| service.to_owned()).collect();
    LinkConfiguration { serve, ..listening(address, &[], &[]) }
}

/// Returns the link of a program that connects and calls these services.
pub fn calling(address: LinkAddress, services: &[&str]) -> LinkConfiguration {
    let call = services.iter().map(|&service| service.to_owned()).collect();
    LinkConfiguration { call, ..connecting(address, &[], &[]) }
}

/// Returns the bytes of a frame on a stream: its length, and the frame.
pub fn framed(frame: &Frame<'_>) -> Vec<u8> {
    let mut bytes = vec![0; 4];
    frame.write(&mut bytes);
    let length = bytes.len() as u32 - 4;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    bytes
}

/// Receives until `wanted` accepts a frame. Returns `None` at the end of the connection.
pub fn hear<T>(stream: &mut impl Read, incoming: &mut Incoming, wanted: impl Fn(&Frame<'_>) -> Option<T>) -> Option<T> {
    let mut buffer = [0; 4096];
    loop {
        while let Some(frame) = incoming.next().unwrap() {
            if let Some(found) = wanted(&frame) {
                return Some(found);
            }
        }
        match stream.read(&mut buffer) {
            Ok(0) => return None,
            Ok(count) => incoming.push(&buffer[..count]),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => return None,
            Err(error) => panic!("{error}"),
        }
    }
}

/// Forwards datagrams, and drops every fifth.
pub fn lossy(robot: SocketAddr) -> SocketAddr {
    let [front, back] = [(); 2].map(|()| UdpSocket::bind("127.0.0.1:0").unwrap());
    let address = front.local_addr().unwrap();
    back.connect(robot).unwrap();
    let (front_too, back_too) = (front.try_clone().unwrap(), back.try_clone().unwrap());
    let client = Arc::new(Mutex::new(None));
    let known = client.clone();
    std::thread::spawn(move || {
        let mut buffer = [0; 65_536];
        for count in 1.. {
            let Ok((length, from)) = front.recv_from(&mut buffer) else { return };
            *known.lock().unwrap() = Some(from);
            if count % 5 > 0 {
                _ = back.send(&buffer[..length]);
            }
        }
    });
    std::thread::spawn(move || {
        let mut buffer = [0; 65_536];
        for count in 1.. {
            let Ok(length) = back_too.recv(&mut buffer) else { return };
            if let Some(client) = *client.lock().unwrap()
                && count % 5 > 0
            {
                _ = front_too.send_to(&buffer[..length], client);
            }
        }
    });
    address
}
