//! Response times under ROS 2's default single-threaded executor, tightened.
//!
//! - **Model.** The same as [`super::casini_2019`]. A subscription runs once between two polling
//!   points, so that others run at most once more often than there are polling points while the
//!   callback waits.
//! - **Formula.** With the bounds R themselves (found together, from below): others run at most
//!   `n_i = min(eta_i(d + R_i - 1), eta(R) + 1)` times; with known registration order the 1 only
//!   counts for those before. *Round robin*: the last own job starts at the least d with
//!   `supply(d) >= 1 + sum of n_i C_i + earlier own jobs`. *Busy window*: the same for each offset
//!   of an own arrival since the executor was last idle, without jitter from R; offsets just after
//!   another's arrival count, too, because more of the others may then have been seen.
//! - **Complexity.** Pseudo-polynomial per step, times the steps to the common fixed point.
//! - **Source.** Blass, Casini, Bozhko and Brandenburg, RTSS 2021 (Theorems 2 and 3).

use std::collections::BTreeSet;

use crate::Supply;
use crate::ros2::{Callback, Kind};
use hemiola_analysis::{Bound, NoBound, TimeSpan};
use hemiola_analysis::{Search, check_utilisation};

/// The knowledge of the order in which callbacks were registered.
///
/// See [`round_robin`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// The order is not known: any other callback may go first.
    Unknown,
    /// Callbacks are listed in the order of registration.
    AsListed,
}

/// Returns the bounds of Theorem 2, for callbacks each of which is a chain of its own.
///
/// ```
/// use hemiola_analysis::{Arrivals, TimeSpan};
/// use hemiola_schedulability::{Supply, ros2::{Callback, Kind, blass_2021::{self, Order}}};
/// let ns = TimeSpan::nanoseconds;
/// let callbacks = [(10, 100), (230, 10_000), (190, 1000)].map(|(cost, period)| Callback {
///     kind: Kind::Subscription,
///     cost: ns(cost),
///     arrivals: Arrivals::periodic(ns(period)),
/// });
/// let bounds = blass_2021::round_robin(&callbacks, Supply::Dedicated, Order::Unknown, TimeSpan::MAX).unwrap();
/// assert_eq!(bounds, [ns(530), ns(440), ns(440)]);
/// ```
///
/// # Errors
/// Fails if there is more work than supply, or no common fixed point up to `horizon`: then no
/// callback has a bound.
pub fn round_robin(
    callbacks: &[Callback],
    supply: Supply,
    order: Order,
    horizon: TimeSpan,
) -> Result<Vec<TimeSpan>, NoBound> {
    let step = |index: usize, bounds: &[TimeSpan], search: &mut Search| -> Bound {
        let own = &callbacks[index];
        let polls = own.arrivals.within(bounds[index]);
        let earlier = |window: TimeSpan| own.arrivals.within(window + bounds[index] - TimeSpan::TICK).max(1) - 1;
        let started = search.fixed_point(TimeSpan::TICK, |window| {
            let others = others(callbacks, index, order, |number, other, once_more| {
                let arrived = other.arrivals.within(window + bounds[number] - TimeSpan::TICK);
                match other.kind {
                    Kind::Timer => arrived,
                    Kind::Subscription => arrived.min(polls + once_more),
                }
            });
            supply.time_for(TimeSpan::TICK + others + own.cost * earlier(window))
        })?;
        Ok(ended(supply, started, own.cost))
    };
    common_fixed_point(callbacks, supply, horizon, step)
}

/// Returns the bounds of Theorem 3, for callbacks each of which is a chain of its own.
///
/// ```
/// use hemiola_analysis::{Arrivals, TimeSpan};
/// use hemiola_schedulability::{Supply, ros2::{Callback, Kind, blass_2021::{self, Order}}};
/// let ns = TimeSpan::nanoseconds;
/// let callbacks = [(Kind::Timer, 28, 512), (Kind::Subscription, 37, 235)].map(|(kind, cost, period)| Callback {
///     kind,
///     cost: ns(cost),
///     arrivals: Arrivals::periodic(ns(period)),
/// });
/// let bounds = blass_2021::busy_window(&callbacks, Supply::Dedicated, Order::AsListed, TimeSpan::MAX).unwrap();
/// assert_eq!(bounds, [ns(65), ns(65)]);
/// ```
///
/// # Errors
/// Returns the errors of [`round_robin`].
pub fn busy_window(
    callbacks: &[Callback],
    supply: Supply,
    order: Order,
    horizon: TimeSpan,
) -> Result<Vec<TimeSpan>, NoBound> {
    let mut search = Search::below(horizon);
    check_utilisation(callbacks.iter().map(Callback::share), supply.share())?;
    let all = |window: TimeSpan| callbacks.iter().map(|callback| callback.demand(window)).sum();
    let busy = search.fixed_point(TimeSpan::TICK, |window| supply.time_for(all(window)))?;

    let step = |index: usize, bounds: &[TimeSpan], search: &mut Search| -> Bound {
        let own = &callbacks[index];
        let polls = own.arrivals.within(bounds[index]);
        let mut worst = TimeSpan::ZERO;
        for offset in offsets(callbacks, index, busy, search)? {
            let earlier = own.cost * (own.arrivals.within(offset + TimeSpan::TICK) - 1);
            let started = search.fixed_point(offset, |window| {
                let others = others(callbacks, index, order, |_, other, once_more| match other.kind {
                    Kind::Timer => other.arrivals.within(window),
                    Kind::Subscription => {
                        other.arrivals.within(window).min(other.arrivals.within(offset) + polls + once_more)
                    }
                });
                supply.time_for(TimeSpan::TICK + others + earlier)
            })?;
            worst = worst.max(ended(supply, started, own.cost) - offset);
        }
        Ok(worst)
    };
    common_fixed_point(callbacks, supply, horizon, step)
}

/// Returns the offsets at which an own job can arrive so that more counts: one more own job, or the
/// moment just after another callback arrived more often.
fn offsets(
    callbacks: &[Callback],
    own: usize,
    busy: TimeSpan,
    search: &mut Search,
) -> Result<BTreeSet<TimeSpan>, NoBound> {
    let mut offsets = BTreeSet::new();
    for (number, callback) in callbacks.iter().enumerate() {
        let just_after = if number == own { TimeSpan::ZERO } else { TimeSpan::TICK };
        for offset in callback.arrivals.offsets(busy) {
            search.step()?;
            offsets.insert(offset + just_after);
        }
    }
    Ok(offsets.into_iter().filter(|&offset| offset < busy).collect())
}

/// Returns the time that the other callbacks need if each runs as often as `jobs` returns; its last
/// argument is 1 for a callback that can go first once more, else 0.
fn others(callbacks: &[Callback], own: usize, order: Order, jobs: impl Fn(usize, &Callback, u64) -> u64) -> TimeSpan {
    let of_one = |(number, other): (usize, &Callback)| {
        let goes_first = order == Order::Unknown || callbacks[own].kind == Kind::Timer || number < own;
        (number != own).then(|| other.cost * jobs(number, other, u64::from(goes_first)))
    };
    callbacks.iter().enumerate().filter_map(of_one).sum()
}

/// Returns when a job has ended whose first step is supplied by `started`.
fn ended(supply: Supply, started: TimeSpan, cost: TimeSpan) -> TimeSpan {
    supply.time_for(supply.within(started) - TimeSpan::TICK + cost)
}

/// Repeats a step that never falls when bounds grow, from the costs, until no bound grows.
fn common_fixed_point(
    callbacks: &[Callback],
    supply: Supply,
    horizon: TimeSpan,
    step: impl Fn(usize, &[TimeSpan], &mut Search) -> Bound,
) -> Result<Vec<TimeSpan>, NoBound> {
    check_utilisation(callbacks.iter().map(Callback::share), supply.share())?;
    let mut search = Search::below(horizon);
    let mut bounds: Vec<TimeSpan> = callbacks.iter().map(|callback| callback.cost).collect();
    loop {
        let mut next = bounds.clone();
        for index in 0..callbacks.len() {
            next[index] = step(index, &bounds, &mut search)?.max(bounds[index]);
            if next[index] > horizon {
                return Err(NoBound::BeyondHorizon { horizon });
            }
        }
        if next == bounds {
            return Ok(bounds);
        }
        bounds = next;
    }
}
