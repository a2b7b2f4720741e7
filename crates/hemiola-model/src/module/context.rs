use super::{Debug, SafeState, Scope};
use crate::Clock;

/// What the services of one call are; the runtime makes it, updates see its parts as arguments.
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
    /// The services of one call.
    pub fn new(clock: Clock, scope: Scope<'c>, debug: Debug<'c>, safe_state: SafeState) -> Self {
        Self { clock, scope, debug, safe_state }
    }

    /// The clock.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Fork and join.
    pub fn scope(&self) -> &Scope<'c> {
        &self.scope
    }

    /// Plots and drawings.
    pub fn debug(&self) -> &Debug<'c> {
        &self.debug
    }

    /// Whether the robot is in its safe state.
    pub fn safe_state(&self) -> &SafeState {
        &self.safe_state
    }
}
