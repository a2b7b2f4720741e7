use std::fmt::Display;
use std::io;
use std::time::Duration;

use thiserror::Error;
use tungstenite::http::StatusCode;

use super::Address;
use crate::whole::routes::undone_by;

/// The reason why a robot cannot be reached, or has not fulfilled a request.
///
/// ```
/// use hemiola_live::client::Address;
///
/// let error = Address::tcp("https://nao", None).unwrap_err();
/// assert_eq!(error.to_string(), "`https://nao` is not the address of a robot: only the schemes http and ws are supported");
/// ```
#[derive(Debug, Error)]
pub enum ClientError {
    /// A text is not an address.
    #[error("`{text}` is not the address of a robot: {reason}")]
    Address {
        /// The text.
        text: String,
        /// The reason why it is not an address.
        reason: &'static str,
    },
    /// Nothing listens at the address.
    #[error("no robot can be reached at {address}: {error} (is it running, and is this its address?)")]
    Unreachable {
        /// The address.
        address: String,
        /// The error of the system.
        error: io::Error,
    },
    /// The robot refuses this client.
    #[error("the robot at {address} refuses this program: {reason}")]
    Forbidden {
        /// The address.
        address: String,
        /// The reason.
        reason: String,
    },
    /// The other side does not use the protocol of robots.
    #[error("the server at {address} does not use the protocol of this program: {reason}")]
    Foreign {
        /// The address.
        address: String,
        /// The reason.
        reason: String,
    },
    /// No answer arrived in time.
    #[error("the robot at {address} has not answered for {} s: is the robot busy or the network slow?", patience.as_secs())]
    Silent {
        /// The address.
        address: String,
        /// The time that was spent waiting for the answer.
        patience: Duration,
    },
    /// The robot has refused a request for this reason.
    #[error("{0}")]
    Refused(String),
    /// Some processes of the robot have not executed a request that was for all of them.
    #[error("{}", undone_by(done, failed))]
    Processes {
        /// The processes that have executed it.
        done: Vec<String>,
        /// The other processes, each with the reason.
        failed: Vec<(String, String)>,
    },
    /// The robot has ended.
    #[error("the robot has disconnected: {reason}")]
    Ended {
        /// The reason.
        reason: String,
    },
    /// The connection was lost; the robot may have ended.
    #[error("the connection to the robot at {address} is lost: {reason}")]
    Lost {
        /// The address.
        address: String,
        /// The error of the system.
        reason: String,
    },
}

impl ClientError {
    pub(super) fn handshake(address: &Address, error: tungstenite::Error) -> Self {
        let location = address.to_string();
        match error {
            tungstenite::Error::Http(response) => {
                let body = response.body().as_deref().map(String::from_utf8_lossy).unwrap_or_default();
                let said = body.lines().next().unwrap_or_default().trim();
                let reason = match (response.status(), said) {
                    (status, "") => status.to_string(),
                    (_, said) => said.chars().filter(|character| !character.is_control()).take(300).collect(),
                };
                if matches!(
                    response.status(),
                    StatusCode::FORBIDDEN | StatusCode::UNAUTHORIZED | StatusCode::SERVICE_UNAVAILABLE
                ) {
                    Self::Forbidden { address: location, reason }
                } else {
                    Self::Foreign { address: location, reason }
                }
            }
            tungstenite::Error::Io(error) => Self::Unreachable { address: location, error },
            error => Self::Foreign { address: location, reason: error.to_string() },
        }
    }

    pub(super) fn foreign(address: &Address, reason: impl Display) -> Self {
        Self::Foreign { address: address.to_string(), reason: reason.to_string() }
    }

    pub(super) fn silent(address: &Address, patience: Duration) -> Self {
        Self::Silent { address: address.to_string(), patience }
    }

    pub(super) fn lost(address: &Address, reason: impl Display) -> Self {
        Self::Lost { address: address.to_string(), reason: reason.to_string() }
    }
}
