//! The results of a discipline, in numbers that are written to files and read again.

use hemiola_bench_contestant::Mode;
use serde::{Deserialize, Serialize};

use super::discipline::Discipline;
use super::entrant::{Entrant, Side};
use super::process::Samples;
use crate::workload::Workload;

/// The results of one discipline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Event {
    pub workload: String,
    pub mode: String,
    pub workers: usize,
    /// The rate of the runs; 0 where they follow each other at once.
    pub rate_hz: f64,
    pub tasks: usize,
    pub work_ns: u64,
    pub critical_path_ns: u64,
    pub lower_bound_ns: u64,
    pub entries: Vec<Entry>,
}

/// The results of one contestant in a discipline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    pub id: String,
    pub label: String,
    pub side: Side,
    pub version: String,
    pub granted: String,
    /// The median of the sequential loop in the same processes.
    pub reference_ns: Option<f64>,
    pub makespan_ns: Option<Spread>,
    /// The makespan divided by the lower bound, at the speed that the reference had in the same
    /// process.
    pub ratio: Option<Spread>,
    pub first_task_ns: Option<Spread>,
    pub start_ns: Option<Spread>,
    /// The processor time beside the work itself.
    pub idle_ms_per_s: Option<f64>,
    pub allocations_per_run: Option<f64>,
    /// In the cold mode, the ratio of the first, second, ... run.
    pub by_run: Vec<f64>,
}

/// A distribution: the median is that of the rounds' medians, all else is of all samples together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    pub median: f64,
    pub p99: f64,
    pub maximum: f64,
    /// The values that 0, 5, 10, ... 100 % do not exceed.
    pub steps: Vec<f64>,
}

impl Event {
    pub fn new(discipline: &Discipline, workload: &Workload, entries: Vec<Entry>) -> Self {
        let period = discipline.period.as_secs_f64();
        Event {
            workload: workload.name.to_owned(),
            mode: discipline.mode.to_string(),
            workers: discipline.workers,
            rate_hz: if period > 0.0 { 1.0 / period } else { 0.0 },
            tasks: workload.graph.len(),
            work_ns: workload.work_ns(),
            critical_path_ns: workload.critical_path_ns(),
            lower_bound_ns: workload.lower_bound_ns(discipline.workers),
            entries,
        }
    }

    /// Returns the entry with this id.
    pub fn entry(&self, id: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.id == id)
    }

    /// Returns whether only the overhead is measured.
    pub fn is_empty_work(&self) -> bool {
        self.work_ns == 0
    }
}

impl Entry {
    pub fn new(entrant: &Entrant, rounds: &[Samples], discipline: &Discipline, workload: &Workload) -> Self {
        let last = rounds.last().cloned().unwrap_or_default();
        let workers = if entrant.id == "sequential" { 1 } else { discipline.workers };
        // The speed-up of the best schedule over the reference.
        let speed_up = workload.lower_bound_ns(discipline.workers) as f64 / workload.work_ns() as f64;
        let values = |key: &str| rounds.iter().map(|round| as_floats(round.values(key))).collect::<Vec<_>>();
        let bounds: Vec<f64> = values("reference_ns").iter().filter_map(|values| median(values)).collect();
        let ratios: Vec<Vec<f64>> = (values("makespan_ns").iter().zip(&bounds))
            .map(|(makespans, reference)| makespans.iter().map(|value| value / (reference * speed_up)).collect())
            .collect();
        let has_ratio = workload.work_ns() > 0 && workers > 0;
        let per = |key: &str, base: &str| {
            let quotients: Vec<f64> = (values(key).iter().zip(&values(base)))
                .filter_map(|(value, base)| Some(value.first()? / base.first()?))
                .collect();
            median(&quotients)
        };
        let period_ns = discipline.period.as_nanos() as f64;
        let work_share = if period_ns > 0.0 { workload.work_ns() as f64 / period_ns } else { 0.0 };
        let by_run = match discipline.mode {
            Mode::Cold => (0..discipline.runs)
                .filter_map(|run| {
                    median(&ratios.iter().filter_map(|round| round.get(run).copied()).collect::<Vec<_>>())
                })
                .collect(),
            _ => Vec::new(),
        };
        Entry {
            id: entrant.id.to_owned(),
            label: entrant.label.to_owned(),
            side: entrant.side,
            version: last.contestant,
            granted: last.granted,
            reference_ns: median(&bounds),
            makespan_ns: Spread::of(&values("makespan_ns")),
            ratio: if has_ratio { Spread::of(&ratios) } else { None },
            first_task_ns: Spread::of(&values("first_task_ns")),
            start_ns: Spread::of(&values("start_ns")),
            idle_ms_per_s: per("idle_cpu_ns", "idle_wall_ns").map(|share| 1e3 * (share - work_share)),
            allocations_per_run: per("allocations", "allocation_runs"),
            by_run,
        }
    }
}

impl Spread {
    /// Returns the distribution of some rounds; `None` if nothing was measured.
    pub fn of(rounds: &[Vec<f64>]) -> Option<Self> {
        let medians: Vec<f64> = rounds.iter().filter_map(|round| median(round)).collect();
        let mut all: Vec<f64> = rounds.iter().flatten().copied().collect();
        all.sort_unstable_by(f64::total_cmp);
        Some(Spread {
            median: median(&medians)?,
            p99: quantile(&all, 0.99)?,
            maximum: *all.last()?,
            steps: (0..=20).filter_map(|step| quantile(&all, f64::from(step) / 20.0)).collect(),
        })
    }
}

fn as_floats(values: &[u64]) -> Vec<f64> {
    values.iter().map(|&value| value as f64).collect()
}

pub fn median(values: &[f64]) -> Option<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    quantile(&sorted, 0.5)
}

/// Returns the nearest rank in sorted values.
pub fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let rank = ((sorted.len() as f64 * share).ceil() as usize).max(1);
    sorted.get(rank - 1).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_bad_round_moves_the_tail_and_not_the_median() {
        let rounds = [vec![1.0, 1.1, 1.2], vec![1.0, 1.1, 1.3], vec![9.0, 9.1, 9.2]];
        let spread = Spread::of(&rounds).expect("there are samples");
        assert_eq!((spread.median, spread.p99, spread.maximum), (1.1, 9.2, 9.2));
        assert_eq!((spread.steps.len(), spread.steps[0], spread.steps[20]), (21, 1.0, 9.2));
        assert_eq!(Spread::of(&[vec![], vec![]]), None);
    }
}
