//! Reaction time of periodic tasks with known phases.
//!
//! - **Model.** Strictly periodic tasks; each reads when it begins and writes when it ends, or by
//!   logical execution time.
//! - **Formula.** For each release of the first task within a hyperperiod: the value that just
//!   missed it is read at the next one, and from there each task's first release that sees the one
//!   before: `rel' = first release at or after rel + x R`. Response times may vary freely below
//!   their bounds.
//! - **Complexity.** Releases in the hyperperiod times tasks.
//! - **Source.** Kloda, Bertout and Sorel, ETFA 2018 (synchronous, implicit); with phases and
//!   logical execution time as in Günzel, Ueter, Chen and Chen, RTNS 2023.

use super::{Releases, Step};
use hemiola_analysis::{Bound, Search, TimeSpan};

/// Returns the bound of the reaction time.
///
/// ```
/// use hemiola_analysis::TimeSpan;
/// use hemiola_schedulability::reaction::{Release, Step, kloda_2018};
/// let ns = TimeSpan::nanoseconds;
/// let step = |period, cost, response, priority| Step {
///     priority,
///     ..Step::new(Release::Periodic { period: ns(period), phase: ns(0) }, ns(cost), ns(response))
/// };
/// let (fast, slow) = (step(10, 1, 1, 2), step(20, 2, 3, 1));
/// assert_eq!(kloda_2018::reaction_time(&[fast, slow]), Ok(ns(23)));
/// assert_eq!(kloda_2018::reaction_time(&[slow, fast]), Ok(ns(31)));
/// ```
///
/// # Errors
/// Returns [`GivenUp`](hemiola_analysis::NoBound::GivenUp) if the periods' common multiple is too
/// large to examine all releases, and for sporadic tasks, which have no phases.
pub fn reaction_time(chain: &[Step]) -> Bound {
    let Releases { tasks, settled, repeats } = Releases::of(chain)?;
    let (Some(&(first_period, first_phase)), Some(last)) = (tasks.first(), chain.last()) else {
        return Ok(TimeSpan::ZERO);
    };
    let mut search = Search::below(TimeSpan::MAX);
    let mut worst = TimeSpan::ZERO;
    for number in 0.. {
        search.step()?;
        let missed = first_phase + first_period * number;
        if missed > settled + repeats {
            break;
        }
        let mut release = missed + first_period;
        for (place, pair) in chain.windows(2).enumerate() {
            let (period, phase) = tasks[place + 1];
            let seen_from = release + pair[0].missed_for(&pair[1]);
            release = phase + period * (seen_from - phase).jobs_of(period);
        }
        worst = worst.max(release + last.published_after() - missed);
    }
    Ok(worst)
}
