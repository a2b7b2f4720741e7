use serde::Deserialize;

use super::{Misfit, Tally, conventions, each_case};
use hemiola_analysis::picas::{Chain, Deployment, allocation, holistic, palencia_1998};
use hemiola_analysis::{Bound, Costs, TimeSpan};
use hemiola_schedulability::picas::published;
use hemiola_schedulability::ros2::end_to_end;

#[derive(Deserialize)]
struct Case {
    periods_ms: Vec<u64>,
    wcet_ms: Vec<Vec<f64>>,
    expected: Expected,
}

#[derive(Deserialize)]
struct Expected {
    #[serde(flatten)]
    allocation: Option<Allocation>,
    #[serde(default)]
    allocation_depends_on_rounding: bool,
    latency_public_ms: Option<Vec<Option<f64>>>,
    schedulable_public: Option<Vec<bool>>,
    latency_jitter_aware_ms: Option<Vec<Option<f64>>>,
    simulated_max_ms: Option<Vec<f64>>,
    latency_ros2_sd_style_ms: Option<Vec<Option<f64>>>,
}

/// The executors and cores of callbacks, by chain and place in it.
#[derive(Deserialize)]
struct Allocation {
    callback_priority: Vec<Vec<u32>>,
    cpu: Vec<Vec<usize>>,
    executor: Vec<Vec<usize>>,
}

/// The number of cores, where no convention of a file such as "4 CPUs" states it.
const CORES: usize = 4;
const EXECUTORS: u32 = 90;
/// The time up to which the file looked for bounds under the default executors.
const HORIZON: TimeSpan = TimeSpan::milliseconds(100_000);
/// A horizon that is long enough for busy periods on cores with hardly any time left.
const LONG_HORIZON: TimeSpan = TimeSpan::milliseconds(10_000_000);
/// The tolerance for simulated callbacks, which took at least 0.01 ms, also where the file has 0.
const SIMULATION_TOLERANCE_MS: f64 = 0.15;

/// Converts milliseconds, rounded to the hundredths in which the files count.
pub(super) fn time(ms: f64) -> TimeSpan {
    TimeSpan::microseconds((ms * 100.0).round() as u64 * 10)
}

pub(super) fn milliseconds(bound: &Bound) -> Option<f64> {
    bound.as_ref().ok().map(|time| time.as_nanoseconds() as f64 / 1e6)
}

pub(super) fn schedulability_sets(text: &str, tally: &mut Tally) -> Result<(), serde_json::Error> {
    tally.remark("allocations are not compared where the file says that they depend on rounding; their bounds are, on the file's own");
    tally.remark("bounds that count that segments follow each other are at most the jitter-aware ones, and at least what was simulated");
    tally.remark("where the file found no jitter-aware bound, there may be one further away than it looked");
    let said = conventions(text);
    let said = said.iter().find_map(|text| text.split_once(" CPUs")?.0.rsplit(' ').next()?.parse().ok());
    let cores = said.unwrap_or(CORES);
    each_case(text, tally, |tally, Case { periods_ms, wcet_ms, expected }| {
        if periods_ms.len() != wcet_ms.len() {
            return Err("another number of periods than of chains".into());
        }
        let chains: Vec<Chain> = periods_ms
            .iter()
            .zip(&wcet_ms)
            .map(|(&period, wcets)| Chain::new(TimeSpan::milliseconds(period), wcets.iter().copied().map(time)))
            .collect();
        let ours = allocation::allocate(&chains, cores, EXECUTORS);
        let deployment = match &expected.allocation {
            Some(allocation) => as_published(&chains, allocation)?,
            None => ours.clone().map_err(|reason| reason.to_string())?,
        };
        if !expected.allocation_depends_on_rounding {
            tally.same("allocation", Ok(&deployment), ours.as_ref());
        }
        for input in ["callback_priority", "cpu", "executor", "allocation_depends_on_rounding"] {
            tally.not_asked(input);
        }
        let public = published::latencies(&deployment, HORIZON);
        compare(tally, "latency_public_ms", expected.latency_public_ms.as_deref(), &all_milliseconds(&public));
        let in_time = |(bound, &period): (&Bound, &u64)| {
            bound.as_ref().is_ok_and(|&bound| bound <= TimeSpan::milliseconds(period))
        };
        let schedulable = || public.iter().zip(&periods_ms).map(in_time).collect();
        tally.same_if("schedulable_public", expected.schedulable_public, schedulable);
        let holistic = holistic::latencies(&deployment, LONG_HORIZON);
        if let Some(expected) = &expected.latency_jitter_aware_ms {
            let found = |(expected, bound): (&Option<f64>, &Bound)| expected.and(milliseconds(bound));
            let got: Vec<Option<f64>> = expected.iter().zip(&holistic).map(found).collect();
            compare(tally, "latency_jitter_aware_ms", Some(expected), &got);
        }
        let ours = palencia_1998::latencies(&deployment, LONG_HORIZON);
        for (ours, holistic) in ours.iter().zip(&holistic) {
            let not_larger = holistic.as_ref().is_ok_and(|holistic| ours.as_ref().is_ok_and(|ours| ours <= holistic));
            tally.judge("latency_jitter_aware_ms as upper limit", holistic, ours, not_larger || holistic.is_err());
        }
        for (place, &simulated) in expected.simulated_max_ms.iter().flatten().enumerate() {
            let bound = ours.get(place).ok_or("a simulated latency of a chain that is not there")?;
            let bound = milliseconds(bound).unwrap_or(f64::INFINITY) + SIMULATION_TOLERANCE_MS;
            tally.at_least("simulated_max_ms", simulated, bound);
        }
        let default = end_to_end::latencies(&deployment, HORIZON);
        let expected = expected.latency_ros2_sd_style_ms;
        compare(tally, "latency_ros2_sd_style_ms", expected.as_deref(), &all_milliseconds(&default));
        Ok(())
    })
}

fn all_milliseconds(bounds: &[Bound]) -> Vec<Option<f64>> {
    bounds.iter().map(milliseconds).collect()
}

fn compare(tally: &mut Tally, name: &str, expected: Option<&[Option<f64>]>, got: &[Option<f64>]) {
    let Some(expected) = expected else { return };
    let agrees = expected.len() == got.len()
        && expected.iter().zip(got).all(|pair| match pair {
            (Some(expected), Some(got)) => (expected - got).abs() < 0.005 + 1e-9,
            (expected, got) => expected == got,
        });
    tally.judge(name, expected, got, agrees);
}

/// Converts an allocation, whose numbers begin with 1; executor 1 has the highest priority.
fn as_published(chains: &[Chain], allocation: &Allocation) -> Result<Deployment, Misfit> {
    use hemiola_analysis::picas::{Executor, ExecutorId, Order};
    const NO_PLACE: &str = "a callback without priority, core or executor";
    let from_one = |table: &[Vec<usize>], (chain, place): (usize, usize)| {
        table.get(chain).and_then(|chain| chain.get(place)?.checked_sub(1)).ok_or(NO_PLACE)
    };
    let mut chains = chains.to_vec();
    let mut executors = Vec::new();
    for (number, chain) in chains.iter_mut().enumerate() {
        for (place, callback) in chain.callbacks.iter_mut().enumerate() {
            let priority = allocation.callback_priority.get(number).and_then(|chain| chain.get(place));
            callback.priority = *priority.ok_or(NO_PLACE)?;
            let executor = from_one(&allocation.executor, (number, place))?;
            callback.executor = ExecutorId(executor);
            executors.push((executor, from_one(&allocation.cpu, (number, place))?));
        }
    }
    executors.sort_unstable();
    executors.dedup();
    let executors = executors.into_iter().map(|(number, core)| {
        let priority = EXECUTORS.checked_sub(number as u32).ok_or("more executors than priorities")?;
        Ok(Executor { core, priority, order: Order::Priority })
    });
    let executors = executors.collect::<Result<_, Misfit>>()?;
    Ok(Deployment { chains, executors, interference: Vec::new(), costs: Costs::default() })
}
