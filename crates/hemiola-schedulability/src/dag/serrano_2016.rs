//! The longest time that a graph takes on m cores that other graphs use as well, if nodes are never
//! interrupted.
//!
//! - **Model.** The same as [`super::melani_2015`], but a graph loses a core only when one of its
//!   nodes has ended. A free core runs the most important node that is ready.
//! - **Formula.** The least `R = len + (vol - len + B + sum of W_h(R)) / m` for the path that makes
//!   it the longest, with `B = D_m + p D_(m-1)`: D_k are the k longest nodes of less important
//!   graphs, p how often nodes of the path encounter such nodes running and wait. W as in
//!   [`super::melani_2015`].
//! - **Why it holds.** Take the node that ends last, the one before it that ended last, and so on:
//!   a path. While a node of it is ready and waits, all m cores do other work of the graph, more
//!   important work, or less important nodes that had begun before it became ready. Of these there
//!   are at most m for the first node. Each later one becomes ready when the one before it ends and
//!   leaves a core, so that at most m - 1 cores have such nodes. It only waits if another node, of
//!   the graph or a more important one, begins on the core that was left, at just that time. So p
//!   is at most the number of nodes of the path without the first, and at most the number of nodes
//!   that can begin so: those of the graph that are not of the path, and those of more important
//!   runs, of which the first may have been released before.
//! - **Changed.** The paper (LP-max) has p as the least of all nodes of the graph without one and
//!   the *releases* of more important graphs: [`published`]. That is **not a bound**: the nodes of
//!   the graph itself take each other's cores, without any release, and one release brings many
//!   nodes. There is a schedule of 24 where it says 20.5, with nothing above the graph
//!   (`tests/dag_tasks.rs`). It rounds down as in [`super::melani_2015`], too.
//! - **Complexity.** Pseudo-polynomial.
//! - **Source.** Serrano, Melani, Bertogna and Quiñones, DATE 2016.

use crate::dag::DagTask;
use hemiola_analysis::dag::{Dag, Exact, graham_1969};
use hemiola_analysis::{NoBound, TimeSpan};

use super::melani_2015::{Others, by_priority, fixed_point, whole_nanoseconds};

/// Returns the bound of every graph; they are listed by falling priority.
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
    by_priority(tasks, |index, bounds| {
        let (graph, others) = (&tasks[index].graph, Others::new(&tasks[..index], bounds, workers)?);
        let [at_release, again] = longest_nodes(&tasks[index + 1..], workers);
        let alone = graham_1969::makespan(graph, workers).parts;
        let every_time = if_all_of_a_path_wait(graph, workers, again);
        let beside = (graph.len() - fewest_nodes_of_a_path(graph)) as u64;
        fixed_point(&tasks[index], workers, horizon, alone, |window| {
            let own = every_time.min(alone + again * (others.nodes(window) + beside));
            own + at_release + others.work(window)
        })
    })
}

/// Returns the bounds of the paper and its authors' program, for comparison: schedules exceed them.
///
/// ```
/// use hemiola_analysis::{TimeSpan, dag::Dag};
/// use hemiola_schedulability::dag::{DagTask, serrano_2016};
/// let ns = TimeSpan::nanoseconds;
/// // Node 0 ends while the other graph runs on the second core; then 1 and 2 have one core for both.
/// let fork = Dag::new([1, 5, 5].map(ns), [(0, 1), (0, 2)]).unwrap();
/// let long = Dag::new([20].map(ns), []).unwrap();
/// let tasks = [fork, long].map(|graph| DagTask { graph, period: ns(90), deadline: ns(90) });
/// assert_eq!(serrano_2016::published(&tasks, 2, ns(1000))[0].as_ref().unwrap().as_f64(), 18.5);
/// assert_eq!(serrano_2016::response_times(&tasks, 2, ns(1000))[0].as_ref().unwrap().as_f64(), 28.5);
/// ```
pub fn published(tasks: &[DagTask], workers: usize, horizon: TimeSpan) -> Vec<Result<Exact, NoBound>> {
    by_priority(tasks, |index, bounds| {
        let (graph, others) = (&tasks[index].graph, Others::new(&tasks[..index], bounds, workers)?);
        let [at_release, again] = longest_nodes(&tasks[index + 1..], workers);
        let alone = graham_1969::makespan(graph, workers).parts;
        fixed_point(&tasks[index], workers, horizon, alone, |window| {
            let times = others.releases(window).min((graph.len() as u64).saturating_sub(1));
            alone + whole_nanoseconds(at_release + again * times + others.work(window), workers)
        })
    })
}

/// Returns the total cost of the longest nodes that can run at once, on all workers and on all but
/// one.
fn longest_nodes(tasks: &[DagTask], workers: usize) -> [TimeSpan; 2] {
    let mut nodes: Vec<TimeSpan> = tasks.iter().flat_map(|task| task.graph.costs()).copied().collect();
    nodes.sort_unstable_by(|a, b| b.cmp(a));
    let count = workers.max(1);
    [count, count - 1].map(|count| nodes.iter().take(count).copied().sum())
}

/// Returns Graham's bound, in parts, of the path that takes longest if each of its nodes but the
/// first waits for `waits` more.
fn if_all_of_a_path_wait(graph: &Dag, workers: usize, waits: TimeSpan) -> TimeSpan {
    let beside = (workers.max(1) - 1) as u64;
    let waiting = graph.with_costs(graph.costs().iter().map(|&cost| cost * beside + waits));
    waiting.length() - waits + graph.volume()
}

/// Returns the length in nodes of the shortest path from a node that waits for nothing to one for
/// which nothing waits.
fn fewest_nodes_of_a_path(graph: &Dag) -> usize {
    let mut fewest = vec![1; graph.len()];
    for &node in graph.topological_order() {
        let before = graph.predecessors(node).iter().map(|&before| fewest[before]).min();
        fewest[node] += before.unwrap_or(0);
    }
    let ends = (0..graph.len()).filter(|&node| graph.successors(node).is_empty());
    ends.map(|node| fewest[node]).min().unwrap_or(0)
}
