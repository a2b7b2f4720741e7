//! First come, first served on one processor.
//!
//! - **Model.** The same as [`super::fixed_priority`], but jobs run in the order in which they
//!   arrive; all tasks have the same bound.
//! - **Formula.** The largest backlog: over all offsets A at which something arrives,
//!   `sum of C n(A + 1) - A`.
//! - **Complexity.** Pseudo-polynomial: arrivals in the busy period.
//! - **Source.** Bedarkar, Vardishvili, Bozhko, Maida and Brandenburg 2022.

use std::collections::BTreeSet;

use crate::Task;
use hemiola_analysis::{Bound, TimeSpan};
use hemiola_analysis::{Search, check_utilisation};

/// Returns the bound for every task.
///
/// ```
/// use hemiola_analysis::{Arrivals, TimeSpan};
/// use hemiola_schedulability::{Task, response_times::first_come};
/// let ns = TimeSpan::nanoseconds;
/// let tasks = [(19, 79), (98, 393)].map(|(cost, period)| Task::new(ns(cost), Arrivals::periodic(ns(period))));
/// assert_eq!(first_come::response_time(&tasks, TimeSpan::MAX), Ok(ns(117)));
/// ```
///
/// # Errors
/// Fails if there is more work than time, or no bound up to `horizon`.
pub fn response_time(tasks: &[Task], horizon: TimeSpan) -> Bound {
    check_utilisation(tasks.iter().map(Task::share), 1.0)?;
    let demand = |window: TimeSpan| tasks.iter().map(|task| task.demand(window)).sum::<TimeSpan>();
    let mut search = Search::below(horizon);
    let busy = search.fixed_point(TimeSpan::TICK, demand)?;
    let mut offsets = BTreeSet::new();
    for task in tasks {
        for offset in task.arrivals.offsets(busy) {
            search.step()?;
            offsets.insert(offset);
        }
    }
    Ok(offsets.into_iter().map(|offset| demand(offset + TimeSpan::TICK) - offset).max().unwrap_or(TimeSpan::ZERO))
}
