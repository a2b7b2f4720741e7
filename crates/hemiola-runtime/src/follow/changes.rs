//! The changes from outside in a recording, which are made again.
//!
//! Each cycle reaches a change with a run of its own. Meanwhile other cycles may have reached later
//! ones, so the effect of a change on a cycle is computed from all changes up to it and from none
//! after it.

use std::collections::BTreeMap;

use hemiola_model::Value;
use hemiola_plan::{Resolved, RobotDescription};

use crate::command::{Command, Reason};
use crate::controls::{Controls, MadeProgram};
use crate::error::RuntimeError;
use crate::handle::RobotHandle;
use crate::record::{Change, ChangeNumber};

/// The changes of a recording.
pub struct RecordedChanges {
    changes: BTreeMap<ChangeNumber, Change>,
    /// The number of the first change that is not yet in the journal of the replay.
    next: ChangeNumber,
    /// The state in which the robot began, once a change was made.
    beginning: Option<Beginning>,
}

/// The state of the robot before the first change.
struct Beginning {
    system: RobotDescription,
    parameters: BTreeMap<String, BTreeMap<String, Value>>,
}

/// The state of the robot after a change, whichever cycles have reached it.
struct After {
    resolved: Resolved,
    parameters: BTreeMap<String, BTreeMap<String, Value>>,
}

impl RecordedChanges {
    pub fn new(changes: BTreeMap<ChangeNumber, Change>) -> Self {
        Self { changes, next: 0, beginning: None }
    }

    /// Returns the command with which a change comes into force in a cycle.
    ///
    /// # Errors
    /// Returns an error with the reason in words.
    pub fn command(&mut self, robot: &RobotHandle, cycle: usize, number: ChangeNumber) -> Result<Command, String> {
        let change = self.changes.get(&number).cloned();
        let change = change.ok_or("the recording does not contain the change")?;
        let profile = robot.profile();
        let mut controls = robot.controls();
        self.note(robot, number);
        let not_there = |what: &str| format!("the cycle has no {what}");
        match change {
            Change::Parameter { module, .. } => {
                let values = self.after(&controls, number).map_err(in_words)?.parameters.remove(&module);
                let values = values.unwrap_or_default();
                let instance = controls.cycles[cycle].instances.get(module.as_str());
                let instance = instance.ok_or_else(|| not_there(&module))?.clone();
                let parameters = instance
                    .prepare(&values)
                    .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))?;
                controls.set_parameters(&module, values);
                controls.present.show(controls.robot.without_course());
                Ok(Command::SetParameters { instance, parameters, done: false, change: number })
            }
            Change::Provider { .. } | Change::Restart { .. } => {
                let After { resolved, parameters } = self.after(&controls, number).map_err(in_words)?;
                let resolved = resolved.cycles.into_iter().nth(cycle).ok_or("the recording has other cycles")?;
                let fresh = if let Change::Restart { module } = &change { Some(module.as_str()) } else { None };
                for (module, values) in parameters {
                    controls.set_parameters(&module, values);
                }
                let made = controls.make_program(cycle, &resolved, &profile, fresh).map_err(in_words)?;
                let MadeProgram { program, instances } = made;
                controls.robot.resolved.cycles[cycle] = resolved;
                controls.present.show(controls.robot.without_course());
                let before = controls.note_instances(cycle, instances);
                drop(controls);
                drop(before);
                Ok(Command::Install(program, Reason::Modules(number)))
            }
            Change::Override { representation, value } => {
                let store = controls.cycles[cycle].blackboard.store_of(&representation);
                let store = store.ok_or_else(|| not_there(&representation))?;
                let value = controls.value_of(cycle, store, &value).map_err(in_words)?;
                Ok(Command::Override { store, value, done: false, change: number })
            }
            Change::Release { representation } => {
                let store = controls.cycles[cycle].blackboard.store_of(&representation);
                let store = store.ok_or_else(|| not_there(&representation))?;
                Ok(Command::EndOverride { store, change: number })
            }
            Change::Workers { .. } | Change::Trace { .. } | Change::EnterSafeState | Change::LeaveSafeState => {
                Err("it is not one with which a run begins".to_owned())
            }
        }
    }

    /// Notes all changes up to this one in the journal, in their order.
    fn note(&mut self, robot: &RobotHandle, last: ChangeNumber) {
        if last < self.next {
            return;
        }
        for (&number, change) in self.changes.range(self.next..=last) {
            robot.note_change(change.clone(), Some(number), None);
        }
        self.next = last.saturating_add(1);
    }

    /// Returns the state of the robot after all changes up to this one.
    fn after(&mut self, controls: &Controls, last: ChangeNumber) -> Result<After, RuntimeError> {
        let beginning = self.beginning.get_or_insert_with(|| Beginning {
            system: controls.robot.system.clone(),
            parameters: controls.parameters.clone(),
        });
        let (mut system, mut parameters) = (beginning.system.clone(), beginning.parameters.clone());
        for change in self.changes.range(..=last).map(|(_, change)| change) {
            match change {
                Change::Parameter { module, parameter, value } => {
                    parameters.entry(module.clone()).or_default().insert(parameter.clone(), value.clone());
                }
                Change::Provider { representation, module } => {
                    system.providers.insert(representation.clone(), module.clone());
                }
                _ => {}
            }
        }
        let resolved = hemiola_plan::resolve(&system).map_err(|problems| RuntimeError::Unresolved { problems })?;
        Ok(After { resolved, parameters })
    }
}

fn in_words(error: RuntimeError) -> String {
    error.to_string()
}
