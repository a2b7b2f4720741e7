//! Execution times, as far as they were measured, and the extent to which they can be trusted.

use std::path::PathBuf;
use std::time::Duration;

use hemiola_analysis::system::Span;
use hemiola_analysis::{Costs, TimeSpan};
use hemiola_realtime::{AdaptiveEarliness, scheduler_tick};
use hemiola_runtime::executor::PATIENCE;
use hemiola_trace::{HeldUp, Known, Measured, Profile};

use crate::profile::{HAND_OVER, PREEMPTION, TIMER_LATENESS, WAKE_UP};
use hemiola_recording::this_program;

/// Execution times, as far as they were measured, and the extent to which they can be trusted.
pub struct Knowledge {
    /// The measurements, of this robot and of others.
    pub known: Known,
    /// The share of the runs that execution times cover; without one, they cover all.
    pub quantile: Option<f64>,
    /// The origin of the profile.
    pub origin: Origin,
}

/// The origin of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A file, which need not exist yet.
    File(PathBuf),
    /// The run that has just ended, together with those before it.
    Run,
    /// The run that has just ended, which counts for estimates only, because these were changed
    /// while it ran.
    ChangedRun(Vec<String>),
    /// No file, as none is configured.
    Nowhere,
}

/// The tick of kernels with 100 per second, of which Linux has no fewer.
const LONGEST_TICK: Duration = Duration::from_millis(10);

impl Knowledge {
    /// Returns the execution time of a task.
    pub fn task(&self, cycle: &str, task: &str) -> Option<Span> {
        self.known.profile.task(cycle, task).and_then(|measured| self.span(measured))
    }

    /// Returns the time that taking a sample of a source takes.
    pub fn source(&self, source: &str) -> Option<Span> {
        self.known.profile.sources.get(source).and_then(|measured| self.span(measured))
    }

    /// Returns the overheads of the machine, as far as they were measured: what 99 of 100 cases do
    /// not exceed. The longest of all is due to something else that had the core once, and a bound
    /// counts each overhead every time that a thread begins to run.
    pub fn costs(&self) -> Costs {
        let cost =
            |name: &str| TimeSpan::nanoseconds(self.known.profile.costs.get(name).map_or(0, |measured| measured.p99));
        Costs {
            hand_over: cost(HAND_OVER),
            wake_up: cost(WAKE_UP),
            timer_lateness: cost(TIMER_LATENESS),
            preemption: cost(PREEMPTION),
            spin: PATIENCE.into(),
            earliness: AdaptiveEarliness::MOST.into(),
            // Also of a profile from elsewhere: it is not measured, and ticks are alike.
            budget_overrun: scheduler_tick().unwrap_or(LONGEST_TICK).into(),
            ..Costs::default()
        }
    }

    /// Returns the longest of all measured overheads of the machine.
    pub fn longest_cost(&self) -> TimeSpan {
        TimeSpan::nanoseconds(self.known.profile.costs.values().map(|cost| cost.maximum).max().unwrap_or(0))
    }

    /// Returns the span from the shortest to the longest measured time, as far as the quantile
    /// covers it; `None` if there is none.
    pub fn span(&self, measured: &Measured) -> Option<Span> {
        let longest = self.quantile.map_or(measured.maximum(), |quantile| measured.quantile(quantile));
        let time = |nanoseconds: u64| TimeSpan::nanoseconds(nanoseconds);
        (measured.count() > 0).then(|| Span { shortest: time(measured.minimum().min(longest)), longest: time(longest) })
    }

    /// Returns the fewest and the most measurements that a task has.
    pub fn samples(&self) -> Option<(u64, u64)> {
        let tasks = self.known.profile.cycles.values().flat_map(|cycle| cycle.tasks.values());
        let counts = || tasks.clone().chain(self.known.profile.sources.values()).map(Measured::count);
        counts().min().zip(counts().max())
    }

    /// Returns the executions that were delayed by other programs or the host, the longest first.
    pub fn held_up(&self) -> Vec<(String, HeldUp)> {
        let Profile { cycles, sources, executors, .. } = &self.known.profile;
        let tasks = cycles.values().flat_map(|cycle| &cycle.tasks);
        let callbacks = executors.iter().flat_map(|(executor, profile)| {
            profile.callbacks.iter().map(move |(name, callback)| (format!("{executor}: {name}"), &callback.execution))
        });
        let named = tasks.chain(sources).map(|(name, measured)| (name.clone(), measured)).chain(callbacks);
        let mut held_up: Vec<_> = named.map(|(name, measured)| (name, measured.held_up())).collect();
        held_up.retain(|(_, held_up)| !held_up.is_none());
        held_up.sort_by_key(|(_, held_up)| std::cmp::Reverse(held_up.longest));
        held_up
    }

    /// Returns whether the measurements were made with this very program.
    pub fn is_of_this_program(&self) -> bool {
        self.known.profile.conditions.build == this_program()
    }

    /// Describes the statistic of execution times: `the longest observed`.
    pub fn statistic(&self) -> String {
        self.quantile.map_or_else(
            || "the longest observed".to_owned(),
            |quantile| format!("what {} % of the runs do not exceed", (quantile * 1e6).round() / 1e4),
        )
    }
}
