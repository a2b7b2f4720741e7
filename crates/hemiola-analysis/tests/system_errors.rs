//! The messages that people read when `system.toml` is wrong.

use hemiola_analysis::System;

fn message(text: &str) -> String {
    System::from_toml(text, "system.toml").expect_err("it is wrong").to_string()
}

#[test]
fn a_forgotten_unit_is_asked_for_where_it_is_missing() {
    let text = "cores = 1\n[[chain]]\nname = \"brake\"\nperiod = \"80\"\ncallbacks = []\n";
    assert_eq!(message(text), "system.toml:4:10: `80` needs a unit: ns, us, ms or s");
}

#[test]
fn all_problems_are_reported_at_once() {
    let text = r#"cores = 2
[[chain]]
name = "brake"
period = "0 ms"
callbacks = [{ name = "camera", takes = "2 ms", executor = "front" }]
[[executor]]
name = "front"
core = 2
priority = 100
"#;
    assert_eq!(
        message(text),
        r#"system.toml:8:8: there is no core 2
  help: cores are numbered from 0 to 1
system.toml:9:12: 100 is not a real-time priority
  help: use a number from 1 (lowest) to 99 (highest)
system.toml:4:10: the period is zero
  help: write the time from one release to the next, such as "20 ms"
system.toml:5:23: callback `camera` has only one of `executor` and `priority`
  help: give it both, or neither: `assign` then chooses them"#
    );
}

#[test]
fn a_node_is_not_in_two_executors() {
    let text = r#"cores = 1
[[executor]]
name = "front"
priority = 80
[[executor]]
name = "rear"
priority = 70
[[chain]]
name = "brake"
period = "80 ms"
callbacks = [
    { name = "camera", takes = "2 ms", node = "eyes", executor = "front", priority = 1 },
    { name = "lidar", takes = "2 ms", node = "eyes", executor = "rear", priority = 2 },
]
"#;
    assert_eq!(
        message(text),
        "system.toml:13:46: callback `lidar` is in `rear`, but the first callback of node `eyes` is in `front`
  help: give all callbacks of a node the same executor, or none"
    );
}

#[test]
fn tasks_that_wait_for_each_other_are_named_in_order() {
    let text = r#"cores = 1
[[cycle]]
name = "motion"
begins = { every = "12 ms" }
priority = 80
tasks = [
    { name = "imu", takes = "1 ms" },
    { name = "walk", takes = "2 ms", after = ["imu", "balance"] },
    { name = "balance", takes = "1 ms", after = ["walk"] },
]
"#;
    assert_eq!(
        message(text),
        "system.toml:6:9: tasks wait for each other: balance -> walk -> balance
  help: remove one of these from the other's `after`"
    );
}

#[test]
fn a_chain_has_a_period_or_begins_after_something_that_has_one() {
    let chain = |name: &str, begins: &str| {
        format!("[[chain]]\nname = \"{name}\"\n{begins}\ncallbacks = [{{ name = \"a\", takes = \"1 ms\" }}]\n")
    };
    let system = |chains: &[String]| message(&format!("cores = 1\n{}", chains.concat()));
    let brake = chain("brake", "begins = { after = \"alarm\" }");
    assert_eq!(
        system(&[brake.clone(), chain("alarm", "begins = { after = \"brake\" }")]),
        "system.toml:2:1: chains begin after each other: alarm -> brake -> alarm
  help: give one of them a `period` instead of `begins`"
    );
    assert_eq!(
        system(&[brake, chain("alarm", "")]),
        "system.toml:6:1: the period is zero
  help: write the time from one release to the next, such as \"20 ms\""
    );
    assert_eq!(
        system(&[
            chain("alarm", "period = \"9 ms\""),
            chain("brake", "period = \"9 ms\"\nbegins = { after = \"alarm\" }")
        ]),
        "system.toml:8:10: chain `brake` begins after `alarm`, whose period it has
  help: remove `period`, or `begins`"
    );
}

#[test]
fn an_offset_lies_within_the_period_and_goes_with_one() {
    let chain = "cores = 1\n[[chain]]\nname = \"brake\"\nperiod = \"80 ms\"\noffset = \"85 ms\"\ncallbacks = [{ name = \"a\", takes = \"1 ms\" }]\n";
    assert_eq!(
        message(chain),
        "system.toml:5:10: the offset of 85 ms is not below the period of 80 ms\n  \
         help: write the time of the first release, which is below the period, such as \"5 ms\""
    );
    let woken = chain.replace("offset = \"85 ms\"", "offset = \"5 ms\"\nbegins = \"wake_up\"");
    assert_eq!(
        message(&woken),
        "system.toml:5:10: chain `brake` has an offset, but is not begun by a timer of its own\n  \
         help: write `begins = \"timer\"`, or remove the offset"
    );
    let cycle = |begins: &str| {
        message(&format!("cores = 1\n[[cycle]]\nname = \"vision\"\nbegins = {begins}\npriority = 1\ntasks = []\n"))
    };
    assert_eq!(
        cycle("{ after = \"camera\", offset = \"1 ms\" }"),
        "system.toml:4:10: an `offset` goes with a period: write it beside `every`"
    );
    assert_eq!(cycle("{}"), "system.toml:4:10: write either `every` with a time or `after` with a name");
}

#[test]
fn a_path_through_nothing_gets_the_nearest_name() {
    let text = r#"cores = 1
[[cycle]]
name = "motion"
begins = { every = "12 ms" }
priority = 80
tasks = []
[[path]]
name = "to the legs"
through = ["moton"]
"#;
    assert_eq!(
        message(text),
        "system.toml:9:12: there is no cycle, chain or link `moton`\n  help: did you mean `motion`?"
    );
}

#[test]
fn reservations_are_what_the_kernel_admits() {
    let executor = |name: &str, rest: &str| format!("[[executor]]\nname = \"{name}\"\n{rest}\n");
    let reserved = |budget: &str| format!("reservation = {{ budget = \"{budget}\", period = \"10 ms\" }}");
    let system = |executors: &[String]| message(&format!("cores = 1\n{}", executors.concat()));
    assert_eq!(
        system(&[executor("plan", &reserved("6 ms")), executor("map", &reserved("5 ms"))]),
        "system.toml:7:15: up to this one, reservations take 1.10 cores, and the kernel gives them 0.95 of 1
  help: make budgets smaller, or periods longer"
    );
    assert_eq!(
        system(&[executor("plan", &format!("priority = 50\ncore = 0\n{}", reserved("11 ms")))]),
        "system.toml:4:12: executor `plan` has a reservation, which comes before all priorities
  help: remove `priority`, or the reservation
system.toml:5:8: executor `plan` has a reservation, with which a thread may use all cores
  help: remove `core`, or give it a priority instead of the reservation
system.toml:6:15: a budget of 11 ms cannot be given in a period of 10 ms
  help: choose one from 1.024 µs to the period
system.toml:6:15: up to this one, reservations take 1.10 cores, and the kernel gives them 0.95 of 1
  help: make budgets smaller, or periods longer"
    );
    assert_eq!(
        system(&[executor("plan", "")]),
        "system.toml:3:8: executor `plan` has neither a priority nor a reservation
  help: add `priority`, from 1 (lowest) to 99 (highest)"
    );
}
