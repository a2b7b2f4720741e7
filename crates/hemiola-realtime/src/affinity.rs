//! The cores on which a thread may run.

use std::fmt;

use crate::os;

/// A processor core (a hardware thread), numbered as the kernel numbers them.
///
/// See [`Affinity`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CoreId(pub usize);

/// A set of cores.
///
/// ```
/// use hemiola_realtime::{Affinity, CoreId};
///
/// let affinity = Affinity::of([CoreId(2), CoreId(0), CoreId(2)]);
/// assert_eq!(affinity.cores(), [CoreId(0), CoreId(2)]);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Affinity(Vec<CoreId>);

impl Affinity {
    /// Returns the set of these cores, in any order.
    pub fn of(cores: impl IntoIterator<Item = CoreId>) -> Self {
        let mut cores: Vec<CoreId> = cores.into_iter().collect();
        cores.sort_unstable();
        cores.dedup();
        Affinity(cores)
    }

    /// Returns the cores on which the calling thread may run; none where the system does not show
    /// them.
    pub fn of_this_thread() -> Self {
        Self::of(os::affinity().unwrap_or_default().into_iter().map(CoreId))
    }

    /// Returns the cores, ascending.
    pub fn cores(&self) -> &[CoreId] {
        &self.0
    }
}

impl fmt::Display for Affinity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let cores: Vec<String> = self.0.iter().map(|core| core.0.to_string()).collect();
        write!(formatter, "cores {}", cores.join(", "))
    }
}
