//! How long a graph takes on m cores that other graphs use as well, if nodes are never interrupted.
//!
//! - **Model.** As [`super::melani_2015`], but a core is only taken from a graph when one of its nodes has ended.
//! - **Formula.** As there, with `floor((D_m + p D_(m-1) + sum of W_h(R)) / m)`: D_k are the k longest nodes of less important
//!   graphs, p how often they can get in again: when a node ends (all but the last) and a more important graph begins.
//! - **Complexity.** Pseudo-polynomial.
//! - **Source.** Serrano, Melani, Bertogna and Quiñones, DATE 2016 (LP-max).

use crate::dag::DagTask;
use hemiola_analysis::dag::Exact;
use hemiola_analysis::{NoBound, TimeSpan};

use super::melani_2015::{Blocking, response_time};

/// The bound of every graph; they are listed by falling priority.
///
/// ```
/// use hemiola_analysis::{TimeSpan, dag::Dag};
/// use hemiola_schedulability::dag::{DagTask, serrano_2016};
/// let ns = TimeSpan::nanoseconds;
/// let task = |costs: &[u64], period| {
///     let graph = Dag::new(costs.iter().copied().map(ns), []).unwrap();
///     DagTask { graph, period: ns(period), deadline: ns(period) }
/// };
/// let bounds = serrano_2016::response_times(&[task(&[2, 2], 50), task(&[20, 20], 90)], 2, ns(1000));
/// assert_eq!(bounds[0].as_ref().unwrap().as_f64(), 23.0); // 3 by itself, and 20 until a node of the other ends
/// ```
pub fn response_times(tasks: &[DagTask], workers: usize, horizon: TimeSpan) -> Vec<Result<Exact, NoBound>> {
    let mut bounds: Vec<Result<Exact, NoBound>> = Vec::new();
    for (index, task) in tasks.iter().enumerate() {
        let mut lower: Vec<TimeSpan> = tasks[index + 1..].iter().flat_map(|task| task.graph.costs()).copied().collect();
        lower.sort_unstable_by(|a, b| b.cmp(a));
        let longest = |count: usize| lower.iter().take(count).copied().sum();
        let blocking = Blocking {
            once: longest(workers.max(1)),
            again: longest(workers.max(1) - 1),
            at_most_again: (task.graph.len() as u64).saturating_sub(1),
        };
        let bound = response_time(task, &tasks[..index], &bounds, workers, blocking, horizon);
        bounds.push(bound);
    }
    bounds
}
