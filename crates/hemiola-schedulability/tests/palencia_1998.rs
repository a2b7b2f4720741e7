//! Compares the bounds of chains that come back to cores with the holistic ones and with simulated
//! runs.

use hemiola_analysis::picas::holistic;
use hemiola_analysis::picas::palencia_1998::latencies;
use hemiola_analysis::system::{Beginning, Callback, Chain, Span};
use hemiola_analysis::{Analysis, System, TimeSpan, assignment::with_executors};
use hemiola_schedulability::simulation::{Comparison, random_chains, random_system, shrink};

const HORIZON: TimeSpan = TimeSpan::milliseconds(2000);

/// Returns how much of holistic bounds is left in the mean, and how many of the chains without one
/// have a bound now. None is larger.
fn compare(systems: impl Iterator<Item = System>) -> (f64, f64) {
    let (mut sum, mut count, mut only_now, mut without) = (0.0, 0, 0, 0);
    for system in systems {
        let deployment = system.deployment().expect("all callbacks have executors");
        for (ours, theirs) in latencies(&deployment, HORIZON).iter().zip(holistic::latencies(&deployment, HORIZON)) {
            match (ours, theirs) {
                (Ok(ours), Ok(theirs)) => {
                    assert!(*ours <= theirs, "{ours} > {theirs}\n{}", system.to_toml());
                    sum += ours.as_nanoseconds() as f64 / theirs.as_nanoseconds().max(1) as f64;
                    count += 1;
                }
                (Ok(_), Err(_)) => only_now += 1,
                (Err(_), Err(_)) => without += 1,
                (Err(reason), Ok(theirs)) => panic!("{reason}, but {theirs}\n{}", system.to_toml()),
            }
        }
    }
    (sum / f64::from(count), f64::from(only_now) / f64::from(only_now + without))
}

#[test]
fn no_bound_is_larger_than_the_holistic_one_and_those_of_chains_that_come_back_are_smaller() {
    compare((0..300).map(random_system));
    let (left, only_now) = compare((0..200).map(random_chains));
    println!("{left:.3} of the holistic bounds, {only_now:.3} of the chains without");
    assert!(left < 0.8 && only_now > 0.1);
}

/// Makes chains on one core, the most important one first.
fn chains(described: &[(u64, Option<u64>, u64)]) -> System {
    let chain = |(number, &(period, offset, cost)): (usize, &(u64, Option<u64>, u64))| Chain {
        name: format!("chain {number}"),
        period: TimeSpan::milliseconds(period),
        begins: Beginning::Timer,
        offset: offset.map(TimeSpan::milliseconds),
        deadline: None,
        callbacks: vec![Callback::new("only", Span::upto(TimeSpan::milliseconds(cost)))],
    };
    let system = System { cores: 1, chains: described.iter().enumerate().map(chain).collect(), ..System::default() };
    with_executors(&system).expect("there is less work than time")
}

fn bounds_of(system: &System) -> Vec<TimeSpan> {
    assert_eq!(Comparison::of(system).exceeded, []);
    let bounds = Analysis::of(system).verdicts.into_iter();
    bounds.map(|verdict| verdict.bound.expect("there is one")).collect()
}

#[test]
fn chains_that_offsets_keep_apart_do_not_wait_for_each_other() {
    let ms = TimeSpan::milliseconds;
    let apart = chains(&[(10, Some(0), 4), (10, Some(5), 5)]);
    assert_eq!(bounds_of(&apart), [4, 5].map(ms));
    // With one millisecond less, one chain waits for the other.
    assert_eq!(bounds_of(&chains(&[(10, Some(0), 4), (10, Some(3), 5)])), [4, 6].map(ms));
    // It is not known when chains without an offset begin.
    assert_eq!(bounds_of(&chains(&[(10, Some(0), 4), (10, None, 5)])), [4, 9].map(ms));
}

#[test]
fn chains_of_different_periods_are_at_known_distances_too_if_these_soon_repeat() {
    let ms = TimeSpan::milliseconds;
    // Every other instance of the first chain is out of the way.
    assert_eq!(bounds_of(&chains(&[(10, Some(0), 4), (20, Some(4), 6)])), [4, 6].map(ms));
    assert_eq!(bounds_of(&chains(&[(20, Some(4), 6), (10, Some(0), 4)])), [6, 4].map(ms));
    assert_eq!(bounds_of(&chains(&[(20, Some(8), 6), (10, Some(0), 4)])), [6, 8].map(ms));
    assert_eq!(bounds_of(&chains(&[(7, Some(0), 3), (11, Some(3), 3)])), [3, 6].map(ms)); // 77 ms are 11 periods
}

/// In this example of Lehoczky (1990), the fifth instance takes longest.
#[test]
fn instances_that_wait_for_earlier_ones_are_bounded() {
    assert_eq!(bounds_of(&chains(&[(70, None, 26), (100, None, 62)])), [26, 118].map(TimeSpan::milliseconds));
    // These chains use all of the core, and their distances are known.
    assert_eq!(bounds_of(&chains(&[(20, Some(0), 13), (40, Some(0), 14)])), [13, 40].map(TimeSpan::milliseconds));
}

fn bounds_hold_for(seeds: std::ops::Range<u64>) -> Comparison {
    let mut all = Comparison::default();
    for seed in seeds {
        let system = random_chains(seed);
        let comparison = Comparison::of(&system);
        if !comparison.exceeded.is_empty() {
            let smallest = shrink(&system, |system| !Comparison::of(system).exceeded.is_empty());
            panic!("seed {seed}: {}\n{}", Comparison::of(&smallest).exceeded[0], smallest.to_toml());
        }
        all += comparison;
    }
    all
}

#[test]
fn no_chain_that_comes_back_to_cores_takes_longer_than_its_bound() {
    let all = bounds_hold_for(0..100);
    assert!(all.compared > all.without_bound && all.mean_share() > 0.5, "{all:?}");
}

/// The test below found this: the longest window ended before the second callback, which is ready
/// just then.
#[test]
fn what_follows_at_once_belongs_to_the_window() {
    let text = r#"
        cores = 1

        [[executor]]
        name = "first"
        core = 0
        priority = 20

        [[executor]]
        name = "second"
        core = 0
        priority = 40

        [[chain]]
        name = "chain"
        period = "1 ms"
        callbacks = [
            { name = "a", takes = "1 µs .. 1 µs", executor = "first", priority = 1 },
            { name = "b", takes = "1 µs .. 1 µs", executor = "second", priority = 2 },
        ]
    "#;
    let system = System::from_toml(text, "system.toml").expect("it is a system");
    assert_eq!(bounds_of(&system), [TimeSpan::microseconds(2)]);
}

/// Takes some minutes:
/// `cargo test --release -p hemiola-schedulability --test palencia_1998 -- --ignored --nocapture`
#[test]
#[ignore = "takes minutes"]
fn no_chain_of_a_hundred_thousand_systems_takes_longer_than_its_bound() {
    println!("{:?}", bounds_hold_for(0..100_000));
}
