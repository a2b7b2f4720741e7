use std::io;
use std::net::SocketAddr;

use hemiola_recording::RecordingError;
use hemiola_runtime::RuntimeError;
use thiserror::Error;

/// The reason why a door cannot be opened, or a robot cannot be reached.
///
/// ```
/// use std::net::{IpAddr, Ipv4Addr, SocketAddr};
/// use hemiola_live::LiveError;
///
/// let address = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 8765);
/// let error = LiveError::Bind { address, source: std::io::ErrorKind::AddrInUse.into() };
/// assert!(error.to_string().contains("127.0.0.1:8765"));
/// ```
#[derive(Debug, Error)]
pub enum LiveError {
    /// The port is not available.
    #[error("the door cannot be opened at {address}: {source} (choose another port with `[page] port` in robot.toml)")]
    Bind {
        /// The address of the port.
        address: SocketAddr,
        /// The reason.
        source: io::Error,
    },
    /// The system has not provided something that the door needs.
    #[error("the door cannot be opened: the system has not provided {what}: {source}")]
    System {
        /// The resource that the system has not provided.
        what: &'static str,
        /// The reason.
        source: io::Error,
    },
    /// The robot has reported an error.
    #[error(transparent)]
    Runtime(#[from] RuntimeError),
    /// A log cannot be read.
    #[error(transparent)]
    Recording(#[from] RecordingError),
}
