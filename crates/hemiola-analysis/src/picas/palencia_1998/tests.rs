use super::latencies;
use crate::picas::holistic;
use crate::simulation::{Comparison, random_chains, random_system, shrink};
use crate::{System, Time};

const HORIZON: Time = Time::milliseconds(2000);

/// How much of all holistic bounds is left, from 0 to 1, and how many chains have a bound only now. None is larger.
fn compare(systems: impl Iterator<Item = System>) -> (f64, u32) {
    let (mut sum, mut count, mut only_now) = (0.0, 0, 0);
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
                (Err(_), Err(_)) => {}
                (Err(reason), Ok(theirs)) => panic!("{reason}, but {theirs}\n{}", system.to_toml()),
            }
        }
    }
    (sum / f64::from(count), only_now)
}

#[test]
fn no_bound_is_larger_than_the_holistic_one_and_those_of_chains_that_come_back_are_smaller() {
    compare((0..300).map(random_system));
    let (left, only_now) = compare((0..200).map(random_chains));
    assert!(left < 0.8 && only_now > 50, "{left:.3} of the holistic bounds, {only_now} chains with a bound only now");
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

/// Some minutes: `cargo test --release -p hemiola-analysis --lib palencia -- --ignored --nocapture`
#[test]
#[ignore = "takes minutes"]
fn no_chain_of_a_hundred_thousand_systems_takes_longer_than_its_bound() {
    println!("{:?}", bounds_hold_for(0..100_000));
}
