//! Measurements of the effect of the machine's settings: the lateness of sleeps, and the costs of
//! hand-overs, wake-ups and interruptions.

use std::time::Duration;

use super::Finding;
use crate::calibration::{Calibration, PolicyInForce, hand_over_cost, wakeup_latency};
use crate::latency::LatencyDistribution;
use crate::policy::{Policy, Priority};

pub(super) fn findings() -> Vec<Finding> {
    let calibration = Calibration::measure();
    let measured = [measured_latency(), measured_hand_over()];
    measured.into_iter().flatten().chain(judge_calibration(&calibration)).collect()
}

fn measured_latency() -> Option<Finding> {
    let policy = Policy::Fifo(Priority::new(80).ok()?);
    let (latency, in_force) = wakeup_latency(policy, Duration::from_millis(1), 200)?;
    Some(judge_latency(latency, in_force))
}

fn judge_latency(latency: LatencyDistribution, in_force: PolicyInForce) -> Finding {
    const TOPIC: &str = "wake-up latency, measured";
    const WHY: &str = "this is how late a cycle starts if its thread does not wake early; what exceeds 200 µs cannot be made up for by that";
    let LatencyDistribution { median, p99, maximum, .. } = latency;
    let policy = described(in_force);
    let found = format!("median {median:.1?}, 99 % {p99:.1?}, worst {maximum:.1?} of 200 sleeps of 1 ms ({policy})");
    let remedy = "follow the advice above, then measure under load; what remains comes from drivers, firmware or a hypervisor \
                  (`sudo hwlatdetect` tells)";
    if p99 > Duration::from_millis(1) {
        Finding::problem(TOPIC, WHY, found, remedy)
    } else if maximum > Duration::from_micros(200) {
        Finding::advice(TOPIC, WHY, found, remedy)
    } else {
        Finding::good(TOPIC, WHY, found)
    }
}

fn measured_hand_over() -> Option<Finding> {
    const TOPIC: &str = "hand-over between cores, measured";
    const WHY: &str = "tasks shorter than this are better run where they became ready than on another core";
    let cost = hand_over_cost()?;
    let found = format!("{cost:.1?}");
    Some(if cost > Duration::from_micros(1) {
        Finding::advice(TOPIC, WHY, found, "use cores of one socket (affinity), or run when nothing else does")
    } else {
        Finding::good(TOPIC, WHY, found)
    })
}

/// Judges the costs that bounds on response times count, each as it was measured.
fn judge_calibration(calibration: &Calibration) -> Vec<Finding> {
    let policy = described(calibration.policy);
    let of = |(topic, why, measured): (&'static str, &'static str, Option<LatencyDistribution>)| {
        let LatencyDistribution { samples, median, p99, maximum, .. } = measured?;
        let found = format!("median {median:.1?}, 99 % {p99:.1?}, worst {maximum:.1?} of {samples} ({policy})");
        Some(Finding::good(topic, why, found))
    };
    [
        ("late timers, measured", "so late a cycle begins that wakes early", calibration.timer_lateness),
        ("waking a thread, measured", "so long a worker that sleeps takes to begin", calibration.wake_up),
        (
            "interruption, measured",
            "so much longer a run takes each time something goes before it",
            calibration.preemption,
        ),
    ]
    .into_iter()
    .filter_map(of)
    .collect()
}

fn described(policy: PolicyInForce) -> &'static str {
    match policy {
        PolicyInForce::Requested => "SCHED_FIFO",
        PolicyInForce::Inherited => "time sharing",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::doctor::State;

    fn microseconds(values: impl IntoIterator<Item = u64>) -> Vec<Duration> {
        values.into_iter().map(Duration::from_micros).collect()
    }

    #[test]
    fn late_wake_ups_are_a_problem_when_usual_and_advice_when_rare() {
        let state = |values: Vec<u64>| {
            judge_latency(LatencyDistribution::of(&mut microseconds(values)), PolicyInForce::Requested).state
        };
        assert_eq!(state(vec![20; 200]), State::Good);
        assert_eq!(state((0..200).map(|index| if index == 7 { 500 } else { 20 }).collect()), State::Advice);
        assert_eq!(state((0..200).map(|index| if index < 3 { 5000 } else { 20 }).collect()), State::Problem);
    }

    #[test]
    fn what_was_measured_is_shown_with_its_number_and_what_was_not_is_left_out() {
        let wake_up = LatencyDistribution::of(&mut microseconds(1..=400));
        let findings = judge_calibration(&Calibration { wake_up: Some(wake_up), ..Calibration::default() });
        let [finding] = findings.as_slice() else { panic!("{findings:?}") };
        assert_eq!(finding.found, "median 200.0µs, 99 % 396.0µs, worst 400.0µs of 400 (time sharing)");
    }
}
