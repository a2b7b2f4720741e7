use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// Whether the robot is in its safe state: actuator modules ask for it with a `&SafeState` argument.
///
/// ```
/// use hemiola_model::module::SafeState;
///
/// assert!(!SafeState::default().is_active());
/// assert!(SafeState::Active.is_active());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SafeState {
    /// All is well.
    #[default]
    Inactive,
    /// A cycle stopped, a module failed whose policy says so, or somebody asked for it: sit down, take the power off.
    Active,
}

impl SafeState {
    /// Whether the robot is in its safe state.
    pub fn is_active(self) -> bool {
        self == Self::Active
    }
}

/// A module's `#[safe_state]` method, without the module's type.
///
/// A module that drives hardware has one: it is called when the robot enters its safe state, between two runs of the module's
/// cycle, or, when that cycle has stopped, by the watchdog. It may be called more than once.
#[derive(Clone)]
pub(super) struct SafeStateAction(Arc<Enter>);

/// Calls the method on a module, which is passed without its type.
type Enter = dyn Fn(&mut dyn Any) + Send + Sync;

impl SafeStateAction {
    /// What `M` does.
    pub fn new<M: 'static>(enter: fn(&mut M)) -> Self {
        Self(Arc::new(move |module| {
            if let Some(module) = module.downcast_mut() {
                enter(module);
            }
        }))
    }

    /// Has a module of the action's type enter its safe state.
    pub fn call(&self, module: &mut dyn Any) {
        (self.0)(module);
    }
}

impl fmt::Debug for SafeStateAction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SafeStateAction")
    }
}
