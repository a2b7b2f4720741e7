//! Earliest deadline first on one processor, with jitter and arbitrary deadlines.
//!
//! - **Model.** The same as [`super::fixed_priority`], but the job with the earliest absolute
//!   deadline goes first.
//! - **Formula.** For every offset A in the busy period, another task o interferes with what
//!   arrives within `min(A + 1 + D - D_o, A + F)`; only those with `D_o > D + A` block.
//! - **Complexity.** Pseudo-polynomial: offsets of all tasks in the busy period of all times
//!   iterations.
//! - **Source.** Spuri 1996; George, Rivierre and Spuri 1996 (without interruption); Bozhko and
//!   Brandenburg 2020.

use std::collections::BTreeSet;

use crate::Task;
use hemiola_analysis::{Bound, NoBound, TimeSpan};
use hemiola_analysis::{Search, check_utilisation};

/// Returns the bounds if every task can be interrupted at any time.
///
/// ```
/// use hemiola_analysis::{Arrivals, TimeSpan};
/// use hemiola_schedulability::{Task, response_times::earliest_deadline};
/// let ns = TimeSpan::nanoseconds;
/// let tasks = [(19, 79, 37), (98, 393, 457)].map(|(cost, period, deadline)| Task {
///     deadline: ns(deadline),
///     ..Task::new(ns(cost), Arrivals::periodic(ns(period)))
/// });
/// assert_eq!(earliest_deadline::preemptive(&tasks, TimeSpan::MAX), [Ok(ns(19)), Ok(ns(136))]);
/// ```
pub fn preemptive(tasks: &[Task], horizon: TimeSpan) -> Vec<Bound> {
    (0..tasks.len()).map(|own| response_time(tasks, own, |_| TimeSpan::TICK, horizon)).collect()
}

/// Returns the bounds if no job is ever interrupted.
pub fn non_preemptive(tasks: &[Task], horizon: TimeSpan) -> Vec<Bound> {
    (0..tasks.len()).map(|own| response_time(tasks, own, |task| task.cost, horizon)).collect()
}

fn response_time(tasks: &[Task], own: usize, piece: impl Fn(&Task) -> TimeSpan, horizon: TimeSpan) -> Bound {
    check_utilisation(tasks.iter().map(Task::share), 1.0)?;
    let mut search = Search::below(horizon);
    let busy = search.fixed_point(TimeSpan::TICK, |window| tasks.iter().map(|task| task.demand(window)).sum())?;

    let task = &tasks[own];
    let uninterrupted = piece(task).min(task.cost) - TimeSpan::TICK;
    let others = || tasks.iter().enumerate().filter(|&(index, _)| index != own).map(|(_, other)| other);
    let mut worst = TimeSpan::ZERO;
    for offset in offsets(tasks, own, busy, &mut search)? {
        let blocking = others()
            .filter(|other| other.deadline > task.deadline + offset)
            .map(|other| piece(other) - TimeSpan::TICK)
            .max()
            .unwrap_or(TimeSpan::ZERO);
        let before = blocking + (task.demand(offset + TimeSpan::TICK) - uninterrupted);
        let begun = search.fixed_point(offset, |time| {
            let urgent = |other: &Task| (offset + TimeSpan::TICK + task.deadline - other.deadline).min(time);
            before + others().map(|other| other.demand(urgent(other))).sum::<TimeSpan>()
        })?;
        worst = worst.max(begun - offset + uninterrupted);
    }
    Ok(worst)
}

/// Returns the offsets at which something changes: one more own job, or one of another task that is
/// as urgent.
fn offsets(tasks: &[Task], own: usize, busy: TimeSpan, search: &mut Search) -> Result<BTreeSet<TimeSpan>, NoBound> {
    let deadline = tasks[own].deadline;
    let mut offsets = BTreeSet::new();
    for task in tasks {
        for step in task.arrivals.offsets(busy + deadline) {
            search.step()?;
            // It arrives that much after the busy period's begin and competes if it is due no later
            // than the own job.
            let offset = (step + task.deadline).as_nanoseconds().checked_sub(deadline.as_nanoseconds());
            offsets.extend(offset.map(TimeSpan::nanoseconds).filter(|&offset| offset < busy));
        }
    }
    Ok(offsets)
}
