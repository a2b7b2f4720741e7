//! Chains that begin after other chains, cycles and links: callbacks that publish to several
//! topics, services, messages that sources and cycles take.

use hemiola_analysis::system::Beginning;
use hemiola_analysis::{Analysis, System, TimeSpan};
use hemiola_schedulability::simulation::{Comparison, Options, random_system, shrink, simulate};

fn us(microseconds: u64) -> TimeSpan {
    TimeSpan::microseconds(microseconds)
}

#[test]
fn no_chain_that_begins_after_something_takes_longer_than_its_bound() {
    let (mut bounded, mut paths, mut near, mut found) = (0, 0, 0, 0);
    for seed in 0.. {
        let system = random_system(seed);
        let after: Vec<&str> = (system.chains.iter())
            .filter(|chain| matches!(chain.begins, Beginning::After(_)))
            .map(|chain| chain.name.as_str())
            .collect();
        if after.is_empty() {
            continue;
        }
        let exceeds = |system: &System| !Comparison::of(system).exceeded.is_empty();
        if exceeds(&system) {
            let smallest = shrink(&system, exceeds);
            panic!("seed {seed}: {}\n{}", Comparison::of(&smallest).exceeded[0], smallest.to_toml());
        }
        let analysis = Analysis::of(&system);
        let simulated = simulate(&system, &Options { end: us(300_000), ..Options::default() });
        let bound_of = |name: &str| analysis.find(name).and_then(|verdict| verdict.bound.clone().ok());
        for name in after {
            let (Some(bound), Some(observed)) = (bound_of(name), simulated.latencies.get(name)) else { continue };
            bounded += 1;
            near += u32::from(observed.maximum * 2 > bound);
            let path = format!("path through {name}");
            paths += u32::from(bound_of(&path).is_some() && simulated.latencies.contains_key(&path));
        }
        found += 1;
        if found == 60 {
            break;
        }
    }
    // This fails if the bounds are so large that no run comes near them.
    assert!(bounded > 20 && paths > 20 && near > 3, "{bounded} {paths} {near}");
}

/// An executor's callback publishes what a source takes; the source triggers a cycle, and what the
/// cycle publishes is for another executor, which calls a service of the first one.
const THERE_AND_BACK: &str = r#"
    cores = 2
    [costs]
    wake_up = "50 µs"
    [[executor]]
    name = "sensors"
    core = 0
    priority = 70
    [[executor]]
    name = "arm"
    core = 1
    priority = 30
    [[chain]]
    name = "touch"
    period = "20 ms"
    callbacks = [{ name = "skin", takes = "1 ms", executor = "sensors", priority = 1 }]
    [[chain]]
    name = "log"
    begins = { after = "touch" }
    callbacks = [{ name = "write", takes = "2 ms", executor = "arm", priority = 1 }]
    [[cycle]]
    name = "Skin"
    begins = { after = "touch" }
    priority = 81
    tasks = [{ name = "sample", takes = "100 µs" }]
    [[cycle]]
    name = "motion"
    begins = { after = "Skin" }
    priority = 80
    tasks = [{ name = "reflex", takes = "3 ms" }]
    [[chain]]
    name = "grasp"
    begins = { after = "motion" }
    callbacks = [
        { name = "ask", takes = "1 ms", executor = "arm", priority = 2 },
        { name = "serve", takes = "500 µs", executor = "sensors", priority = 2 },
        { name = "answered", takes = "1 ms", executor = "arm", priority = 3 },
    ]
    [[path]]
    name = "touched to grasped"
    through = ["touch", "Skin", "motion", "grasp"]
    from = "sample"
"#;

#[test]
fn a_path_goes_from_an_executor_through_a_source_and_a_cycle_to_a_service_and_back() {
    let system = System::from_toml(THERE_AND_BACK, "system.toml").expect("it is a system");
    assert_eq!(System::from_toml(&system.to_toml(), "system.toml"), Ok(system.clone()));
    let analysis = Analysis::of(&system);
    let bound = |name| analysis.find(name).expect("it is there").bound.clone().expect("a bound");
    let parts = bound("touch") + bound("Skin") + bound("motion") + bound("grasp");
    // Each part begins when the one before has ended: no period is waited for.
    assert_eq!(bound("touched to grasped"), parts);
    assert!(Comparison::of(&system).exceeded.is_empty());
    let longest = simulate(&system, &Options::default()).latencies["touched to grasped"].maximum;
    // All of its own work, which nothing but other work makes longer.
    assert!(longest >= us(1_000 + 100 + 3_000 + 2_500) && longest <= parts, "{longest} of {parts}");
}

/// The first message of a burst is late, the second is not: both chains after it are ready at once,
/// and the one with the lower priority waits for both of the other.
#[test]
fn a_chain_delays_others_as_often_as_what_it_begins_after_ends() {
    let text = r#"
        cores = 2
        [[executor]]
        name = "busy"
        core = 0
        priority = 50
        [[executor]]
        name = "both"
        core = 1
        priority = 50
        [[chain]]
        name = "often"
        period = "10 ms"
        callbacks = [{ name = "often", takes = "10 µs", executor = "busy", priority = 1 }]
        [[chain]]
        name = "long"
        period = "300 ms"
        callbacks = [{ name = "long", takes = "9.9 ms", executor = "busy", priority = 2 }]
        [[chain]]
        name = "first"
        begins = { after = "often" }
        callbacks = [{ name = "first", takes = "3 ms", executor = "both", priority = 2 }]
        [[chain]]
        name = "second"
        begins = { after = "long" }
        callbacks = [{ name = "second", takes = "1 ms", executor = "both", priority = 1 }]
    "#;
    let system = System::from_toml(text, "system.toml").expect("it is a system");
    assert!(Comparison::of(&system).exceeded.is_empty());
    let bound = Analysis::of(&system).find("second").expect("it is there").bound.clone();
    // One of `first` in progress or ready, a second one from a burst, and its own work.
    assert_eq!(bound, Ok(us(3_000 + 3_000 + 1_000)));
}
