//! Fixed priorities on several processors at once, for tasks that each run on one processor at a
//! time.
//!
//! - **Model.** Tasks by falling priority, deadlines up to the period; the m most important jobs
//!   run, and are interrupted and moved freely.
//! - **Formula.** The least `R = C + floor(sum of min(W_h(R), R - C + 1) / m)` with
//!   `W(t) = N C + min(C, t + R_h - C - N T)`, `N = floor((t + R_h - C) / T)`: while it waits, all
//!   processors do something else.
//! - **Complexity.** Pseudo-polynomial.
//! - **Source.** Bertogna and Cirinei, RTSS 2007, with the slack that is known of more important
//!   tasks.

use crate::Task;
use hemiola_analysis::Search;
use hemiola_analysis::{Bound, NoBound, TimeSpan};

/// Returns the bound of every task.
///
/// ```
/// use hemiola_analysis::{Arrivals, TimeSpan};
/// use hemiola_schedulability::{Task, response_times::global_fixed_priority};
/// let ns = TimeSpan::nanoseconds;
/// let tasks = [(1, 4), (1, 5), (3, 9), (9, 18)].map(|(cost, period)| Task::new(ns(cost), Arrivals::periodic(ns(period))));
/// let bounds = global_fixed_priority::response_times(&tasks, 3, ns(1000));
/// assert_eq!(bounds, [1, 1, 3, 12].map(|bound| Ok(ns(bound))));
/// ```
pub fn response_times(tasks: &[Task], processors: usize, horizon: TimeSpan) -> Vec<Bound> {
    let mut bounds: Vec<Bound> = Vec::new();
    for (index, task) in tasks.iter().enumerate() {
        bounds.push(response_time(task, &tasks[..index], &bounds, processors.max(1) as u64, horizon));
    }
    bounds
}

fn response_time(own: &Task, higher: &[Task], bounds: &[Bound], processors: u64, horizon: TimeSpan) -> Bound {
    let mut carried = Vec::with_capacity(higher.len());
    for (number, (task, bound)) in higher.iter().zip(bounds).enumerate() {
        let end = bound.as_ref().map_err(|_| NoBound::Unbounded { on: format!("task {number}") })?;
        carried.push((task, task.arrivals.jitter + (*end - task.cost)));
    }
    let bound = Search::below(horizon).fixed_point(own.cost, |window| {
        let work = |&(task, late): &(&Task, TimeSpan)| {
            let (jobs, rest) = (window + late).whole(task.arrivals.period);
            (task.cost * jobs + rest.min(task.cost)).min(window - own.cost + TimeSpan::TICK)
        };
        let (whole, _) = carried.iter().map(work).sum::<TimeSpan>().whole(TimeSpan::nanoseconds(processors));
        own.cost + TimeSpan::TICK * whole
    })?;
    if bound > own.deadline { Err(NoBound::LongerThanPeriod { period: own.deadline }) } else { Ok(bound) }
}
