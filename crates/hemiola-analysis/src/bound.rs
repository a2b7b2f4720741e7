use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::TimeSpan;

/// A time that is never exceeded, or why there is none.
pub type Bound = Result<TimeSpan, NoBound>;

/// The reason why there is no bound.
///
/// ```
/// use hemiola_analysis::{Analysis, NoBound, System};
/// let text = r#"
///     cores = 1
///     [[executor]]
///     name = "front"
///     core = 0
///     priority = 50
///     [[chain]]
///     name = "brake"
///     period = "10 ms"
///     callbacks = [{ name = "detect", takes = "12 ms", executor = "front", priority = 1 }]
/// "#;
/// let analysis = Analysis::of(&System::from_toml(text, "system.toml").unwrap());
/// assert_eq!(analysis.find("brake").unwrap().bound, Err(NoBound::OverUtilised { percent: 120 }));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Error, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoBound {
    /// There is more work than time, so that queues grow without limit.
    #[error(
        "it and the work of higher priority need {percent} % of the available time: make something shorter or less frequent, or move it"
    )]
    OverUtilised {
        /// The share that is needed, rounded up.
        percent: u64,
    },
    /// There may be a bound, but none was found below the horizon.
    #[error(
        "no bound was found below {horizon}: there is more work of the same or higher priority than fits into that time"
    )]
    BeyondHorizon {
        /// The time up to which bounds were searched for.
        horizon: TimeSpan,
    },
    /// Runs would overlap, which the analysis excludes.
    #[error("it can take longer than its period of {period}: shorten it, or the work of higher priority")]
    LongerThanPeriod {
        /// The period that is exceeded.
        period: TimeSpan,
    },
    /// The search took too many steps; periods that share no divisor make busy periods long.
    #[error(
        "the search was abandoned after {steps} steps: the load is so close to its limit that the processor is hardly ever idle"
    )]
    GivenUp {
        /// The number of steps that were taken.
        steps: u64,
    },
    /// A callback has not been assigned to an executor.
    #[error("callback `{callback}` has no executor: assign one")]
    Unassigned {
        /// The callback without an executor.
        callback: String,
    },
    /// The chain runs on several executors, of which one is pinned to a core, and another one to
    /// none.
    #[error(
        "this chain runs on several executors, of which `{executor}` is pinned to a core, and others are not: pin all or none"
    )]
    Moved {
        /// An executor that is pinned to a core.
        executor: String,
    },
    /// The kernel may give the budgets of reservations late.
    #[error(
        "it is not sure that the kernel gives all reservations their budgets in time, because they need {needed} % of a core together, \
         with what threads may overrun, of {sure} % that can be guaranteed: make budgets smaller, the largest share first, or periods longer"
    )]
    Reservations {
        /// The share of a core that all reservations need together.
        needed: u64,
        /// The share of a core up to which they are guaranteed to be given in time.
        sure: u64,
    },
    /// Something that this depends on has no bound.
    #[error("it depends on `{on}`, which has no bound")]
    Unbounded {
        /// The first part that has no bound.
        on: String,
    },
}

/// The largest number of steps of a search, which takes some tenths of a second.
const STEPS: u64 = 2_000_000;

/// A search for a time that covers its demand. It fails when that takes too many steps.
///
/// ```
/// use hemiola_analysis::{NoBound, Search, TimeSpan};
/// let ns = TimeSpan::nanoseconds;
/// let demand = |window: TimeSpan| ns(3) + ns(2) * window.as_nanoseconds().div_ceil(5);
/// assert_eq!(Search::below(ns(100)).fixed_point(ns(1), demand), Ok(ns(5)));
/// assert_eq!(Search::below(ns(4)).fixed_point(ns(1), demand), Err(NoBound::BeyondHorizon { horizon: ns(4) }));
/// ```
#[derive(Debug)]
pub struct Search {
    horizon: TimeSpan,
    left: u64,
}

impl Search {
    /// Creates a search for times up to `horizon`.
    pub fn below(horizon: TimeSpan) -> Self {
        Self { horizon, left: STEPS }
    }

    /// Returns the least fixed point at or after `start` of a demand that never decreases.
    ///
    /// # Errors
    /// Returns an error if there is none up to the horizon, or finding it takes too many steps.
    pub fn fixed_point(&mut self, start: TimeSpan, demand: impl Fn(TimeSpan) -> TimeSpan) -> Bound {
        let mut time = start;
        loop {
            self.within_horizon(time)?;
            self.step()?;
            let next = demand(time);
            if next <= time {
                return Ok(time);
            }
            time = next;
        }
    }

    /// Returns a time at or after `start` that covers its demand, and is not much more than the
    /// least such time: never by more than a thousandth, and most often not at all. It is meant for
    /// demand that creeps along with its argument, nanosecond by nanosecond, as the demand on
    /// several cores does: after some steps the search leaps, and then bisects the last leap.
    ///
    /// **Why it is a bound.** Demand never decreases, so that the least fixed point is not above
    /// any time that covers its demand (Tarski 1955).
    ///
    /// # Errors
    /// Returns an error if there is none up to the horizon, or finding it takes too many steps.
    pub fn covered(&mut self, start: TimeSpan, demand: impl Fn(TimeSpan) -> TimeSpan) -> Bound {
        const PATIENCE: u32 = 32;
        let (mut time, mut uncovered, mut creeping) = (start, start, 0);
        self.within_horizon(start)?;
        loop {
            self.step()?;
            let next = demand(time);
            if next <= time {
                while time - uncovered > TimeSpan::TICK && creeping > PATIENCE {
                    self.step()?;
                    let middle = uncovered + (time - uncovered).shared_by(2);
                    *(if demand(middle) <= middle { &mut time } else { &mut uncovered }) = middle;
                }
                return Ok(time);
            }
            uncovered = time;
            self.within_horizon(next)?;
            let little = time.shared_by(1024);
            creeping = if next - time < little { creeping + 1 } else { 0 };
            // A leap that passes the horizon ends there, because a time beyond it is no answer.
            time = if creeping > PATIENCE { (time + little).min(self.horizon) } else { next };
        }
    }

    fn within_horizon(&self, time: TimeSpan) -> Result<(), NoBound> {
        if time > self.horizon || time == TimeSpan::MAX {
            return Err(NoBound::BeyondHorizon { horizon: self.horizon });
        }
        Ok(())
    }

    /// Counts a step.
    ///
    /// # Errors
    /// Returns an error if there were too many steps.
    pub fn step(&mut self) -> Result<(), NoBound> {
        self.left = self.left.checked_sub(1).ok_or(NoBound::GivenUp { steps: STEPS })?;
        Ok(())
    }
}

/// Fails if shares of time, each as (cost, period), add up to more than the time that there is.
///
/// ```
/// use hemiola_analysis::{TimeSpan, check_utilisation};
/// let share = (TimeSpan::milliseconds(6), TimeSpan::milliseconds(10));
/// assert!(check_utilisation([share].into_iter(), 1.0).is_ok());
/// assert!(check_utilisation([share, share].into_iter(), 1.0).is_err());
/// ```
///
/// # Errors
/// [`NoBound::OverUtilised`] if they do.
pub fn check_utilisation(shares: impl Iterator<Item = (TimeSpan, TimeSpan)>, available: f64) -> Result<(), NoBound> {
    let needed: f64 = shares.map(|(cost, period)| cost.as_nanoseconds() as f64 / period.as_nanoseconds() as f64).sum();
    // Rounding must not reject a load of exactly 1; an excess smaller than this is found by the
    // horizon.
    if needed > available * (1.0 + 1e-12) {
        return Err(NoBound::OverUtilised { percent: (needed / available * 100.0).ceil() as u64 });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ns(nanoseconds: u64) -> TimeSpan {
        TimeSpan::nanoseconds(nanoseconds)
    }

    #[test]
    fn a_search_that_starts_beyond_its_horizon_finds_nothing() {
        let beyond = Err(NoBound::BeyondHorizon { horizon: ns(10) });
        assert_eq!(Search::below(ns(10)).fixed_point(ns(11), |_| ns(3)), beyond);
        assert_eq!(Search::below(ns(10)).covered(ns(11), |_| ns(3)), beyond);
        assert_eq!(Search::below(ns(10)).fixed_point(ns(10), |_| ns(3)), Ok(ns(10)));
        assert_eq!(Search::below(ns(10)).covered(ns(10), |_| ns(3)), Ok(ns(10)));
    }

    /// Sums that overflow stop at the longest time, where everything seems to be covered.
    #[test]
    fn the_longest_time_of_all_is_never_a_bound() {
        let beyond = Err(NoBound::BeyondHorizon { horizon: TimeSpan::MAX });
        assert_eq!(Search::below(TimeSpan::MAX).fixed_point(TimeSpan::MAX, |window| window), beyond);
        assert_eq!(Search::below(TimeSpan::MAX).covered(TimeSpan::MAX, |window| window), beyond);
    }

    /// Demand creeps by one nanosecond a step, and is covered just before or just after the
    /// horizon.
    #[test]
    fn no_leap_ends_beyond_the_horizon() {
        let creeps_up_to = |last: u64| move |window: TimeSpan| ns(last).min(window + TimeSpan::TICK);
        for horizon in 1_000_000..1_000_300 {
            let found = Search::below(ns(horizon)).covered(ns(900_000), creeps_up_to(1_000_150));
            match horizon >= 1_000_150 {
                true => assert_eq!(found, Ok(ns(1_000_150))),
                false => assert_eq!(found, Err(NoBound::BeyondHorizon { horizon: ns(horizon) })),
            }
        }
    }
}
