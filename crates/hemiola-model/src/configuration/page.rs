use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;

/// The door, with the live page, through which people and tools reach the running robot.
///
/// ```
/// use hemiola_model::configuration::PageConfiguration;
///
/// let page = PageConfiguration::default();
/// assert!(page.enabled && page.address.is_loopback());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageConfiguration {
    /// Set if there is a door at all.
    pub enabled: bool,
    /// The address that the door listens on.
    pub address: IpAddr,
    /// The port of the door; `None`: the first free one of the ten from 8765 on.
    pub port: Option<u16>,
    /// Names by which the door may be addressed, besides `localhost` and its address: `nao.local`.
    pub hosts: Vec<String>,
    /// Origins of pages of other sites that may connect: `https://tools.example.org`.
    pub origins: Vec<String>,
    /// The token that makes a client trusted; `None`: a random one for each run.
    pub token: Option<String>,
    /// A folder from which the page is read while somebody works on it; `None`: the page is the one
    /// built into the program.
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
