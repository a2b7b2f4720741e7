//! How long chains take under PiCAS: bounds that hold, also for chains that are split over cores.
//!
//! - **Model.** [`super`]; chains begin periodically or sporadically, callbacks run for any time up to their cost, messages wait in
//!   queues that are large enough. A *segment* is what of a chain one executor runs in a row.
//! - **Formula.** Segments are jobs with jitter. For a segment of cost C, period T and jitter J with blocking B, for q = 1, 2, ...:
//!   `w(q) = B + q C + sum of ceil((w(q) + J_h) / T_h) C_h` over the segments h that go before it on its core; it ends at the
//!   latest `J + max (w(q) - (q - 1) T)` after it could begin at the earliest; the q end where `w(q) <= q T - J`. That, less the
//!   shortest time to the next segment's begin, is the next segment's jitter. All segments together are a fixed point, from below.
//! - **Why it holds.** A segment is the sporadic job of the holistic analysis: nothing lower on its core runs while it could, but for
//!   one callback of its own executor that had begun; a chain's prior instance goes before a later one (Lemma 1).
//!   Under ROS 2's default order, everything of the executor goes before, and all that is sure is that a job has ended when
//!   the busy period has.
//! - **Costs.** A timer that is late, and a message that has to wake another executor first, are more jitter. Each callback takes the dispatch
//!   longer. Each arrival of a segment of another executor interrupts something on its core at most once: that adds to its cost.
//! - **Complexity.** Pseudo-polynomial per segment, times the steps to the common fixed point.
//! - **Source.** Tindell and Clark 1994 (holistic analysis), for PiCAS' segments.

use crate::bound::Search;
use crate::picas::{Callback, Deployment, Executor, ExecutorId, Order};
use crate::{Arrivals, Bound, NoBound, Time};

/// The longest time from a chain's release to the end of its last callback, for every chain.
///
/// ```
/// use hemiola_analysis::{Time, picas::{Chain, allocation, holistic}};
/// let ms = Time::milliseconds;
/// let chains = [Chain::new(ms(80), [ms(2), ms(16)]), Chain::new(ms(100), [ms(20), ms(10)])];
/// let deployment = allocation::allocate(&chains, 1, 90).unwrap();
/// assert_eq!(holistic::latencies(&deployment, ms(1000)), [Ok(ms(18)), Ok(ms(48))]);
/// ```
pub fn latencies(deployment: &Deployment, horizon: Time) -> Vec<Bound> {
    let segments = segments(deployment, horizon);
    let last = |chain: usize| segments.iter().rfind(|segment| segment.chain == chain);
    (0..deployment.chains.len()).map(|chain| last(chain).map_or(Ok(Time::ZERO), |last| last.end.clone())).collect()
}

/// What of a chain one executor runs in a row, and until when.
///
/// ```
/// use hemiola_analysis::{Time, picas::{Chain, allocation, holistic}};
/// let ms = Time::milliseconds;
/// let deployment = allocation::allocate(&[Chain::new(ms(80), [ms(2), ms(16)])], 1, 90).unwrap();
/// let segments = holistic::segments(&deployment, ms(1000));
/// assert_eq!((segments[0].cost, &segments[0].end), (ms(18), &Ok(ms(18))));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentBound {
    /// The chain.
    pub chain: usize,
    /// Who runs it.
    pub executor: ExecutorId,
    /// The longest that it runs, undisturbed, with dispatching.
    pub cost: Time,
    /// The period of its chain.
    pub period: Time,
    /// After the chain's release, if all before runs as fast as it can.
    pub earliest_begin: Time,
    /// After the chain's release, at the latest.
    pub end: Bound,
}

/// The bounds of all segments, chain by chain, each in order.
pub fn segments(deployment: &Deployment, horizon: Time) -> Vec<SegmentBound> {
    let segments = cut(deployment);
    let mut ends: Vec<Bound> = segments.iter().map(|segment| Ok(segment.earliest_begin)).collect();
    let mut jitters: Vec<Bound> = vec![Ok(Time::ZERO); segments.len()];
    let mut search = Search::below(horizon);
    loop {
        let mut changed = false;
        for index in 0..segments.len() {
            let segment = &segments[index];
            let jitter = match segment.place {
                0 => Ok(deployment.costs.timer_lateness),
                _ => ends[index - 1].clone().map(|end| end - segment.earliest_begin + deployment.costs.wake_up),
            };
            changed |= jitter != jitters[index];
            jitters[index] = jitter;
            let end = latest_end(deployment, &segments, index, &jitters, &mut search);
            changed |= end != ends[index];
            ends[index] = end;
        }
        if !changed {
            break;
        }
    }
    let bound = |(segment, end): (&Segment, Bound)| SegmentBound {
        chain: segment.chain,
        executor: ExecutorId(segment.executor),
        cost: segment.cost,
        period: segment.period,
        earliest_begin: segment.earliest_begin,
        end,
    };
    segments.iter().zip(ends).map(bound).collect()
}

struct Segment {
    chain: usize,
    /// Which of the chain's segments.
    place: usize,
    core: usize,
    executor_priority: u32,
    executor: usize,
    /// Whether everything of its executor may go before it: by registration once a look has been taken; and if another executor
    /// has the same priority, because what that one was kept from doing meanwhile comes first, too.
    all_go_before: bool,
    lowest: u32,
    highest: u32,
    cost: Time,
    /// Whether priorities rise along the chain, so that a prior instance goes first (Lemma 1).
    in_order: bool,
    blocking: Time,
    period: Time,
    /// After the chain's release, if all before runs as fast as it can.
    earliest_begin: Time,
}

fn cut(deployment: &Deployment) -> Vec<Segment> {
    let has_equal = |own: ExecutorId| {
        let Executor { core, priority, .. } = deployment.executors[own.0];
        let equal =
            |(number, other): (usize, &Executor)| number != own.0 && (other.core, other.priority) == (core, priority);
        deployment.executors.iter().enumerate().any(equal)
    };
    let dispatched = |callback: &Callback| callback.cost + deployment.costs.dispatch;
    let mut segments = Vec::new();
    for (number, chain) in deployment.chains.iter().enumerate() {
        let mut earliest_begin = Time::ZERO;
        for (place, run) in chain.callbacks.chunk_by(|a, b| a.executor == b.executor).enumerate() {
            let executor = deployment.executor(&run[0]);
            let priorities = || run.iter().map(|callback| callback.priority);
            let lowest = priorities().min().unwrap_or(0);
            let blocks =
                |&(_, other): &(usize, &Callback)| other.executor == run[0].executor && other.priority < lowest;
            segments.push(Segment {
                chain: number,
                place,
                core: executor.core,
                executor_priority: executor.priority,
                executor: run[0].executor.0,
                all_go_before: executor.order == Order::Registration || has_equal(run[0].executor),
                lowest,
                highest: priorities().max().unwrap_or(0),
                cost: run.iter().map(dispatched).sum(),
                in_order: executor.order == Order::Priority && run.is_sorted_by(|a, b| a.priority < b.priority),
                blocking: deployment
                    .callbacks()
                    .filter(blocks)
                    .map(|(_, other)| dispatched(other))
                    .max()
                    .unwrap_or(Time::ZERO),
                period: chain.period,
                earliest_begin,
            });
            earliest_begin += run.iter().map(|callback| callback.shortest).sum();
        }
    }
    segments
}

impl Segment {
    /// Whether `other` can run while this could.
    fn is_preceded_by(&self, other: &Self) -> bool {
        if self.core != other.core || (self.chain, self.place) == (other.chain, other.place) {
            return false;
        }
        if self.executor == other.executor {
            return self.all_go_before || other.highest >= self.lowest;
        }
        // Executors of one priority take turns in any order.
        other.executor_priority >= self.executor_priority
    }
}

fn latest_end(
    deployment: &Deployment,
    segments: &[Segment],
    index: usize,
    jitters: &[Bound],
    search: &mut Search,
) -> Bound {
    let own = &segments[index];
    let jitter = jitters[index].clone()?;
    let above = deployment.interference.iter().filter(|other| other.priority >= own.executor_priority);
    let mut before: Vec<(Time, Arrivals)> = above.map(|other| (other.cost, other.arrivals)).collect();
    for (number, other) in segments.iter().enumerate().filter(|(_, other)| own.is_preceded_by(other)) {
        let unbounded = || NoBound::Unbounded { on: format!("chain {}", other.chain) };
        let jitter = jitters[number].clone().map_err(|_| unbounded())?;
        let interrupts = if other.executor == own.executor { Time::ZERO } else { deployment.costs.preemption };
        before.push((other.cost + interrupts, Arrivals::periodic(other.period).late_by(jitter)));
    }
    let shares = before.iter().map(|&(cost, arrivals)| (cost, arrivals.period)).chain([(own.cost, own.period)]);
    crate::bound::check_utilisation(shares, 1.0)?;
    let interference =
        |window: Time| before.iter().map(|(cost, arrivals)| *cost * arrivals.within(window)).sum::<Time>();

    let (mut worst, mut window) = (Time::ZERO, Time::TICK);
    for jobs in 1.. {
        let certain = own.blocking + own.cost * jobs;
        window = search.fixed_point(window.max(certain), |window| certain + interference(window))?;
        // If a later instance can overtake, all that is sure is that nothing is left when the busy period ends.
        worst = worst.max(if own.in_order { window - own.period * (jobs - 1) } else { window });
        if window + jitter <= own.period * jobs {
            break;
        }
    }
    Ok(own.earliest_begin + jitter + worst)
}
