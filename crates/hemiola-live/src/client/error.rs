use std::fmt::Display;
use std::io;
use std::time::Duration;

use thiserror::Error;
use tungstenite::http::StatusCode;

use super::Address;

/// Why a robot could not be reached, or does not do what it is asked for.
///
/// ```
/// use hemiola_live::client::Address;
///
/// let error = Address::tcp("https://nao", None).unwrap_err();
/// assert_eq!(error.to_string(), "`https://nao` is no address of a robot: robots speak http and ws");
/// ```
#[derive(Debug, Error)]
pub enum ClientError {
    /// That is not how addresses are written.
    #[error("`{text}` is no address of a robot: {reason}")]
    Address {
        /// What was written.
        text: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// Nobody listens there.
    #[error("no robot can be reached at {address}: {error} (does it run, and is that its address?)")]
    Unreachable {
        /// Where.
        address: String,
        /// What the system says.
        error: io::Error,
    },
    /// The door stays shut.
    #[error("the robot at {address} does not let this program in: {reason}")]
    Forbidden {
        /// Where.
        address: String,
        /// Why.
        reason: String,
    },
    /// Whoever listens there does not speak as a robot does.
    #[error("what listens at {address} is no robot that this program understands: {reason}")]
    Foreign {
        /// Where.
        address: String,
        /// What is not understood.
        reason: String,
    },
    /// No answer has come.
    #[error("the robot at {address} has not answered for {} s: is it busy, or the network slow?", patience.as_secs())]
    Silent {
        /// Where.
        address: String,
        /// How long it was waited for.
        patience: Duration,
    },
    /// The robot says why it does not do it.
    #[error("{0}")]
    Refused(String),
    /// The robot does not run any more.
    #[error("the robot is gone: {reason}")]
    Ended {
        /// Why.
        reason: String,
    },
    /// The connection is gone, and with it maybe the robot.
    #[error("the connection to the robot at {address} is lost: {reason}")]
    Lost {
        /// Where it was.
        address: String,
        /// What the system says.
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
