//! Orders within modules that need no durations, to compare with the planned one.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use crate::bits::BitMatrix;
use crate::task::Task;

/// The rule by which the updates of a module that must not run at the same time are put in order.
///
/// Dependencies come first: an update that waits for another one comes after it, whatever the rule
/// is.
///
/// See [`PlanOptions`](crate::PlanOptions).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UpdateOrder {
    /// The default: of the updates whose inputs are available, the one with the longest remaining
    /// path; where `MostDependentsFirst`, refined in the same way, makes the longest path of the
    /// whole graph shorter, that order.
    #[default]
    CriticalPath,
    /// The update for which most tasks wait, directly or not.
    MostDependentsFirst,
    /// The update for which fewest tasks wait.
    FewestDependentsFirst,
    /// The update whose name is first in the alphabet.
    ByName,
}

/// Returns all tasks in the wanted order; `None` if that order must be determined with durations.
pub(super) fn wanted(order: UpdateOrder, tasks: &[Task], dependencies: &[(usize, usize)]) -> Option<Vec<usize>> {
    let mut wanted: Vec<usize> = (0..tasks.len()).collect();
    let reach = BitMatrix::closure(tasks.len(), dependencies.iter().copied());
    let dependents = |&task: &usize| reach.row(task).count();
    // All sorts are stable: where the rule does not decide, tasks stay as they are numbered.
    match order {
        UpdateOrder::CriticalPath => return None,
        UpdateOrder::MostDependentsFirst => wanted.sort_by_cached_key(|task| Reverse(dependents(task))),
        UpdateOrder::FewestDependentsFirst => wanted.sort_by_cached_key(dependents),
        UpdateOrder::ByName => wanted.sort_by_key(|&task| &tasks[task].name),
    }
    Some(wanted)
}
