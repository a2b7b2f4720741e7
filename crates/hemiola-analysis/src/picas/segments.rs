//! Cuts chains into the callbacks that one executor runs in a row: the jobs of [`super::holistic`]
//! and [`super::palencia_1998`].

use crate::bound::Search;
use crate::picas::{Beginning, Callback, Deployment, Executor, ExecutorId, Order};
use crate::{Bound, NoBound, TimeSpan};

/// The callbacks of a chain that one executor runs in a row, and the bound on their end.
///
/// ```
/// use hemiola_analysis::{TimeSpan, picas::{Chain, allocation, holistic}};
/// let ms = TimeSpan::milliseconds;
/// let deployment = allocation::allocate(&[Chain::new(ms(80), [ms(2), ms(16)])], 1, 90).unwrap();
/// let segments = holistic::segments(&deployment, ms(1000));
/// assert_eq!((segments[0].cost, &segments[0].end), (ms(18), &Ok(ms(18))));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SegmentBound {
    /// The number of the chain.
    pub chain: usize,
    /// The executor that runs it.
    pub executor: ExecutorId,
    /// The longest execution time without interference, with dispatching.
    pub cost: TimeSpan,
    /// The period of its chain.
    pub period: TimeSpan,
    /// The time after the chain's release at which it begins if all before it run as fast as they
    /// can.
    pub earliest_begin: TimeSpan,
    /// The latest time after the chain's release at which it ends.
    pub end: Bound,
}

/// All segments, chain by chain, each in order, and how late each can become ready by the bounds so
/// far.
pub(super) struct Segments<'d> {
    pub(super) deployment: &'d Deployment,
    pub(super) all: Vec<Segment>,
    /// The time between the earliest and the latest moment at which a segment can be ready.
    jitters: Vec<Bound>,
}

impl<'d> Segments<'d> {
    /// Returns the bounds of all segments together: a segment is ready when the one before has
    /// ended, and others delay it as often as they can be ready. The bounds are the least common
    /// fixed point, found from below, if later ends never make `latest_end` earlier.
    pub(super) fn bounds(
        deployment: &'d Deployment,
        horizon: TimeSpan,
        latest_end: impl Fn(&Self, usize, &mut Search) -> Bound,
    ) -> Vec<SegmentBound> {
        let all = cut(deployment);
        let jitters = vec![Ok(TimeSpan::ZERO); all.len()];
        let mut segments = Self { deployment, all, jitters };
        let mut ends: Vec<Bound> = segments.all.iter().map(|segment| Ok(segment.earliest_begin)).collect();
        let mut search = Search::below(horizon);
        loop {
            let mut changed = false;
            for index in 0..segments.all.len() {
                let segment = &segments.all[index];
                let jitter = match segment.place {
                    0 => match deployment.chains[segment.chain].begins {
                        Beginning::Timer => Ok(deployment.costs.timer_lateness),
                        Beginning::WakeUp => Ok(deployment.costs.wake_up),
                        Beginning::After { within: TimeSpan::MAX } => {
                            let on = format!("what chain {} begins after", segment.chain);
                            Err(NoBound::Unbounded { on })
                        }
                        Beginning::After { within } => Ok(within + deployment.costs.wake_up),
                    },
                    _ => ends[index - 1].clone().map(|end| end - segment.earliest_begin + deployment.costs.wake_up),
                };
                changed |= jitter != segments.jitters[index];
                segments.jitters[index] = jitter;
                // A bound that is lost does not come back.
                if ends[index].is_ok() {
                    let end = latest_end(&segments, index, &mut search);
                    changed |= end != ends[index];
                    ends[index] = end;
                }
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
        segments.all.iter().zip(ends).map(bound).collect()
    }

    /// Returns how late a segment can become ready; without a bound, the segment itself is the
    /// reason.
    pub(super) fn jitter(&self, index: usize) -> Bound {
        self.jitters[index].clone()
    }

    /// Returns how late a segment that delays others can become ready.
    pub(super) fn jitter_of_other(&self, index: usize) -> Bound {
        let on = || NoBound::Unbounded { on: format!("chain {}", self.all[index].chain) };
        self.jitters[index].clone().map_err(|_| on())
    }

    /// Returns the time by which a job of `other` delays `own`: if another executor runs it, it
    /// also preempts something.
    pub(super) fn taken(&self, other: &Segment, own: &Segment) -> TimeSpan {
        let interrupts = if other.executor == own.executor { TimeSpan::ZERO } else { self.deployment.costs.preemption };
        other.cost + interrupts
    }
}

/// Returns the bounds of whole chains.
pub(super) fn latencies(segments: &[SegmentBound], chains: usize) -> Vec<Bound> {
    let last = |chain: usize| segments.iter().rfind(|segment| segment.chain == chain);
    (0..chains).map(|chain| last(chain).map_or(Ok(TimeSpan::ZERO), |last| last.end.clone())).collect()
}

pub(super) struct Segment {
    pub(super) chain: usize,
    /// The position among the chain's segments.
    pub(super) place: usize,
    core: usize,
    pub(super) executor_priority: u32,
    executor: usize,
    /// Set if everything of its executor may have precedence over it. This is so under the order of
    /// registration, once the executor has polled what is ready; and if another executor has the
    /// same priority, because what that one could not do meanwhile comes first, too.
    all_go_before: bool,
    lowest: u32,
    highest: u32,
    pub(super) cost: TimeSpan,
    /// Set if priorities rise along the segment, so that an earlier instance comes first (Lemma 1).
    /// Messages of several publishers are received in turn, so that a later one may be received
    /// first.
    pub(super) in_order: bool,
    /// The longest callback of its executor that can have begun before it, and continues.
    pub(super) blocking: TimeSpan,
    pub(super) period: TimeSpan,
    /// The time after the chain's release at which it begins if all before it run as fast as they
    /// can.
    pub(super) earliest_begin: TimeSpan,
}

/// The part of another segment that can run while one could.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GoesBefore {
    /// All of its callbacks.
    All,
    /// Some of its callbacks; the others only if they had begun.
    Some,
    /// None of its callbacks, though it has the same core.
    Nothing,
    /// None of its callbacks, because it has another core.
    Elsewhere,
}

impl Segment {
    /// Returns the part of `other` that can run while this segment could.
    pub(super) fn is_preceded_by(&self, other: &Self) -> GoesBefore {
        let all = if self.core != other.core {
            return GoesBefore::Elsewhere;
        } else if self.executor == other.executor {
            self.all_go_before || other.lowest >= self.lowest
        } else {
            // Executors of one priority take turns in any order.
            other.executor_priority >= self.executor_priority
        };
        match all {
            true => GoesBefore::All,
            false if self.executor == other.executor && other.highest >= self.lowest => GoesBefore::Some,
            false => GoesBefore::Nothing,
        }
    }
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
        let mut earliest_begin = TimeSpan::ZERO;
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
                in_order: executor.order == Order::Priority
                    && chain.begins == Beginning::Timer
                    && run.is_sorted_by(|a, b| a.priority < b.priority),
                blocking: deployment
                    .callbacks()
                    .filter(blocks)
                    .map(|(_, other)| dispatched(other))
                    .max()
                    .unwrap_or(TimeSpan::ZERO),
                period: chain.period,
                earliest_begin,
            });
            earliest_begin += run.iter().map(|callback| callback.shortest).sum();
        }
    }
    segments
}
