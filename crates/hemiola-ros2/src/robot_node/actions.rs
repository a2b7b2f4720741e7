//! Actions that modules of this robot serve or use, each between the robot's topics and the
//! services and topics of the ROS 2 system.

mod client;
mod ends;
mod parts;
mod server;

use std::sync::Arc;

use hemiola_link::ServiceStatistics;
use hemiola_link::ends::Ends;
use hemiola_model::configuration::Ros2Action;
use hemiola_realtime::Wakeup;
use zenoh::Session;

pub use client::ActionClient;
pub use server::ActionServer;

use crate::endpoint::{Endpoint, Node};
use ends::{ActionEnds, FIRST, SECOND};
use parts::Parts;

/// An action with its side in the system, which is declared once the robot has the action's topics.
pub struct Action<S> {
    ends: ActionEnds,
    side: Option<S>,
    wakeup: Arc<Wakeup>,
    is_given_up: bool,
}

/// The side of an action in the system: its server, or a client.
pub trait ActionSide: Sized {
    const IS_SERVER: bool;
    /// The suffixes of the robot's topics that are published here, and of those that are read.
    const PUBLISHED: [&'static str; 2];
    const READ: [&'static str; 2];
    /// The words for an action that cannot be declared.
    const FAILURE: &'static str;

    /// Declares all parts.
    ///
    /// # Errors
    /// Returns an error with the reason.
    fn declare(parts: &mut Parts<'_>) -> Result<Self, String>;

    fn endpoints(&self) -> Vec<&Endpoint>;

    /// Returns the key at which goals are sent.
    fn key(&self) -> &str;

    /// Passes on what has arrived from the system and from the robot. Calls `complain` with the
    /// reason of each failure.
    fn turn(
        &mut self,
        ends: &mut ActionEnds,
        now: &Turn<'_>,
        shown: &mut ServiceStatistics,
        complain: impl FnMut(String),
    );
}

/// The session, and the time, during a turn.
pub struct Turn<'s> {
    pub session: &'s Session,
    /// The time in nanoseconds since 1970.
    pub unix_ns: i64,
}

impl<S: ActionSide> Action<S> {
    pub fn new(configuration: &Ros2Action, ends: Ends, wakeup: &Arc<Wakeup>) -> Self {
        let ends = ActionEnds::new(configuration, S::PUBLISHED, S::READ, ends, wakeup);
        Self { ends, side: None, wakeup: wakeup.clone(), is_given_up: false }
    }

    /// Declares the action once the robot has its topics; its endpoints get the numbers after
    /// `last_id`. Returns whether it is declared.
    ///
    /// # Errors
    /// Returns an error with the reason, once.
    pub fn look(&mut self, session: &Session, node: &Node, last_id: &mut u64) -> Result<bool, String> {
        if self.side.is_none()
            && !self.is_given_up
            && let Some(interfaces) = self.ends.look()
        {
            let name = &self.ends.configuration.name;
            let (is_server, wakeup) = (S::IS_SERVER, &self.wakeup);
            let declared = interfaces.map_err(|error| error.to_string()).and_then(|interfaces| {
                S::declare(&mut Parts { session, node, last_id, name, interfaces: &interfaces, is_server, wakeup })
            });
            self.is_given_up = declared.is_err();
            self.side = Some(declared?);
            // From here on, no message of the robot is missed.
            self.ends.topics.subscribe(FIRST, true)?;
            self.ends.topics.subscribe(SECOND, true)?;
        }
        Ok(self.side.is_some())
    }

    pub fn endpoints(&self) -> impl Iterator<Item = &Endpoint> {
        self.side.iter().flat_map(S::endpoints)
    }

    /// Returns the key at which goals are sent.
    pub fn key(&self) -> Option<&str> {
        self.side.as_ref().map(S::key)
    }

    /// Passes on what has arrived. Calls `complain` with the reason of each failure.
    pub fn turn(&mut self, now: &Turn<'_>, shown: &mut ServiceStatistics, complain: impl FnMut(String)) {
        if let Some(side) = &mut self.side {
            side.turn(&mut self.ends, now, shown, complain);
        }
    }
}
