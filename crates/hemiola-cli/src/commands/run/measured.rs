//! What is known of a robot before a run, and what that comes to after it.

use hemiola_insight::{Admitted, Verdict, admit};
use hemiola_runtime::{LatencyBounds, Robot};
use hemiola_trace::{Conditions, Known, ProfileHistory};

use crate::commands::analyze::after_run;
use crate::error::CommandError;
use crate::notes::tell;
use crate::session::Session;

/// Says why what was measured before is not held against this robot.
pub fn tell_changes(history: &ProfileHistory, now: &Conditions) {
    let Some(changes) = history.changes(now).filter(|changes| !changes.is_empty()) else { return };
    let (shown, more) = changes.split_at(changes.len().min(MOST_CHANGES));
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    tell(format_args!("note: this robot is measured anew, for it has changed: {}{more}", shown.join(", ")));
}

/// As many are told.
const MOST_CHANGES: usize = 4;

/// What the robot promises, if it may start with that.
pub fn admitted(robot: &Robot, known: &Known) -> Result<LatencyBounds, CommandError> {
    let Admitted { bounds, warning } = admit(robot, known)?;
    warning.into_iter().for_each(|warning| tell(format_args!("warning: {warning}")));
    Ok(bounds)
}

/// A table, or why there is none, which is no reason to fail after a run; and what it comes to.
pub fn bounds(session: Session, known: &Known) -> (String, Verdict) {
    after_run(session, known).unwrap_or_else(|error| {
        (format!("no bounds: {error}"), Verdict::unknown(format!("there are no bounds: {error}")))
    })
}
