//! How long a graph takes on m cores that more important graphs use as well, if it can be interrupted at any time.
//!
//! - **Model.** Graphs by falling priority share m cores. Every run ends before the same graph's next one begins.
//! - **Formula.** The least `R = len + (vol - len) / m + floor(sum of W_h(R) / m)`, with what a more important graph can do
//!   within t: `W(t) = floor(x / T) vol + min(vol, m (x mod T))`, `x = t + R_h - vol / m`.
//! - **Complexity.** Pseudo-polynomial.
//! - **Source.** Melani, Bertogna, Bonifaci, Marchetti-Spaccamela and Buttazzo, ECRTS 2015, for graphs without conditions.

use crate::dag::DagTask;
use hemiola_analysis::Search;
use hemiola_analysis::dag::{Exact, graham_1969};
use hemiola_analysis::{NoBound, TimeSpan};

/// The bound of every graph; they are listed by falling priority.
///
/// ```
/// use hemiola_analysis::{TimeSpan, dag::Dag};
/// use hemiola_schedulability::dag::{DagTask, melani_2015};
/// let ns = TimeSpan::nanoseconds;
/// let motion = DagTask { graph: Dag::new([2, 3, 4].map(ns), [(0, 1), (0, 2)]).unwrap(), period: ns(20), deadline: ns(20) };
/// let vision = DagTask { graph: Dag::new([20, 20].map(ns), []).unwrap(), period: ns(90), deadline: ns(90) };
/// let bounds = melani_2015::response_times(&[motion, vision], 2, ns(1000));
/// assert_eq!(bounds[0].as_ref().unwrap().as_f64(), 7.5);
/// assert_eq!(bounds[1].as_ref().unwrap().as_f64(), 43.0);
/// ```
pub fn response_times(tasks: &[DagTask], workers: usize, horizon: TimeSpan) -> Vec<Result<Exact, NoBound>> {
    let mut bounds: Vec<Result<Exact, NoBound>> = Vec::new();
    for (index, task) in tasks.iter().enumerate() {
        let bound = response_time(task, &tasks[..index], &bounds, workers, Blocking::default(), horizon);
        bounds.push(bound);
    }
    bounds
}

/// What less important graphs delay, in parts: once, and again whenever a more important one begins or a node ends.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Blocking {
    pub(super) once: TimeSpan,
    pub(super) again: TimeSpan,
    pub(super) at_most_again: u64,
}

pub(super) fn response_time(
    task: &DagTask,
    higher: &[DagTask],
    bounds: &[Result<Exact, NoBound>],
    workers: usize,
    blocking: Blocking,
    horizon: TimeSpan,
) -> Result<Exact, NoBound> {
    let count = workers.max(1) as u64;
    let mut interferers = Vec::new();
    for (number, (other, bound)) in higher.iter().zip(bounds).enumerate() {
        let bound = bound.as_ref().map_err(|_| NoBound::Unbounded { on: format!("graph {number}") })?;
        interferers.push((other.graph.volume(), other.period * count, bound.parts));
    }
    let alone = graham_1969::makespan(&task.graph, workers).parts;
    let parts = Search::below(horizon * count).fixed_point(alone, |window| {
        let work = |&(volume, period, bound): &(TimeSpan, TimeSpan, TimeSpan)| {
            let (runs, rest) = (window + bound - volume).whole(period);
            volume * runs + rest.min(volume)
        };
        let begins: u64 = interferers.iter().map(|&(_, period, _)| window.jobs_of(period)).sum();
        let blocked = blocking.once + blocking.again * begins.min(blocking.at_most_again);
        let (whole, _) = (interferers.iter().map(work).sum::<TimeSpan>() + blocked).whole(TimeSpan::nanoseconds(count));
        alone + TimeSpan::nanoseconds(count) * whole
    })?;
    if parts > task.period * count {
        return Err(NoBound::LongerThanPeriod { period: task.period });
    }
    Ok(Exact { parts, workers: count })
}
