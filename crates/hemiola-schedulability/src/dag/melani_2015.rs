//! The longest time that a graph takes on m cores that more important graphs use as well, if it can
//! be interrupted at any time.
//!
//! - **Model.** Graphs by falling priority share m cores. Every run ends before the same graph's
//!   next one begins.
//! - **Formula.** The least `R = len + (vol - len + sum of W_h(R)) / m`, with what a more important
//!   graph can do within t: `W(t) = floor(x / T) vol + min(vol, m (x mod T))`, `x = t + R_h - vol /
//!   m`.
//! - **Changed.** The paper has `len + (vol - len) / m + floor(sum of W_h(R) / m)`: [`published`].
//!   That is **not a bound**. Whenever the longest path waits, all m cores do the graph's other
//!   work or that of more important ones; so it waits for an m-th of both together. Rounding down
//!   just one of the two loses what both together need for a whole step: there is a schedule of 2
//!   where the published formula says 1.5 (`tests/dag_tasks.rs`).
//! - **Complexity.** Pseudo-polynomial.
//! - **Source.** Melani, Bertogna, Bonifaci, Marchetti-Spaccamela and Buttazzo, ECRTS 2015, for
//!   graphs without conditions.

use crate::dag::DagTask;
use hemiola_analysis::Search;
use hemiola_analysis::dag::{Exact, graham_1969};
use hemiola_analysis::{NoBound, TimeSpan};

/// Returns the bound of every graph; they are listed by falling priority.
///
/// ```
/// use hemiola_analysis::{TimeSpan, dag::Dag};
/// use hemiola_schedulability::dag::{DagTask, melani_2015};
/// let ns = TimeSpan::nanoseconds;
/// let motion = DagTask { graph: Dag::new([2, 3, 4].map(ns), [(0, 1), (0, 2)]).unwrap(), period: ns(20), deadline: ns(20) };
/// let vision = DagTask { graph: Dag::new([20, 20].map(ns), []).unwrap(), period: ns(90), deadline: ns(90) };
/// let bounds = melani_2015::response_times(&[motion, vision], 2, ns(1000));
/// assert_eq!(bounds[0].as_ref().unwrap().as_f64(), 7.5);
/// assert_eq!(bounds[1].as_ref().unwrap().as_f64(), 43.5); // 30 by itself, and three runs of 9 on two cores
/// ```
pub fn response_times(tasks: &[DagTask], workers: usize, horizon: TimeSpan) -> Vec<Result<Exact, NoBound>> {
    by_priority(tasks, |index, bounds| {
        let others = Others::new(&tasks[..index], bounds, workers)?;
        let alone = graham_1969::makespan(&tasks[index].graph, workers).parts;
        fixed_point(&tasks[index], workers, horizon, alone, |window| alone + others.work(window))
    })
}

/// Returns the bounds of the paper and its authors' program, for comparison: schedules exceed them.
///
/// ```
/// use hemiola_analysis::{TimeSpan, dag::Dag};
/// use hemiola_schedulability::dag::{DagTask, melani_2015};
/// let ns = TimeSpan::nanoseconds;
/// let motion = DagTask { graph: Dag::new([2, 3, 4].map(ns), [(0, 1), (0, 2)]).unwrap(), period: ns(20), deadline: ns(20) };
/// let vision = DagTask { graph: Dag::new([20, 20].map(ns), []).unwrap(), period: ns(90), deadline: ns(90) };
/// let published = melani_2015::published(&[motion, vision], 2, ns(1000));
/// assert_eq!(published[1].as_ref().unwrap().as_f64(), 43.0);
/// ```
pub fn published(tasks: &[DagTask], workers: usize, horizon: TimeSpan) -> Vec<Result<Exact, NoBound>> {
    by_priority(tasks, |index, bounds| {
        let others = Others::new(&tasks[..index], bounds, workers)?;
        let alone = graham_1969::makespan(&tasks[index].graph, workers).parts;
        fixed_point(&tasks[index], workers, horizon, alone, |window| {
            alone + whole_nanoseconds(others.work(window), workers)
        })
    })
}

/// Returns the bounds of all graphs, each from those of the more important ones.
pub(super) fn by_priority(
    tasks: &[DagTask],
    of_one: impl Fn(usize, &[Result<Exact, NoBound>]) -> Result<Exact, NoBound>,
) -> Vec<Result<Exact, NoBound>> {
    let mut bounds = Vec::new();
    for index in 0..tasks.len() {
        bounds.push(of_one(index, &bounds));
    }
    bounds
}

/// The more important graphs; times are in parts of a nanosecond, as many per nanosecond as there
/// are workers.
pub(super) struct Others {
    graphs: Vec<Other>,
}

struct Other {
    nodes: usize,
    volume: TimeSpan,
    period: TimeSpan,
    bound: TimeSpan,
}

impl Others {
    pub(super) fn new(tasks: &[DagTask], bounds: &[Result<Exact, NoBound>], workers: usize) -> Result<Self, NoBound> {
        let count = workers.max(1) as u64;
        let other = |(number, (task, bound)): (usize, (&DagTask, &Result<Exact, NoBound>))| {
            let bound = bound.as_ref().map_err(|_| NoBound::Unbounded { on: format!("graph {number}") })?;
            let (nodes, volume) = (task.graph.len(), task.graph.volume());
            Ok(Other { nodes, volume, period: task.period * count, bound: bound.parts })
        };
        Ok(Self { graphs: tasks.iter().zip(bounds).enumerate().map(other).collect::<Result<_, NoBound>>()? })
    }

    /// Returns the most work that they do within a window, on all workers together. A graph that
    /// waits for all of it waits for that many parts.
    pub(super) fn work(&self, window: TimeSpan) -> TimeSpan {
        let of_one = |other: &Other| {
            let (runs, rest) = (window + other.bound - other.volume).whole(other.period);
            other.volume * runs + rest.min(other.volume)
        };
        self.graphs.iter().map(of_one).sum()
    }

    /// Returns how many of their nodes can begin within a window, at most: also of runs that were
    /// released before it.
    pub(super) fn nodes(&self, window: TimeSpan) -> u64 {
        let of_one = |other: &Other| (window + other.bound).jobs_of(other.period).saturating_mul(other.nodes as u64);
        self.graphs.iter().map(of_one).fold(0, u64::saturating_add)
    }

    /// Returns how many of their runs are released within a window, at most.
    pub(super) fn releases(&self, window: TimeSpan) -> u64 {
        self.graphs.iter().map(|other| window.jobs_of(other.period)).fold(0, u64::saturating_add)
    }
}

/// Returns the least time, in parts, that covers its demand, if it is not longer than the graph's
/// period.
pub(super) fn fixed_point(
    task: &DagTask,
    workers: usize,
    horizon: TimeSpan,
    start: TimeSpan,
    demand: impl Fn(TimeSpan) -> TimeSpan,
) -> Result<Exact, NoBound> {
    let count = workers.max(1) as u64;
    let parts = Search::below(horizon * count).fixed_point(start, demand)?;
    if parts > task.period * count {
        return Err(NoBound::LongerThanPeriod { period: task.period });
    }
    Ok(Exact { parts, workers: count })
}

/// Rounds parts down to whole nanoseconds.
pub(super) fn whole_nanoseconds(parts: TimeSpan, workers: usize) -> TimeSpan {
    let count = TimeSpan::nanoseconds(workers.max(1) as u64);
    count * parts.whole(count).0
}
