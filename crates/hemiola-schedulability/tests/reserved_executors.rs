//! Bounds of chains on executors with reservations, against the simulation of the kernel's
//! constant bandwidth servers.

#[path = "shared/choices.rs"]
mod choices;

use choices::Choices;
use hemiola_analysis::system::{Beginning, Callback, Chain, Executor, Order, Reservation, Span};
use hemiola_analysis::{Analysis, Bound, Costs, NoBound, Supply, System, TimeSpan};
use hemiola_schedulability::simulation::{Comparison, Durations, Options, shrink, simulate};

fn us(microseconds: u64) -> TimeSpan {
    TimeSpan::microseconds(microseconds)
}

/// Draws executors with reservations that take most of what the kernel can guarantee, and chains
/// that use most of that. Sometimes an executor has more to do than its budget, which is nothing to
/// the others.
fn system(seed: u64) -> System {
    let mut choices = Choices::random(seed);
    let mut system = System { cores: choices.between(1, 2) as usize, ..System::default() };
    if choices.below(2) == 0 {
        let mut upto = |longest| us(choices.between(0, longest));
        system.costs = Costs {
            dispatch: upto(20),
            wake_up: upto(100),
            timer_lateness: upto(100),
            preemption: upto(30),
            budget_overrun: upto(300),
            ..Costs::default()
        };
    }
    let executors = choices.between(1, 3);
    for number in 0..executors {
        let name = format!("executor {number}");
        let period = choices.between(2_000, 12_000);
        let share = system.cores as u64 * 60 / (executors + system.cores as u64 - 1);
        let budget = us(period * choices.between(share / 2, share) / 100);
        let reservation = Some(Reservation { budget, period: us(period) });
        let order = if choices.below(4) == 0 { Order::Registration } else { Order::Priority };
        system.executors.push(Executor { reservation, order, ..Executor::new(&name, 0) });
        let load = if choices.below(4) == 0 { 130 } else { choices.between(50, 90) };
        let chains = choices.between(1, 3);
        for of_executor in 0..chains {
            let every = choices.between(3_000, 40_000);
            let longest = (every * budget.as_nanoseconds() / period / 1_000 * load / 100 / chains).max(10);
            let mut callbacks = Vec::new();
            for place in 0..choices.between(1, 3) {
                let takes = Span { shortest: us(longest / 6), longest: us(longest / 3) };
                let priority = Some(choices.between(1, 20) as u32);
                // Some chains visit several executors.
                let any = if choices.below(4) == 0 { choices.below(number + 1) } else { number };
                let executor = Some(format!("executor {any}"));
                let name = format!("callback {of_executor}.{place}");
                callbacks.push(Callback { executor, priority, ..Callback::new(name, takes) });
            }
            let begins = if choices.below(2) == 0 { Beginning::Timer } else { Beginning::WakeUp };
            let name = format!("chain {number}.{of_executor}");
            system.chains.push(Chain { name, period: us(every), begins, offset: None, deadline: None, callbacks });
        }
    }
    system
}

/// Draws an executor that uses up its budget soon after it got it, beside one that always has work,
/// so that the next budget is given late.
fn squeezed(seed: u64) -> System {
    let mut choices = Choices::random(seed);
    let mut system = System { cores: 1, ..System::default() };
    if choices.below(2) == 0 {
        system.costs.budget_overrun = us(choices.between(100, 600));
        system.costs.timer_lateness = us(choices.between(0, 200));
    }
    let period = choices.between(4_000, 12_000);
    let budget = period * choices.between(15, 40) / 100;
    let density = |budget: u64, period: u64| {
        let Costs { budget_overrun, timer_lateness, .. } = system.costs;
        (us(budget) + budget_overrun).as_nanoseconds() as f64 / (us(period) - timer_lateness).as_nanoseconds() as f64
    };
    let period_of_other = choices.between(4_000, 12_000);
    let left = (0.95 - density(budget, period)) * period_of_other as f64 - 800.0;
    for (name, budget, period) in [("squeezed", budget, period), ("busy", left.max(10.0) as u64, period_of_other)] {
        let reservation = Some(Reservation { budget: us(budget), period: us(period) });
        system.executors.push(Executor { reservation, ..Executor::new(name, 0) });
    }
    let mut chain = |name: &str, executor: &str, priority, takes: u64, every: u64| {
        let (executor, priority, takes) = (Some(executor.to_owned()), Some(priority), Span::upto(us(takes)));
        let callbacks = vec![Callback { executor, priority, ..Callback::new(name, takes) }];
        let (name, period, begins) = (name.to_owned(), us(every), Beginning::Timer);
        system.chains.push(Chain { name, period, begins, offset: None, deadline: None, callbacks });
    };
    chain("always", "busy", 1, 3 * period_of_other, 2 * period_of_other);
    chain("long", "squeezed", 1, budget * choices.between(60, 100) / 100, period * choices.between(140, 220) / 100);
    chain("short", "squeezed", 2, budget * choices.between(5, 20) / 100, period * choices.between(80, 170) / 100);
    system
}

#[test]
fn no_chain_takes_longer_than_its_bound_on_a_constant_bandwidth_server() {
    let mut all = Comparison::default();
    for seed in 0..400 {
        let system = if seed % 2 == 0 { system(seed) } else { squeezed(seed) };
        let exceeds = |system: &System| !Comparison::of(system).exceeded.is_empty();
        if exceeds(&system) {
            let smallest = shrink(&system, exceeds);
            panic!("seed {seed}: {}\n{}", Comparison::of(&smallest).exceeded[0], smallest.to_toml());
        }
        all += Comparison::of(&system);
    }
    // This fails if the bounds are so large that no run comes near them.
    let half_and_more: u64 = all.by_twentieth[10..].iter().sum();
    assert!(all.compared > 800 && half_and_more > 100, "{all:?}");
}

/// A system of executors with reservations, budget and period in ms, and chains of one callback on
/// them, of which each has its executor, its priority there, when it begins, and its time in µs.
fn reserved(cores: usize, overrun: TimeSpan, reservations: &[(f64, f64)], chains: &[(usize, u32, u64, u64)]) -> System {
    let mut system =
        System { cores, costs: Costs { budget_overrun: overrun, ..Costs::default() }, ..System::default() };
    let ms = |milliseconds: f64| us((milliseconds * 1e3) as u64);
    for (number, &(budget, period)) in reservations.iter().enumerate() {
        let reservation = Some(Reservation { budget: ms(budget), period: ms(period) });
        system.executors.push(Executor { reservation, ..Executor::new(format!("executor {number}"), 0) });
    }
    for (number, &(executor, priority, begin, takes)) in chains.iter().enumerate() {
        let (name, takes) = (format!("chain {number}"), us(takes));
        let (executor, priority) = (Some(format!("executor {executor}")), Some(priority));
        let callback = Callback::new(&name, Span { shortest: takes, longest: takes });
        system.chains.push(Chain {
            name,
            period: us(1_000_000),
            begins: Beginning::Timer,
            offset: Some(us(begin)),
            deadline: None,
            callbacks: vec![Callback { executor, priority, ..callback }],
        });
    }
    system
}

/// Returns the longest time that a chain takes in some simulations of its first instance.
fn longest(system: &System, chain: usize, durations: Durations) -> TimeSpan {
    let runs = (0..12).map(|seed| {
        let options = Options { end: TimeSpan::milliseconds(60), seed, durations };
        simulate(system, &options).latencies[&system.chains[chain].name].maximum
    });
    runs.max().expect("some runs")
}

fn bound_of(system: &System, chain: usize) -> Bound {
    Analysis::of(system).find(&system.chains[chain].name).expect("it is there").bound.clone()
}

/// What a thread has run too long is taken off its next budget, which then is not enough for a
/// chain that needs all of it: this one waits for a third.
#[test]
fn what_a_thread_has_overrun_it_lacks_afterwards() {
    // Callbacks of 5 ms use up 4 ms of budget, and 1 ms more; then another executor always has
    // work.
    let mut chains = vec![(1, 1, 5_000, 60_000), (0, 2, 5_000, 3_900)];
    chains.extend([(0, 1, 0, 100); 50]);
    let reservations = [(4.0, 20.0), (5.0, 8.75)];
    let system = reserved(1, us(1_000), &reservations, &chains);
    let longest = longest(&system, 1, Durations::Extremes);
    // Twice the period without its budget; one callback that had begun, its own work, and the
    // overrun, which are 5 ms of budgets of 4 ms.
    let bound = us(2 * 16_000 + 20_000 + 1_000);
    assert_eq!(bound_of(&system, 1), Ok(bound));
    let without_overrun = bound_of(&reserved(1, us(0), &reservations, &chains), 1);
    assert!(without_overrun.is_ok_and(|without| without < longest) && longest <= bound, "{longest}");
}

/// Dhall and Liu's effect: two executors with little to do go first on both cores, and one that
/// needs nearly a whole core is done too late, though a third of the cores is free.
#[test]
fn budgets_whose_sum_fits_are_not_given_in_time_if_the_condition_does_not_hold() {
    let reservations = [(2.0, 10.0), (2.0, 10.0), (10.5, 11.0)];
    let system = reserved(2, us(0), &reservations, &[(0, 1, 0, 2_000), (1, 1, 0, 2_000), (2, 1, 0, 10_500)]);
    assert!(matches!(bound_of(&system, 2), Err(NoBound::Reservations { needed: 135, sure: 95 })));
    // What the budget would supply if it were given in time.
    let [budget, period] = [us(10_500), us(11_000)];
    let supply = Supply::Reservation { budget, period, deadline: period };
    assert_eq!((supply.time_for(budget), longest(&system, 2, Durations::Longest)), (us(11_500), us(12_500)));
}

/// Draws executors with short periods beside one that needs much of a core, and some of them
/// overrun: around the limit of what can be given in time.
#[test]
fn budgets_are_given_in_time_where_the_condition_holds_and_not_always_where_it_does_not() {
    let (mut admitted, mut refused_and_late) = (0, 0);
    for seed in 0..800 {
        let mut choices = Choices::random(seed);
        let cores = choices.between(2, 3) as usize;
        let overrun = us(choices.below(3) / 2 * choices.between(100, 400));
        // Mostly all begin at once.
        let latest_begin = if choices.below(4) == 0 { 60 } else { 0 };
        let mut reservations = Vec::new();
        let mut chains = Vec::new();
        for executor in 0..cores {
            let period = choices.between(40, 60) as f64 / 10.0;
            let budget = period * choices.between(5, 45) as f64 / 100.0;
            reservations.push((budget, period));
            // They always have work.
            chains.push((executor, 1, choices.between(0, latest_begin) * 100, 60_000));
        }
        let period = choices.between(60, 70) as f64 / 10.0;
        let budget = period * choices.between(65, 94) as f64 / 100.0;
        reservations.push((budget, period));
        chains.push((cores, 1, choices.between(0, latest_begin) * 100, (budget * 1e3) as u64));
        let system = reserved(cores, overrun, &reservations, &chains);
        if system.check().is_err() {
            continue;
        }
        let [budget, period] = [budget, period].map(|milliseconds| us((milliseconds * 1e3) as u64));
        let in_time = Supply::Reservation { budget, period, deadline: period }.time_for(budget + overrun);
        let longest = longest(&system, cores, Durations::Extremes);
        match bound_of(&system, cores) {
            Ok(bound) => {
                admitted += 1;
                assert!(longest <= bound, "seed {seed}: {longest} of {bound}\n{}", system.to_toml());
            }
            Err(_) => refused_and_late += u32::from(longest > in_time),
        }
    }
    assert!(admitted > 100 && refused_and_late > 10, "{admitted} {refused_and_late}");
}

/// A chain becomes ready just when others of its executor have used up the budget, and the next one
/// is given as late as it can be, because another executor always has work.
#[test]
fn the_bound_of_a_chain_that_finds_the_budget_used_up_is_nearly_reached() {
    let mut text = String::from(
        r#"
        cores = 1
        [[executor]]
        name = "squeezed"
        reservation = { budget = "2 ms", period = "10 ms" }
        [[executor]]
        name = "busy"
        reservation = { budget = "6.7 ms", period = "9 ms" }
        [[chain]]
        name = "always"
        period = "300 ms"
        offset = "1 ms"
        callbacks = [{ name = "always", takes = "299 ms", executor = "busy", priority = 1 }]
        [[chain]]
        name = "late"
        period = "300 ms"
        offset = "2 ms"
        callbacks = [{ name = "late", takes = "500 µs", executor = "squeezed", priority = 2 }]
        "#,
    );
    for number in 0..30 {
        text += &format!(
            r#"
            [[chain]]
            name = "early {number}"
            period = "300 ms"
            offset = "0 ms"
            callbacks = [{{ name = "early", takes = "100 µs", executor = "squeezed", priority = 1 }}]
            "#
        );
    }
    let system = System::from_toml(&text, "system.toml").expect("it is a system");
    let bound = Analysis::of(&system).find("late").expect("it is there").bound.clone();
    // Twice the period without its budget, one callback that had begun, and its own.
    assert_eq!(bound, Ok(us(16_000 + 100 + 500)));
    let options = Options { end: TimeSpan::milliseconds(250), ..Options::default() };
    let longest = simulate(&system, &options).latencies["late"].maximum;
    // It waits for the rest of the period, and for the other one's budget.
    assert_eq!(longest, us(8_000 + 6_700 + 500));
}
