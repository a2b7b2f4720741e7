//! Bounds for chains under PiCAS that also hold for chains that are split over cores. Those of
//! [`super::palencia_1998`] are never larger; this is the simplest analysis that holds, and serves
//! to compare with results of others.
//!
//! - **Model.** [`super`]; chains begin periodically or sporadically, callbacks run for any time up
//!   to their cost, messages wait in queues that are large enough. A *segment* is a sequence of
//!   callbacks of a chain that one executor runs in a row.
//! - **Formula.** Segments are jobs with jitter. For a segment of cost C, period T and jitter J
//!   with blocking B, for q = 1, 2, ...: `w(q) = B + q C + sum of ceil((w(q) + J_h) / T_h) C_h`
//!   over the segments h that have precedence over it on its core; it ends at the latest `J + max
//!   (w(q) - (q - 1) T)` after it could begin at the earliest; the q end where `w(q) <= q T - J`.
//!   That, less the shortest time to the next segment's begin, is the next segment's jitter. All
//!   segments together are a fixed point, from below.
//! - **Why it holds.** A segment is the sporadic job of the holistic analysis: nothing of lower
//!   priority runs on its core while it could, except one callback of its own executor that had
//!   begun; an earlier instance of a chain precedes a later one (Lemma 1). Under ROS 2's default
//!   order, everything of the executor can come first, and it is only certain that a job has ended
//!   when the busy period has.
//! - **Costs.** The lateness of a timer, and the wake-up of another executor by a message, add to
//!   the jitter. Each callback takes longer by the dispatch. Each arrival of a segment of another
//!   executor preempts something on its core at most once: that adds to its cost.
//! - **Complexity.** Pseudo-polynomial per segment, times the steps to the common fixed point.
//! - **Source.** Tindell and Clark 1994 (holistic analysis), for PiCAS' segments.

use super::SegmentBound;
use super::segments::{self, GoesBefore, Segments};
use crate::bound::Search;
use crate::picas::Deployment;
use crate::{Arrivals, Bound, TimeSpan};

/// Returns the longest time from a chain's release to the end of its last callback, for every
/// chain.
///
/// ```
/// use hemiola_analysis::{TimeSpan, picas::{Chain, allocation, holistic}};
/// let ms = TimeSpan::milliseconds;
/// let chains = [Chain::new(ms(80), [ms(2), ms(16)]), Chain::new(ms(100), [ms(20), ms(10)])];
/// let deployment = allocation::allocate(&chains, 1, 90).unwrap();
/// assert_eq!(holistic::latencies(&deployment, ms(1000)), [Ok(ms(18)), Ok(ms(48))]);
/// ```
pub fn latencies(deployment: &Deployment, horizon: TimeSpan) -> Vec<Bound> {
    segments::latencies(&segments(deployment, horizon), deployment.chains.len())
}

/// Returns the bounds of all segments, chain by chain, each in order.
pub fn segments(deployment: &Deployment, horizon: TimeSpan) -> Vec<SegmentBound> {
    Segments::bounds(deployment, horizon, latest_end)
}

fn latest_end(segments: &Segments<'_>, index: usize, search: &mut Search) -> Bound {
    let own = &segments.all[index];
    let jitter = segments.jitter(index)?;
    let above = segments.deployment.interference.iter().filter(|other| other.priority >= own.executor_priority);
    let mut before: Vec<(TimeSpan, Arrivals)> = above.map(|other| (other.cost, other.arrivals)).collect();
    for (number, other) in segments.all.iter().enumerate() {
        if number != index && matches!(own.is_preceded_by(other), GoesBefore::All | GoesBefore::Some) {
            let arrivals = Arrivals::periodic(other.period).late_by(segments.jitter_of_other(number)?);
            before.push((segments.taken(other, own), arrivals));
        }
    }
    let shares = before.iter().map(|&(cost, arrivals)| (cost, arrivals.period)).chain([(own.cost, own.period)]);
    crate::bound::check_utilisation(shares, 1.0)?;
    let interference =
        |window: TimeSpan| before.iter().map(|(cost, arrivals)| *cost * arrivals.within(window)).sum::<TimeSpan>();

    let (mut worst, mut window) = (TimeSpan::ZERO, TimeSpan::TICK);
    for jobs in 1.. {
        let certain = own.blocking + own.cost * jobs;
        window = search.fixed_point(window.max(certain), |window| certain + interference(window))?;
        // If a later instance can overtake, it is only certain that nothing is left when the busy
        // period ends.
        worst = worst.max(if own.in_order { window - own.period * (jobs - 1) } else { window });
        if window + jitter <= own.period * jobs {
            break;
        }
    }
    Ok(own.earliest_begin + jitter + worst)
}
