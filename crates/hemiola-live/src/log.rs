//! A log as the subject of a door: clients view it like a robot, each at its own time.
//!
//! | file | what |
//! |---|---|
//! | `session` | the session of one client |
//! | `contents` | the contents of a log, and names for them |
//! | `transport` | the time of a client: it plays, pauses, jumps |
//! | `feed` | the messages that become due, read by a thread of the client |
//! | `values` | one subscription to a representation or topic |
//! | `journal` | the journal, read by a thread of its own |
//! | `shown` | the recorded drawings and images of modules |
//! | `answers` | the answers that take time: plots and single values |

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

/// A log that clients view: the [`Subject`] of a door without a robot.
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
    /// Opens the log at a path: a file, the first of several files, or a folder that contains them.
    /// A log without a summary is read completely.
    ///
    /// # Errors
    /// Returns an error if there is no log. Damage is not an error: see [`damage`](Self::damage).
    pub fn open(path: &Path) -> Result<Self, LiveError> {
        Ok(Self(Arc::new(Contents::read(path)?)))
    }

    /// Returns descriptions of what could not be read.
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
