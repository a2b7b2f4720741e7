//! A log, as clients come to see it: they look at it as at a robot, at a time of their own.
//!
//! | file | what |
//! |---|---|
//! | `session` | one client: what it asked for, and what it gets |
//! | `contents` | what the log has, and names for it |
//! | `transport` | the time of a client: it plays, stands still, is set |
//! | `feed` | messages whose time comes, read by a thread of the client's |
//! | `values` | one subscription to them |
//! | `journal` | what happened, read by another |
//! | `shown` | what modules had drawn |
//! | `answers` | what takes its time: plots, single values |

mod answers;
mod contents;
mod feed;
mod journal;
mod session;
mod shown;
mod transport;
mod values;

use std::path::Path;
use std::sync::Arc;

use crate::door::session::Session;
use crate::door::{DoorClient, Subject};
use crate::error::LiveError;
use contents::Contents;
use session::LogSession;

/// A log that clients look at: the [`Subject`] of a door without a robot.
///
/// ```no_run
/// use hemiola_live::{Door, DoorSettings, LogSubject};
///
/// let log = LogSubject::open("game.mcap".as_ref())?;
/// let door = Door::open("game", DoorSettings::default(), Box::new(log))?;
/// println!("{}", door.page().unwrap_or_default());
/// # Ok::<(), hemiola_live::LiveError>(())
/// ```
pub struct LogSubject(Arc<Contents>);

impl LogSubject {
    /// The log of a path: a file, the first of several, or a folder with them. One without a
    /// summary is read as a whole.
    ///
    /// # Errors
    /// There is no log. What is damaged is no error: [`damage`](Self::damage).
    pub fn open(path: &Path) -> Result<Self, LiveError> {
        Ok(Self(Arc::new(Contents::read(path)?)))
    }

    /// What could not be read of it, in words.
    pub fn damage(&self) -> &[String] {
        &self.0.damage
    }
}

impl Subject for LogSubject {
    fn protocols(&self) -> &[&str] {
        &["hemiola.v1"]
    }

    fn session(&self, _: &str, client: DoorClient) -> Box<dyn Session> {
        Box::new(LogSession::new(self.0.clone(), client))
    }
}
