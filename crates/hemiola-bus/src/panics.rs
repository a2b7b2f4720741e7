//! Calls of code that may panic, after which the caller goes on.

use hemiola_realtime::{Containment, describe_panic, take_place};
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The number of panics, and the message of the last one.
#[derive(Default)]
pub(crate) struct Panics {
    count: u64,
    last: Option<String>,
}

impl Panics {
    /// Calls `work`, again and again until it does not panic.
    #[inline]
    pub(crate) fn contain(&mut self, mut work: impl FnMut()) {
        // Loom's own panics must be seen.
        let _quiet = (!cfg!(loom)).then(Containment::new);
        while let Err(panic) = catch_unwind(AssertUnwindSafe(&mut work)) {
            self.count += 1;
            self.last = Some(describe(panic));
        }
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    pub(crate) fn last(&self) -> Option<&str> {
        self.last.as_deref()
    }
}

/// Describes a panic by its message and its place, and drops its payload.
#[cold]
pub(crate) fn describe(panic: Box<dyn Any + Send>) -> String {
    let text = describe_panic(&*panic, &take_place());
    drop_contained(panic);
    text
}

/// Drops a value that does not belong to the caller: a panic ends here.
pub(crate) fn drop_contained<T>(value: T) {
    call_contained(|| drop(value));
}

/// Calls a closure that does not belong to the caller: a panic ends here. The payload of the panic
/// is dropped in the same way, and forgotten if that panics, too.
pub(crate) fn call_contained(call: impl FnOnce()) {
    // Loom's own panics must be seen.
    if cfg!(loom) {
        return call();
    }
    if let Err(panic) = catch_unwind(AssertUnwindSafe(call))
        && let Err(another) = catch_unwind(AssertUnwindSafe(|| drop(panic)))
    {
        std::mem::forget(another);
    }
}
