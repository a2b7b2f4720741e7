use serde::{Deserialize, Serialize};

use crate::TimeSpan;

/// The time of a processor that is guaranteed to be supplied: a *supply bound function*.
///
/// - **Model.** A reservation gives a budget in every period, at the latest until a deadline within
///   the period.
/// - **Formula.** The longest wait is from a budget given at once to one given at the last moment:
///   `(P - Q) + (D - Q)`. After that, Q comes in every P.
/// - **Complexity.** Constant.
/// - **Source.** Shin and Lee 2003 (D = P); for D < P, by the same argument.
///
/// ```
/// use hemiola_analysis::{Supply, TimeSpan};
/// let ns = TimeSpan::nanoseconds;
/// let supply = Supply::Reservation { budget: ns(4), period: ns(10), deadline: ns(10) };
/// assert_eq!(supply.within(ns(12)), ns(0)); // 6 without anything, twice
/// assert_eq!(supply.within(ns(15)), ns(3));
/// assert_eq!(supply.time_for(ns(7)), ns(25));
/// assert_eq!(Supply::Dedicated.time_for(ns(7)), ns(7));
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Supply {
    /// The whole processor.
    #[default]
    Dedicated,
    /// A part of the processor.
    Reservation {
        /// The budget of every period.
        budget: TimeSpan,
        /// The period.
        period: TimeSpan,
        /// The time within the period by which the budget has been given.
        deadline: TimeSpan,
    },
}

impl Supply {
    /// Returns the least that is supplied in any window of this length.
    pub fn within(&self, window: TimeSpan) -> TimeSpan {
        match *self {
            Self::Dedicated => window,
            Self::Reservation { budget, period, deadline } => {
                let wait = (period - budget) + (deadline - budget);
                let (periods, rest) = (window - wait).whole(period);
                budget * periods + rest.min(budget)
            }
        }
    }

    /// Returns the shortest window in which this much is guaranteed to be supplied;
    /// [`TimeSpan::MAX`] if that never happens.
    pub fn time_for(&self, demand: TimeSpan) -> TimeSpan {
        match *self {
            _ if demand == TimeSpan::ZERO => TimeSpan::ZERO,
            Self::Dedicated => demand,
            Self::Reservation { budget: TimeSpan::ZERO, .. } => TimeSpan::MAX,
            Self::Reservation { budget, period, deadline } => {
                let wait = (period - budget) + (deadline - budget);
                let (periods, rest) = (demand - TimeSpan::TICK).whole(budget);
                wait + period * periods + rest + TimeSpan::TICK
            }
        }
    }

    /// Returns the share of the processor.
    pub fn share(&self) -> f64 {
        match *self {
            Self::Dedicated => 1.0,
            Self::Reservation { budget, period, .. } => {
                budget.as_nanoseconds() as f64 / period.as_nanoseconds().max(1) as f64
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn the_time_for_a_demand_is_the_first_that_supplies_it(
            budget in 1u64..20, slack in 0u64..20, lateness in 0u64..20, demand in 1u64..100
        ) {
            let [budget, slack, demand] = [budget, slack, demand].map(TimeSpan::nanoseconds);
            let deadline = budget + slack.min(TimeSpan::nanoseconds(lateness));
            let supply = Supply::Reservation { budget, period: budget + slack, deadline };
            let time = supply.time_for(demand);
            prop_assert!(supply.within(time) >= demand);
            prop_assert!(supply.within(time - TimeSpan::TICK) < demand);
        }
    }
}
