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
///
/// ```
/// use hemiola_model::module::SafeStateAction;
///
/// struct Motors { power: bool }
/// let action = SafeStateAction::new(|motors: &mut Motors| motors.power = false);
/// assert_eq!(format!("{action:?}"), "SafeStateAction");
/// ```
#[derive(Clone)]
pub struct SafeStateAction(Arc<dyn Call>);

trait Call: Send + Sync {
    /// # Safety
    /// `instance` is a module of the action's type that nobody else uses meanwhile.
    unsafe fn call(&self, instance: *mut ());
}

struct Typed<M>(fn(&mut M));

impl<M: 'static> Call for Typed<M> {
    unsafe fn call(&self, instance: *mut ()) {
        // SAFETY: promised by the caller.
        (self.0)(unsafe { &mut *instance.cast() });
    }
}

impl SafeStateAction {
    /// What `M` does.
    pub fn new<M: 'static>(enter: fn(&mut M)) -> Self {
        Self(Arc::new(Typed(enter)))
    }

    /// # Safety
    /// `instance` is a module of the action's type that nobody else uses meanwhile.
    pub(super) unsafe fn call(&self, instance: *mut ()) {
        // SAFETY: promised by the caller.
        unsafe { self.0.call(instance) }
    }
}

impl fmt::Debug for SafeStateAction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("SafeStateAction")
    }
}
