//! The guard for systems without process descriptors: there is none, and `[guard]` is an error.

use std::fmt;
use std::io;
use std::process::ExitCode;

use hemiola_config::Base;
use hemiola_model::configuration::GuardConfiguration;

use super::message::Message;
use crate::error::CommandError;

/// A connection to no guard.
pub struct Line;

impl Line {
    pub fn to_guard() -> Option<Self> {
        None
    }

    pub fn say(&self, _: &Message) {}

    pub fn heartbeat(&self) -> io::Result<impl FnMut() + Send + 'static> {
        Ok(|| {})
    }
}

/// An oversight that refuses to oversee a robot.
pub struct Oversight;

impl Oversight {
    pub fn of(guard: &GuardConfiguration, base: &Base) -> Result<Self, CommandError> {
        StopCommand::of(guard, base).map(|_| Self)
    }

    pub fn oversee(&self) -> Result<ExitCode, CommandError> {
        Err(unsupported())
    }
}

/// A command that is never run.
pub struct StopCommand;

impl StopCommand {
    pub fn of(_: &GuardConfiguration, _: &Base) -> Result<Self, CommandError> {
        Err(unsupported())
    }
}

impl fmt::Display for StopCommand {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("nothing")
    }
}

fn unsupported() -> CommandError {
    CommandError::Guard(io::Error::new(
        io::ErrorKind::Unsupported,
        "`[guard]` of robot.toml needs Linux; remove it here",
    ))
}
