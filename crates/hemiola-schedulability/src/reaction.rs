//! Bounds on the time until an actuator reacts to what a sensor sees (*reaction time*), and on the
//! age of the data on which it acts (*data age*), through tasks that run at rates of their own and
//! read the latest value.
//!
//! *Maximum reaction time*: from an event just after the first task has read, to the first output
//! that is based on it. *Maximum data age*: from a read to the last moment at which an output based
//! on it is the newest. Both are equal (Günzel et al., ECRTS 2023); their *reduced* forms leave out
//! the wait at the beginning and at the end.

pub mod becker_2017;
pub mod davare_2007;
pub mod duerr_2019;
pub mod guenzel_2021;
pub mod guenzel_2023;
pub mod kloda_2018;
mod schedule;

pub use schedule::{Job, PeriodicTask, fixed_priority_schedule, logical_execution};

use serde::{Deserialize, Serialize};

use hemiola_analysis::{NoBound, TimeSpan};

/// A task through which a chain leads.
///
/// ```
/// use hemiola_analysis::TimeSpan;
/// use hemiola_schedulability::reaction::{Communication, Release, Step};
/// let ms = TimeSpan::milliseconds;
/// let vision = Step::new(Release::Periodic { period: ms(33), phase: ms(0) }, ms(12), ms(20));
/// assert_eq!(vision.deadline, ms(33));
/// assert_eq!(vision.communication, Communication::Implicit);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Step {
    /// The times at which it begins.
    pub release: Release,
    /// The way in which it reads and writes.
    pub communication: Communication,
    /// The longest undisturbed time.
    pub cost: TimeSpan,
    /// The longest time from its release to its end.
    pub response_time: TimeSpan,
    /// The deadline, counted from its release; if communication is by logical execution time, it
    /// writes then.
    pub deadline: TimeSpan,
    /// The core on which it runs. A transfer between cores (a network, a queue) has a core of its
    /// own.
    pub core: usize,
    /// The priority: the larger, the more important among the tasks of its core, which it preempts.
    pub priority: u32,
}

/// The times at which a task begins.
///
/// ```
/// use hemiola_analysis::TimeSpan;
/// use hemiola_schedulability::reaction::Release;
/// let ms = TimeSpan::milliseconds;
/// assert_eq!(Release::Sporadic { shortest: ms(10), longest: ms(15) }.longest_distance(), ms(15));
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Release {
    /// The task is released at `phase`, and then once per period.
    Periodic {
        /// The distance of two releases.
        period: TimeSpan,
        /// The first release.
        phase: TimeSpan,
    },
    /// The task is released at any time, within limits.
    Sporadic {
        /// The shortest distance of two releases.
        shortest: TimeSpan,
        /// The longest distance of two releases.
        longest: TimeSpan,
    },
}

/// The moments at which a task reads what others wrote, and at which others see what it writes.
///
/// See [`Step`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Communication {
    /// The task reads when it begins to run and writes when it ends, as Hemiola's cycles do.
    #[default]
    Implicit,
    /// The task reads at its release and writes at its deadline, whenever it runs.
    LogicalExecutionTime,
}

impl Step {
    /// Returns a task on a core of its own that reads when it begins and writes when it ends, and
    /// is due when it is released again.
    pub const fn new(release: Release, cost: TimeSpan, response_time: TimeSpan) -> Self {
        let deadline = match release {
            Release::Periodic { period, .. } => period,
            Release::Sporadic { shortest, .. } => shortest,
        };
        Self { release, communication: Communication::Implicit, cost, response_time, deadline, core: 0, priority: 0 }
    }

    /// Returns the longest distance of two releases.
    fn period(&self) -> TimeSpan {
        self.release.longest_distance()
    }

    /// Returns the longest time from its release until others see what it writes.
    fn published_after(&self) -> TimeSpan {
        match self.communication {
            Communication::Implicit => self.response_time,
            Communication::LogicalExecutionTime => self.deadline,
        }
    }

    /// Returns whether `next` cannot begin while this task is released and has not ended.
    fn ends_before_a_later(&self, next: &Self) -> bool {
        let implicit = |step: &Self| step.communication == Communication::Implicit;
        implicit(self) && implicit(next) && self.core == next.core && self.priority > next.priority
    }

    /// Returns how long after this task's release `next` may be released and still miss what it
    /// writes.
    fn missed_for(&self, next: &Self) -> TimeSpan {
        if self.ends_before_a_later(next) { TimeSpan::ZERO } else { self.published_after() }
    }
}

impl Release {
    /// Returns the longest distance of two releases.
    pub const fn longest_distance(&self) -> TimeSpan {
        match *self {
            Self::Periodic { period, .. } => period,
            Self::Sporadic { longest, .. } => longest,
        }
    }
}

/// Returns the least common multiple of periods, after which all releases repeat; [`TimeSpan::MAX`]
/// if they never do.
///
/// ```
/// use hemiola_analysis::TimeSpan;
/// use hemiola_schedulability::reaction::hyperperiod;
/// assert_eq!(hyperperiod([12, 33].map(TimeSpan::milliseconds)), TimeSpan::milliseconds(132));
/// ```
pub fn hyperperiod(periods: impl IntoIterator<Item = TimeSpan>) -> TimeSpan {
    let divisor = |mut a: u64, mut b: u64| {
        while b != 0 {
            (a, b) = (b, a % b);
        }
        a
    };
    periods.into_iter().map(TimeSpan::as_nanoseconds).fold(TimeSpan::TICK, |common, period| {
        let common = common.as_nanoseconds();
        if period == 0 { TimeSpan::MAX } else { TimeSpan::nanoseconds(common) * (period / divisor(common, period)) }
    })
}

/// The releases of a chain's periodic tasks.
struct Releases {
    /// The period and phase of each task. A phase is less than a period.
    tasks: Vec<(TimeSpan, TimeSpan)>,
    /// The latest of the first releases.
    settled: TimeSpan,
    /// The time after which all releases repeat.
    repeats: TimeSpan,
}

impl Releases {
    fn of(chain: &[Step]) -> Result<Self, NoBound> {
        let tasks = chain.iter().map(|step| match step.release {
            // A phase of more than a period only delays when all of it begins.
            Release::Periodic { period, phase } => Ok((period, phase.whole(period).1)),
            Release::Sporadic { .. } => Err(NoBound::Unbounded { on: "the phases of sporadic tasks".to_owned() }),
        });
        let tasks: Vec<_> = tasks.collect::<Result<_, _>>()?;
        let settled = tasks.iter().map(|&(_, phase)| phase).max().unwrap_or(TimeSpan::ZERO);
        let repeats = hyperperiod(tasks.iter().map(|&(period, _)| period));
        Ok(Self { tasks, settled, repeats })
    }
}
