use std::time::Duration;

use hemiola_analysis::picas::{Deployment, Executor, ExecutorId, Order};
use hemiola_analysis::{Costs, TimeSpan};
use hemiola_bench_contestant::compute_for;
use hemiola_realtime::{
    Calibration, LatencyDistribution, Policy, Priority, RealtimeError, ThreadSettings, monotonic_now, spawn,
    wakeup_latency,
};
use hemiola_schedulability::simulation::{Missed, Model, Source};

/// A deployment on the cores that there are, with durations that these can bear.
pub struct Mapping {
    pub deployment: Deployment,
    pub cores: usize,
    /// The factor by which all durations were multiplied; periods stay.
    pub scale: f64,
}

/// The load that threads with real-time priority put on a core at most: Linux keeps 5 % for all
/// others, and stops them for that.
const LARGEST_LOAD: f64 = 0.9;

impl Mapping {
    /// Maps core c to core c modulo `available`, and shrinks all durations alike until no core has
    /// more to do than it may. Executors keep their priorities.
    pub fn new(deployment: &Deployment, cores: usize, available: usize) -> Self {
        let cores = cores.min(available).max(1);
        let mut deployment = deployment.clone();
        deployment.executors.iter_mut().for_each(|executor| executor.core %= cores);
        let load = deployment.utilisation(cores).into_iter().fold(0.0, f64::max);
        let scale = (LARGEST_LOAD / load).min(1.0);
        for callback in deployment.chains.iter_mut().flat_map(|chain| &mut chain.callbacks) {
            callback.cost = TimeSpan::nanoseconds((callback.cost.as_nanoseconds() as f64 * scale) as u64);
        }
        Self { deployment, cores, scale }
    }
}

/// The priority of default executors: that of PiCAS' most important one, so that nothing but the
/// order differs.
const PRIORITY: u32 = 90;

/// Returns the same callbacks on the same cores, in one default executor per core.
pub fn under_ros2(deployment: &Deployment, cores: usize) -> Deployment {
    let mut default = deployment.clone();
    for callback in default.chains.iter_mut().flat_map(|chain| &mut chain.callbacks) {
        callback.executor = ExecutorId(deployment.executor(callback).core);
    }
    default.executors =
        (0..cores).map(|core| Executor { core, priority: PRIORITY, order: Order::Registration }).collect();
    default
}

/// Returns the model as it is executed: timers expire first after a period and skip what they
/// missed, and `queued` messages wait at most.
pub fn as_executed(mut model: Model, cores: usize, queued: usize) -> Model {
    model.cores = cores;
    for callback in &mut model.callbacks {
        match &mut callback.source {
            Source::Timer { first, period, missed } => (*first, *missed) = (*period, Missed::Skip),
            Source::Messages { depth, .. } => *depth = queued,
        }
    }
    model
}

/// The time that this machine takes for itself, for the bounds: it was less in 99 of 100 cases.
pub struct Taken {
    pub costs: Costs,
    /// The share of a computing core that interrupts and the host take.
    pub share: f64,
}

impl Taken {
    /// Measures it, which takes some seconds.
    pub fn measure() -> Result<Self, RealtimeError> {
        let policy = Policy::Fifo(Priority::new(90)?);
        let dispatch = beyond_work(policy, Duration::from_micros(50), 1000)?;
        let long = Duration::from_millis(10);
        let share = beyond_work(policy, long, 100)?.as_secs_f64() / long.as_secs_f64();
        // The executors sleep until a timer is due, and do not wake early for it.
        let timer = wakeup_latency(policy, Duration::from_millis(1), 1000).map(|(late, _)| late);
        let p99 = |measured: Option<LatencyDistribution>| measured.map_or(TimeSpan::ZERO, |latency| latency.p99.into());
        let Calibration { hand_over, wake_up, preemption, .. } = Calibration::measure();
        let costs = Costs {
            dispatch: dispatch.into(),
            hand_over: p99(hand_over),
            wake_up: p99(wake_up),
            timer_lateness: p99(timer),
            preemption: p99(preemption),
            ..Costs::default()
        };
        Ok(Self { costs, share })
    }

    /// Returns the deployment with these costs added, for bounds.
    pub fn added_to(&self, deployment: &Deployment) -> Deployment {
        let mut whole = Deployment { costs: self.costs, ..deployment.clone() };
        for callback in whole.chains.iter_mut().flat_map(|chain| &mut chain.callbacks) {
            let cost = callback.cost.as_nanoseconds() as f64;
            callback.cost = TimeSpan::nanoseconds((cost * (1.0 + self.share)).ceil() as u64);
        }
        whole
    }
}

/// Returns by how much a thread with this policy exceeds its work, at most in 99 of 100 cases.
fn beyond_work(policy: Policy, work: Duration, times: usize) -> Result<Duration, RealtimeError> {
    let worker = spawn(ThreadSettings::new("computes").policy(policy), move || {
        let beyond = |_| {
            let begin = monotonic_now();
            compute_for(work);
            (monotonic_now() - begin).saturating_sub(work)
        };
        LatencyDistribution::of(&mut (0..times).map(beyond).collect::<Vec<_>>()).p99
    })?;
    Ok(worker.thread.join().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use hemiola_schedulability::picas::case_study;

    use super::*;

    #[test]
    fn no_core_has_more_to_do_than_it_may() {
        let four = case_study::deployment();
        for available in [1, 2, 3, 4, 16] {
            let mapping = Mapping::new(&four, 4, available);
            let loads = mapping.deployment.utilisation(mapping.cores);
            assert_eq!(loads.len(), available.min(4));
            assert!(loads.iter().all(|&load| load <= LARGEST_LOAD + 1e-6), "{loads:?}");
            assert!(loads.iter().any(|&load| load > LARGEST_LOAD - 1e-3), "it need not have shrunk so far: {loads:?}");
        }
    }

    #[test]
    fn who_goes_before_whom_stays() {
        let four = case_study::deployment();
        let two = Mapping::new(&four, 4, 2).deployment;
        let priorities = |deployment: &Deployment| -> Vec<u32> {
            deployment.executors.iter().map(|executor| executor.priority).collect()
        };
        assert_eq!(priorities(&four), priorities(&two));
    }

    #[test]
    fn what_the_machine_takes_makes_bounds_longer() {
        let deployment = case_study::deployment();
        let taken = Taken { costs: Costs::default(), share: 0.01 };
        assert_eq!(taken.added_to(&deployment).chains[0].callbacks[1].cost, TimeSpan::microseconds(16_261));
    }
}
