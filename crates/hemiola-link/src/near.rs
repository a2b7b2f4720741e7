//! The `auto:` addresses: a Unix socket beside a TCP port, for peers on the same host.

use std::io;
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};

use crate::folder::{make_socket_folder, socket_folder};
use crate::socket::{Listener, Stream};

/// Listens at the Unix socket beside a TCP port.
///
/// # Errors
/// Returns an error if the folder or the socket cannot be created; all peers then use TCP.
pub fn listen(port: SocketAddr) -> io::Result<Listener> {
    make_socket_folder()?;
    Listener::unix(&path(port.ip(), port.port()))
}

/// Begins to connect to an `auto:` address: to its Unix socket if the listener is on this host and
/// belongs to this user, otherwise over TCP.
///
/// # Errors
/// Returns the error of TCP.
pub fn connect(address: SocketAddr) -> io::Result<Stream> {
    let anywhere = match address.ip() {
        IpAddr::V4(_) => IpAddr::from([0; 4]),
        IpAddr::V6(_) => IpAddr::from([0; 16]),
    };
    let paths = is_of_this_host(address.ip()).then(|| [address.ip(), anywhere].map(|ip| path(ip, address.port())));
    let near = paths.into_iter().flatten().find_map(|path| Stream::unix(&path).ok());
    near.map_or_else(|| Stream::tcp(address), Ok)
}

/// Returns whether an address belongs to this host; only such addresses can be bound.
fn is_of_this_host(ip: IpAddr) -> bool {
    UdpSocket::bind((ip, 0)).is_ok()
}

fn path(ip: IpAddr, port: u16) -> PathBuf {
    // The kernel gives a port to only one listener if that listens at all addresses.
    let ip = if ip.is_unspecified() { "any".to_owned() } else { ip.to_string() };
    socket_folder().join(Path::new(&format!("link-{ip}-{port}.socket")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hemiola_model::configuration::LinkAddress;

    fn tcp() -> (Listener, SocketAddr) {
        let listener = Listener::tcp(([127, 0, 0, 1], 0).into()).unwrap();
        let LinkAddress::Tcp(address) = listener.address() else { panic!("it is TCP") };
        (listener, address)
    }

    #[test]
    fn the_unix_socket_is_taken_while_somebody_listens_there() {
        let (_far, address) = tcp();
        let is_near = || matches!(connect(address).unwrap(), Stream::Unix { .. });
        assert!(!is_near());
        let near = listen(address).unwrap();
        assert!(is_near());
        drop(near);
        assert!(!is_near());
    }

    #[test]
    fn whoever_listens_at_all_addresses_is_near_at_each_of_this_host() {
        let (_far, address) = tcp();
        let _near = listen(SocketAddr::from(([0, 0, 0, 0], address.port()))).unwrap();
        assert!(matches!(connect(address).unwrap(), Stream::Unix { .. }));
        // This is an address for documentation, which no host has.
        assert!(!is_of_this_host([192, 0, 2, 1].into()));
    }
}
