//! Executors that the kernel moves among cores, and chains that have to wake theirs.

use hemiola_analysis::{Analysis, System, TimeSpan};
use hemiola_schedulability::simulation::Comparison;

/// Describes an arm's executor beside a cycle that is less important, with a timer and a topic.
fn robot(core: &str) -> System {
    let text = format!(
        r#"
        cores = 2
        costs = {{ timer_lateness = "20 µs", wake_up = "50 µs" }}
        [[executor]]
        name = "arm"
        {core}
        priority = 60
        [[executor]]
        name = "guard"
        core = 1
        priority = 80
        [[chain]]
        name = "arm: pose"
        period = "10 ms"
        begins = "wake_up"
        deadline = "none"
        callbacks = [{{ name = "pose", takes = "3 ms", executor = "arm", priority = 10 }}]
        [[chain]]
        name = "guard: look"
        period = "20 ms"
        callbacks = [{{ name = "look", takes = "1 ms", executor = "guard", priority = 10 }}]
        [[cycle]]
        name = "thought"
        begins = {{ every = "40 ms" }}
        priority = 30
        workers = 2
        tasks = [{{ name = "left", takes = "5 ms" }}, {{ name = "right", takes = "5 ms" }}]
        "#
    );
    System::from_toml(&text, "system.toml").unwrap()
}

fn bound(system: &System, name: &str) -> TimeSpan {
    Analysis::of(system).find(name).unwrap().bound.clone().unwrap()
}

#[test]
fn an_executor_on_no_core_of_its_own_waits_where_all_cores_have_something_more_important() {
    let us = TimeSpan::microseconds;
    assert_eq!(bound(&robot("core = 0"), "arm: pose"), us(3_050), "a message wakes a thread");
    assert_eq!(bound(&robot("core = 1"), "arm: pose"), us(4_050));
    assert_eq!(bound(&robot(""), "arm: pose"), us(3_550), "the other core is there, too");
    assert_eq!(bound(&robot(""), "guard: look"), us(1_020), "a timer is late");
    let moved = robot("");
    assert_eq!(Comparison::of(&moved).exceeded, []);
    assert_eq!(System::from_toml(&moved.to_toml(), "system.toml").as_ref(), Ok(&moved));
}

#[test]
fn a_less_important_cycle_waits_for_executors_wherever_they_are() {
    let system = robot("");
    let mut without = system.clone();
    without.chains.clear();
    assert!(bound(&system, "thought") > bound(&without, "thought") + TimeSpan::milliseconds(1));
}

#[test]
fn what_may_be_done_at_any_time_is_never_late() {
    let mut system = robot("core = 1");
    system.chains[0].callbacks[0].takes.longest = TimeSpan::milliseconds(9);
    system.chains[0].period = TimeSpan::milliseconds(11);
    system.chains[1].callbacks[0].takes.longest = TimeSpan::milliseconds(3);
    let analysis = Analysis::of(&system);
    let pose = analysis.find("arm: pose").unwrap();
    assert!(pose.bound.as_ref().unwrap() > &TimeSpan::milliseconds(11) && pose.deadline.is_none() && pose.holds());
}
