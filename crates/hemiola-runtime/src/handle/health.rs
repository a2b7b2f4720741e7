use hemiola_model::Time;

use crate::cycle::Health;

/// The counters of a cycle's runs.
///
/// ```
/// # use hemiola_model::configuration::{Configuration, CycleConfiguration, Trigger};
/// # use hemiola_runtime::Robot;
/// # let mut configuration = Configuration::default();
/// # configuration.cycles.push(CycleConfiguration::new("motion", Trigger::Rate(100.0)));
/// # let mut stepper = Robot::assemble(configuration)?.into_stepper()?;
/// stepper.run_for(std::time::Duration::from_secs(1));
/// let motion = stepper.handle().health()["motion"];
/// assert!(motion.runs >= 100 && motion.dropped == 0);
/// # Ok::<(), hemiola_runtime::RuntimeError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CycleHealth {
    /// The number of runs that have ended.
    pub runs: u64,
    /// The number of runs that ended after their deadline.
    pub overruns: u64,
    /// The number of inputs that were lost.
    pub dropped: u64,
    /// The number of triggers of its timer that were skipped because the previous run took too
    /// long.
    pub skipped: u64,
    /// The time at which the last run ended.
    pub last_end: Time,
}

impl CycleHealth {
    pub(super) fn of(health: &Health) -> Self {
        use crate::sync::Ordering::Relaxed;
        Self {
            runs: health.runs.load(Relaxed),
            overruns: health.overruns.load(Relaxed),
            dropped: health.dropped.load(Relaxed),
            skipped: health.skipped.load(Relaxed),
            last_end: health.last_end(),
        }
    }
}
