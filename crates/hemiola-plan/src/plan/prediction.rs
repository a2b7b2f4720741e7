//! The expected makespan of a plan, and the number of workers that is worthwhile.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::{Plan, PlanOptions, WorkerChoice};
use crate::durations::Durations;
use crate::simulation::{Makespan, Policy, Simulation, SimulationOptions};

/// The number of runs that are simulated per number of workers where durations vary.
const RUNS: usize = 256;
/// The factor by which the chosen number of workers may be slower than the best.
const TOLERATED: f64 = 1.02;
/// The work, in critical paths, below which a second worker is not considered.
const HARDLY_MORE: f64 = 1.05;

/// The number of hand-overs that further workers must save: each unit that is given away costs at
/// least one.
const WORTH_A_WORKER: u32 = 10;

/// The expected times of a plan.
///
/// ```
/// use std::{num::NonZeroUsize, time::Duration};
/// use hemiola_plan::{Durations, Plan, PlanOptions, TaskGraph, WorkerChoice};
/// let graph = TaskGraph::plain("fork", 3, [(0, 1), (0, 2)]).unwrap();
/// let options = PlanOptions { workers: WorkerChoice::Fixed(NonZeroUsize::new(2).unwrap()), hand_over: Duration::ZERO, ..Default::default() };
/// let plan = Plan::new(graph, &Durations::constant([Duration::from_millis(1); 3]), &options);
/// let prediction = plan.prediction();
/// assert_eq!(prediction.makespan(1).unwrap().mean, Duration::from_millis(3));
/// assert_eq!(prediction.makespan(2).unwrap().mean, Duration::from_millis(2));
/// assert_eq!(prediction.lower_bound(2), Duration::from_millis(2));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Prediction {
    /// The sum of all expected durations.
    pub work: Duration,
    /// The longest path by expected durations.
    pub critical_path: Duration,
    /// The simulated makespans with 1, 2, ... workers, up to as many as are allowed and useful.
    pub makespans: Vec<Makespan>,
}

impl Prediction {
    /// Returns a lower bound of the makespan for the expected durations: the critical path, or the
    /// work shared evenly if that is longer.
    pub fn lower_bound(&self, workers: usize) -> Duration {
        self.critical_path.max(self.work / u32::try_from(workers.max(1)).unwrap_or(u32::MAX))
    }

    /// Returns an upper bound of the makespan of list schedules of the expected durations without
    /// hand-overs (Graham 1969): the critical path, plus the rest of the work shared evenly.
    pub fn upper_bound(&self, workers: usize) -> Duration {
        let rest = self.work.saturating_sub(self.critical_path);
        self.critical_path + rest / u32::try_from(workers.max(1)).unwrap_or(u32::MAX)
    }

    /// Returns the predicted makespan with that many workers; with more than are useful, that of
    /// the most useful ones.
    pub fn makespan(&self, workers: usize) -> Option<&Makespan> {
        self.makespans.get(workers.min(self.makespans.len()).checked_sub(1)?)
    }

    /// Returns the fewest workers whose mean makespan is within 2 % of the best; one where there is
    /// hardly anything to gain.
    pub(crate) fn worthwhile_workers(&self, hand_over: Duration) -> usize {
        let hardly_parallel = self.work.as_secs_f64() < self.critical_path.as_secs_f64() * HARDLY_MORE;
        let means = self.makespans.iter().map(|makespan| makespan.mean);
        let (Some(alone), Some(best)) = (means.clone().next(), means.min()) else { return 1 };
        if hardly_parallel || alone - best <= hand_over * WORTH_A_WORKER {
            return 1;
        }
        let good_enough = |makespan: &Makespan| makespan.mean.as_secs_f64() <= best.as_secs_f64() * TOLERATED;
        self.makespans.iter().position(good_enough).map_or(1, |index| index + 1)
    }
}

pub(crate) fn predict(plan: &Plan, durations: &Durations, options: &PlanOptions) -> Prediction {
    let work = plan.units().iter().map(|unit| unit.duration).sum();
    let critical_path = plan.units().iter().map(|unit| unit.remaining).max().unwrap_or_default();
    let (WorkerChoice::Fixed(most) | WorkerChoice::Automatic { available: most }) = options.workers;
    let useful = if most.get() == 1 { 1 } else { most.get().min(plan.graph().width().max(1)) };
    let runs = if durations.vary() { RUNS } else { 1 };
    let makespans = (1..=useful).map(|workers| {
        let options =
            SimulationOptions { workers, hand_over: options.hand_over, policy: Policy::CriticalPath, seed: 0 };
        Simulation::new(plan, durations, &options).makespan(runs)
    });
    Prediction { work, critical_path, makespans: makespans.collect() }
}
