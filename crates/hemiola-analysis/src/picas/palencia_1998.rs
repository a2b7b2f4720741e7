//! Bounds for chains under PiCAS that use the order of the segments of a chain, and the distances
//! at which chains begin.
//!
//! - **Model.** That of [`super::holistic`]: a *segment* is a sequence of callbacks of a chain that
//!   one executor runs in a row. It can be ready from E after its chain's release, if all before it
//!   run as fast as they can, until X, when the one before has ended at the latest: a *dynamic
//!   offset*. Chains begin periodically or sporadically; those with an
//!   [offset](super::Chain::offset), a *static* one, strictly periodically. Chains with offsets
//!   whose releases soon repeat form one *transaction*; each other chain is one of its own.
//! - **Formula.** In a window of length w, segments j of a transaction have at most the work `W*(w)
//!   = max over its segments k of sum of C_j (ceil((w + X_k - E_j) / T_j) - ceil((X_k - X_j) /
//!   T_j))`, with E and X from a common time on, and those X_k of all instances until all repeats.
//!   Of the chain itself, released at 0, a window that begins at t has what can be ready in it: of
//!   this instance the segment in question, and those before it, except others between them that
//!   cannot run in the window; of earlier ones all that has precedence; of later ones only earlier
//!   segments. What is beside it in its transaction counts at its known distance. The least `w(t) =
//!   B + own(t, w) + beside(t, w) + sum of W*(w)` is where the segment ends: at `t + w(t)`, at most
//!   the longest window. The bound is the largest over all t up to its X at which some job is ready
//!   at the latest. Segments in a row on one core are one job, too, which begins with the first,
//!   for which of each later one a wake-up and what can begin meanwhile are added: the smaller
//!   bound counts.
//! - **Why it holds.** *Window.* What has precedence over a segment is what its core can run while
//!   the segment is ready. The window begins when last nothing of that was left; or, if its
//!   executor was in a callback without precedence, with that callback (B), which would not have
//!   begun otherwise. So all that has precedence and runs in the window is ready in it, what
//!   preempts something is counted, and nothing else runs. *W\*.* A job is ready in the window for
//!   releases in an interval of length `w + X - E`. If the E of a chain's segments differ by T at
//!   most, the last of these intervals begins at most T after the first ends; until there the work
//!   of a release never falls with its time, after that it never grows: so releases that are T
//!   apart give the most, also where they may be further apart, and the most of these some that has
//!   one at the begin of an interval. Segments further apart are counted in parts. *Own.* Callbacks
//!   receive messages in order, so that an earlier instance comes first (Lemma 1), and what of a
//!   later one is behind the segment cannot come before it. *Partly before.* Of a segment of the
//!   same executor of which only some callbacks have precedence, those after another one run once
//!   at most, after B: it counts as in the holistic analysis, by which it is there at least once.
//!   *In a row.* When one has ended the next one is ready at once, or a wake-up later: meanwhile
//!   something else can begin, as B before. Where a later instance can overtake, it is only certain
//!   that a job has ended when the longest window has; this is so under ROS 2's default order.
//! - **Never larger than the holistic bound**: the difference of two numbers rounded up is at most
//!   their difference rounded up, and `ceil((w + X_j - E_j) / T_j)` is what that one counts.
//! - **How much smaller.** Nothing where chains visit each core once, as PiCAS allocates them: of
//!   9,000 chains of `random_sets` of hemiola-schedulability with utilisation 3.5, 38 come back to
//!   a core, and 11 have a smaller bound. Of chains that come back (`simulation::random_chains`)
//!   those with both bounds have 69 % of the holistic one on average, and of those without a
//!   holistic one 27 % have a bound (this file's tests print both).
//! - **Costs** as in the holistic analysis.
//! - **Complexity.** Pseudo-polynomial as the holistic analysis, for as many windows as there are
//!   jobs in the chain's transaction until all repeats; W* is quadratic in those of its
//!   transaction.
//! - **Source.** Tindell 1994; Palencia and González Harbour, RTSS 1998 (W*), and RTSS 1999 (what
//!   precedence excludes), for PiCAS' segments. That it holds for sporadic chains, several periods,
//!   and segments in a row are ours.

use super::SegmentBound;
use super::offsets::Distances;
use super::segments::{self, GoesBefore, Segment, Segments};
use super::transaction::{Job, Own, Same, Transaction, nanoseconds};
use crate::bound::{Search, check_utilisation};
use crate::picas::Deployment;
use crate::{Arrivals, Bound, NoBound, TimeSpan};

/// Returns the longest time from a chain's release to the end of its last callback, for every
/// chain.
///
/// ```
/// use hemiola_analysis::{Costs, TimeSpan};
/// use hemiola_analysis::picas::{Callback, Chain, Deployment, Executor, ExecutorId, Order, holistic, palencia_1998};
/// let ms = TimeSpan::milliseconds;
/// let callback = |cost, executor| Callback { executor: ExecutorId(executor), ..Callback::new(ms(cost)) };
/// // A camera's driver and what uses its images, on one core.
/// let chain = Chain { callbacks: vec![callback(10, 0), callback(20, 1)], ..Chain::new(ms(100), []) };
/// let executor = |priority| Executor { core: 0, priority, order: Order::Priority };
/// let deployment = Deployment {
///     chains: vec![chain],
///     executors: vec![executor(50), executor(80)],
///     interference: Vec::new(),
///     costs: Costs::default(),
/// };
/// assert_eq!(palencia_1998::latencies(&deployment, ms(1000)), [Ok(ms(30))]);
/// // As if the second callback could interrupt the first.
/// assert_eq!(holistic::latencies(&deployment, ms(1000)), [Ok(ms(50))]);
/// ```
pub fn latencies(deployment: &Deployment, horizon: TimeSpan) -> Vec<Bound> {
    segments::latencies(&segments(deployment, horizon), deployment.chains.len())
}

/// Returns the bounds of all segments, chain by chain, each in order.
pub fn segments(deployment: &Deployment, horizon: TimeSpan) -> Vec<SegmentBound> {
    Segments::bounds(deployment, horizon, latest_end)
}

fn latest_end(segments: &Segments<'_>, index: usize, search: &mut Search) -> Bound {
    let alone = Stretch { first: index, level: index, last: index }.latest_end(segments, search);
    let in_a_row = Stretch::longer(segments, index).map(|stretch| stretch.latest_end(segments, search));
    in_a_row.fold(alone, |best, other| match (best, other) {
        (Ok(best), Ok(other)) => Ok(best.min(other)),
        (best, other) => best.or(other),
    })
}

/// Consecutive segments of a chain on one core, as one job.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    first: usize,
    /// The segment that all others of the stretch precede.
    level: usize,
    last: usize,
}

impl Stretch {
    /// Returns the stretches of more than one segment that end with this one.
    fn longer(segments: &Segments<'_>, last: usize) -> impl Iterator<Item = Self> {
        let all = &segments.all;
        let before = move |first: &usize| {
            let same_core = all[last].is_preceded_by(&all[*first]) != GoesBefore::Elsewhere;
            all[last].in_order && all[*first].chain == all[last].chain && same_core
        };
        (0..last).rev().take_while(before).filter_map(move |first| {
            let is_level = |level: &usize| {
                all[first..=last].iter().all(|other| all[*level].is_preceded_by(other) == GoesBefore::All)
            };
            (first..=last).find(is_level).map(|level| Self { first, level, last })
        })
    }

    fn latest_end(self, segments: &Segments<'_>, search: &mut Search) -> Bound {
        let demand = Demand::before(self, segments)?;
        // The next segment in a row may be ready just when nothing else is left.
        let just_after = i64::from(self.first < self.last);
        let longest = search.fixed_point(TimeSpan::TICK, |window| demand.wherever(nanoseconds(window) + just_after))?;
        let longest = nanoseconds(longest);
        let (earliest, latest) = readiness(segments, self.first)?;
        if !segments.all[self.last].in_order {
            return Ok(TimeSpan::nanoseconds((latest + longest) as u64));
        }
        let mut end = 0;
        for beside in &demand.beside {
            let own = demand.own.iter().map(|own| &own.job);
            for begin in own.chain(&beside.jobs).flat_map(|job| job.begins(beside.hyperperiod)) {
                let mut from = latest - (latest - begin).rem_euclid(beside.hyperperiod);
                let mut window = TimeSpan::TICK;
                while from + longest > earliest.max(end) {
                    search.step()?;
                    // Most windows end before the latest end that is known.
                    if end <= from || demand.from(from, end - from, beside) > TimeSpan::nanoseconds((end - from) as u64)
                    {
                        // A window that begins a hyperperiod earlier has no less work in it, so the
                        // search goes on where it was.
                        window = search.fixed_point(window, |window| demand.from(from, nanoseconds(window), beside))?;
                        end = end.max(from + nanoseconds(window).min(longest));
                    }
                    from -= beside.hyperperiod;
                }
            }
        }
        Ok(TimeSpan::nanoseconds(end as u64))
    }
}

/// Returns the earliest and the latest time at which a segment is ready after its chain's release.
fn readiness(segments: &Segments<'_>, index: usize) -> Result<(i64, i64), NoBound> {
    let earliest = nanoseconds(segments.all[index].earliest_begin);
    Ok((earliest, earliest + nanoseconds(segments.jitter(index)?)))
}

/// All work that can run in a window of a stretch.
struct Demand {
    /// Work that had begun before, and time that is unused while others are woken up.
    once: TimeSpan,
    own: Vec<Own>,
    /// The jobs of chains at known distances from this one, for each of its instances until all
    /// repeats, whose release is time zero.
    beside: Vec<Transaction>,
    /// The jobs of the chain together with those, in a window whose begin is not known.
    own_wherever: Vec<Transaction>,
    others: Vec<Transaction>,
    one_by_one: Vec<(TimeSpan, Arrivals)>,
}

impl Demand {
    fn before(stretch: Stretch, segments: &Segments<'_>) -> Result<Self, NoBound> {
        let Stretch { first, level, last } = stretch;
        let (all, deployment) = (&segments.all, segments.deployment);
        let (level, wake_up) = (&all[level], deployment.costs.wake_up);
        let above = deployment.interference.iter().filter(|other| other.priority >= level.executor_priority);
        let mut one_by_one: Vec<(TimeSpan, Arrivals)> = above.map(|other| (other.cost, other.arrivals)).collect();
        let mut shares: Vec<(TimeSpan, TimeSpan)> =
            one_by_one.iter().map(|(cost, arrivals)| (*cost, arrivals.period)).collect();
        let (mut own, mut by_chain) = (Vec::new(), vec![Vec::new(); deployment.chains.len()]);
        let mut longest_partly = TimeSpan::ZERO;
        for (number, other) in all.iter().enumerate() {
            let goes_before = level.is_preceded_by(other);
            if matches!(goes_before, GoesBefore::Nothing | GoesBefore::Elsewhere) {
                continue;
            }
            let cost = segments.taken(other, level);
            shares.push((cost, other.period));
            let jitter = if number == last { segments.jitter(number)? } else { segments.jitter_of_other(number)? };
            if goes_before == GoesBefore::Some {
                longest_partly = longest_partly.max(cost);
                one_by_one.push((cost, Arrivals::periodic(other.period).late_by(jitter)));
                continue;
            }
            let earliest = nanoseconds(other.earliest_begin);
            let latest = earliest + nanoseconds(jitter);
            let job = Job { cost, period: nanoseconds(other.period).max(1), earliest, latest };
            by_chain[other.chain].push(job);
            if other.chain == level.chain {
                let runs = |between: &Segment| level.is_preceded_by(between) != GoesBefore::Nothing;
                let same = match number {
                    number if (first..=last).contains(&number) => Same::Counts,
                    number if number < first && all[number..first].iter().all(runs) => Same::CountsIfReady,
                    _ => Same::Never,
                };
                own.push(Own { job, same, of_later: number < last });
            }
        }
        check_utilisation(shares.into_iter(), 1.0)?;
        let gaps = if wake_up == TimeSpan::ZERO { 0 } else { (last - first) as u64 };
        let once = level.blocking + (level.blocking + longest_partly + wake_up) * gaps;
        let Distances { beside, own_wherever, others } = Distances::between(&deployment.chains, by_chain, level.chain);
        Ok(Self { once, own, beside, own_wherever, others, one_by_one })
    }

    /// Returns the demand in a window of this length that begins `from` after the chain's release.
    fn from(&self, from: i64, window: i64, beside: &Transaction) -> TimeSpan {
        let until = from + window;
        let own = self.own.iter().map(|own| own.work(from, until)).sum::<TimeSpan>();
        own + beside.work(from, until) + self.of_others(window)
    }

    /// Returns the demand in any window of this length.
    fn wherever(&self, window: i64) -> TimeSpan {
        self.own_wherever.iter().map(|part| part.most_work(window)).sum::<TimeSpan>() + self.of_others(window)
    }

    fn of_others(&self, window: i64) -> TimeSpan {
        let transactions = self.others.iter().map(|other| other.most_work(window)).sum::<TimeSpan>();
        let length = TimeSpan::nanoseconds(window as u64);
        let one_by_one =
            self.one_by_one.iter().map(|(cost, arrivals)| *cost * arrivals.within(length)).sum::<TimeSpan>();
        self.once + transactions + one_by_one
    }
}
