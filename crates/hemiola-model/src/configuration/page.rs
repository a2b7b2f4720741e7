use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

/// Where people and tools reach the running robot: its door, with the live page.
///
/// ```
/// use hemiola_model::configuration::PageConfiguration;
///
/// let page = PageConfiguration::default();
/// assert!(page.enabled && page.address.is_loopback());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageConfiguration {
    /// Whether there is a door at all.
    pub enabled: bool,
    /// The address that its port is opened at.
    pub address: IpAddr,
    /// The port; `None`: the first that is free of ten from 8765 on.
    pub port: Option<u16>,
    /// Names by which the door may be called, besides `localhost` and its address: `nao.local`.
    pub hosts: Vec<String>,
    /// Origins of pages of other sites that may come in: `https://tools.example.org`.
    pub origins: Vec<String>,
    /// The token that makes a client trusted; `None`: a random one for each run.
    pub token: Option<String>,
    /// A folder that the page is read from while somebody works on it; `None`: it is part of the
    /// program.
    pub folder: Option<PathBuf>,
}

impl Default for PageConfiguration {
    fn default() -> Self {
        Self {
            enabled: true,
            address: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: None,
            hosts: Vec::new(),
            origins: Vec::new(),
            token: None,
            folder: None,
        }
    }
}
