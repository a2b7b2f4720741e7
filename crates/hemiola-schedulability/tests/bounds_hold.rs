//! No simulated run takes longer than its bound, whatever the system.

use hemiola_analysis::{Analysis, System, TimeSpan};
use hemiola_schedulability::simulation::{Comparison, Options, random_system, shrink, simulate};

fn bounds_hold_for(seeds: std::ops::Range<u64>) -> Comparison {
    let mut all = Comparison::default();
    for seed in seeds {
        let system = random_system(seed);
        let exceeds = |system: &System| !Comparison::of(system).exceeded.is_empty();
        let comparison = Comparison::of(&system);
        if !comparison.exceeded.is_empty() {
            let smallest = shrink(&system, exceeds);
            let exceeded = Comparison::of(&smallest).exceeded.remove(0);
            panic!("seed {seed}: {exceeded}\n{}", smallest.to_toml());
        }
        all += comparison;
    }
    all
}

#[test]
fn no_simulated_run_takes_longer_than_its_bound() {
    let all = bounds_hold_for(0..400);
    // This fails if the bounds are so large that no run comes near them.
    assert!(all.compared > all.without_bound, "{all:?}");
    assert!(all.mean_share() > 0.5 && all.reached > 80, "{all:?}");
}

/// A value that is on its way for as long as the link may take, behind one that was faster, is read
/// by a cycle that has just begun.
#[test]
fn a_chain_over_a_link_takes_what_the_link_and_both_ends_take_and_no_more() {
    let text = r#"
        cores = 4
        [[cycle]]
        name = "camera"
        begins = { every = "30 ms" }
        priority = 60
        tasks = [{ name = "expose", takes = "1 ms" }]
        [[cycle]]
        name = "vision"
        begins = { after = "camera" }
        priority = 40
        tasks = [{ name = "ball", takes = "2 ms .. 9 ms" }]
        [[link]]
        name = "Ball"
        from = "vision"
        takes = "50 µs .. 2 ms"
        [[cycle]]
        name = "Ball received"
        begins = { after = "Ball" }
        priority = 79
        tasks = [{ name = "sample", takes = "100 µs" }]
        [[cycle]]
        name = "motion"
        begins = { every = "7 ms" }
        priority = 80
        tasks = [{ name = "walk", takes = "1 ms" }]
        [[path]]
        name = "ball to kick"
        through = ["camera", "vision", "Ball", "Ball received", "motion"]
    "#;
    let system = System::from_toml(text, "system.toml").expect("it is a system");
    let analysis = Analysis::of(&system);
    let bound = |name| analysis.find(name).unwrap().bound.clone().unwrap();
    let ms = TimeSpan::milliseconds;
    let (camera, vision, received, motion) =
        (bound("camera"), bound("vision"), bound("Ball received"), bound("motion"));
    assert_eq!(bound("ball to kick"), ms(30) + camera + vision + ms(2) + received + ms(7) + motion);
    let comparison = Comparison::of(&system);
    assert!(comparison.exceeded.is_empty() && comparison.mean_share() > 0.7, "{comparison:?}");
    // It is the link by which the chain is so long: without its delay, the simulation stays below.
    let mut direct = system.clone();
    direct.links[0].takes = Default::default();
    let longest = |system: &System| simulate(system, &Options::default()).latencies["ball to kick"].maximum;
    assert!(longest(&system) > longest(&direct));
}

/// The test above found this: while executor 4 worked off messages of chain 1, expiries of its
/// timer had gathered in executor 2.
#[test]
fn what_an_equally_important_executor_was_kept_from_doing_counts() {
    let text = r#"
        cores = 1

        [[executor]]
        name = "executor 2"
        core = 0
        priority = 80

        [[executor]]
        name = "executor 4"
        core = 0
        priority = 80

        [[chain]]
        name = "chain 1"
        period = "1 ms"
        callbacks = [
            { name = "callback 1.1", takes = "8 µs", executor = "executor 2", priority = 6 },
            { name = "callback 1.2", takes = "109 µs", executor = "executor 4", priority = 15 },
        ]

        [[chain]]
        name = "chain 2"
        period = "5 ms"
        callbacks = [{ name = "callback 2.0", takes = "4.5 ms", executor = "executor 4", priority = 20 }]
    "#;
    let system = System::from_toml(text, "system.toml").expect("it is a system");
    assert_eq!(Comparison::of(&system).exceeded, []);
}

/// The test above found this: two expiries of chain 3 are served in a row, and the cycle runs
/// twice.
#[test]
fn a_cycle_that_begins_after_something_late_waits_for_its_own_run_before() {
    let text = r#"
        cores = 2

        [[executor]]
        name = "executor 1"
        core = 1
        priority = 50

        [[chain]]
        name = "chain 1"
        period = "33 ms"
        callbacks = [{ name = "callback 1.0", takes = "2.763 ms", executor = "executor 1", priority = 10 }]

        [[chain]]
        name = "chain 3"
        period = "2.5 ms"
        callbacks = [{ name = "callback 3.1", takes = "1 µs", executor = "executor 1", priority = 13 }]

        [[cycle]]
        name = "cycle 0"
        begins = { after = "chain 3" }
        priority = 60
        tasks = [{ name = "task 2", takes = "2 µs" }]
    "#;
    let system = System::from_toml(text, "system.toml").expect("it is a system");
    assert_eq!(Comparison::of(&system).exceeded, []);
}

/// A cycle that begins after another one and is done before that begins again never delays it,
/// however important it is.
#[test]
fn cycles_that_take_turns_do_not_wait_for_each_other() {
    let of = |vision: &str| {
        let text = format!(
            r#"
            cores = 1
            [[cycle]]
            name = "camera"
            begins = {{ every = "30 ms" }}
            priority = 30
            tasks = [{{ name = "expose", takes = "7 ms" }}]
            [[cycle]]
            name = "vision"
            begins = {{ after = "camera" }}
            priority = 40
            tasks = [{{ name = "ball", takes = "{vision}" }}]
            [[cycle]]
            name = "walk"
            begins = {{ after = "vision" }}
            priority = 50
            tasks = [{{ name = "step", takes = "3 ms" }}]
            "#
        );
        System::from_toml(&text, "system.toml").expect("it is a system")
    };
    let bounds = |system: &System| Analysis::of(system).verdicts.iter().map(|it| it.bound.clone()).collect::<Vec<_>>();
    let ms = TimeSpan::milliseconds;
    assert_eq!(bounds(&of("20 ms")), [Ok(ms(7)), Ok(ms(20)), Ok(ms(3))]);
    assert_eq!(Comparison::of(&of("20 ms")).exceeded, []);
    // With a millisecond more, a run may be under way when the camera begins again.
    assert!(
        bounds(&of("21 ms")).iter().any(|bound| bound.as_ref().is_ok_and(|bound| *bound > ms(21)) || bound.is_err())
    );
    assert_eq!(Comparison::of(&of("21 ms")).exceeded, []);
}

#[test]
fn simulations_begin_at_offsets() {
    let latency_of_vision = |offset: &str| {
        let text = format!(
            r#"
            cores = 1
            [[cycle]]
            name = "walk"
            begins = {{ every = "10 ms", offset = "{offset}" }}
            priority = 50
            tasks = [{{ name = "step", takes = "4 ms" }}]
            [[cycle]]
            name = "vision"
            begins = {{ every = "20 ms", offset = "0 ms" }}
            priority = 30
            tasks = [{{ name = "ball", takes = "5 ms" }}]
            "#
        );
        let system = System::from_toml(&text, "system.toml").expect("it is a system");
        simulate(&system, &Options { seed: 7, ..Options::default() }).latencies["vision"].maximum
    };
    assert_eq!(["0 ms", "3 ms", "5 ms"].map(latency_of_vision), [9, 9, 5].map(TimeSpan::milliseconds));
}

/// Takes some minutes:
/// `cargo test --release -p hemiola-schedulability --test bounds_hold -- --ignored`
#[test]
#[ignore = "takes minutes"]
fn no_simulated_run_of_a_hundred_thousand_systems_takes_longer_than_its_bound() {
    println!("{:?}", bounds_hold_for(0..100_000));
}
