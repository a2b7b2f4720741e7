//! The changes with which a robot begins: those of an earlier run of it.

use std::collections::BTreeMap;

use super::RobotHandle;
use crate::containment::contained;
use crate::error::RuntimeError;
use crate::record::{Change, MOST_CHANGES};

impl RobotHandle {
    /// Makes changes that come into force with the first run of each cycle, and returns those that
    /// cannot be made, each with the reason. The journal contains all others.
    ///
    /// Parameters of one module come into force together, with the last of them: a change's number
    /// stands for all changes up to it. A cycle can begin with [`MOST_CHANGES`]; a change beyond
    /// that would come into force with a later run, and is not made.
    pub(crate) fn change_before_first_run(&self, changes: Vec<Change>, by: &str) -> Vec<(Change, String)> {
        let mut begun_with = BTreeMap::new();
        let mut refused = Vec::new();
        let mut changes = changes.into_iter();
        while let Some(change) = changes.next() {
            let is_superseded = changes.as_slice().iter().any(|later| module_of(later) == module_of(&change))
                && module_of(&change).is_some();
            if let Err(reason) = self.begin_with(&change, by, is_superseded, &mut begun_with) {
                refused.push((change, reason));
            }
        }
        refused
    }

    /// Makes one of these changes; `begun_with` counts the changes of each cycle. A later change
    /// that supersedes this one also has its effect.
    fn begin_with(
        &self,
        change: &Change,
        by: &str,
        is_superseded: bool,
        begun_with: &mut BTreeMap<usize, usize>,
    ) -> Result<(), String> {
        let profile = self.profile();
        let mut controls = self.controls();
        let number = controls.next_change();
        // This calls constructors and defaults of users.
        let prepared = contained(|| controls.prepare(change, number, &profile));
        let prepared = prepared.map_err(|reason| RuntimeError::ChangePanicked { reason }).flatten();
        let mut prepared = prepared.map_err(|error| error.to_string())?;
        let mut commands = prepared.take_commands();
        let unsent = if is_superseded { commands.split_off(0) } else { Vec::new() };
        let full = commands.iter().find(|(cycle, _)| begun_with.get(cycle) == Some(&MOST_CHANGES));
        let posted = match full {
            Some((cycle, _)) => {
                let cycle = &controls.cycles[*cycle].name;
                Err(format!("cycle `{cycle}` begins with {MOST_CHANGES} other ones, which is the maximum"))
            }
            None => {
                commands.iter().for_each(|(cycle, _)| *begun_with.entry(*cycle).or_default() += 1);
                controls.post(&mut commands).map_err(|error| error.to_string())
            }
        };
        let before = match posted {
            Ok(_) => {
                let before = controls.note_prepared(prepared);
                let number = change.has_number().then(|| controls.number_change());
                // The controls are still locked, so that the journal has changes in the order of
                // their numbers.
                self.note_change(change.clone(), number, Some(by));
                Ok(before)
            }
            Err(reason) => Err((reason, prepared)),
        };
        // Modules and values that are not needed may access the robot when they are dropped.
        drop(controls);
        drop((commands, unsent));
        before.map(drop).map_err(|(reason, _)| reason)
    }
}

/// Returns the module whose parameter a change sets.
fn module_of(change: &Change) -> Option<&str> {
    match change {
        Change::Parameter { module, .. } => Some(module),
        _ => None,
    }
}
