//! Reaction time and data age of sporadic tasks.
//!
//! - **Model.** Sporadic tasks that read when they begin and write when they end, preemptive fixed
//!   priorities on each core; or by logical execution time, and R is the deadline then.
//! - **Formula.** `T_1 + R_n + sum over i < n of max(R_i, T_(i+1) + x_i R_i)`; reduced data age
//!   `R_n + sum of (T_i + x_i R_i)`. x is 0 if the next task is on the same core and less
//!   important: it cannot begin while this one has not ended.
//! - **Complexity.** Linear.
//! - **Source.** Dürr, von der Brüggen, Chen and Chen, CASES 2019.

use crate::reaction::Step;
use hemiola_analysis::TimeSpan;

/// Returns the bound of the reaction time.
///
/// ```
/// use hemiola_analysis::TimeSpan;
/// use hemiola_schedulability::reaction::{Release, Step, duerr_2019};
/// let ns = TimeSpan::nanoseconds;
/// let step = |shortest, longest, cost, response, priority| Step {
///     priority,
///     ..Step::new(Release::Sporadic { shortest: ns(shortest), longest: ns(longest) }, ns(cost), ns(response))
/// };
/// let (fast, slow) = (step(5, 10, 1, 1, 2), step(10, 20, 2, 3, 1));
/// assert_eq!(duerr_2019::reaction_time(&[fast, slow]), ns(33));
/// assert_eq!(duerr_2019::reaction_time(&[slow, fast]), ns(34));
/// ```
pub fn reaction_time(chain: &[Step]) -> TimeSpan {
    let hops = chain.windows(2).map(|pair| {
        let [step, next] = pair else { return TimeSpan::ZERO };
        step.published_after().max(next.period() + step.missed_for(next))
    });
    ends(chain, |first| first.period()) + hops.sum()
}

/// Returns the bound of the data age without the wait for the next output.
pub fn reduced_data_age(chain: &[Step]) -> TimeSpan {
    let hops = chain.windows(2).map(|pair| {
        let [step, next] = pair else { return TimeSpan::ZERO };
        step.period() + step.missed_for(next)
    });
    ends(chain, |_| TimeSpan::ZERO) + hops.sum()
}

fn ends(chain: &[Step], first: impl Fn(&Step) -> TimeSpan) -> TimeSpan {
    chain.first().map_or(TimeSpan::ZERO, first) + chain.last().map_or(TimeSpan::ZERO, |last| last.published_after())
}
