use std::net::{IpAddr, SocketAddr};

use super::Configuration;

/// A computer that runs some of a robot's processes: `docs/book/src/processes.md`.
///
/// ```
/// use hemiola_model::configuration::{Configuration, HostConfiguration, ProcessConfiguration};
///
/// let mut robot = Configuration::default();
/// robot.hosts.push(HostConfiguration::new("body", [10, 0, 0, 1]));
/// robot.hosts.push(HostConfiguration::new("head", [10, 0, 0, 2]));
/// robot.processes.push(ProcessConfiguration::new("motion", []));
/// robot.processes.push(ProcessConfiguration { host: Some("head".into()), ..ProcessConfiguration::new("vision", []) });
/// assert_eq!(robot.processes_of("body"), ["motion"]); // without a host: on the first one
/// assert_eq!(robot.meeting("motion", "vision"), Some(([10, 0, 0, 1], 7420).into()));
/// assert_eq!(robot.gate("body"), Some(([10, 0, 0, 1], 7421).into()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostConfiguration {
    /// The name of the host.
    pub name: String,
    /// The address at which other hosts reach it.
    pub address: IpAddr,
    /// The first of the TCP ports at which its processes listen, one for each process of another
    /// host that connects to them, and one for the other hosts.
    pub port: u16,
}

impl HostConfiguration {
    /// The first port, unless `robot.toml` sets another one.
    pub const PORT: u16 = 7420;

    /// Creates a host with this address.
    pub fn new(name: impl Into<String>, address: impl Into<IpAddr>) -> Self {
        Self { name: name.into(), address: address.into(), port: Self::PORT }
    }
}

impl Configuration {
    /// Returns the host that a process runs on; `None` if all run on one.
    pub fn host_of(&self, process: &str) -> Option<&HostConfiguration> {
        let named = self.processes.iter().find(|known| known.name == process).and_then(|it| it.host.as_deref());
        match named {
            Some(name) => self.hosts.iter().find(|host| host.name == name),
            None => self.hosts.first(),
        }
    }

    /// Returns the names of the processes that run on a host, the one with the page first.
    pub fn processes_of(&self, host: &str) -> Vec<&str> {
        let is_there = |process: &&str| self.host_of(process).is_some_and(|it| it.name == host);
        self.process_names().into_iter().filter(is_there).collect()
    }

    /// Returns the address at which two processes of different hosts meet; `None` if both run on
    /// one. The one that comes first listens.
    pub fn meeting(&self, first: &str, second: &str) -> Option<SocketAddr> {
        let host = self.host_of(first)?;
        let number = self.meetings(host).into_iter().position(|pair| pair == (first, second))?;
        Some((host.address, host.port.checked_add(u16::try_from(number).ok()?)?).into())
    }

    /// Returns the address at which a host lets the other hosts in, so that all act as one: its
    /// port follows those at which its processes listen.
    pub fn gate(&self, host: &str) -> Option<SocketAddr> {
        let host = self.hosts.iter().find(|known| known.name == host)?;
        let number = u16::try_from(self.meetings(host).len()).ok()?;
        Some((host.address, host.port.checked_add(number)?).into())
    }

    /// Returns the pairs of processes of which the first listens on a host, for the second on
    /// another one.
    fn meetings(&self, host: &HostConfiguration) -> Vec<(&str, &str)> {
        let names = self.process_names();
        let is_here = |name: &str| self.host_of(name) == Some(host);
        let pairs = names.iter().enumerate().flat_map(|(at, left)| names[at + 1..].iter().map(|right| (*left, *right)));
        pairs.filter(|(left, right)| is_here(left) && !is_here(right)).collect()
    }
}
