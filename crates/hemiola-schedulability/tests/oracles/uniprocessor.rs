use serde::Deserialize;

use super::{Tally, cases, number, numbers, ticks};
use hemiola_analysis::{Arrivals, TimeSpan};
use hemiola_schedulability::response_times::{earliest_deadline, first_come, fixed_priority};
use hemiola_schedulability::{Supply, Task};

#[derive(Deserialize)]
struct Case {
    id: String,
    tasks: Vec<OracleTask>,
    expected: Expected,
}

#[derive(Deserialize)]
struct OracleTask {
    wcet: u64,
    period: u64,
    jitter: u64,
    np_segment: u64,
    deadline: u64,
}

#[derive(Deserialize)]
struct Expected {
    fp_preemptive: Vec<Option<u64>>,
    fp_nonpreemptive: Vec<Option<u64>>,
    fp_limited_preemptive: Vec<Option<u64>>,
    edf_preemptive: Vec<Option<u64>>,
    edf_nonpreemptive: Vec<Option<u64>>,
    fifo: Option<u64>,
}

pub(super) fn response_times(text: &str, tally: &mut Tally) -> Result<(), serde_json::Error> {
    // Up to where the file was made.
    let horizon = ticks(200_000);
    for Case { id, tasks, expected } in cases(text)? {
        tally.case(id);
        let tasks: Vec<Task> = tasks
            .iter()
            .map(|task| Task {
                cost: ticks(task.wcet),
                arrivals: Arrivals::periodic(ticks(task.period)).late_by(ticks(task.jitter)),
                deadline: ticks(task.deadline),
                longest_piece: ticks(task.np_segment),
            })
            .collect();
        let mut compare = |name, expected, bounds: Vec<_>| tally.same(name, expected, numbers(&bounds));
        compare("fp_preemptive", expected.fp_preemptive, fixed_priority::preemptive(&tasks, horizon));
        compare("fp_nonpreemptive", expected.fp_nonpreemptive, fixed_priority::non_preemptive(&tasks, horizon));
        let limited = fixed_priority::limited_preemptive(&tasks, horizon);
        compare("fp_limited_preemptive", expected.fp_limited_preemptive, limited);
        compare("edf_preemptive", expected.edf_preemptive, earliest_deadline::preemptive(&tasks, horizon));
        compare("edf_nonpreemptive", expected.edf_nonpreemptive, earliest_deadline::non_preemptive(&tasks, horizon));
        tally.same("fifo", expected.fifo, number(&first_come::response_time(&tasks, horizon)));
    }
    Ok(())
}

#[derive(Deserialize)]
struct SupplyCase {
    id: String,
    period: u64,
    budget: u64,
    deadline: u64,
    delta: Vec<u64>,
    demand: Vec<u64>,
    expected: SupplyExpected,
}

#[derive(Deserialize)]
struct SupplyExpected {
    periodic_sbf: Vec<u64>,
    periodic_service_time: Vec<u64>,
    constrained_sbf: Vec<u64>,
    constrained_service_time: Vec<u64>,
}

pub(super) fn supply(text: &str, tally: &mut Tally) -> Result<(), serde_json::Error> {
    for case in cases::<SupplyCase>(text)? {
        tally.case(&case.id);
        let (budget, period) = (ticks(case.budget), ticks(case.period));
        let periodic = Supply::Reservation { budget, period, deadline: period };
        let constrained = Supply::Reservation { budget, period, deadline: ticks(case.deadline) };
        let each = |arguments: &[u64], function: &dyn Fn(TimeSpan) -> TimeSpan| -> Vec<u64> {
            arguments.iter().map(|&argument| function(ticks(argument)).as_nanoseconds()).collect()
        };
        let expected = case.expected;
        let (within, time) = (&case.delta, &case.demand);
        tally.same("periodic_sbf", expected.periodic_sbf, each(within, &|window| periodic.within(window)));
        tally.same(
            "periodic_service_time",
            expected.periodic_service_time,
            each(time, &|time| periodic.time_for(time)),
        );
        tally.same("constrained_sbf", expected.constrained_sbf, each(within, &|window| constrained.within(window)));
        let constrained_times = each(time, &|time| constrained.time_for(time));
        tally.same("constrained_service_time", expected.constrained_service_time, constrained_times);
    }
    Ok(())
}
