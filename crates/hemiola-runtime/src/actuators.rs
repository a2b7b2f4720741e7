//! The modules of a cycle that have a safe state, for threads that put them into it from outside.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::lock::lock_if_free;
use crate::module_instance::{Entered, ModuleInstance};

/// The modules of a cycle that have a safe state. The lock is held only for a moment, and never
/// while user code is called.
#[derive(Default)]
pub struct Actuators(Mutex<Modules>);

#[derive(Default)]
struct Modules {
    /// The modules of the newest program.
    current: Vec<Arc<ModuleInstance>>,
    /// The modules of earlier programs: they are in use until the cycle has exchanged its program,
    /// and the cycle may hang before that.
    replaced: Vec<Weak<ModuleInstance>>,
}

impl Actuators {
    /// Collects the instances that have a safe state.
    pub fn of<'i>(instances: impl IntoIterator<Item = &'i Arc<ModuleInstance>>) -> Self {
        Self(Mutex::new(Modules { current: with_safe_state(instances), replaced: Vec::new() }))
    }

    /// Notes that the cycle will continue with these instances.
    pub fn replace<'i>(&self, instances: impl IntoIterator<Item = &'i Arc<ModuleInstance>>) {
        let current = with_safe_state(instances);
        let mut modules = self.modules();
        modules.replaced.retain(|replaced| replaced.strong_count() > 0);
        let is_gone = |module: &&Arc<ModuleInstance>| !current.iter().any(|kept| Arc::ptr_eq(kept, module));
        let gone: Vec<_> = modules.current.iter().filter(is_gone).map(Arc::downgrade).collect();
        modules.replaced.extend(gone);
        let before = std::mem::replace(&mut modules.current, current);
        drop(modules);
        drop(before);
    }

    /// Removes and returns all instances.
    pub fn take(&self) -> Vec<Arc<ModuleInstance>> {
        std::mem::take(&mut *self.modules()).current
    }

    /// Returns whether there are no instances.
    pub fn is_empty(&self) -> bool {
        let modules = self.modules();
        modules.current.is_empty() && modules.replaced.is_empty()
    }

    /// Puts all modules that are not in their safe state into it. Returns those for which that
    /// failed because they are in use; `None` if the instances are being exchanged at this moment.
    pub fn enter_safe_state(&self) -> Option<Vec<&'static str>> {
        let modules = {
            let modules = lock_if_free(&self.0)?;
            let replaced = modules.replaced.iter().filter_map(Weak::upgrade);
            replaced.chain(modules.current.iter().cloned()).collect::<Vec<_>>()
        };
        let busy = modules.iter().filter(|module| module.enter_safe_state() == Entered::Busy);
        Some(busy.map(|module| module.name()).collect())
    }

    fn modules(&self) -> MutexGuard<'_, Modules> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn with_safe_state<'i>(instances: impl IntoIterator<Item = &'i Arc<ModuleInstance>>) -> Vec<Arc<ModuleInstance>> {
    instances.into_iter().filter(|instance| instance.has_safe_state()).cloned().collect()
}
