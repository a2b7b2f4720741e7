//! The earlier measurements of a robot before a run, and the verdict after it.

use std::thread::{self, JoinHandle};
use std::time::Duration;

use hemiola_insight::{Admitted, OverLinks, Verdict, admit, profile, watched_bounds};
use hemiola_model::Time;
use hemiola_runtime::{LatencyBounds, Robot, RobotHandle};
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

/// The bounds of a robot that are not known before its run, because it has not run like this yet:
/// they are watched as soon as the run itself has measured everything.
pub struct Learning {
    history: ProfileHistory,
    conditions: Conditions,
    over_links: OverLinks,
    /// The time at which the measurements are looked at.
    due: Time,
    look: Option<JoinHandle<Option<LatencyBounds>>>,
}

/// The time of a run after which its measurements are looked at, and again if something is missing.
const LOOK: Duration = Duration::from_secs(60);

impl Learning {
    /// Begins to learn the bounds of a robot that will run under these conditions, and reports in
    /// its journal what is not known; `None` if everything is known.
    pub fn begin(
        handle: &RobotHandle,
        history: &ProfileHistory,
        conditions: &Conditions,
        over_links: &OverLinks,
    ) -> Option<Self> {
        let known = history.known(conditions);
        let lacking = handle.with_robot(|robot| watched_bounds(robot, &known)).err()?;
        handle.note(format!(
            "no bounds are watched yet: {lacking}. They will be once this run has measured everything for a minute"
        ));
        Some(Self {
            history: history.clone(),
            conditions: conditions.clone(),
            over_links: over_links.clone(),
            due: Time::ZERO + LOOK,
            look: None,
        })
    }

    /// Returns the bounds once they are known. The analysis takes its time on a thread of its own.
    pub fn poll(&mut self, handle: &RobotHandle) -> Option<LatencyBounds> {
        if let Some(look) = self.look.take_if(|look| look.is_finished()) {
            return look.join().ok().flatten();
        }
        if self.look.is_none() && handle.now() >= self.due {
            self.due = handle.now() + LOOK;
            let (mut history, conditions) = (self.history.clone(), self.conditions.clone());
            let (over_links, handle) = (self.over_links.clone(), handle.clone());
            let look = move || {
                profile::add_run(&mut history, &conditions, handle.measured(), true);
                let known = history.known(&conditions);
                let bounds = handle.with_robot(|robot| watched_bounds(robot, &known)).ok()?;
                Some(over_links.watched_with(bounds))
            };
            self.look = thread::Builder::new().name("hemiola bounds".into()).spawn(look).ok();
        }
        None
    }
}

/// Returns a table of bounds, or the reason why there is none, which is no failure after a run; and
/// the verdict. `changes` are those that were made during the run.
pub fn bounds(session: Session, known: &Known, over_links: &OverLinks, changes: &[String]) -> (String, Verdict) {
    after_run(session, known, over_links, changes).unwrap_or_else(|error| {
        (format!("no bounds: {error}"), Verdict::unknown(format!("there are no bounds: {error}")))
    })
}
