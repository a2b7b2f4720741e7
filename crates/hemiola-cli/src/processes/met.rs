//! Another host of the robot, as far as a process that begins has to know of it.
//!
//! A process must not move anything before it knows whether the robot is in its safe state, and so
//! it waits until each other host has said what it knows. A host whose processes all have
//! `on_loss = "keep-last"` may be away: it is waited for until it has said so, or one attempt to
//! reach it, or to have it say so, has failed. A host with a process that has
//! `on_loss = "safe-state"` may not, and that process must have begun there.

use std::sync::Arc;

use super::words::HostKnows;

/// Another host of the robot.
pub struct KnownHost {
    name: String,
    /// The processes of this host with `on_loss = "safe-state"`.
    needed: Vec<String>,
    /// Set once it has said what it knows, or an attempt to have it say so has failed.
    is_settled: bool,
    /// The connection over which it says what it knows, and its processes that have begun.
    here: Option<(Connection, Vec<String>)>,
}

/// A connection over which a host says what it knows. Only clones are the same connection.
#[derive(Clone, Default)]
pub struct Connection(Arc<()>);

impl KnownHost {
    /// Creates a host that has not been met yet, with the processes of it without which the robot
    /// must not run.
    pub fn new(name: impl Into<String>, needed: Vec<String>) -> Self {
        Self { name: name.into(), needed, is_settled: false, here: None }
    }

    /// Returns what a process that begins has to wait for; `None` if there is nothing.
    pub fn missing(&self) -> Option<String> {
        let Self { name, needed, is_settled, here } = self;
        let not_met = || format!("host `{name}`: it has not been met yet");
        let Some((_, begun)) = here else {
            return (!is_settled || !needed.is_empty()).then(not_met);
        };
        let missing = needed.iter().find(|process| !begun.contains(process))?;
        Some(format!("process `{missing}` on host `{name}`: it has not begun yet"))
    }

    /// Notes what the host has said over this connection.
    pub fn hear(&mut self, connection: Connection, knows: &HostKnows) {
        self.is_settled = true;
        self.here = Some((connection, knows.begun.clone()));
    }

    /// Notes that this connection has ended. It may have been replaced by another one already.
    pub fn part(&mut self, connection: &Connection) {
        self.here.take_if(|(known, _)| Arc::ptr_eq(&known.0, &connection.0));
    }

    /// Notes that the host could not be reached, or has not said what it knows in time.
    pub fn note_absence(&mut self) {
        self.is_settled = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOT_MET: Option<&str> = Some("host `head`: it has not been met yet");

    fn says(host: &mut KnownHost, connection: &Connection, begun: &[&str]) {
        let begun = begun.iter().map(|process| (*process).to_owned()).collect();
        host.hear(connection.clone(), &HostKnows { begun, ..HostKnows::default() });
    }

    #[test]
    fn a_host_that_may_be_away_is_waited_for_until_it_has_been_tried() {
        let mut head = KnownHost::new("head", Vec::new());
        assert_eq!(head.missing().as_deref(), NOT_MET);
        head.note_absence();
        assert_eq!(head.missing(), None);
        // A host that was there once is known as well as possible.
        let (mut head, connection) = (KnownHost::new("head", Vec::new()), Connection::default());
        says(&mut head, &connection, &[]);
        assert_eq!(head.missing(), None);
        head.part(&connection);
        assert_eq!(head.missing(), None);
    }

    #[test]
    fn a_host_that_must_not_be_away_is_waited_for_until_its_process_has_begun() {
        let mut head = KnownHost::new("head", vec!["vision".into()]);
        head.note_absence();
        assert_eq!(head.missing().as_deref(), NOT_MET);
        let (first, second) = (Connection::default(), Connection::default());
        says(&mut head, &first, &["audio"]);
        assert_eq!(head.missing().as_deref(), Some("process `vision` on host `head`: it has not begun yet"));
        says(&mut head, &first, &["audio", "vision"]);
        assert_eq!(head.missing(), None);
        // The end of an earlier connection may be noticed after the next one has begun.
        says(&mut head, &second, &["vision"]);
        head.part(&first);
        assert_eq!(head.missing(), None);
        head.part(&second);
        assert_eq!(head.missing().as_deref(), NOT_MET);
    }
}
