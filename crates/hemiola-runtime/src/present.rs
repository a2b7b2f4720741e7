//! What a robot consists of at present, for everybody who looks at it.
//!
//! A change calls constructors and defaults of users while the [controls](crate::controls::Controls) are
//! locked, and these may take their time, or never return. Nobody who only looks waits for that: what the
//! robot consists of is shown here when a change is made, under a lock that is held for no longer than it
//! takes to exchange a pointer.

use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::assemble::Robot;

/// See the module.
pub struct Present(Mutex<Arc<Robot>>);

impl Present {
    /// Of a robot that has been put together.
    pub fn new(robot: &Robot) -> Self {
        Self(Mutex::new(Arc::new(robot.without_course())))
    }

    /// What the robot consists of after the last change that has been made.
    pub fn get(&self) -> Arc<Robot> {
        self.lock().clone()
    }

    /// A change has been made.
    pub fn show(&self, robot: &Robot) {
        let now = Arc::new(robot.without_course());
        let before = mem::replace(&mut *self.lock(), now);
        // With nothing locked: it is large.
        drop(before);
    }

    fn lock(&self) -> MutexGuard<'_, Arc<Robot>> {
        // A pointer is whole even if somebody panicked.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
