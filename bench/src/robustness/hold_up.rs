//! A worker that loses its core for 10 ms in the middle of a run, and the share of the independent
//! work that is done meanwhile.
//!
//! Two workers are pinned to a core each. An intruder of higher priority takes one of the cores, at
//! another moment in each run. From when it came and went, and from when each task ran, follows
//! what the other worker could have done at best: it cannot start the task that was interrupted,
//! nor what depends on that, but everything else.

use std::time::Duration;

use hemiola_bench_contestant::{Graph, monotonic_ns, sleep_until_ns};
use hemiola_realtime::{Affinity, CoreId, Policy, Priority, ThreadSettings, spawn};
use serde::{Deserialize, Serialize};

use super::Tail;
use super::cycle::{Cycle, Interval};
use crate::contest::discipline::Effort;
use crate::contest::result::median;
use crate::contestant::ContestantError;
use crate::error::BenchError;
use crate::workload::Workload;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HoldUp {
    pub workload: String,
    pub lasts_ns: f64,
    /// The work that was done meanwhile, as a share of what could have been done.
    pub share: Shares,
    /// Makespans of runs in which no worker was held up, and of those in which one was.
    pub undisturbed_ns: Tail,
    pub held_up_ns: Tail,
    /// The median of the work that could have been done meanwhile: less than the intruder's time
    /// where the rest depends on the task.
    pub reachable_ns: f64,
    /// The number of runs in which the intruder came between two tasks, or when all was done.
    pub missed_the_worker: usize,
}

/// Shares from 0 to 1, the more the better.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Shares {
    pub median: f64,
    pub least: f64,
    pub samples: usize,
}

const PRIORITY: u8 = 80;
const INTRUDER: u8 = 90;
const LASTS: Duration = Duration::from_millis(10);
const PERIOD: Duration = Duration::from_millis(40);
/// The times between which the intruder comes, counted from the begin of the run, which takes 8 ms
/// if nothing happens.
const EARLIEST: Duration = Duration::from_micros(300);
const LATEST: Duration = Duration::from_millis(6);
const WARM_UP: usize = 10;

/// Measures a workload. Returns `None`, with a notice, where there are no two cores.
pub fn measure(workload: &Workload, effort: Effort, notices: &mut Vec<String>) -> Result<Option<HoldUp>, BenchError> {
    let runs = match effort {
        Effort::Full => 120,
        Effort::Quick => 8,
    };
    let &[first, .., second] = Affinity::of_this_thread().cores() else {
        notices.push("Left out: a worker that loses its core; this process may use one only.".to_owned());
        return Ok(None);
    };
    let workload = workload.clone();
    let settings = thread("cycle", PRIORITY, first)?;
    let spawned = spawn(settings, move || hold_up(&workload, runs, second))?;
    notices.extend(spawned.report.denials().map(|denial| format!("a worker that loses its core: {denial}")));
    Ok(Some(spawned.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?))
}

fn thread(name: &str, priority: u8, core: CoreId) -> Result<ThreadSettings, ContestantError> {
    let policy = Policy::Fifo(Priority::new(priority)?);
    Ok(ThreadSettings::new(name).policy(policy).affinity(Affinity::of([core])))
}

fn hold_up(workload: &Workload, runs: usize, core: CoreId) -> Result<HoldUp, ContestantError> {
    let mut cycle = Cycle::new(workload, vec![thread("held up", PRIORITY, core)?])?;
    (0..WARM_UP).for_each(|_| cycle.run());
    let (period, start) = (PERIOD.as_nanos() as u64, monotonic_ns() + PERIOD.as_nanos() as u64);
    let due = move |run: usize| start + run as u64 * period;
    let undisturbed = (0..runs).map(|run| cycle.run_at(due(run)) as f64).collect();

    let comes = move |run: usize| {
        let span = (LATEST - EARLIEST).as_nanos() as u64;
        due(runs + run) + EARLIEST.as_nanos() as u64 + span * run as u64 / runs as u64
    };
    let intruder = spawn(thread("intruder", INTRUDER, core)?, move || {
        (0..runs).map(|run| occupy_core(comes(run))).collect::<Vec<Window>>()
    })?;
    let mut held_up = Vec::with_capacity(runs);
    let mut records = Vec::with_capacity(runs);
    for run in 0..runs {
        held_up.push(cycle.run_at(due(runs + run)) as f64);
        records.push(cycle.intervals());
    }
    let windows = intruder.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    let after = followers(&workload.graph);
    let outcomes: Vec<(f64, f64)> =
        windows.iter().zip(&records).filter_map(|(window, record)| meanwhile(window, record, &after)).collect();
    let shares: Vec<f64> = outcomes.iter().map(|(done, reachable)| done / reachable).collect();
    let reachable: Vec<f64> = outcomes.iter().map(|&(_, reachable)| reachable).collect();
    Ok(HoldUp {
        workload: workload.name.to_owned(),
        lasts_ns: LASTS.as_nanos() as f64,
        share: Shares {
            median: median(&shares).unwrap_or(f64::NAN),
            least: shares.iter().copied().fold(f64::INFINITY, f64::min),
            samples: shares.len(),
        },
        undisturbed_ns: tail(undisturbed),
        held_up_ns: tail(held_up),
        reachable_ns: median(&reachable).unwrap_or(f64::NAN),
        missed_the_worker: runs - shares.len(),
    })
}

fn tail(samples: Vec<f64>) -> Tail {
    let nothing = Tail { median: f64::NAN, p99: f64::NAN, p999: f64::NAN, maximum: f64::NAN, samples: 0 };
    Tail::of(samples).unwrap_or(nothing)
}

/// The time for which a core was taken away, in nanoseconds of the monotonic clock.
#[derive(Debug, Clone, Copy)]
struct Window {
    begin: u64,
    end: u64,
}

fn occupy_core(from: u64) -> Window {
    sleep_until_ns(from);
    let begin = monotonic_ns();
    let end = begin + LASTS.as_nanos() as u64;
    while monotonic_ns() < end {
        std::hint::spin_loop();
    }
    Window { begin, end }
}

/// Returns for every task itself and all that wait for it, directly or not.
fn followers(graph: &Graph) -> Vec<Vec<bool>> {
    let mut followers = vec![vec![false; graph.len()]; graph.len()];
    // Successors have larger numbers.
    for task in (0..graph.len()).rev() {
        let mut row = vec![false; graph.len()];
        row[task] = true;
        for &next in graph.successors(task) {
            row.iter_mut().zip(&followers[next]).for_each(|(own, of_next)| *own |= of_next);
        }
        followers[task] = row;
    }
    followers
}

/// Returns how long the other worker worked while one was held up, and how long it could have;
/// `None` if nothing was held up.
fn meanwhile(window: &Window, record: &[Interval], followers: &[Vec<bool>]) -> Option<(f64, f64)> {
    let overlap = |interval: &Interval| interval.end.min(window.end).saturating_sub(interval.begin.max(window.begin));
    let is_held =
        |interval: &Interval| interval.worker == 1 && interval.begin <= window.begin && interval.end > window.end;
    let held = record.iter().position(is_held)?;
    let others = || (0..record.len()).filter(|&task| !followers[held][task]).map(|task| &record[task]);
    let done: u64 = others().filter(|interval| interval.worker == 0).map(overlap).sum();
    // This is the work that was left when the core was taken away.
    let left: u64 = others().map(|interval| interval.end.saturating_sub(interval.begin.max(window.begin))).sum();
    let reachable = left.min(window.end - window.begin);
    (reachable > 0).then_some((done as f64, reachable as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interval(worker: usize, begin: u64, end: u64) -> Interval {
        Interval { worker, begin, end }
    }

    /// Makes a graph in which task 0 is held up, and 1 waits for it; 2 and 3 are free.
    fn graph() -> Graph {
        Graph::parse("0 115\n1 10 0\n2 30\n3 30\n").expect("well-formed")
    }

    #[test]
    fn whoever_waits_for_a_follower_is_one() {
        let graph = Graph::parse("0 1\n1 1 0\n2 1 1\n3 1\n").expect("well-formed");
        assert_eq!(followers(&graph)[0], [true, true, true, false]);
    }

    #[test]
    fn everything_that_does_not_wait_counts_as_reachable() {
        let window = Window { begin: 10, end: 110 };
        let record = [interval(1, 5, 120), interval(1, 120, 130), interval(0, 0, 30), interval(0, 30, 60)];
        assert_eq!(meanwhile(&window, &record, &followers(&graph())), Some((50.0, 50.0)));
    }

    #[test]
    fn what_was_left_lying_is_missing() {
        let window = Window { begin: 10, end: 110 };
        // The second free task was kept by the worker that was held up.
        let record = [interval(1, 5, 120), interval(1, 150, 160), interval(0, 0, 30), interval(1, 120, 150)];
        assert_eq!(meanwhile(&window, &record, &followers(&graph())), Some((20.0, 50.0)));
    }

    #[test]
    fn between_two_tasks_nothing_is_held_up() {
        let record = [interval(1, 120, 130), interval(1, 130, 140), interval(0, 0, 30), interval(0, 30, 60)];
        assert_eq!(meanwhile(&Window { begin: 10, end: 110 }, &record, &followers(&graph())), None);
    }
}
