use std::io;
use std::path::PathBuf;
use std::time::Duration;

use thiserror::Error;

use super::wire::WireError;

/// The reason why the body cannot be read from or written to.
///
/// ```
/// use nao::lola::LolaError;
/// use nao::lola::connection::Connection;
/// use std::path::Path;
/// use std::time::Duration;
///
/// let error = Connection::open(Path::new("/tmp/nobody-is-here"), Duration::from_millis(100)).unwrap_err();
/// assert!(matches!(error, LolaError::Connect { .. }));
/// assert!(error.to_string().contains("/tmp/nobody-is-here"));
/// ```
#[derive(Debug, Error)]
pub enum LolaError {
    /// Nobody accepts a connection.
    #[error("{}: no connection to LoLA ({error}); elsewhere than on a robot, start `lola-simulator`", socket.display())]
    Connect {
        /// The path of the socket.
        socket: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// The socket cannot be offered.
    #[error("{}: the socket cannot be offered ({error}); name another one, or end the program that has it", socket.display())]
    Bind {
        /// The path of the socket.
        socket: PathBuf,
        /// The error of the operating system.
        error: io::Error,
    },
    /// Nothing has come for too long.
    #[error("the body has sent no state for {} ms; the connection is made anew", patience.as_millis())]
    Stalled {
        /// The time that was waited.
        patience: Duration,
    },
    /// The peer has ended the connection.
    #[error("the body has ended the connection; it is made anew")]
    HungUp,
    /// The bytes are no state.
    #[error("what the body has sent is no state: {0}; the connection is made anew")]
    Garbage(#[from] WireError),
    /// The peer does not take the commands.
    #[error("the body does not take its commands; the connection is made anew")]
    Unheard,
    /// The operating system reports an error.
    #[error("the line to the body fails ({0}); the connection is made anew")]
    Line(io::Error),
}
