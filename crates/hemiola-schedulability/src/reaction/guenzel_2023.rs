//! Reaction time through tasks of all kinds: periodic and sporadic, implicit communication and
//! logical execution time.
//!
//! - **Model.** [`super::Step`], preemptive fixed priorities on each core.
//! - **Formula.** A chain may be cut anywhere and the parts' reaction times added. It is cut where
//!   periodic tasks change to sporadic ones: periodic parts as in [`super::kloda_2018`]; sporadic
//!   ones, of whichever communication, `sum of (T + C)`, where C is until the task publishes, less
//!   T of a next, less important task of the same core.
//! - **Complexity.** That of the periodic parts.
//! - **Source.** Günzel, Ueter, Chen and Chen, RTNS 2023.

use crate::reaction::{Communication, Release, Step, duerr_2019, kloda_2018};
use hemiola_analysis::{Bound, TimeSpan};

/// Returns the bound of the reaction time.
///
/// ```
/// use hemiola_analysis::TimeSpan;
/// use hemiola_schedulability::reaction::{Communication, Release, Step, guenzel_2023};
/// let ns = TimeSpan::nanoseconds;
/// let step = |shortest, longest, deadline| Step {
///     communication: Communication::LogicalExecutionTime,
///     deadline: ns(deadline),
///     ..Step::new(Release::Sporadic { shortest: ns(shortest), longest: ns(longest) }, ns(1), ns(1))
/// };
/// assert_eq!(guenzel_2023::reaction_time(&[step(5, 10, 7), step(10, 20, 8)]), Ok(ns(45)));
/// ```
///
/// # Errors
/// Returns the errors of [`kloda_2018::reaction_time`].
pub fn reaction_time(chain: &[Step]) -> Bound {
    let parts = chain.chunk_by(|a, b| is_periodic(a) == is_periodic(b));
    parts.map(|part| if is_periodic(&part[0]) { kloda_2018::reaction_time(part) } else { Ok(sporadic(part)) }).sum()
}

/// Returns the coarser bound by cutting wherever periodic and sporadic tasks or the kinds of
/// communication change.
///
/// # Errors
/// Returns the errors of [`kloda_2018::reaction_time`].
pub fn cut_at_every_change(chain: &[Step]) -> Bound {
    let alike = |a: &Step, b: &Step| is_periodic(a) == is_periodic(b) && a.communication == b.communication;
    let part = |part: &[Step]| match part[0].communication {
        _ if is_periodic(&part[0]) => kloda_2018::reaction_time(part),
        Communication::Implicit => Ok(duerr_2019::reaction_time(part)),
        Communication::LogicalExecutionTime => Ok(sporadic(part)),
    };
    chain.chunk_by(alike).map(part).sum()
}

/// Returns the bound for sporadic tasks, which also holds for periodic ones.
pub fn sporadic(chain: &[Step]) -> TimeSpan {
    let mut sum = TimeSpan::ZERO;
    for (place, step) in chain.iter().enumerate() {
        let overlap = match chain.get(place + 1) {
            Some(next) if step.ends_before_a_later(next) => next.period(),
            _ => TimeSpan::ZERO,
        };
        sum += step.period() + (step.published_after() - overlap);
    }
    sum
}

fn is_periodic(step: &Step) -> bool {
    matches!(step.release, Release::Periodic { .. })
}
