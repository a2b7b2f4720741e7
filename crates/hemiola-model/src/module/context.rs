use super::{Debug, SafeState, Scope};
use crate::Clock;

/// The services of one call; the runtime creates it, updates see its parts as arguments.
///
/// ```
/// use hemiola_model::module::Context;
///
/// let context = Context::default();
/// assert_eq!(context.clock().run(), 0);
/// ```
#[derive(Debug, Default)]
pub struct Context<'c> {
    clock: Clock,
    scope: Scope<'c>,
    debug: Debug<'c>,
    safe_state: SafeState,
}

impl<'c> Context<'c> {
    /// Creates the context of one call from its services.
    pub fn new(clock: Clock, scope: Scope<'c>, debug: Debug<'c>, safe_state: SafeState) -> Self {
        Self { clock, scope, debug, safe_state }
    }

    /// Returns the clock.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Returns the scope for fork and join.
    pub fn scope(&self) -> &Scope<'c> {
        &self.scope
    }

    /// Returns the service for plots and drawings.
    pub fn debug(&self) -> &Debug<'c> {
        &self.debug
    }

    /// Returns whether the robot is in its safe state.
    pub fn safe_state(&self) -> &SafeState {
        &self.safe_state
    }
}
