//! Compares bounds of ROS 2's default executor with what the executor does: no callback and no
//! chain ends later, whatever comes when.

use hemiola_analysis::system::Span;
use hemiola_analysis::{Arrivals, TimeSpan};
use hemiola_schedulability::Supply;
use hemiola_schedulability::ros2::blass_2021::{self, Order};
use hemiola_schedulability::ros2::casini_2019::{self, Chain};
use hemiola_schedulability::ros2::{Callback, Kind};
use hemiola_schedulability::simulation::{self, Dispatch, Executor, Missed, Model, Observer, Options, Source};
use proptest::prelude::*;

const HORIZON: TimeSpan = TimeSpan::nanoseconds(100_000);
const END: u64 = 400;

fn ns(ticks: u64) -> TimeSpan {
    TimeSpan::nanoseconds(ticks)
}

/// The longest time from the release of each callback, or from what its chain began with, to its
/// end.
struct Longest(Vec<u64>);

impl Observer for Longest {
    fn callback_ended(&mut self, callback: usize, released: TimeSpan, now: TimeSpan) {
        self.0[callback] = self.0[callback].max((now - released).as_nanoseconds());
    }
}

fn longest(callbacks: Vec<simulation::Callback>, dispatch: Dispatch, seed: u64) -> Vec<u64> {
    let mut longest = Longest(vec![0; callbacks.len()]);
    let executors = vec![Executor { core: Some(0), priority: 1, reservation: None, dispatch }];
    let model = Model { cores: 1, executors, callbacks, ..Model::default() };
    simulation::run(&model, &Options { end: ns(END), seed, ..Options::default() }, &mut longest);
    longest.0
}

fn callback(source: Source, takes: Span, publishes: Vec<usize>) -> simulation::Callback {
    simulation::Callback { executor: 0, source, takes, priority: 0, publishes, releases: vec![], joins: vec![] }
}

/// Returns messages that arrive once per period, each late by up to the jitter.
fn messages(period: u64, jitter: u64, phase: u64, late: &[u64]) -> Source {
    let arrival = |number: u64| phase + number * period + late[number as usize % late.len()] % (jitter + 1);
    let mut arrivals: Vec<TimeSpan> = (0..END / period).map(|number| ns(arrival(number))).collect();
    arrivals.sort_unstable();
    Source::Messages { depth: 1000, arrivals }
}

/// A callback: its cost, period, jitter and phase, and whether it always takes its longest time.
type Described = (u64, u64, u64, u64, bool);

fn described() -> impl Strategy<Value = Described> {
    (1u64..6, prop::sample::select(&[8u64, 10, 12, 15, 20, 30, 40][..]), 0u64..25, 0u64..40, any::<bool>())
}

fn takes(&(cost, .., is_always_longest): &Described) -> Span {
    Span { shortest: if is_always_longest { ns(cost) } else { TimeSpan::ZERO }, longest: ns(cost) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn no_callback_ends_later_than_its_bound(
        timers in prop::collection::vec(described(), 0..4), subscriptions in prop::collection::vec(described(), 0..4),
        late in prop::collection::vec(0u64..100, 31), seed in any::<u64>()
    ) {
        let mut callbacks = Vec::new();
        let mut simulated = Vec::new();
        for timer in &timers {
            let &(cost, period, _, phase, _) = timer;
            callbacks.push(Callback { kind: Kind::Timer, cost: ns(cost), arrivals: Arrivals::periodic(ns(period)) });
            let source = Source::Timer { first: ns(phase), period: ns(period), missed: Missed::Skip };
            simulated.push(callback(source, takes(timer), vec![]));
        }
        for (number, subscription) in subscriptions.iter().enumerate() {
            let &(cost, period, jitter, phase, _) = subscription;
            let arrivals = Arrivals::periodic(ns(period)).late_by(ns(jitter));
            callbacks.push(Callback { kind: Kind::Subscription, cost: ns(cost), arrivals });
            let source = messages(period, jitter, phase, &late[number * 7..]);
            simulated.push(callback(source, takes(subscription), vec![]));
        }
        let seen = longest(simulated.clone(), Dispatch::TimersAlways, seed);
        let separate = casini_2019::callbacks(&callbacks, Supply::Dedicated, HORIZON);
        for (bound, &seen) in separate.iter().zip(&seen) {
            prop_assert!(bound.as_ref().map_or(true, |bound| ns(seen) <= *bound), "casini 2019: {seen} exceeds {bound:?}");
        }
        for order in [Order::Unknown, Order::AsListed] {
            for (name, bounds) in [
                ("round robin", blass_2021::round_robin(&callbacks, Supply::Dedicated, order, HORIZON)),
                ("busy window", blass_2021::busy_window(&callbacks, Supply::Dedicated, order, HORIZON)),
            ] {
                let Ok(bounds) = bounds else { continue };
                let exceeds = bounds.iter().zip(&seen).any(|(&bound, &seen)| ns(seen) > bound);
                prop_assert!(!exceeds, "{name}, {order:?}: {seen:?} exceed {bounds:?}");
            }
        }
        // Without timers, later executors do the same.
        if timers.is_empty() {
            prop_assert_eq!(longest(simulated, Dispatch::WaitSet, seed), seen);
        }
    }

    #[test]
    fn no_chain_ends_later_than_its_bound_in_whatever_order_its_callbacks_are_registered(
        chains in prop::collection::vec((described(), prop::collection::vec(1u64..4, 0..3)), 1..4),
        order in Just((0..12).collect::<Vec<usize>>()).prop_shuffle(),
        late in prop::collection::vec(0u64..100, 31), seed in any::<u64>()
    ) {
        let of = |(first, others): &(Described, Vec<u64>)| -> Vec<u64> { [&[first.0][..], others].concat() };
        let lengths: Vec<usize> = chains.iter().map(|chain| of(chain).len()).collect();
        let total: usize = lengths.iter().sum();
        // The order in which callbacks are registered, chain by chain.
        let order: Vec<usize> = order.into_iter().filter(|&callback| callback < total).collect();
        let place = |callback: usize| order.iter().position(|&other| other == callback).expect("all are there");
        let mut simulated = vec![None; total];
        let (mut begin, mut last) = (0, Vec::new());
        for (number, (chain, &length)) in chains.iter().zip(&lengths).enumerate() {
            let &(_, period, jitter, phase, is_always_longest) = &chain.0;
            for (position, cost) in of(chain).into_iter().enumerate() {
                let source = match position {
                    0 => messages(period, jitter, phase, &late[number * 7..]),
                    _ => Source::Messages { depth: 1000, arrivals: vec![] },
                };
                let publishes = if position + 1 < length { vec![place(begin + position + 1)] } else { vec![] };
                let takes = takes(&(cost, period, jitter, phase, is_always_longest));
                simulated[place(begin + position)] = Some(callback(source, takes, publishes));
            }
            begin += length;
            last.push(place(begin - 1));
        }
        let seen = longest(simulated.into_iter().flatten().collect(), Dispatch::WaitSet, seed);
        let analysed: Vec<Chain> = chains
            .iter()
            .map(|chain| Chain {
                costs: of(chain).into_iter().map(ns).collect(),
                arrivals: Arrivals::periodic(ns(chain.0.1)).late_by(ns(chain.0.2)),
            })
            .collect();
        for (bound, last) in casini_2019::chains(&analysed, Supply::Dedicated, HORIZON).into_iter().zip(last) {
            prop_assert!(bound.as_ref().map_or(true, |bound| ns(seen[last]) <= *bound), "{} exceeds {bound:?}", seen[last]);
        }
    }
}
