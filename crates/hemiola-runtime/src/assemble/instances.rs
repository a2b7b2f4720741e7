//! Instances of modules: made when a robot is put together, and when a program needs others.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hemiola_plan::ResolvedCycle;
use hemiola_realtime::Containment;

use super::robot::Robot;
use crate::error::RuntimeError;
use crate::module_instance::ModuleInstance;
use crate::ports::Ports;
use crate::robot_state::RobotState;

/// Those of a cycle, by module.
pub type Instances = BTreeMap<&'static str, Arc<ModuleInstance>>;

/// Instances of all modules that a cycle uses: those that exist, and new ones.
pub fn instances(
    robot: &Robot,
    cycle: &ResolvedCycle,
    existing: &Instances,
    state: &RobotState,
) -> Result<Instances, RuntimeError> {
    let used: BTreeSet<&str> = cycle.updates.iter().map(|update| update.module.as_str()).collect();
    let mut instances = BTreeMap::new();
    for module in robot.modules_of(&cycle.name).into_iter().filter(|module| used.contains(module.name())) {
        let instance = match existing.get(module.name()) {
            Some(instance) => instance.clone(),
            None => {
                let parameters = robot.configuration.modules.get(module.name());
                let parameters = parameters.map(|module| module.parameters.clone()).unwrap_or_default();
                // What a constructor panics with is part of the error.
                let quiet = Containment::new();
                let created = module.create(&parameters);
                drop(quiet);
                let failed = |error| RuntimeError::of_creation(module.name(), error);
                let ports = module.updates().iter().map(|update| Ports::connect(module.name(), update, state.bus()));
                let (created, ports) = (created.map_err(failed)?, ports.collect::<Result<_, _>>()?);
                Arc::new(ModuleInstance::new(created, ports, module.location(), state.faults().clone()))
            }
        };
        instances.insert(module.name(), instance);
    }
    Ok(instances)
}

/// Those modules that have a safe state.
pub fn actuators(instances: &Instances) -> Vec<Arc<ModuleInstance>> {
    instances.values().filter(|instance| instance.has_safe_state()).cloned().collect()
}
