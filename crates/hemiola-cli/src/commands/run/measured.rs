//! The earlier measurements of a robot before a run, and the verdict after it.

use hemiola_insight::{Admitted, OverLinks, Verdict, admit};
use hemiola_runtime::{LatencyBounds, Robot};
use hemiola_trace::{Conditions, Known, ProfileHistory};

use crate::commands::analyze::after_run;
use crate::error::CommandError;
use crate::notes::tell;
use crate::session::Session;

/// Reports why earlier measurements do not apply to this robot.
pub fn tell_changes(history: &ProfileHistory, now: &Conditions) {
    let Some(changes) = history.changes(now).filter(|changes| !changes.is_empty()) else { return };
    let (shown, more) = changes.split_at(changes.len().min(MOST_CHANGES));
    let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
    tell(format_args!("note: this robot is measured anew, because it has changed: {}{more}", shown.join(", ")));
}

/// The number of changes that are reported.
const MOST_CHANGES: usize = 4;

/// Returns the bounds that the robot guarantees, if it may start with them.
pub fn admitted(robot: &Robot, known: &Known, over_links: &OverLinks) -> Result<LatencyBounds, CommandError> {
    let Admitted { bounds, warning } = admit(robot, known)?;
    warning.into_iter().for_each(|warning| tell(format_args!("warning: {warning}")));
    Ok(over_links.watched_with(bounds))
}

/// Returns a table of bounds, or the reason why there is none, which is no failure after a run; and
/// the verdict.
pub fn bounds(session: Session, known: &Known, over_links: &OverLinks) -> (String, Verdict) {
    after_run(session, known, over_links).unwrap_or_else(|error| {
        (format!("no bounds: {error}"), Verdict::unknown(format!("there are no bounds: {error}")))
    })
}
