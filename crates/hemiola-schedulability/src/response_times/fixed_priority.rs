//! Fixed priorities on one processor, with jitter, blocking and arbitrary deadlines.
//!
//! - **Model.** Tasks by falling priority; each arrives periodically or sporadically with jitter. A
//!   job can be delayed once by a lower one that cannot be interrupted at that time (*blocking*),
//!   and by all higher ones; its last piece runs undisturbed.
//! - **Formula.** Within a busy period of length L, for every offset A at which a further own job
//!   can arrive, the job is in its last piece (of length p) by the least F with
//!   `F = B + C n(A + 1) - (p - 1) + sum of C_h n_h(A + F) - A`, where n(d) counts arrivals in a
//!   window of length d; its response time is F + p - 1. The bound is the largest.
//! - **Complexity.** Pseudo-polynomial: jobs in the busy period times iterations.
//! - **Source.** Joseph and Pandya 1986; Lehoczky 1990 (arbitrary deadlines); Tindell, Burns and
//!   Wellings 1994 (jitter); Davis, Burns, Bril and Lukkien 2007 (pieces that are not interrupted);
//!   in the form that Bozhko and Brandenburg 2020 verified.

use crate::Task;
use hemiola_analysis::{Bound, TimeSpan};
use hemiola_analysis::{Search, check_utilisation};

/// Returns the bounds if every task can be interrupted at any time.
///
/// ```
/// use hemiola_analysis::{Arrivals, TimeSpan};
/// use hemiola_schedulability::{Task, response_times::fixed_priority};
/// let ns = TimeSpan::nanoseconds;
/// let tasks = [(5, 20), (10, 40), (40, 80)].map(|(cost, period)| Task::new(ns(cost), Arrivals::periodic(ns(period))));
/// let bounds = fixed_priority::preemptive(&tasks, TimeSpan::MAX); // Burns and Wellings, set C
/// assert_eq!(bounds, [Ok(ns(5)), Ok(ns(15)), Ok(ns(80))]);
/// ```
pub fn preemptive(tasks: &[Task], horizon: TimeSpan) -> Vec<Bound> {
    all(tasks, |_| TimeSpan::TICK, |_| TimeSpan::ZERO, horizon)
}

/// Returns the utilisation up to which any set of that many tasks meets its periods if the faster
/// ones go first (Liu and Layland 1973).
///
/// ```
/// use hemiola_schedulability::response_times::fixed_priority;
/// assert!((fixed_priority::sure_utilisation(2) - 0.8284).abs() < 1e-4);
/// ```
pub fn sure_utilisation(tasks: u32) -> f64 {
    let tasks = f64::from(tasks.max(1));
    tasks * (2f64.powf(1.0 / tasks) - 1.0)
}

/// Returns the bounds if no job is ever interrupted. A job that has just begun when a higher one
/// arrives blocks it for all but its first nanosecond.
pub fn non_preemptive(tasks: &[Task], horizon: TimeSpan) -> Vec<Bound> {
    all(tasks, |task| task.cost, |lower| longest(lower, |task| task.cost), horizon)
}

/// Returns the bounds if jobs are interrupted between pieces, none of which is longer than
/// [`Task::longest_piece`].
pub fn limited_preemptive(tasks: &[Task], horizon: TimeSpan) -> Vec<Bound> {
    all(tasks, |task| task.longest_piece, |lower| longest(lower, |task| task.longest_piece), horizon)
}

/// Returns the longest time that a lower task blocks, if it has begun before.
fn longest(lower: &[Task], piece: impl Fn(&Task) -> TimeSpan) -> TimeSpan {
    lower.iter().map(piece).max().unwrap_or(TimeSpan::ZERO) - TimeSpan::TICK
}

fn all(
    tasks: &[Task],
    last_piece: impl Fn(&Task) -> TimeSpan,
    blocking: impl Fn(&[Task]) -> TimeSpan,
    horizon: TimeSpan,
) -> Vec<Bound> {
    (0..tasks.len())
        .map(|index| {
            let (own, lower) = (&tasks[index], &tasks[index + 1..]);
            response_time(own, &tasks[..index], blocking(lower), last_piece(own), horizon)
        })
        .collect()
}

/// Bounds one task below `higher` that is blocked once for up to `blocking`; its last piece is not
/// interrupted.
///
/// ```
/// use hemiola_analysis::{Arrivals, TimeSpan};
/// use hemiola_schedulability::{Task, response_times::fixed_priority};
/// let ns = TimeSpan::nanoseconds;
/// let own = Task::new(ns(2), Arrivals::periodic(ns(20)));
/// let higher = Task::new(ns(3), Arrivals::periodic(ns(10)));
/// let bound = fixed_priority::response_time(&own, &[higher], ns(4), own.cost, TimeSpan::MAX);
/// assert_eq!(bound, Ok(ns(9)));
/// ```
///
/// # Errors
/// Fails if there is more work than time, or no bound up to `horizon`.
pub fn response_time(
    own: &Task,
    higher: &[Task],
    blocking: TimeSpan,
    last_piece: TimeSpan,
    horizon: TimeSpan,
) -> Bound {
    check_utilisation(higher.iter().chain([own]).map(Task::share), 1.0)?;
    let uninterrupted = last_piece.min(own.cost) - TimeSpan::TICK;
    let interference = |window: TimeSpan| higher.iter().map(|task| task.demand(window)).sum::<TimeSpan>();

    let mut search = Search::below(horizon);
    let busy = search.fixed_point(TimeSpan::TICK, |window| blocking + own.demand(window) + interference(window))?;
    let mut worst = TimeSpan::ZERO;
    let mut begun = TimeSpan::ZERO;
    for offset in own.arrivals.offsets(busy) {
        let before = blocking + (own.demand(offset + TimeSpan::TICK) - uninterrupted);
        // Later jobs begin later, so that the search goes on where it was.
        begun = search.fixed_point(begun.max(offset), |time| before + interference(time))?;
        worst = worst.max(begun - offset + uninterrupted);
    }
    Ok(worst)
}
