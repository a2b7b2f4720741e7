//! Counters of unmet dependencies around a pool, for the peers that have no task graph of their
//! own.

use std::sync::atomic::{AtomicU32, Ordering};

use hemiola_bench_contestant::{Graph, Work};

/// A graph for a pool that only knows tasks.
pub struct Countdown {
    successors: Vec<Vec<usize>>,
    predecessors: Vec<u32>,
    pending: Vec<AtomicU32>,
    pub roots: Vec<usize>,
    pub work: &'static Work,
}

impl Countdown {
    pub fn new(graph: &Graph, work: &'static Work) -> Self {
        let predecessors: Vec<u32> = (0..graph.len()).map(|task| graph.predecessors(task).len() as u32).collect();
        Self {
            successors: (0..graph.len()).map(|task| graph.successors(task).to_vec()).collect(),
            pending: predecessors.iter().map(|&count| AtomicU32::new(count)).collect(),
            predecessors,
            roots: graph.roots(),
            work,
        }
    }

    /// Runs a task, and then one after the other those that become ready by it; of several that
    /// become ready at once, all but the last are given to `spawn`. Returns how many tasks it ran.
    pub fn run_from(&self, first: usize, mut spawn: impl FnMut(usize)) -> u32 {
        let (mut task, mut ran) = (first, 0);
        loop {
            self.work.run(task);
            ran += 1;
            let mut next = None;
            for &successor in &self.successors[task] {
                if self.pending[successor].fetch_sub(1, Ordering::AcqRel) == 1 {
                    // The counter is ready for the next run; no task reads it before.
                    self.pending[successor].store(self.predecessors[successor], Ordering::Relaxed);
                    if let Some(other) = next.replace(successor) {
                        spawn(other);
                    }
                }
            }
            match next {
                Some(successor) => task = successor,
                None => return ran,
            }
        }
    }
}

/// Returns the version of a package that these peers were built with, from the lock file.
pub fn version(package: &str) -> &'static str {
    const LOCK: &str = include_str!("../Cargo.lock");
    let name = format!("name = \"{package}\"");
    let mut lines = LOCK.lines().skip_while(|line| **line != *name).skip(1);
    let version = lines.next().and_then(|line| line.strip_prefix("version = \""));
    version.map_or("?", |version| version.trim_end_matches('"'))
}
