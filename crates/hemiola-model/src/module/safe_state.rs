use std::any::Any;
use std::fmt;
use std::sync::Arc;

use super::Outcome;

/// The state of the robot with respect to its safe state: actuator modules receive it as a
/// `&SafeState` argument.
///
/// ```
/// use hemiola_model::module::SafeState;
///
/// /// An update of a module that drives motors.
/// fn velocity(wanted: f32, safe_state: &SafeState) -> f32 {
///     if safe_state.is_active() { 0.0 } else { wanted }
/// }
/// assert_eq!(velocity(0.4, &SafeState::Inactive), 0.4);
/// assert_eq!(velocity(0.4, &SafeState::Active), 0.0);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SafeState {
    /// The robot operates normally.
    #[default]
    Inactive,
    /// The robot must be made safe (sit down, switch the power off): a cycle stopped, a module
    /// failed whose policy demands it, or the safe state was requested.
    Active,
}

impl SafeState {
    /// Returns whether the robot is in its safe state.
    pub fn is_active(self) -> bool {
        self == Self::Active
    }
}

/// A module's `#[safe_state]` method, without the module's type.
///
/// A module that drives hardware has one: it is called when the robot enters its safe state and
/// when it ends, between two runs of the module's cycle, or, if that cycle hangs, by the watchdog.
/// From then on its updates are skipped, except those that take `&SafeState`.
#[derive(Clone)]
pub(super) struct SafeStateAction(Arc<Enter>);

/// The type of a function that calls the method on a module, which is passed without its type.
type Enter = dyn Fn(&mut dyn Any) -> Outcome + Send + Sync;

impl SafeStateAction {
    /// Wraps the method of `M`.
    pub fn new<M: 'static>(enter: fn(&mut M) -> Outcome) -> Self {
        Self(Arc::new(move |module| module.downcast_mut().map_or(Outcome::Done, enter)))
    }

    /// Calls the method on a module, which must be of the action's type.
    pub fn call(&self, module: &mut dyn Any) -> Outcome {
        (self.0)(module)
    }
}

impl fmt::Debug for SafeStateAction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SafeStateAction")
    }
}
