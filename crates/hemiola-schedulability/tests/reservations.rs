//! Compares reservations with every way to give a budget, and bounds of executors in a reservation
//! with simulations tick by tick, whenever the budget is given and whatever arrives when.

#[path = "shared/choices.rs"]
mod choices;

use std::collections::VecDeque;
use std::fmt::{self, Display};

use choices::Choices;
use hemiola_analysis::{Arrivals, Bound, TimeSpan};
use hemiola_schedulability::Supply;
use hemiola_schedulability::ros2::blass_2021::{self, Order};
use hemiola_schedulability::ros2::casini_2019::{self, Chain};
use hemiola_schedulability::ros2::{self, Kind};

/// The horizon is far above all bounds of callbacks this short.
const HORIZON: TimeSpan = TimeSpan::nanoseconds(100_000);

/// The number of ticks that are simulated.
const END: u64 = 300;

fn ns(ticks: u64) -> TimeSpan {
    TimeSpan::nanoseconds(ticks)
}

/// A reservation in ticks: a budget in every period, until the deadline within the period.
#[derive(Debug, Clone, Copy)]
struct Reservation {
    budget: u64,
    period: u64,
    deadline: u64,
}

impl Reservation {
    fn supply(&self) -> Supply {
        let Self { budget, period, deadline } = *self;
        Supply::Reservation { budget: ns(budget), period: ns(period), deadline: ns(deadline) }
    }

    /// Returns all ways to give the budget in one period, as bits of ticks.
    fn ways(&self) -> impl Iterator<Item = u64> {
        let budget = self.budget;
        (0..1u64 << self.deadline).filter(move |way| u64::from(way.count_ones()) == budget)
    }

    /// Returns the least that a window of this length gets, wherever it begins, and whenever the
    /// budget is given.
    fn least(&self, window: u64) -> u64 {
        let from = |begin: u64| {
            let of_period = |number: u64| {
                let is_in = |tick: u64| (begin..begin + window).contains(&(number * self.period + tick));
                let seen = (0..self.deadline).filter(|&tick| is_in(tick)).fold(0, |seen, tick| seen | 1 << tick);
                self.ways().map(|way| u64::from((way & seen).count_ones())).min().unwrap_or(0)
            };
            (0..=(begin + window) / self.period).map(of_period).sum()
        };
        (0..self.period).map(from).min().unwrap_or(0)
    }

    /// Draws which ticks are given: early in some periods, late in others, and here and there in
    /// the rest.
    fn given(&self, choices: &mut Choices) -> Vec<bool> {
        let mut given = Vec::new();
        while (given.len() as u64) < 2 * END {
            let begin = given.len();
            given.resize(begin + self.period as usize, false);
            let late = self.deadline - self.budget;
            let places: Vec<usize> = match choices.below(3) {
                0 => (0..self.deadline as usize).collect(),
                1 => (0..self.deadline as usize).map(|tick| (tick + late as usize) % self.deadline as usize).collect(),
                _ => choices.order(self.deadline as usize),
            };
            places.into_iter().take(self.budget as usize).for_each(|tick| given[begin + tick] = true);
        }
        given
    }
}

/// Returns all reservations with periods and deadlines this short.
fn reservations(longest: u64) -> impl Iterator<Item = Reservation> {
    let of_period = |period| (1..=period).map(move |deadline| (period, deadline));
    (1..=longest)
        .flat_map(of_period)
        .flat_map(|(period, deadline)| (1..=deadline).map(move |budget| Reservation { budget, period, deadline }))
}

#[test]
fn the_supply_of_every_window_is_exactly_the_least_that_it_gets() {
    for reservation in reservations(6) {
        let supply = reservation.supply();
        let least: Vec<u64> = (0..4 * reservation.period).map(|window| reservation.least(window)).collect();
        for (window, &least) in least.iter().enumerate() {
            assert_eq!(supply.within(ns(window as u64)), ns(least), "window of {window} with {reservation:?}");
        }
        for demand in 0..=least.last().copied().unwrap_or(0) {
            let first = least.iter().position(|&least| least >= demand).expect("the last window gets as much");
            assert_eq!(supply.time_for(ns(demand)), ns(first as u64), "demand of {demand} with {reservation:?}");
        }
    }
}

/// A callback of the executor; `follows` is the one that publishes for it.
#[derive(Debug, Clone)]
struct Callback {
    kind: Kind,
    cost: u64,
    period: u64,
    jitter: u64,
    follows: Option<usize>,
    /// The arrivals from outside.
    arrivals: Vec<u64>,
}

impl Callback {
    fn random(kind: Kind, choices: &mut Choices) -> Self {
        let cost = choices.between(1, 5);
        let period = [8, 10, 12, 15, 20, 30, 40, 60][choices.below(8) as usize];
        let jitter = if kind == Kind::Timer { 0 } else { choices.below(25) * choices.below(2) };
        Self { kind, cost, period, jitter, follows: None, arrivals: Vec::new() }
    }

    fn analysed(&self) -> ros2::Callback {
        let arrivals = Arrivals::periodic(ns(self.period)).late_by(ns(self.jitter));
        ros2::Callback { kind: self.kind, cost: ns(self.cost), arrivals }
    }

    /// Draws arrivals that come once a period, each late by up to the jitter; or at first as late
    /// as they can, and then as early.
    fn draw_arrivals(&mut self, choices: &mut Choices) {
        let (phase, is_burst, jitter) = (choices.below(40), choices.below(2) == 1, self.jitter);
        let mut late = |number: u64| match (is_burst, number) {
            (true, 0) => jitter,
            (true, _) => 0,
            (false, _) => choices.below(jitter + 1),
        };
        self.arrivals = (0..END / self.period).map(|number| phase + number * self.period + late(number)).collect();
        // An arrival that is overtaken comes at once.
        for number in 1..self.arrivals.len() {
            self.arrivals[number] = self.arrivals[number].max(self.arrivals[number - 1]);
        }
    }
}

/// A job that waits or runs: its callback, and when it, or what its chain began with, arrived.
#[derive(Debug, Clone, Copy)]
struct Job {
    callback: usize,
    released: u64,
}

/// A simulated run of an executor.
struct Run {
    callbacks: Vec<Callback>,
    /// The ticks: whether time was given in each, and which callback ran.
    ticks: Vec<(bool, Option<usize>)>,
    /// The longest time of each callback from what it or its chain began with to its end.
    longest: Vec<u64>,
}

/// The executor up to ROS 2 Crystal: timers first, whenever it chooses; the others when all that
/// was seen at the last poll has run.
#[derive(Default)]
struct Executor {
    waiting: Vec<VecDeque<u64>>,
    seen: VecDeque<usize>,
}

impl Executor {
    fn choose(&mut self, callbacks: &[Callback]) -> Option<Job> {
        let of_kind = |kind: Kind| (0..callbacks.len()).filter(move |&callback| callbacks[callback].kind == kind);
        let timer = of_kind(Kind::Timer).find(|&timer| !self.waiting[timer].is_empty());
        if timer.is_none() && self.seen.is_empty() {
            self.seen = of_kind(Kind::Subscription).filter(|&other| !self.waiting[other].is_empty()).collect();
        }
        let callback = timer.or_else(|| self.seen.pop_front())?;
        self.waiting[callback].pop_front().map(|released| Job { callback, released })
    }

    /// Runs the executor for a while. When a callback ends, the next one is chosen at once, or, if
    /// not `eager`, when time is given next.
    fn run(callbacks: Vec<Callback>, given: &[bool], eager: bool, choices: &mut Choices) -> Run {
        let mut executor = Self { waiting: vec![VecDeque::new(); callbacks.len()], ..Self::default() };
        let (mut ticks, mut longest) = (Vec::new(), vec![0; callbacks.len()]);
        let mut running: Option<(Job, u64)> = None;
        let takes = |job: Job, choices: &mut Choices| match choices.below(3) {
            0 => choices.between(1, callbacks[job.callback].cost),
            _ => callbacks[job.callback].cost,
        };
        let arrive = |executor: &mut Self, now: u64| {
            for (waiting, callback) in executor.waiting.iter_mut().zip(&callbacks) {
                waiting.extend(callback.arrivals.iter().filter(|&&arrival| arrival == now));
            }
        };
        arrive(&mut executor, 0);
        for (now, &given) in (0..).zip(given) {
            if given && running.is_none() {
                running = executor.choose(&callbacks).map(|job| (job, takes(job, choices)));
            }
            ticks.push((given, running.filter(|_| given).map(|(job, _)| job.callback)));
            let ended = running.as_mut().filter(|_| given).and_then(|(job, left)| {
                *left -= 1;
                (*left == 0).then_some(*job)
            });
            arrive(&mut executor, now + 1);
            if let Some(job) = ended {
                longest[job.callback] = longest[job.callback].max(now + 1 - job.released);
                for (callback, waiting) in executor.waiting.iter_mut().enumerate() {
                    if callbacks[callback].follows == Some(job.callback) {
                        waiting.push_back(job.released);
                    }
                }
                running = None;
                if eager {
                    running = executor.choose(&callbacks).map(|job| (job, takes(job, choices)));
                }
            }
        }
        Run { callbacks, ticks, longest }
    }
}

impl Display for Run {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, callback) in self.callbacks.iter().enumerate() {
            writeln!(formatter, "callback {number}: {callback:?}")?;
        }
        writeln!(formatter, "a letter for each tick: a callback that runs, '_' unused, '.' not given")?;
        let name = |callback: usize| char::from(b'a' + callback as u8);
        let letter = |&(given, runs): &(bool, Option<usize>)| runs.map_or(if given { '_' } else { '.' }, name);
        writeln!(formatter, "{}", self.ticks.iter().map(letter).collect::<String>())
    }
}

/// The number of bounds, the number of those that were reached within a tick, and how much of them
/// was seen.
#[derive(Debug, Default)]
struct Tally {
    bounds: usize,
    reached: usize,
    shares: f64,
}

impl Tally {
    fn add(&mut self, bounds: &[Bound], longest: &[u64]) {
        for (bound, &longest) in
            bounds.iter().zip(longest).filter_map(|(bound, seen)| Some((bound.as_ref().ok()?, seen)))
        {
            self.bounds += 1;
            self.reached += usize::from(ns(longest + 1) >= *bound);
            self.shares += longest as f64 / bound.as_nanoseconds() as f64;
        }
    }

    fn mean_share(&self) -> f64 {
        self.shares / self.bounds as f64
    }
}

/// Runs executors with these callbacks in this reservation, and checks that the callbacks exceed
/// none of their bounds.
fn try_to_exceed(
    reservation: Reservation,
    callbacks: &[Callback],
    of: &[usize],
    bounds: &[(&str, Vec<Bound>)],
    choices: &mut Choices,
    tally: &mut Tally,
) {
    let mut longest = vec![0; of.len()];
    for number in 0..8 {
        let mut callbacks = callbacks.to_vec();
        for callback in callbacks.iter_mut().filter(|callback| callback.follows.is_none()) {
            callback.draw_arrivals(choices);
        }
        let given = reservation.given(choices);
        let run = Executor::run(callbacks, &given, number % 2 == 0, choices);
        let seen: Vec<u64> = of.iter().map(|&callback| run.longest[callback]).collect();
        for (name, bounds) in bounds {
            let exceeds = |(bound, &seen): (&Bound, &u64)| bound.as_ref().is_ok_and(|bound| *bound < ns(seen));
            let exceeded = bounds.iter().zip(&seen).any(exceeds);
            assert!(!exceeded, "{name}: {seen:?} exceed {bounds:?} with {reservation:?}, callbacks {of:?}\n{run}");
        }
        longest.iter_mut().zip(seen).for_each(|(longest, seen)| *longest = seen.max(*longest));
    }
    for (_, bounds) in bounds {
        tally.add(bounds, &longest);
    }
}

fn random_reservation(choices: &mut Choices) -> Reservation {
    let period = choices.between(2, 12);
    let budget = choices.between(period.div_ceil(2), period);
    Reservation { budget, period, deadline: choices.between(budget, period) }
}

fn executors(seeds: std::ops::Range<u64>) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        let mut choices = Choices::random(seed);
        let reservation = random_reservation(&mut choices);
        let (timers, others) = (choices.below(3), choices.between(1, 3));
        let kinds = (0..timers).map(|_| Kind::Timer).chain((0..others).map(|_| Kind::Subscription));
        let callbacks: Vec<Callback> = kinds.map(|kind| Callback::random(kind, &mut choices)).collect();
        let analysed: Vec<ros2::Callback> = callbacks.iter().map(Callback::analysed).collect();
        let supply = reservation.supply();
        let each = |bounds: Result<Vec<TimeSpan>, _>| bounds.unwrap_or_default().into_iter().map(Ok).collect();
        let bounds = [
            ("Casini 2019", casini_2019::callbacks(&analysed, supply, HORIZON)),
            ("Blass 2021, round robin", each(blass_2021::round_robin(&analysed, supply, Order::Unknown, HORIZON))),
            (
                "Blass 2021, round robin, order",
                each(blass_2021::round_robin(&analysed, supply, Order::AsListed, HORIZON)),
            ),
            ("Blass 2021, busy window", each(blass_2021::busy_window(&analysed, supply, Order::Unknown, HORIZON))),
            (
                "Blass 2021, busy window, order",
                each(blass_2021::busy_window(&analysed, supply, Order::AsListed, HORIZON)),
            ),
        ];
        let all: Vec<usize> = (0..callbacks.len()).collect();
        try_to_exceed(reservation, &callbacks, &all, &bounds, &mut choices, &mut tally);
    }
    tally
}

fn chains(seeds: std::ops::Range<u64>) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        let mut choices = Choices::random(seed);
        let reservation = random_reservation(&mut choices);
        let (mut callbacks, mut last, mut analysed) = (Vec::<Callback>::new(), Vec::new(), Vec::new());
        for _ in 0..choices.between(1, 3) {
            let first = Callback::random(Kind::Subscription, &mut choices);
            let arrivals = first.analysed().arrivals;
            let mut costs = vec![ns(first.cost)];
            callbacks.push(first);
            for _ in 0..choices.below(3) {
                let follows = Some(callbacks.len() - 1);
                let next = Callback { follows, ..Callback::random(Kind::Subscription, &mut choices) };
                costs.push(ns(next.cost));
                callbacks.push(next);
            }
            last.push(callbacks.len() - 1);
            analysed.push(Chain { costs, arrivals });
        }
        // Chains are registered in some order, their callbacks among each other in any.
        let places = choices.order(callbacks.len());
        let mut registered = callbacks.clone();
        for (callback, &place) in callbacks.into_iter().zip(&places) {
            let follows = callback.follows.map(|before| places[before]);
            registered[place] = Callback { follows, ..callback };
        }
        let last: Vec<usize> = last.into_iter().map(|callback| places[callback]).collect();
        let bounds = [("Casini 2019, chains", casini_2019::chains(&analysed, reservation.supply(), HORIZON))];
        try_to_exceed(reservation, &registered, &last, &bounds, &mut choices, &mut tally);
    }
    tally
}

#[test]
fn no_callback_in_a_reservation_exceeds_a_bound() {
    let tally = executors(0..400);
    assert!(tally.bounds > 1_000 && tally.reached > 100 && tally.mean_share() > 0.5, "{tally:?}");
}

#[test]
fn no_chain_in_a_reservation_exceeds_its_bound() {
    let tally = chains(0..400);
    assert!(tally.bounds > 300 && tally.reached > 20 && tally.mean_share() > 0.4, "{tally:?}");
}

/// Takes a minute:
/// `cargo test --release -p hemiola-schedulability --test reservations -- --ignored`
#[test]
#[ignore = "takes a minute"]
fn no_callback_and_no_chain_of_50_000_executors_in_reservations_exceeds_a_bound() {
    println!("{:?}, {:?}", executors(1_000_000..1_050_000), chains(1_000_000..1_050_000));
}
