//! The durations of tasks, as far as they are known.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::random::SplitMix64;
use crate::task::TaskId;

/// The duration of one task.
///
/// ```
/// use std::time::Duration;
/// use hemiola_plan::TaskDuration;
/// let ms = Duration::from_millis;
/// // Three runs of 1 ms, one of 5 ms, as a histogram records them.
/// let measured = TaskDuration::Samples(vec![(ms(1), 3), (ms(5), 1)]);
/// assert_eq!(measured.mean(), Some(ms(2)));
/// assert_eq!(TaskDuration::Unknown.mean(), None);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum TaskDuration {
    /// The task was never measured.
    #[default]
    Unknown,
    /// The task always takes the same time.
    Constant(Duration),
    /// A recorded histogram: each value with its count.
    Samples(Vec<(Duration, u64)>),
}

impl TaskDuration {
    /// Returns the mean, if anything is known.
    pub fn mean(&self) -> Option<Duration> {
        match self {
            TaskDuration::Unknown => None,
            TaskDuration::Constant(duration) => Some(*duration),
            TaskDuration::Samples(buckets) => {
                let count: u128 = buckets.iter().map(|&(_, count)| u128::from(count)).sum();
                let sum: u128 = buckets.iter().map(|&(value, count)| value.as_nanos() * u128::from(count)).sum();
                (count > 0).then(|| from_nanos(u64::try_from(sum / count).unwrap_or(u64::MAX)))
            }
        }
    }

    /// Returns the mean of the shorter nine tenths: a task that was interrupted in one run of ten
    /// does not count as longer.
    ///
    /// ```
    /// use std::time::Duration;
    /// use hemiola_plan::TaskDuration;
    /// let ms = Duration::from_millis;
    /// // Nine runs of 1 ms, and one that the kernel stretched to 90.
    /// let measured = TaskDuration::Samples(vec![(ms(1), 9), (ms(90), 1)]);
    /// assert_eq!(measured.typical(), Some(ms(1)));
    /// ```
    pub fn typical(&self) -> Option<Duration> {
        let TaskDuration::Samples(buckets) = self else { return self.mean() };
        let mut sorted = buckets.clone();
        sorted.sort_unstable();
        let count: u64 = sorted.iter().map(|&(_, count)| count).sum();
        let mut left = count - count / 10;
        for (_, count) in &mut sorted {
            *count = left.min(*count);
            left -= *count;
        }
        TaskDuration::Samples(sorted).mean()
    }
}

/// The durations of all tasks of a graph.
///
/// Where nothing is known, a task counts as the median of the known ones, so that one module
/// without a history neither vanishes nor dominates. Where nothing is known of any task, each
/// counts as [`Durations::ASSUMED`]: long compared to a hand-over, so that the shape of the graph
/// alone decides.
///
/// ```
/// use std::time::Duration;
/// use hemiola_plan::{Durations, TaskDuration, TaskId};
/// let mut durations = Durations::unknown(3);
/// assert_eq!(durations.expected(TaskId(0)), Durations::ASSUMED);
/// durations.set(TaskId(1), TaskDuration::Constant(Duration::from_millis(4)));
/// assert_eq!(durations.expected(TaskId(0)), Duration::from_millis(4));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Durations {
    tasks: Vec<TaskDuration>,
}

impl Durations {
    /// The duration that an unmeasured task counts as while no task is measured.
    pub const ASSUMED: Duration = Duration::from_micros(100);

    /// Returns durations for `tasks` tasks of which nothing is known.
    pub fn unknown(tasks: usize) -> Self {
        Self { tasks: vec![TaskDuration::Unknown; tasks] }
    }

    /// Returns durations for tasks that each take a known time, in the order of the task ids.
    pub fn constant(durations: impl IntoIterator<Item = Duration>) -> Self {
        Self { tasks: durations.into_iter().map(TaskDuration::Constant).collect() }
    }

    /// Returns what is known about a task; unknown for one that is not of this graph.
    pub fn get(&self, task: TaskId) -> &TaskDuration {
        self.tasks.get(task.index()).unwrap_or(&TaskDuration::Unknown)
    }

    /// Sets what is known about a task. A task beyond the end extends the table.
    pub fn set(&mut self, task: TaskId, duration: TaskDuration) {
        if self.tasks.len() <= task.index() {
            self.tasks.resize(task.index() + 1, TaskDuration::Unknown);
        }
        self.tasks[task.index()] = duration;
    }

    /// Returns the [typical](TaskDuration::typical) duration of a task, or what an unmeasured one
    /// counts as.
    pub fn expected(&self, task: TaskId) -> Duration {
        self.get(task).typical().unwrap_or_else(|| self.unmeasured())
    }

    /// Returns whether any task was measured.
    pub fn any_known(&self) -> bool {
        self.tasks.iter().any(|task| task.mean().is_some())
    }

    /// Returns whether repeated runs differ.
    pub fn vary(&self) -> bool {
        self.tasks.iter().any(|task| matches!(task, TaskDuration::Samples(buckets) if buckets.len() > 1))
    }

    /// Returns the expected durations of the first `count` tasks, in nanoseconds.
    pub(crate) fn expected_nanos(&self, count: usize) -> Vec<u64> {
        let unmeasured = self.unmeasured();
        (0..count).map(|task| nanos(self.get(TaskId(task as u32)).typical().unwrap_or(unmeasured))).collect()
    }

    fn unmeasured(&self) -> Duration {
        let mut known: Vec<Duration> = self.tasks.iter().filter_map(TaskDuration::typical).collect();
        if known.is_empty() {
            return Self::ASSUMED;
        }
        let middle = known.len() / 2;
        *known.select_nth_unstable(middle).1
    }
}

/// Draws durations of all tasks, without allocating.
#[derive(Debug, Clone)]
pub(crate) struct Sampler {
    tasks: Vec<TaskSampler>,
}

#[derive(Debug, Clone)]
enum TaskSampler {
    Constant(u64),
    /// The values, each with the count of its bucket and all smaller ones.
    Cumulative(Vec<(u64, u64)>),
}

impl Sampler {
    pub(crate) fn new(durations: &Durations, count: usize) -> Self {
        let expected = durations.expected_nanos(count);
        let tasks = expected.iter().enumerate().map(|(task, &mean)| match durations.get(TaskId(task as u32)) {
            TaskDuration::Samples(buckets) => {
                let mut total = 0u64;
                let cumulative: Vec<(u64, u64)> = (buckets.iter())
                    .map(|&(value, count)| {
                        total = total.saturating_add(count);
                        (nanos(value), total)
                    })
                    .collect();
                if total == 0 { TaskSampler::Constant(mean) } else { TaskSampler::Cumulative(cumulative) }
            }
            _ => TaskSampler::Constant(mean),
        });
        Self { tasks: tasks.collect() }
    }

    pub(crate) fn draw(&self, random: &mut SplitMix64, into: &mut [u64]) {
        for (task, duration) in self.tasks.iter().zip(into) {
            *duration = match task {
                TaskSampler::Constant(value) => *value,
                TaskSampler::Cumulative(buckets) => {
                    let total = buckets[buckets.len() - 1].1;
                    let drawn = random.below(total);
                    buckets[buckets.partition_point(|&(_, up_to)| up_to <= drawn)].0
                }
            };
        }
    }
}

/// Converts a duration to nanoseconds, three days at most, so that sums over tens of thousands of
/// tasks cannot overflow.
pub(crate) fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX).min(1 << 48)
}

pub(crate) fn from_nanos(nanos: u64) -> Duration {
    Duration::from_nanos(nanos)
}
