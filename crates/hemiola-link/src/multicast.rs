//! The sockets of a member of a group.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6};
use std::os::fd::OwnedFd;

use hemiola_model::configuration::LinkGroup;
use mio::net::UdpSocket;
use rustix::net::{AddressFamily, SocketFlags, SocketType, bind, socket_with, sockopt};

/// The sockets of a member of a group.
pub struct GroupSockets {
    /// The socket from which the member sends, to all or to one other member, and at which that one
    /// answers. Its address is the member's: no two have the same, also on one computer.
    pub own: UdpSocket,
    /// The socket at which all arrives that is sent to the group. All members on a computer have
    /// one at the same address, and each of these gets everything.
    pub shared: UdpSocket,
    /// The address of the group, to which the member sends what all receive.
    pub group: SocketAddr,
}

impl GroupSockets {
    /// Joins a group.
    ///
    /// # Errors
    /// Returns an error if there is no such interface, or no route to the group.
    pub fn open(group: &LinkGroup) -> io::Result<Self> {
        let LinkGroup { address, interface, ttl } = group;
        let family = if address.is_ipv4() { AddressFamily::INET } else { AddressFamily::INET6 };
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let open = || -> io::Result<OwnedFd> { Ok(socket_with(family, SocketType::DGRAM, flags, None)?) };
        let (own, shared) = (open()?, open()?);
        // The system would choose an address that others can reach, of which there may be none.
        let source = if interface.as_deref() == Some("lo") { Ipv4Addr::LOCALHOST } else { Ipv4Addr::UNSPECIFIED };
        let interface = match interface {
            Some(name) => index_of(&own, name)?,
            None => 0,
        };
        sockopt::set_socket_reuseaddr(&shared, true)?;
        sockopt::set_socket_reuseport(&shared, true)?;
        // What is sent comes back to this computer, where there may be other members.
        let group = match *address {
            SocketAddr::V4(group) => {
                let any = Ipv4Addr::UNSPECIFIED;
                bind(&own, &SocketAddr::from((any, 0)))?;
                bind(&shared, &group)?;
                sockopt::set_ip_add_membership_with_ifindex(&shared, group.ip(), &any, interface)?;
                if interface != 0 {
                    sockopt::set_ip_multicast_if_with_ifindex(&own, &any, &source, interface)?;
                }
                sockopt::set_ip_multicast_ttl(&own, u32::from(*ttl))?;
                sockopt::set_ip_multicast_loop(&own, true)?;
                SocketAddr::V4(group)
            }
            SocketAddr::V6(group) => {
                let group = SocketAddrV6::new(*group.ip(), group.port(), 0, interface);
                bind(&own, &SocketAddr::from((Ipv6Addr::UNSPECIFIED, 0)))?;
                bind(&shared, &group)?;
                sockopt::set_ipv6_add_membership(&shared, group.ip(), interface)?;
                if interface != 0 {
                    sockopt::set_ipv6_multicast_if(&own, interface)?;
                }
                sockopt::set_ipv6_multicast_hops(&own, u32::from(*ttl))?;
                sockopt::set_ipv6_multicast_loop(&own, true)?;
                SocketAddr::V6(group)
            }
        };
        let [own, shared] = [own, shared].map(|socket| UdpSocket::from_std(socket.into()));
        Ok(Self { own, shared, group })
    }
}

/// Returns the number of the network interface of this name.
fn index_of(socket: &OwnedFd, name: &str) -> io::Result<u32> {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    let index = rustix::net::netdevice::name_to_index(socket, name).map_err(io::Error::from);
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let index = Err::<u32, _>(io::Error::other(format!("{socket:?} knows no names of interfaces")));
    index.map_err(|error| io::Error::new(error.kind(), format!("there is no network interface `{name}`: {error}")))
}
