//! Turns a change into commands for the cycles that it concerns. Everything that takes time happens
//! here, on the thread that requests the change.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hemiola_model::data::ValueReader;
use hemiola_model::{AnyRepresentation, Value};
use hemiola_plan::{Resolved, RobotDescription};
use hemiola_trace::Profile;

use super::{Controls, Instances, MadeProgram};
use crate::command::{Command, Reason};
use crate::error::RuntimeError;
use crate::made::of_defaults;
use crate::module_instance::ModuleInstance;
use crate::record::{Change, ChangeNumber};

/// A prepared change: the commands, and the contents of the robot once they are posted.
#[derive(Default)]
pub struct Prepared {
    commands: Vec<(usize, Command)>,
    instances: Vec<(usize, BTreeMap<&'static str, Arc<ModuleInstance>>)>,
    after: After,
}

/// The contents that change, besides the cycles' programs.
#[derive(Default)]
enum After {
    #[default]
    Nothing,
    Providers {
        system: RobotDescription,
        resolved: Resolved,
    },
    Parameters {
        module: String,
        values: BTreeMap<String, Value>,
    },
    Workers {
        cycle: usize,
        workers: Option<usize>,
    },
}

impl Prepared {
    /// Removes and returns the commands, each with the index of its cycle.
    pub fn take_commands(&mut self) -> Vec<(usize, Command)> {
        std::mem::take(&mut self.commands)
    }

    fn install(&mut self, cycle: usize, made: MadeProgram, reason: Reason) {
        self.commands.push((cycle, Command::Install(made.program, reason)));
        self.instances.push((cycle, made.instances));
    }
}

impl Controls {
    /// Prepares a change that cycles have to apply. Its number is passed to those that may have
    /// other results from then on. The robot's contents stay the same until
    /// [`note_prepared`](Self::note_prepared).
    ///
    /// # Errors
    /// Returns an error with the reason if the change cannot be made.
    pub fn prepare(
        &mut self,
        change: &Change,
        number: ChangeNumber,
        profile: &Profile,
    ) -> Result<Prepared, RuntimeError> {
        match change {
            Change::Provider { representation, module } => {
                self.prepare_provider(representation, module, number, profile)
            }
            Change::Parameter { module, parameter, value } => self.prepare_parameter(module, parameter, value, number),
            Change::Override { representation, value } => self.prepare_override(representation, value, number),
            Change::Release { representation } => {
                let (cycle, store) = self.place_of(representation)?;
                let commands = vec![(cycle, Command::EndOverride { store, change: number })];
                Ok(Prepared { commands, ..Prepared::default() })
            }
            Change::Workers { cycle, workers } => self.prepare_workers(cycle, *workers, profile),
            Change::Restart { module } => self.prepare_restart(module, number, profile),
            Change::EnterSafeState | Change::LeaveSafeState | Change::Trace { .. } => Ok(Prepared::default()),
        }
    }

    /// Updates the robot's contents, now that the commands of a change are posted. Returns the
    /// previous contents, to be dropped when the controls are no longer locked.
    #[must_use = "modules are dropped when nothing is locked"]
    pub fn note_prepared(&mut self, prepared: Prepared) -> Vec<Instances> {
        match prepared.after {
            After::Nothing => {}
            After::Providers { system, resolved } => {
                self.robot.system = system;
                self.robot.resolved = resolved;
                self.present.show(self.robot.without_course());
            }
            After::Parameters { module, values } => {
                self.set_parameters(&module, values);
                self.present.show(self.robot.without_course());
            }
            After::Workers { cycle, workers } => {
                self.set_workers(cycle, workers);
                self.present.show(self.robot.without_course());
            }
        }
        let changed = prepared.instances.into_iter();
        changed.map(|(cycle, instances)| self.note_instances(cycle, instances)).collect()
    }

    /// Creates new programs for the cycles, with what was measured since the last ones were
    /// created.
    ///
    /// # Errors
    /// Returns an error if a plan cannot be made, which is a mistake in Hemiola.
    pub fn prepare_plans(
        &self,
        cycles: impl IntoIterator<Item = usize>,
        profile: &Profile,
    ) -> Result<Prepared, RuntimeError> {
        let mut prepared = Prepared::default();
        for cycle in cycles {
            prepared.install(
                cycle,
                self.make_program(cycle, &self.robot.resolved.cycles[cycle], profile, None)?,
                Reason::Plan,
            );
        }
        Ok(prepared)
    }

    fn prepare_provider(
        &self,
        representation: &str,
        module: &str,
        number: ChangeNumber,
        profile: &Profile,
    ) -> Result<Prepared, RuntimeError> {
        let mut system = self.robot.system.clone();
        system.providers.insert(representation.to_owned(), module.to_owned());
        let resolved = hemiola_plan::resolve(&system).map_err(|problems| RuntimeError::Unresolved { problems })?;
        let mut prepared = Prepared::default();
        for (cycle, after) in resolved.cycles.iter().enumerate() {
            if *after != self.robot.resolved.cycles[cycle] {
                prepared.install(cycle, self.make_program(cycle, after, profile, None)?, Reason::Modules(number));
            }
        }
        prepared.after = After::Providers { system, resolved };
        Ok(prepared)
    }

    fn prepare_parameter(
        &self,
        module: &str,
        parameter: &str,
        value: &Value,
        number: ChangeNumber,
    ) -> Result<Prepared, RuntimeError> {
        let modules = self.robot.modules.clone();
        let Some(descriptor) = modules.iter().find(|known| known.name() == module) else {
            let known = modules.iter().map(|module| module.name().to_owned()).collect();
            return Err(RuntimeError::Unknown { kind: "module", name: module.to_owned(), known });
        };
        let mut values = self.parameters.get(module).cloned().unwrap_or_default();
        values.insert(parameter.to_owned(), value.clone());
        let failed = |errors| RuntimeError::Parameters { name: module.to_owned(), errors };
        // The check is also made for a module that no cycle uses at present.
        descriptor.check(&values).map_err(failed)?;
        let mut prepared = Prepared::default();
        for (cycle, control) in self.cycles.iter().enumerate() {
            if let Some(instance) = control.instances.get(module) {
                let parameters = instance.prepare(&values).map_err(failed)?;
                let instance = instance.clone();
                let command = Command::SetParameters { instance, parameters, done: false, change: number };
                prepared.commands.push((cycle, command));
            }
        }
        prepared.after = After::Parameters { module: module.to_owned(), values };
        Ok(prepared)
    }

    /// Sets the parameters with which new instances of a module start.
    pub fn set_parameters(&mut self, module: &str, values: BTreeMap<String, Value>) {
        self.robot.configuration.modules.entry(module.to_owned()).or_default().parameters.clone_from(&values);
        self.parameters.insert(module.to_owned(), values);
    }

    fn prepare_override(
        &self,
        representation: &str,
        value: &Value,
        number: ChangeNumber,
    ) -> Result<Prepared, RuntimeError> {
        let (cycle, store) = self.place_of(representation)?;
        let value = self.value_of(cycle, store, value)?;
        let commands = vec![(cycle, Command::Override { store, value, done: false, change: number })];
        Ok(Prepared { commands, ..Prepared::default() })
    }

    /// Creates a value of a store's representation.
    ///
    /// # Errors
    /// Returns an error if the representation is opaque, or the value does not fit it.
    pub fn value_of(&self, cycle: usize, store: usize, value: &Value) -> Result<AnyRepresentation, RuntimeError> {
        let descriptor = self.cycles[cycle].blackboard.store(store).descriptor();
        let mut made = of_defaults(descriptor, || descriptor.create())?;
        let name = || descriptor.name().to_owned();
        match made.read(&mut ValueReader::new(value)) {
            Ok(true) => Ok(made),
            Ok(false) => Err(RuntimeError::Opaque { name: name() }),
            Err(error) => Err(RuntimeError::Value { name: name(), error }),
        }
    }

    fn prepare_workers(
        &mut self,
        cycle: &str,
        workers: Option<usize>,
        profile: &Profile,
    ) -> Result<Prepared, RuntimeError> {
        let index = self.cycle_index(cycle)?;
        let pool = self.cycles[index].pool;
        if let Some(workers) = workers.filter(|&workers| workers == 0 || workers > pool) {
            return Err(RuntimeError::NeedsRestart {
                what: format!("{workers} workers for `{cycle}`"),
                why: format!("it was started with {pool}; set `workers` in robot.toml"),
            });
        }
        let before = self.robot.configuration.cycles.get(index).and_then(|cycle| cycle.workers);
        self.set_workers(index, workers);
        let prepared = self.prepare_plans([index], profile);
        self.set_workers(index, before);
        Ok(Prepared { after: After::Workers { cycle: index, workers }, ..prepared? })
    }

    fn set_workers(&mut self, cycle: usize, workers: Option<usize>) {
        if let Some(configuration) = self.robot.configuration.cycles.get_mut(cycle) {
            configuration.workers = workers;
        }
    }

    fn prepare_restart(&self, module: &str, number: ChangeNumber, profile: &Profile) -> Result<Prepared, RuntimeError> {
        let mut prepared = Prepared::default();
        let mut known = BTreeSet::new();
        for (cycle, control) in self.cycles.iter().enumerate() {
            known.extend(control.instances.keys().map(|&name| name.to_owned()));
            if control.instances.contains_key(module) {
                let resolved = &self.robot.resolved.cycles[cycle];
                let made = self.make_program(cycle, resolved, profile, Some(module))?;
                prepared.install(cycle, made, Reason::Modules(number));
            }
        }
        if prepared.commands.is_empty() {
            let known = known.into_iter().collect();
            return Err(RuntimeError::Unknown { kind: "module that runs", name: module.to_owned(), known });
        }
        Ok(prepared)
    }

    /// Returns the index of the cycle that provides a representation now, and the number of its
    /// store.
    fn place_of(&self, representation: &str) -> Result<(usize, usize), RuntimeError> {
        let (control, store) = self.store_of(representation)?;
        Ok((self.cycle_index(&control.name)?, store))
    }
}
