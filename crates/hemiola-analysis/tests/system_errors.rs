//! What people read when `system.toml` is wrong.

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
fn all_that_is_wrong_is_told_at_once() {
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
system.toml:9:12: there is no real-time priority 100
  help: use 1 (least important) to 99
system.toml:4:10: a period of no time at all
  help: write the time from one begin to the next, such as "20 ms"
system.toml:5:23: callback `camera` has only one of `executor` and `priority`
  help: give it both, or neither: then they are assigned"#
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
    assert_eq!(message(text), "system.toml:9:12: there is no cycle or chain `moton`\n  help: did you mean `motion`?");
}
