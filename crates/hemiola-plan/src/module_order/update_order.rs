//! Orders within modules that need no durations, to compare the planned one with.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use crate::bits::BitMatrix;
use crate::task::Task;

/// By what the updates of a module that must not run at the same time are put in order.
///
/// Dependencies come first: an update that waits for another one stands behind it whatever the
/// order says.
///
/// ```
/// use hemiola_plan::UpdateOrder;
/// assert_eq!(UpdateOrder::default(), UpdateOrder::CriticalPath);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UpdateOrder {
    /// What Hemiola does: of those whose inputs are there, the one with the longest remaining path.
    #[default]
    CriticalPath,
    /// The one for which most tasks wait, directly or not.
    MostDependentsFirst,
    /// The one for which fewest tasks wait.
    FewestDependentsFirst,
    /// The alphabet decides.
    ByName,
}

/// All tasks in the order that is wanted; `None` if it has to be found with durations.
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
