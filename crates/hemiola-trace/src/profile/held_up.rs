//! Executions that were held up.

use serde::{Deserialize, Serialize};

/// Executions that were longer than all others because other programs, the kernel, or the host of a
/// virtual machine had the core. The lost time does not count among the execution times of a
/// profile: these executions count as no longer than the longest of the others, or as what is left
/// of them.
///
/// ```
/// use hemiola_trace::HeldUp;
///
/// let mut held_up = HeldUp { count: 1, longest: 41_000_000 };
/// held_up.add(HeldUp { count: 2, longest: 58_000_000 });
/// assert_eq!(held_up, HeldUp { count: 3, longest: 58_000_000 });
/// assert!(!held_up.is_none() && HeldUp::default().is_none());
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeldUp {
    /// The number of such executions.
    pub count: u64,
    /// The time that the longest of them took from entry to return, in nanoseconds.
    pub longest: u64,
}

impl HeldUp {
    /// Returns whether there were none.
    pub const fn is_none(&self) -> bool {
        self.count == 0
    }

    /// Adds other executions.
    pub fn add(&mut self, others: Self) {
        self.count = self.count.saturating_add(others.count);
        self.longest = self.longest.max(others.longest);
    }
}
