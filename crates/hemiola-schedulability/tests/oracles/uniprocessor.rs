use serde::Deserialize;

use super::{Tally, each_case, horizon, if_present, number, numbers, ticks};
use hemiola_analysis::{Arrivals, Bound, TimeSpan};
use hemiola_schedulability::response_times::{earliest_deadline, first_come, fixed_priority};
use hemiola_schedulability::{Supply, Task};

#[derive(Deserialize)]
struct Case {
    tasks: Vec<OracleTask>,
    expected: Expected,
}

#[derive(Deserialize)]
struct OracleTask {
    wcet: u64,
    period: u64,
    #[serde(default)]
    jitter: u64,
    /// The longest piece that is not interrupted; all of the job if it is missing.
    np_segment: Option<u64>,
    /// The deadline; the period if it is missing.
    deadline: Option<u64>,
}

#[derive(Deserialize)]
struct Expected {
    fp_preemptive: Option<Vec<Option<u64>>>,
    fp_nonpreemptive: Option<Vec<Option<u64>>>,
    fp_limited_preemptive: Option<Vec<Option<u64>>>,
    edf_preemptive: Option<Vec<Option<u64>>>,
    edf_nonpreemptive: Option<Vec<Option<u64>>>,
    #[serde(default, deserialize_with = "if_present")]
    fifo: Option<Option<u64>>,
}

pub(super) fn response_times(text: &str, tally: &mut Tally) -> Result<(), serde_json::Error> {
    let horizon = horizon(text, 200_000);
    each_case(text, tally, |tally, Case { tasks, expected }| {
        let tasks: Vec<Task> = tasks
            .iter()
            .map(|task| Task {
                cost: ticks(task.wcet),
                arrivals: Arrivals::periodic(ticks(task.period)).late_by(ticks(task.jitter)),
                deadline: ticks(task.deadline.unwrap_or(task.period)),
                longest_piece: ticks(task.np_segment.unwrap_or(task.wcet)),
            })
            .collect();
        type Analysis = fn(&[Task], TimeSpan) -> Vec<Bound>;
        let mut compare = |name, expected, analysis: Analysis| {
            tally.same_if(name, expected, || numbers(&analysis(&tasks, horizon)));
        };
        compare("fp_preemptive", expected.fp_preemptive, fixed_priority::preemptive);
        compare("fp_nonpreemptive", expected.fp_nonpreemptive, fixed_priority::non_preemptive);
        compare("fp_limited_preemptive", expected.fp_limited_preemptive, fixed_priority::limited_preemptive);
        compare("edf_preemptive", expected.edf_preemptive, earliest_deadline::preemptive);
        compare("edf_nonpreemptive", expected.edf_nonpreemptive, earliest_deadline::non_preemptive);
        tally.same_if("fifo", expected.fifo, || number(&first_come::response_time(&tasks, horizon)));
        Ok(())
    })
}

#[derive(Deserialize)]
struct SupplyCase {
    period: u64,
    budget: u64,
    /// The deadline; the period if it is missing.
    deadline: Option<u64>,
    #[serde(default)]
    delta: Vec<u64>,
    #[serde(default)]
    demand: Vec<u64>,
    expected: SupplyExpected,
}

#[derive(Deserialize)]
struct SupplyExpected {
    periodic_sbf: Option<Vec<u64>>,
    periodic_service_time: Option<Vec<u64>>,
    constrained_sbf: Option<Vec<u64>>,
    constrained_service_time: Option<Vec<u64>>,
}

pub(super) fn supply(text: &str, tally: &mut Tally) -> Result<(), serde_json::Error> {
    each_case(text, tally, |tally, case: SupplyCase| {
        let (budget, period) = (ticks(case.budget), ticks(case.period));
        let periodic = Supply::Reservation { budget, period, deadline: period };
        let constrained = Supply::Reservation { budget, period, deadline: ticks(case.deadline.unwrap_or(case.period)) };
        let each = |arguments: &[u64], function: &dyn Fn(TimeSpan) -> TimeSpan| -> Vec<u64> {
            arguments.iter().map(|&argument| function(ticks(argument)).as_nanoseconds()).collect()
        };
        let expected = case.expected;
        let (within, time) = (&case.delta, &case.demand);
        for (kind, supply, sbf, service_time) in [
            ("periodic", &periodic, expected.periodic_sbf, expected.periodic_service_time),
            ("constrained", &constrained, expected.constrained_sbf, expected.constrained_service_time),
        ] {
            tally.same_if(&format!("{kind}_sbf"), sbf, || each(within, &|window| supply.within(window)));
            tally.same_if(&format!("{kind}_service_time"), service_time, || each(time, &|time| supply.time_for(time)));
        }
        Ok(())
    })
}
