//! How long chains take under PiCAS if it counts that segments of one chain follow each other, and chains with offsets, too.
//!
//! - **Model.** That of [`super::holistic`]: chains begin periodically or sporadically, a *segment* is what of a chain one executor runs in
//!   a row. A segment can be ready from `E` after its chain's release, if all before it runs as fast as it can, until `X`, when the one
//!   before has ended at the latest: a *dynamic offset*. Chains with [`offsets`](super::Chain::offset) begin strictly periodically; those of one
//!   period are one *transaction*, each other chain is one of its own.
//! - **Formula.** In a window of length w, segments j of a transaction with period T have at most the work
//!   `W*(w) = max over its segments k of sum of C_j (ceil((w + X_k - E_j) / T) - ceil((X_k - X_j) / T))`.
//!   Of the chain itself, released at 0, with a window that begins at t, as much as can be ready in it: of this instance only segments before
//!   the one that is looked at, without one between them that cannot run in the window; of earlier ones all that goes before; of later
//!   ones only segments before. The least `w(t) = B + own(t, w) + sum of W*(w)` is where the window ends, and `t + w(t)` the end of the segment; the
//!   bound is the largest over `t = X_k - q T` up to the segment's X. If segments in a row have one core, all of them are one job too, that
//!   begins with the first, and has one B and one wake-up more for each later one: the smaller bound counts.
//! - **Why it holds.** *Window.* What goes before a segment is what its core can run while it is ready. The window begins when last nothing of
//!   that was left; or, if its executor was in a callback that does not go before, with that callback (B), for this would not have begun else.
//!   So all that goes before and runs in the window is ready in it, each interruption is of a job that is counted, and nothing else runs in it.
//!   *W\*.* A job is ready in the window for releases in an interval of length `w + X - E`. Of the intervals of segments whose E differ by T at most,
//!   the begin of the last is at most T after the end of the first; before that the work of a release never falls with its time, after that
//!   it never grows: so releases that are T apart give the most, also where they may be further apart, and of these some that has one at
//!   the begin of an interval. Segments further apart are counted in parts. *Own.* Callbacks take messages in order, so that no later
//!   instance is served first (Lemma 1); what of a later one goes before comes before the segment in the chain. *Partly before.* Of
//!   a segment of the same executor of which only some callbacks go before, those behind another one run once at most, after B; it is
//!   counted as in the holistic analysis, by which it is there at least once. *In a row.* When the first has ended the next one is ready at
//!   once, or a wake-up later: meanwhile something else can begin, which is B again. Where a later instance can overtake, all that is sure
//!   is that a job has ended when the longest window has.
//! - **Never larger than the holistic bound**: a difference of two rounded numbers is at most the rounded difference, `ceil((w + X_j - E_j) / T)`.
//! - **Complexity.** Pseudo-polynomial as the holistic analysis, with as many windows as the chain has segments on the core, and W* quadratic in
//!   those of a transaction.
//! - **Source.** Tindell 1994; Palencia and González Harbour, RTSS 1998 (dynamic offsets, W*), and RTSS 1999 (what precedence excludes), for
//!   PiCAS' segments; sporadic chains and segments in a row are ours.

use std::collections::BTreeMap;

use super::SegmentBound;
use super::segments::{self, GoesBefore, Segment, Segments};
use super::transaction::{Job, Own, Same, Transaction, nanoseconds};
use crate::bound::{Search, check_utilisation};
use crate::picas::{Chain, Deployment};
use crate::{Arrivals, Bound, NoBound, Time};

/// The longest time from a chain's release to the end of its last callback, for every chain.
///
/// ```
/// use hemiola_analysis::{Costs, Time};
/// use hemiola_analysis::picas::{Callback, Chain, Deployment, Executor, ExecutorId, Order, holistic, palencia_1998};
/// let ms = Time::milliseconds;
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
pub fn latencies(deployment: &Deployment, horizon: Time) -> Vec<Bound> {
    segments::latencies(&segments(deployment, horizon), deployment.chains.len())
}

/// The bounds of all segments, chain by chain, each in order.
pub fn segments(deployment: &Deployment, horizon: Time) -> Vec<SegmentBound> {
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

/// Segments of a chain in a row on one core, as one job.
#[derive(Debug, Clone, Copy)]
struct Stretch {
    first: usize,
    /// The one before which all others of them go.
    level: usize,
    last: usize,
}

impl Stretch {
    /// Those of more than one segment that end with this one.
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
        let longest = search.fixed_point(Time::TICK, |window| demand.wherever(nanoseconds(window)))?;
        let longest = nanoseconds(longest);
        let (earliest, latest) = readiness(segments, self.first)?;
        if !segments.all[self.last].in_order {
            return Ok(Time::nanoseconds((latest + longest) as u64));
        }
        let mut end = 0;
        for begin in demand.begins() {
            let mut from = latest - (latest - begin).rem_euclid(demand.period);
            let mut window = Time::TICK;
            // What begins a period earlier has no less before it, so that the search goes on where it was.
            while from + longest > earliest {
                window = search.fixed_point(window, |window| demand.from(from, nanoseconds(window)))?;
                end = end.max(from + nanoseconds(window));
                from -= demand.period;
            }
        }
        Ok(Time::nanoseconds(end as u64))
    }
}

/// When a segment is ready after its chain's release, at the earliest and at the latest.
fn readiness(segments: &Segments<'_>, index: usize) -> Result<(i64, i64), NoBound> {
    let earliest = nanoseconds(segments.all[index].earliest_begin);
    Ok((earliest, earliest + nanoseconds(segments.jitter(index)?)))
}

/// All that can run in a window of a stretch.
struct Demand {
    period: i64,
    /// What had begun before, and what is not used while others are woken.
    once: Time,
    own: Vec<Own>,
    /// Other chains at known distances from it, which are released that long after it.
    beside: Transaction,
    /// The same in a window of which it is not known when it begins: all of the chain, and what is beside it.
    own_wherever: Vec<Transaction>,
    others: Vec<Transaction>,
    one_by_one: Vec<(Time, Arrivals)>,
}

impl Demand {
    fn before(stretch: Stretch, segments: &Segments<'_>) -> Result<Self, NoBound> {
        let Stretch { first, level, last } = stretch;
        let (all, deployment) = (&segments.all, segments.deployment);
        let (level, wake_up) = (&all[level], deployment.costs.wake_up);
        let above = deployment.interference.iter().filter(|other| other.priority >= level.executor_priority);
        let mut one_by_one: Vec<(Time, Arrivals)> = above.map(|other| (other.cost, other.arrivals)).collect();
        let mut shares: Vec<(Time, Time)> =
            one_by_one.iter().map(|(cost, arrivals)| (*cost, arrivals.period)).collect();
        let (mut own, mut by_chain) = (Vec::new(), vec![Vec::new(); deployment.chains.len()]);
        for (number, other) in all.iter().enumerate() {
            let goes_before = level.is_preceded_by(other);
            if matches!(goes_before, GoesBefore::Nothing | GoesBefore::Elsewhere) {
                continue;
            }
            let cost = segments.taken(other, level);
            shares.push((cost, other.period));
            let jitter = if number == last { segments.jitter(number)? } else { segments.jitter_of_other(number)? };
            if goes_before == GoesBefore::Some {
                one_by_one.push((cost, Arrivals::periodic(other.period).late_by(jitter)));
                continue;
            }
            let earliest = nanoseconds(other.earliest_begin);
            let job = Job { cost, earliest, latest: earliest + nanoseconds(jitter) };
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
        let gaps = if wake_up == Time::ZERO { 0 } else { (last - first) as u64 };
        let once = level.blocking + (level.blocking + wake_up) * gaps;
        let period = nanoseconds(level.period).max(1);
        let (beside, own_wherever, others) = transactions(&deployment.chains, by_chain, level.chain);
        Ok(Self { period, once, own, beside, own_wherever, others, one_by_one })
    }

    /// What begins windows: each job when it is ready at the latest.
    fn begins(&self) -> impl Iterator<Item = i64> {
        self.own.iter().map(|own| &own.job).chain(&self.beside.jobs).map(|job| job.latest)
    }

    /// In a window of this length that begins so long after the chain's release.
    fn from(&self, from: i64, window: i64) -> Time {
        let until = from + window;
        let own = self.own.iter().map(|own| own.work(self.period, from, until)).sum::<Time>();
        own + self.beside.work(from, until) + self.of_others(window)
    }

    /// In any window of this length.
    fn wherever(&self, window: i64) -> Time {
        self.own_wherever.iter().map(|part| part.most_work(window)).sum::<Time>() + self.of_others(window)
    }

    fn of_others(&self, window: i64) -> Time {
        let transactions = self.others.iter().map(|other| other.most_work(window)).sum::<Time>();
        let length = Time::nanoseconds(window as u64);
        let one_by_one = self.one_by_one.iter().map(|(cost, arrivals)| *cost * arrivals.within(length)).sum::<Time>();
        self.once + transactions + one_by_one
    }
}

/// Other chains at known distances from one; that one together with them; and all others. Chains with offsets are together if their
/// periods are equal.
fn transactions(
    chains: &[Chain],
    mut by_chain: Vec<Vec<Job>>,
    own: usize,
) -> (Transaction, Vec<Transaction>, Vec<Transaction>) {
    let own_jobs = std::mem::take(&mut by_chain[own]);
    let Chain { period: own_period, offset: own_offset, .. } = chains[own];
    let mut beside = Transaction::new(own_period, Vec::new());
    let mut with_offsets: BTreeMap<Time, Vec<Job>> = BTreeMap::new();
    let mut others = Vec::new();
    for (chain, jobs) in chains.iter().zip(by_chain) {
        match (chain.offset, own_offset) {
            (Some(offset), Some(own_offset)) if chain.period == own_period => {
                let distance = nanoseconds(offset) - nanoseconds(own_offset);
                beside.jobs.extend(jobs.into_iter().map(|job| job.later_by(distance)));
            }
            (Some(offset), _) => {
                let jobs = jobs.into_iter().map(|job| job.later_by(nanoseconds(offset)));
                with_offsets.entry(chain.period).or_default().extend(jobs);
            }
            (None, _) => others.extend(Transaction::new(chain.period, jobs).split()),
        }
    }
    others.extend(with_offsets.into_iter().map(|(period, jobs)| Transaction::new(period, jobs)));
    let mut together = Transaction::new(own_period, own_jobs);
    let own_wherever = if own_offset.is_some() {
        together.jobs.extend(&beside.jobs);
        vec![together]
    } else {
        together.split().collect()
    };
    (beside, own_wherever, others)
}

#[cfg(test)]
mod tests;
