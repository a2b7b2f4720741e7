//! Calling what may panic, and going on.

use hemiola_realtime::{Containment, describe_panic, take_place};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How often something panicked, and what the last said.
#[derive(Default)]
pub(crate) struct Panics {
    count: u64,
    last: Option<String>,
}

impl Panics {
    /// Does `work`, again and again until it does not panic.
    #[inline]
    pub(crate) fn contain(&mut self, mut work: impl FnMut()) {
        // Loom's own panics must be seen.
        let _quiet = (!cfg!(loom)).then(Containment::new);
        while let Err(panic) = catch_unwind(AssertUnwindSafe(&mut work)) {
            self.count += 1;
            self.last = Some(describe_panic(&*panic, &take_place()));
        }
    }

    pub(crate) fn count(&self) -> u64 {
        self.count
    }

    pub(crate) fn last(&self) -> Option<&str> {
        self.last.as_deref()
    }
}
