//! The instances of modules, which are created when a robot is assembled and when a program needs
//! others.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use hemiola_plan::ResolvedCycle;

use super::robot::Robot;
use crate::error::RuntimeError;
use crate::made::Blueprint;
use crate::module_instance::ModuleInstance;
use crate::ports::Ports;
use crate::robot_state::RobotState;

/// The instances of a cycle, by module.
pub type Instances = BTreeMap<&'static str, Arc<ModuleInstance>>;

/// Returns instances of all modules that a cycle uses, both existing and new ones.
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
                let configuration = robot.configuration.modules.get(module.name());
                let parameters = configuration.map(|module| module.parameters.clone()).unwrap_or_default();
                let place = configuration.and_then(|module| module.place.as_deref());
                let blueprint = Blueprint { name: module.name(), location: module.location(), place };
                let created = blueprint.instance(|| module.create(&parameters))?;
                let ends = state.bus().ends_of_cycles();
                let ports = module.updates().iter().map(|update| Ports::connect(module.name(), update, &ends));
                let ports = ports.collect::<Result<_, _>>()?;
                Arc::new(ModuleInstance::new(created, ports, module.location(), state.faults().clone()))
            }
        };
        instances.insert(module.name(), instance);
    }
    Ok(instances)
}
