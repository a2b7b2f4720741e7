//! Costs of the computer itself are in every bound, and reached by the simulator.

use hemiola_analysis::{Analysis, Costs, System, TimeSpan};
use hemiola_schedulability::simulation::{Options, simulate};

const SYSTEM: &str = r#"
    cores = 2

    [[executor]]
    name = "front"
    core = 1
    priority = 60

    [[executor]]
    name = "back"
    core = 0
    priority = 50

    [[chain]]
    name = "brake"
    period = "10 ms"
    callbacks = [
        { name = "camera", takes = "1 ms .. 1 ms", executor = "back", priority = 1 },
        { name = "detect", takes = "2 ms .. 2 ms", executor = "front", priority = 1 },
    ]

    [[cycle]]
    name = "motion"
    begins = { after = "brake" }
    priority = 10
    tasks = [{ name = "walk", takes = "1 ms .. 1 ms" }]

"#;

fn with(costs: Costs) -> System {
    System { costs, ..System::from_toml(SYSTEM, "system.toml").expect("it is a system") }
}

/// Returns the bound of the chain, its longest latency, and that of the cycle, whose bound is not
/// below.
fn bound_and_latencies(costs: Costs) -> [TimeSpan; 3] {
    let system = with(costs);
    let (analysis, simulated) = (Analysis::of(&system), simulate(&system, &Options::default()));
    let bound = |name| analysis.find(name).expect("it is known").bound.clone().expect("there is one");
    let latency = |name| simulated.latencies[name].maximum;
    assert!(bound("motion") >= latency("motion"));
    [bound("brake"), latency("brake"), latency("motion")]
}

#[test]
fn late_timers_wake_ups_and_dispatching_add_up_exactly_where_nothing_else_runs() {
    let us = TimeSpan::microseconds;
    assert_eq!(bound_and_latencies(Costs::default()), [3000, 3000, 1000].map(us));
    let late = Costs { timer_lateness: us(60), ..Costs::default() };
    assert_eq!(bound_and_latencies(late), [3060, 3060, 1000].map(us));
    let dispatched = Costs { dispatch: us(10), ..Costs::default() };
    assert_eq!(bound_and_latencies(dispatched), [3020, 3020, 1010].map(us));
    // `detect` is in another executor, and motion begins after it.
    let asleep = Costs { wake_up: us(30), ..Costs::default() };
    assert_eq!(bound_and_latencies(asleep), [3030, 3030, 1030].map(us));
}

#[test]
fn costs_are_read_back_as_they_are_written() {
    let us = TimeSpan::microseconds;
    let [dispatch, hand_over, wake_up, timer_lateness, spin, earliness, preemption, budget_overrun] =
        [1, 2, 3, 4, 5, 6, 7, 8].map(us);
    let costs = Costs { dispatch, hand_over, wake_up, timer_lateness, spin, earliness, preemption, budget_overrun };
    let text = with(costs).to_toml();
    assert!(text.contains("[costs]\ndispatch = \"1 µs\"\n"), "{text}");
    assert_eq!(System::from_toml(&text, "system.toml").expect("it is a system"), with(costs));
    assert!(!with(Costs::default()).to_toml().contains("costs"));
}
