//! Changes from outside that a recording tells of, made again.

use std::collections::BTreeMap;

use hemiola_model::Value;
use hemiola_model::data::ValueReader;
use hemiola_plan::ResolvedCycle;

use crate::command::{Command, Reason};
use crate::controls::{Controls, MadeProgram};
use crate::handle::RobotHandle;
use crate::record::{Change, ChangeNumber};

/// What is known of them. A change comes into force in each cycle with a run of its own.
pub(super) struct RecordedChanges {
    changes: BTreeMap<ChangeNumber, Change>,
    /// Those before it have been taken up by what is the same for all cycles.
    next: ChangeNumber,
    /// What a change made of its module's parameters.
    parameters: BTreeMap<ChangeNumber, BTreeMap<String, Value>>,
    /// What a change made of cycles that have not come to it yet.
    resolved: BTreeMap<(ChangeNumber, usize), ResolvedCycle>,
}

impl RecordedChanges {
    pub(super) fn new(changes: BTreeMap<ChangeNumber, Change>) -> Self {
        Self { changes, next: 0, parameters: BTreeMap::new(), resolved: BTreeMap::new() }
    }

    /// What makes a change come into force in a cycle.
    ///
    /// # Errors
    /// In words.
    pub(super) fn command(
        &mut self,
        robot: &RobotHandle,
        cycle: usize,
        number: ChangeNumber,
    ) -> Result<Command, String> {
        let change = self.changes.get(&number).cloned();
        let change = change.ok_or("the recording does not tell what was changed")?;
        let profile = robot.profile();
        let mut controls = robot.controls();
        self.take_up(robot, &mut controls, number).map_err(|error| error.to_string())?;
        let not_there = |what: &str| format!("the cycle has no {what}");
        match change {
            Change::Parameter { module, .. } => {
                let instance =
                    controls.cycles[cycle].instances.get(module.as_str()).ok_or_else(|| not_there(&module))?;
                let values = self.parameters.get(&number).cloned().unwrap_or_default();
                let parameters = instance
                    .prepare(&values)
                    .map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))?;
                Ok(Command::SetParameters { instance: instance.clone(), parameters, done: false, change: number })
            }
            Change::Provider { .. } | Change::Restart { .. } => {
                if let Some(resolved) = self.resolved.remove(&(number, cycle)) {
                    controls.robot.resolved.cycles[cycle] = resolved;
                }
                let fresh = if let Change::Restart { module } = &change { Some(module.as_str()) } else { None };
                let made = controls.make_program(cycle, &profile, fresh).map_err(|error| error.to_string())?;
                let MadeProgram { program, instances } = made;
                controls.note_instances(cycle, instances);
                Ok(Command::Install(program, Reason::Modules(number)))
            }
            Change::Override { representation, value } => {
                let blackboard = &controls.cycles[cycle].blackboard;
                let store = blackboard.store_of(&representation).ok_or_else(|| not_there(&representation))?;
                let mut made = blackboard.store(store).descriptor().create();
                made.read(&mut ValueReader::new(&value)).map_err(|error| format!("{representation}: {error}"))?;
                Ok(Command::Override { store, value: made, done: false, change: number })
            }
            Change::Release { representation } => {
                let store = controls.cycles[cycle].blackboard.store_of(&representation);
                let store = store.ok_or_else(|| not_there(&representation))?;
                Ok(Command::EndOverride { store, change: number })
            }
            Change::Workers { .. } | Change::EnterSafeState | Change::LeaveSafeState => {
                Err("it is none that a run begins with".to_owned())
            }
        }
    }

    /// Takes up all changes to this one, in their order, in what is the same for all cycles.
    fn take_up(
        &mut self,
        robot: &RobotHandle,
        controls: &mut Controls,
        last: ChangeNumber,
    ) -> Result<(), crate::error::RuntimeError> {
        if last < self.next {
            return Ok(());
        }
        let new: Vec<_> =
            self.changes.range(self.next..=last).map(|(&number, change)| (number, change.clone())).collect();
        self.next = last + 1;
        for (number, change) in new {
            match &change {
                Change::Parameter { module, parameter, value } => {
                    let values = controls.parameters.entry(module.clone()).or_default();
                    values.insert(parameter.clone(), value.clone());
                    let values = values.clone();
                    // New instances start with it as well.
                    let configured = controls.robot.configuration.modules.entry(module.clone()).or_default();
                    configured.parameters.clone_from(&values);
                    self.parameters.insert(number, values);
                }
                Change::Provider { representation, module } => {
                    controls.robot.system.providers.insert(representation.clone(), module.clone());
                    let resolved = hemiola_plan::resolve(&controls.robot.system)
                        .map_err(|problems| crate::error::RuntimeError::Unresolved { problems })?;
                    self.resolved.extend(
                        resolved.cycles.into_iter().enumerate().map(|(cycle, resolved)| ((number, cycle), resolved)),
                    );
                    // Of earlier ones no cycle will hear any more that has not yet.
                    self.resolved.retain(|(known, _), _| *known + KEPT > number);
                }
                _ => {}
            }
            robot.note_change(change, Some(number));
        }
        Ok(())
    }
}

/// Changes are made one after the other; two may meet where cycles begin at the same time.
const KEPT: ChangeNumber = 4;
