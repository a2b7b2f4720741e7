//! The coarse bound that holds for all phases, jitter and cores.
//!
//! - **Model.** Periodic or sporadic tasks that read when they begin and write when they end; or by
//!   logical execution time, and R is the deadline then.
//! - **Formula.** `sum of (T + R)`: each task may just have missed the value, and then take as long
//!   as possible.
//! - **Complexity.** Linear.
//! - **Source.** Davare, Zhu, Di Natale, Pinello, Kanajan and Sangiovanni-Vincentelli, DAC 2007.

use crate::reaction::Step;
use hemiola_analysis::TimeSpan;

/// Returns the bound of reaction time and data age.
///
/// ```
/// use hemiola_analysis::TimeSpan;
/// use hemiola_schedulability::reaction::{Release, Step, davare_2007};
/// let ns = TimeSpan::nanoseconds;
/// let step = |shortest, longest, cost, response| {
///     Step::new(Release::Sporadic { shortest: ns(shortest), longest: ns(longest) }, ns(cost), ns(response))
/// };
/// assert_eq!(davare_2007::reaction_time(&[step(5, 10, 1, 1), step(10, 20, 2, 3)]), ns(34));
/// ```
pub fn reaction_time(chain: &[Step]) -> TimeSpan {
    chain.iter().map(|step| step.period() + step.published_after()).sum()
}
