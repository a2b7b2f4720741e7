//! Addresses as Zenoh writes them: those of links, and of the router of a ROS 2 system.

use std::net::IpAddr;

/// The host and the port of an address of Zenoh, such as `tcp/192.168.1.5:7447`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ZenohAddress<'t> {
    host: &'t str,
    pub port: u16,
}

impl<'t> ZenohAddress<'t> {
    /// Reads an address; `None` if it is none over TCP, or has settings of Zenoh behind it.
    pub fn read(text: &'t str) -> Option<Self> {
        let (host, port) = text.strip_prefix("tcp/")?.rsplit_once(':')?;
        let is_host = !host.is_empty() && !host.contains(['#', '?', '/', ' ']);
        is_host.then_some(Self { host, port: port.parse().ok()? })
    }

    /// Returns whether the address can be reached from this computer only.
    pub fn is_of_this_computer(&self) -> bool {
        self.host == "localhost" || self.ip().is_some_and(|ip| ip.to_canonical().is_loopback())
    }

    /// Returns whether it stands for all addresses of a computer.
    pub fn is_any(&self) -> bool {
        self.ip().is_some_and(|ip| ip.is_unspecified())
    }

    fn ip(&self) -> Option<IpAddr> {
        self.host.trim_start_matches('[').trim_end_matches(']').parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_have_names_or_numbers() {
        let read = |text| ZenohAddress::read(text).map(|it| (it.port, it.is_of_this_computer(), it.is_any()));
        assert_eq!(read("tcp/192.168.1.5:7447"), Some((7447, false, false)));
        assert_eq!(read("tcp/robot.local:7447"), Some((7447, false, false)));
        assert_eq!(read("tcp/localhost:0"), Some((0, true, false)));
        assert_eq!(read("tcp/[::1]:7447"), Some((7447, true, false)));
        assert_eq!(read("tcp/[::]:7447"), Some((7447, false, true)));
        assert_eq!(["tcp/:7447", "tcp/host", "udp/host:7447", "tcp/host:7447#iface=eth0", "7447"].map(read), [None; 5]);
    }
}
