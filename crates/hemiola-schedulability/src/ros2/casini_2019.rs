//! Response times under ROS 2's default single-threaded executor, the first analysis.
//!
//! - **Model.** One executor on a dedicated core or in a reservation. Callbacks are never
//!   interrupted. Timers come first, by registration; subscriptions are seen at polling points,
//!   between which each runs at most once.
//! - **Assumptions.** Timers are polled before every dispatch (up to ROS 2 Crystal; later ones see
//!   them at polling points only), arrival curves from periods and jitter, costs are the longest.
//! - **Formula.** For every offset A of an own arrival the least R with
//!   `supply(A + R) >= own(A + 1) + others(A + R - C + 1)`. A timer is delayed by the timers before
//!   it and once by the longest callback after it; a subscription by everything. A chain counts its
//!   last callback up to the offset, and its earlier ones like other chains.
//! - **Complexity.** Pseudo-polynomial, as [`crate::response_times::fixed_priority`].
//! - **Source.** Casini, Blass, Lütkebohle and Brandenburg, ECRTS 2019, with its errata (Lemmas 1
//!   to 5 and 8).

use crate::Supply;
use crate::ros2::{Callback, Kind};
use hemiola_analysis::{Arrivals, Bound, TimeSpan};
use hemiola_analysis::{Search, check_utilisation};

/// Returns the bounds of all callbacks of an executor, which are listed timers first, each kind as
/// registered.
///
/// ```
/// use hemiola_analysis::{Arrivals, TimeSpan};
/// use hemiola_schedulability::{Supply, ros2::{Callback, Kind, casini_2019}};
/// let ns = TimeSpan::nanoseconds;
/// let callback = |kind, cost, period| Callback { kind, cost: ns(cost), arrivals: Arrivals::periodic(ns(period)) };
/// let callbacks = [callback(Kind::Timer, 28, 512), callback(Kind::Subscription, 24, 235)];
/// let bounds = casini_2019::callbacks(&callbacks, Supply::Dedicated, TimeSpan::MAX);
/// assert_eq!(bounds, [Ok(ns(52)), Ok(ns(52))]);
/// ```
pub fn callbacks(callbacks: &[Callback], supply: Supply, horizon: TimeSpan) -> Vec<Bound> {
    (0..callbacks.len())
        .map(|index| {
            let own = &callbacks[index];
            let (before, after) = (&callbacks[..index], &callbacks[index + 1..]);
            let others: Vec<&Callback> = match own.kind {
                Kind::Timer => before.iter().collect(),
                Kind::Subscription => before.iter().chain(after).collect(),
            };
            let blocking = match own.kind {
                Kind::Timer => after.iter().map(|callback| callback.cost).max().unwrap_or(TimeSpan::ZERO),
                Kind::Subscription => TimeSpan::ZERO,
            };
            response_time(own, &others, blocking, supply, horizon)
        })
        .collect()
}

/// Bounds a callback before which `others` run as often as they can, after something has blocked it
/// once.
///
/// # Errors
/// Fails if there is more work than supply, or no bound up to `horizon`.
pub fn response_time(
    own: &Callback,
    others: &[&Callback],
    blocking: TimeSpan,
    supply: Supply,
    horizon: TimeSpan,
) -> Bound {
    let interference = |window: TimeSpan| others.iter().map(|other| other.demand(window)).sum::<TimeSpan>();
    check_utilisation(others.iter().copied().chain([own]).map(Callback::share), supply.share())?;
    let demand = Demand {
        arrivals: own.arrivals,
        last: own.cost,
        own: |window| blocking + own.demand(window),
        others: interference,
    };
    demand.response_time(supply, horizon)
}

/// A chain of callbacks that lies on one executor.
///
/// See [`chains`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chain {
    /// The longest undisturbed time of each callback, in the order of the chain.
    pub costs: Vec<TimeSpan>,
    /// The events that make its first callback ready.
    pub arrivals: Arrivals,
}

impl Chain {
    /// Returns the sum of the costs of its callbacks.
    pub fn cost(&self) -> TimeSpan {
        self.costs.iter().copied().sum()
    }
}

/// Returns the bounds of all chains of an executor, from the arrival at the first callback to the
/// end of the last (Lemma 8).
///
/// ```
/// use hemiola_analysis::{Arrivals, TimeSpan};
/// use hemiola_schedulability::{Supply, ros2::casini_2019::{self, Chain}};
/// let ns = TimeSpan::nanoseconds;
/// let chain = |costs: &[u64], period| Chain {
///     costs: costs.iter().copied().map(ns).collect(),
///     arrivals: Arrivals::periodic(ns(period)),
/// };
/// let bounds = casini_2019::chains(&[chain(&[9, 2, 4], 674), chain(&[145], 252)], Supply::Dedicated, TimeSpan::MAX);
/// assert_eq!(bounds, [Ok(ns(160)), Ok(ns(160))]);
/// ```
pub fn chains(chains: &[Chain], supply: Supply, horizon: TimeSpan) -> Vec<Bound> {
    (0..chains.len())
        .map(|index| {
            let own = &chains[index];
            check_utilisation(chains.iter().map(|chain| (chain.cost(), chain.arrivals.period)), supply.share())?;
            let last = own.costs.last().copied().unwrap_or(TimeSpan::ZERO);
            let prefix = own.cost() - last;
            let others = |window: TimeSpan| {
                let other = |(number, chain): (usize, &Chain)| {
                    (number != index).then(|| chain.cost() * chain.arrivals.within(window))
                };
                prefix * own.arrivals.within(window) + chains.iter().enumerate().filter_map(other).sum::<TimeSpan>()
            };
            let own_last = |window: TimeSpan| last * own.arrivals.within(window);
            Demand { arrivals: own.arrivals, last, own: own_last, others }.response_time(supply, horizon)
        })
        .collect()
}

/// The work that must be supplied until a job has ended.
struct Demand<Own, Others> {
    arrivals: Arrivals,
    /// The cost of the last part, which must not be interrupted: what arrives while it runs comes
    /// too late to delay it.
    last: TimeSpan,
    own: Own,
    others: Others,
}

impl<Own: Fn(TimeSpan) -> TimeSpan, Others: Fn(TimeSpan) -> TimeSpan> Demand<Own, Others> {
    fn response_time(&self, supply: Supply, horizon: TimeSpan) -> Bound {
        let mut search = Search::below(horizon);
        let total = |window: TimeSpan| supply.time_for((self.own)(window) + (self.others)(window));
        let busy = search.fixed_point(TimeSpan::TICK, total)?;
        let mut worst = TimeSpan::ZERO;
        for offset in self.arrivals.offsets(busy) {
            let just_after = offset + TimeSpan::TICK;
            let own = (self.own)(just_after);
            let end = search.fixed_point(offset, |end| {
                let start = (end + TimeSpan::TICK - self.last).max(just_after);
                supply.time_for(own + (self.others)(start))
            })?;
            worst = worst.max(end - offset);
        }
        Ok(worst)
    }
}
