use super::*;
use crate::distribution::Bucket;
use proptest::prelude::*;
use std::{fs, path::PathBuf};

fn measured(nanoseconds: u64, count: u32) -> Measured {
    [Bucket { nanoseconds, count }].into_iter().collect::<Distribution>().into()
}

/// Returns the conditions of a run of a build of a robot with a priority.
fn conditions(build: &str, priority: u8) -> Conditions {
    Conditions {
        pace: Pace::RealTime,
        build: build.into(),
        machine: "laptop".into(),
        has_priorities: Some(true),
        computed: [("providers.Ball".into(), "BallFinder".into())].into(),
        scheduled: [("cycle.motion.priority".into(), priority.to_string())].into(),
    }
}

fn profile(times: &[(&str, u64)]) -> Profile {
    let mut profile = Profile { conditions: conditions("a", 40), runs: 1, ..Profile::default() };
    for &(task, nanoseconds) in times {
        let execution = [Bucket { nanoseconds, count: 2 }].into_iter().collect();
        profile.insert("motion", task, &execution);
    }
    profile.cycle_mut("motion").response = measured(5_000, 9);
    profile.sources.insert("imu".into(), measured(7, 1));
    let (reaction, data_age) = (measured(9_000, 3), measured(8_000, 3));
    let names = ["imu", "motion", "legs"].map(str::to_owned);
    let [source, cycle, output] = names;
    profile.chains.push(ChainProfile { source, cycle, output, reaction, newest_age: data_age.clone(), data_age });
    profile
}

/// Returns a run under these conditions in which an update took that long, and a cycle ten times as
/// long.
fn run(conditions: Conditions, nanoseconds: u64) -> Profile {
    let mut run = Profile { conditions, runs: 1, ..Profile::default() };
    run.insert("motion", "walk", &[Bucket { nanoseconds, count: 1 }].into_iter().collect());
    run.cycle_mut("motion").response = measured(10 * nanoseconds, 1);
    run
}

fn file(name: &str) -> PathBuf {
    std::env::temp_dir().join(format!("hemiola-profile-{}-{name}.json", std::process::id()))
}

/// Returns the longest execution of the walk, whether that is an estimate, and the longest
/// response.
fn longest(history: &ProfileHistory, now: &Conditions) -> (u64, bool, u64) {
    let known = history.known(now);
    let walk = known.profile.task("motion", "walk").map_or(0, Measured::maximum);
    let response = known.profile.cycles.get("motion").map_or(0, |cycle| cycle.response.maximum());
    (walk, known.is_estimate("motion", "walk"), response)
}

#[test]
fn a_history_survives_its_file() {
    let (path, mut history) = (file("survives"), ProfileHistory::default());
    history.add(profile(&[("walk", 500), ("kick", 70)]));
    history.add(run(Conditions::default(), 3));
    history.calibrate(calibration(40_000));
    history.save(&path).unwrap();
    assert_eq!(ProfileHistory::load(&path).unwrap(), history);
    fs::remove_file(path).unwrap();
}

#[test]
fn a_newer_profile_replaces_what_it_knows_and_keeps_the_rest() {
    let mut known = profile(&[("walk", 500), ("kick", 70)]);
    known.update(profile(&[("walk", 600)]));
    assert_eq!(known, profile(&[("walk", 600), ("kick", 70)]));
}

#[test]
fn runs_of_the_same_robot_add_up_and_no_maximum_is_lost() {
    let mut known = profile(&[("walk", 500)]);
    known.merge(&profile(&[("walk", 600), ("kick", 70)]));
    let walk = known.task("motion", "walk").unwrap();
    assert_eq!((walk.count(), walk.minimum(), walk.maximum()), (4, 500, 600));
    assert_eq!((walk.quantile(0.5), walk.quantile(0.51), walk.quantile(1.0)), (500, 600, 600));
    let chain = known.chain("imu", "motion", "legs").unwrap();
    assert_eq!((chain.reaction.count(), known.sources["imu"].count(), known.runs), (6, 2, 2));
    assert_eq!(known.cycles["motion"].response.count(), 18);
    assert_eq!(known.without_latencies().cycles["motion"].response.count(), 0);
}

#[test]
fn a_stepped_run_spoils_no_observation_however_often_it_is_repeated() {
    let (robot, mut history) = (conditions("a", 40), ProfileHistory::default());
    history.add(run(robot.clone(), 500));
    let before = longest(&history, &robot);
    assert_eq!(before, (500, false, 5_000));
    for _ in 0..20 {
        history.add(run(Conditions { pace: Pace::Other, ..robot.clone() }, 900_000));
    }
    assert_eq!(longest(&history, &robot), before);
    assert_eq!(history.profiles().len(), 2);
}

#[test]
fn a_stepped_run_is_an_estimate_where_nothing_better_is_known() {
    let (robot, mut history) = (conditions("a", 40), ProfileHistory::default());
    history.add(run(Conditions { pace: Pace::Other, ..robot.clone() }, 900));
    assert_eq!(longest(&history, &robot), (900, true, 0));
    // An earlier build in real time is a better estimate, whichever came last.
    history.add(run(conditions("b", 40), 500));
    history.add(run(Conditions { pace: Pace::Other, ..robot.clone() }, 900));
    assert_eq!(longest(&history, &robot), (500, true, 0));
}

#[test]
fn another_priority_is_another_robot_whose_updates_take_as_long() {
    let mut history = ProfileHistory::default();
    history.add(run(conditions("a", 40), 500));
    assert_eq!(longest(&history, &conditions("a", 80)), (500, false, 0));
    history.add(run(conditions("a", 80), 600));
    // Execution times are evidence from both runs, observations from one.
    assert_eq!(longest(&history, &conditions("a", 80)), (600, false, 6_000));
    assert_eq!(longest(&history, &conditions("a", 40)), (600, false, 5_000));
}

#[test]
fn after_a_rebuild_execution_times_are_estimates_and_nothing_is_observed() {
    let mut history = ProfileHistory::default();
    history.add(run(conditions("a", 40), 937_000));
    assert_eq!(longest(&history, &conditions("b", 40)), (937_000, true, 0));
    // A profile that outlived the fault that caused it is replaced with the first run of the fixed
    // one.
    history.add(run(conditions("b", 40), 500));
    assert_eq!(longest(&history, &conditions("b", 40)), (500, false, 5_000));
}

#[test]
fn a_changed_robot_is_told_by_what_changed() {
    let mut history = ProfileHistory::default();
    assert_eq!(history.changes(&conditions("a", 40)), None);
    history.add(run(conditions("a", 40), 500));
    assert_eq!(history.changes(&conditions("a", 40)), None);
    let mut now = Conditions { has_priorities: Some(false), machine: "robot".into(), ..conditions("b", 80) };
    now.computed = [("module.Walk.gain".into(), "0.7".into())].into();
    let changes = [
        "the program",
        "the machine (laptop, now robot)",
        "the permission for real-time priorities (now refused)",
        "cycle.motion.priority (40, now 80)",
        "module.Walk.gain (now 0.7)",
        "providers.Ball (BallFinder, now the default)",
    ];
    assert_eq!(history.changes(&now), Some(changes.map(str::to_owned).to_vec()));
}

#[test]
fn who_does_not_know_about_the_permission_sees_the_newest_run() {
    let mut history = ProfileHistory::default();
    history.add(run(conditions("a", 40), 500));
    history.add(run(Conditions { has_priorities: Some(false), ..conditions("a", 40) }, 700));
    let ask = |has_priorities| longest(&history, &Conditions { has_priorities, ..conditions("a", 40) });
    assert_eq!((ask(None).2, ask(Some(true)).2, ask(Some(false)).2), (7_000, 5_000, 7_000));
}

#[test]
fn as_many_robots_are_remembered_as_are_worth_it() {
    let mut history = ProfileHistory::default();
    for priority in 1..=20 {
        history.add(run(conditions("a", priority), 500));
    }
    assert!(history.profiles().len() <= 6);
    assert_eq!(longest(&history, &conditions("a", 20)).2, 5_000);
    assert_eq!(longest(&history, &conditions("a", 1)).2, 0);
}

#[test]
fn profiles_of_earlier_formats_are_read_as_estimates() {
    for text in [
        r#"{"cycles": {"motion": {"walk": [[52000, 81], [53000, 4]]}}}"#,
        r#"{"format": 3, "program": "debug build of 7 bytes, made 3.000000000",
            "costs": {"wake_up": {"samples": 9, "p99": 12300000, "maximum": 12300000}},
            "cycles": {"motion": {"tasks": {"walk": {"maximum": 53000, "buckets": [[52000, 84], [53000, 1]]}},
                                  "response": {"maximum": 937000000, "buckets": [[937000000, 1]]}}}}"#,
    ] {
        let history = ProfileHistory::from_json(text.as_bytes()).unwrap();
        assert_eq!(longest(&history, &conditions("a", 40)), (53_000, true, 0));
        assert!(history.costs("laptop", None).is_empty() && history.changes(&conditions("a", 40)).is_none());
        let again = ProfileHistory::from_json(&history.to_json()).unwrap();
        assert_eq!(again, history);
    }
}

#[test]
fn a_file_that_is_no_profile_is_refused_with_its_name_and_place() {
    let path = file("refused");
    for text in [
        "",
        "[]",
        r#"{"cycles": 3}"#,
        r#"{"cycles": {"m": {"t": [[1, -1]]}}}"#,
        r#"{"format": 3, "cycles": {}, "x": 1}"#,
        r#"{"format": 3, "sources": {"imu": {"maximum": 3}}}"#,
        r#"{"format": 4, "profiles": [{"format": 4, "conditions": {"pace": "fast"}, "cycles": {}}]}"#,
        r#"{"format": 4, "profiles": 3}"#,
    ] {
        fs::write(&path, text).unwrap();
        let message = ProfileHistory::load(&path).unwrap_err().to_string();
        assert!(message.contains(&path.display().to_string()) && message.contains("line"), "{message}");
    }
    fs::write(&path, r#"{"format": 9, "profiles": []}"#).unwrap();
    let message = ProfileHistory::load(&path).unwrap_err().to_string();
    assert!(message.contains("its format is 9, and this program supports at most 4"), "{message}");
    fs::write(&path, r#"{"format": 2}"#).unwrap();
    let message = ProfileHistory::load(&path).unwrap_err().to_string();
    let remedy = "(`profile reset` removes it; a run writes a new one)";
    assert!(message.contains("of an earlier version") && message.ends_with(remedy), "{message}");
    fs::remove_file(path).unwrap();
}

#[test]
fn a_folder_that_is_not_there_is_named() {
    let message = ProfileHistory::default().save("/nowhere/profile.json").unwrap_err().to_string();
    assert!(message.starts_with("cannot write the profile /nowhere/profile.json: "), "{message}");
}

fn calibration(p99: u64) -> MeasuredCosts {
    let cost = CostProfile { samples: 100, p99, maximum: 2 * p99, ..CostProfile::default() };
    MeasuredCosts { machine: "laptop".into(), has_priority: true, costs: [("preemption".into(), cost)].into() }
}

fn preemption(history: &ProfileHistory) -> CostProfile {
    history.costs("laptop", Some(true))["preemption"]
}

#[test]
fn one_bad_moment_does_not_make_a_machine_slow() {
    let mut history = ProfileHistory::default();
    history.calibrate(calibration(12_300_000));
    assert!(calibration(14_000).contradicts(&history.costs("laptop", Some(true))));
    history.calibrate(calibration(14_000));
    assert_eq!(preemption(&history).p99, 14_000);
    history.calibrate(calibration(16_000));
    let known = preemption(&history);
    assert_eq!((known.p99, known.lowest, known.highest), (16_000, 14_000, 12_300_000));
    assert_eq!((known.calibrations, known.samples, known.maximum), (3, 300, 24_600_000));
    assert!(!calibration(14_500).contradicts(&history.costs("laptop", Some(true))));
}

#[test]
fn a_machine_that_stays_slow_is_believed() {
    let mut history = ProfileHistory::default();
    (0..20).for_each(|_| history.calibrate(calibration(14_000)));
    (0..CALIBRATIONS / 2).for_each(|_| history.calibrate(calibration(500_000)));
    assert_eq!(preemption(&history).p99, 14_000);
    history.calibrate(calibration(500_000));
    assert_eq!(preemption(&history).p99, 500_000);
}

#[test]
fn calibrations_without_priority_or_of_another_machine_are_none_of_this_one() {
    let mut history = ProfileHistory::default();
    history.calibrate(calibration(14_000));
    history.calibrate(MeasuredCosts { has_priority: false, ..calibration(900_000) });
    for number in 0..30 {
        history.calibrate(MeasuredCosts { machine: format!("robot {number}"), ..calibration(1) });
    }
    assert_eq!(preemption(&history).p99, 14_000);
    assert_eq!(history.costs("laptop", Some(false))["preemption"].p99, 900_000);
    // Without a given priority, the newest calibration counts.
    assert_eq!(history.costs("laptop", None)["preemption"].p99, 900_000);
    (30..90).for_each(|number| {
        history.calibrate(MeasuredCosts { machine: format!("robot {number}"), ..calibration(1) });
    });
    assert!(history.calibrations().len() <= 4 * CALIBRATIONS);
}

proptest! {
    /// Fewer than half of the calibrations may be arbitrarily wrong, wherever they are.
    #[test]
    fn what_disturbs_fewer_than_half_of_the_calibrations_leaves_the_cost_among_the_others(
        good in proptest::collection::vec(10_000_u64..60_000, 1..=5),
        bad in proptest::collection::vec(any::<u64>(), 0..=4),
        order in any::<proptest::sample::Index>(),
    ) {
        let bad: Vec<u64> = bad.into_iter().take(good.len() - 1).collect();
        let mut all: Vec<u64> = good.iter().chain(&bad).copied().collect();
        let by = order.index(all.len());
        all.rotate_left(by);
        let mut history = ProfileHistory::default();
        all.iter().for_each(|&p99| {
            let mut costs = calibration(1);
            costs.costs.values_mut().for_each(|cost| cost.p99 = p99);
            history.calibrate(costs);
        });
        let known = preemption(&history);
        prop_assert!((good.iter().min()..=good.iter().max()).contains(&Some(&known.p99)), "{known:?} of {all:?}");
        prop_assert_eq!((Some(&known.lowest), Some(&known.highest)), (all.iter().min(), all.iter().max()));
    }

    /// Whatever runs of others there are, in whatever order, observations are those of this robot.
    #[test]
    fn an_observation_is_of_the_robot_that_was_observed(
        runs in proptest::collection::vec((0..3_u8, 0..3_u8, any::<bool>(), 1..1_000_u64), 0..30),
    ) {
        let mut history = ProfileHistory::default();
        let mut expected = 0;
        let robot = conditions("0", 0);
        history.add(run(robot.clone(), 1));
        for (build, priority, is_real, time) in runs {
            let pace = if is_real { Pace::RealTime } else { Pace::Other };
            let of = Conditions { pace, ..conditions(&build.to_string(), priority) };
            expected = if of == robot { time.max(expected) } else { expected };
            history.add(run(of, time));
            // Others may evict the profile, but never replace it by their own.
            let seen = longest(&history, &robot).2;
            if history.profiles().iter().any(|profile| profile.conditions == robot) {
                prop_assert_eq!(seen, 10 * expected.max(1));
            } else {
                prop_assert_eq!(seen, 0);
                history.add(run(robot.clone(), 1));
                expected = 1;
            }
        }
    }
}
