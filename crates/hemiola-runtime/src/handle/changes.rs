//! What can be changed while a robot runs.

use std::time::Duration;

use hemiola_model::Value;
use hemiola_model::data::ValueReader;
use hemiola_plan::{Durations, Plan, PlanOptions, TaskGraph, WorkerChoice};

use super::RobotHandle;
use crate::assemble::durations_from;
use crate::command::{Command, Reason};
use crate::controls::TRIES;
use crate::error::RuntimeError;
use crate::record::Change;

/// How long replanning waits; most cycles run more often than that.
const REPLAN_PATIENCE: Duration = Duration::from_millis(200);

impl RobotHandle {
    /// Lets another module provide a representation, from the next run on. The module that provided it ends if nothing else of
    /// it is needed; a new one starts with the configured parameters.
    ///
    /// # Errors
    /// There is no such module, or the modules do not fit together then; nothing is changed.
    pub fn switch_provider(&self, representation: &str, module: &str) -> Result<(), RuntimeError> {
        let profile = self.profile();
        let mut controls = self.controls();
        let mut system = controls.robot.system.clone();
        system.providers.insert(representation.to_owned(), module.to_owned());
        let resolved = hemiola_plan::resolve(&system).map_err(|problems| RuntimeError::Unresolved { problems })?;
        let before = std::mem::replace(&mut controls.robot.system, system);
        let before = (before, std::mem::replace(&mut controls.robot.resolved, resolved));
        let number = controls.number_change();
        let change = Change::Provider { representation: representation.to_owned(), module: module.to_owned() };
        for index in 0..controls.cycles.len() {
            let unchanged = controls.robot.resolved.cycles[index] == before.1.cycles[index];
            if unchanged {
                continue;
            }
            if let Err(error) = controls.install(index, &profile, Reason::Modules(number), None) {
                match error {
                    // It comes into force some time.
                    RuntimeError::CycleDoesNotAnswer { .. } => self.note_change(change, Some(number)),
                    _ => (controls.robot.system, controls.robot.resolved) = before,
                }
                return Err(error);
            }
        }
        self.note_change(change, Some(number));
        Ok(())
    }

    /// Changes a parameter of a module, in all cycles that it runs in.
    ///
    /// # Errors
    /// There is no such module or parameter, or the value does not fit; nothing is changed.
    pub fn set_parameter(&self, module: &str, parameter: &str, value: Value) -> Result<(), RuntimeError> {
        let mut controls = self.controls();
        let modules = controls.robot.modules.clone();
        let Some(descriptor) = modules.iter().find(|known| known.name() == module) else {
            let known = modules.iter().map(|module| module.name().to_owned()).collect();
            return Err(RuntimeError::Unknown { kind: "module", name: module.to_owned(), known });
        };
        let mut values = controls.parameters.get(module).cloned().unwrap_or_default();
        values.insert(parameter.to_owned(), value.clone());
        let failed = |errors| RuntimeError::Parameters { name: module.to_owned(), errors };
        // Also for a module that no cycle uses at present.
        descriptor.check(&values).map_err(failed)?;
        let number = controls.number_change();
        let change = Change::Parameter { module: module.to_owned(), parameter: parameter.to_owned(), value };
        for cycle in &controls.cycles {
            if let Some(instance) = cycle.instances.get(module) {
                let parameters = instance.prepare(&values).map_err(failed)?;
                if let Err(error) = cycle.set_parameters(instance, parameters, number) {
                    // It comes into force some time, or has in another cycle.
                    self.note_change(change, Some(number));
                    return Err(error);
                }
            }
        }
        // New instances start with it as well.
        controls.robot.configuration.modules.entry(module.to_owned()).or_default().parameters.clone_from(&values);
        controls.parameters.insert(module.to_owned(), values);
        self.note_change(change, Some(number));
        Ok(())
    }

    /// Shows this value of a representation from the next run on, whatever its provider says.
    ///
    /// # Errors
    /// There is no such representation, it is opaque, or the value does not fit it.
    pub fn override_representation(&self, representation: &str, value: &Value) -> Result<(), RuntimeError> {
        let mut controls = self.controls();
        let number = controls.number_change();
        let (cycle, store) = controls.store_of(representation)?;
        let descriptor = cycle.blackboard.store(store).descriptor();
        let mut made = descriptor.create();
        match made.read(&mut ValueReader::new(value)) {
            Ok(true) => {}
            Ok(false) => return Err(RuntimeError::Opaque { name: representation.to_owned() }),
            Err(error) => return Err(RuntimeError::Value { name: representation.to_owned(), error }),
        }
        for _ in 0..TRIES {
            let command = Command::Override { store, value: made, done: false, change: number };
            match cycle.perform(command)? {
                Command::Override { done: true, .. } => {
                    let (representation, value) = (representation.to_owned(), value.clone());
                    self.note_change(Change::Override { representation, value }, Some(number));
                    return Ok(());
                }
                Command::Override { value, .. } => made = value,
                _ => return Err(RuntimeError::internal("a command came back as another one")),
            }
        }
        Err(RuntimeError::NeedsRestart {
            what: format!("overriding `{representation}`"),
            why: "a reader that does not run holds the last value".to_owned(),
        })
    }

    /// Ends overriding a representation.
    ///
    /// # Errors
    /// There is no such representation.
    pub fn release_representation(&self, representation: &str) -> Result<(), RuntimeError> {
        let mut controls = self.controls();
        let change = controls.number_change();
        let (cycle, store) = controls.store_of(representation)?;
        cycle.perform(Command::EndOverride { store, change })?;
        self.note_change(Change::Release { representation: representation.to_owned() }, Some(change));
        Ok(())
    }

    /// Changes the number of workers of a cycle; `None` lets the plan choose.
    ///
    /// # Errors
    /// There is no such cycle, or more workers than it was started with.
    pub fn set_workers(&self, cycle: &str, workers: Option<usize>) -> Result<(), RuntimeError> {
        let profile = self.profile();
        let mut controls = self.controls();
        let index = controls.cycle_index(cycle)?;
        let pool = controls.cycles[index].pool;
        if let Some(workers) = workers.filter(|&workers| workers == 0 || workers > pool) {
            return Err(RuntimeError::NeedsRestart {
                what: format!("{workers} workers for `{cycle}`"),
                why: format!("it was started with {pool}; set `workers` in robot.toml"),
            });
        }
        if let Some(configuration) = controls.robot.configuration.cycles.get_mut(index) {
            configuration.workers = workers;
        }
        controls.install(index, &profile, Reason::Plan, None)?;
        self.note_change(Change::Workers { cycle: cycle.to_owned(), workers }, None);
        Ok(())
    }

    /// Plans all cycles anew with the durations measured so far. A cycle that does not run at present goes on with its new plan
    /// when it runs again.
    ///
    /// # Errors
    /// A plan cannot be made, which is a mistake in Hemiola.
    pub fn replan(&self) -> Result<(), RuntimeError> {
        let profile = self.profile();
        let mut controls = self.controls();
        (0..controls.cycles.len()).try_for_each(|index| {
            match controls.install(index, &profile, Reason::Plan, Some(REPLAN_PATIENCE)) {
                Err(RuntimeError::CycleDoesNotAnswer { .. }) => Ok(()),
                result => result,
            }
        })
    }

    /// The plan that a cycle would get with the durations measured so far and so many workers.
    ///
    /// # Errors
    /// There is no such cycle.
    pub fn plan(&self, cycle: &str, workers: WorkerChoice) -> Result<(Plan, Durations), RuntimeError> {
        let profile = self.profile();
        let controls = self.controls();
        let index = controls.cycle_index(cycle)?;
        let graph = TaskGraph::of(&controls.robot.resolved.cycles[index]);
        let durations = durations_from(&profile, &graph);
        Ok((Plan::new(graph, &durations, &PlanOptions { workers, ..PlanOptions::default() }), durations))
    }
}
