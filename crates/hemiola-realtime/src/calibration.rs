//! The costs of this computer that a bound on response times must count, measured with the
//! operations that the runtime really uses.
//!
//! There is a file per cost. Each measurement starts threads of its own with real-time priority, or
//! with the present one where that is not permitted: [`Calibration::policy`] shows it, because then
//! the figures are those of threads that share their cores with all others.

mod hand_over;
mod preemption;
mod timer;
mod wake_up;

pub use hand_over::hand_over_cost;
pub use timer::wakeup_latency;
pub use wake_up::wake_up_cost;

use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::latency::LatencyDistribution;
use crate::policy::{Policy, Priority};
use crate::thread::{Spawned, ThreadSettings};

/// The costs of a computer, as measured. Those that could not be measured are missing.
///
/// ```
/// use hemiola_realtime::{Calibration, LatencyDistribution, PolicyInForce};
/// use std::time::Duration;
///
/// let mut latencies = [25, 31, 28].map(Duration::from_micros);
/// let calibration = Calibration { wake_up: Some(LatencyDistribution::of(&mut latencies)), ..Calibration::default() };
/// let text = serde_json::to_string(&calibration).unwrap(); // to be kept beside what was measured on this machine
/// assert!(text.contains(r#""maximum_ns":31000"#) && calibration.policy == PolicyInForce::Inherited);
/// assert_eq!(serde_json::from_str::<Calibration>(&text).unwrap(), calibration);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// The policy of the threads that measured: real-time priority or the inherited one.
    pub policy: PolicyInForce,
    /// The time from writing something on one core until a thread that spins on another one has
    /// read it. It needs two cores.
    pub hand_over: Option<LatencyDistribution>,
    /// The time from waking a thread that sleeps until it runs, on another core where there is one.
    pub wake_up: Option<LatencyDistribution>,
    /// The lateness of a thread that waits for its time by
    /// [`AdaptiveEarliness`](crate::AdaptiveEarliness).
    pub timer_lateness: Option<LatencyDistribution>,
    /// The time that an interrupted thread takes longer than itself and what interrupted it. It
    /// needs real-time priority.
    pub preemption: Option<LatencyDistribution>,
}

/// The policy under which a measurement ran.
///
/// ```
/// use hemiola_realtime::{Policy, PolicyInForce, Priority, wakeup_latency};
/// use std::time::Duration;
///
/// let policy = Policy::Fifo(Priority::new(60)?);
/// if let Some((latency, PolicyInForce::Requested)) = wakeup_latency(policy, Duration::from_micros(500), 10) {
///     println!("real-time threads wake {:?} late at the most", latency.maximum);
/// }
/// # Ok::<(), hemiola_realtime::RealtimeError>(())
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PolicyInForce {
    /// The requested policy.
    Requested,
    /// The policy of the requesting thread, because the requested one was refused.
    #[default]
    Inherited,
}

impl PolicyInForce {
    fn of<T>(spawned: &Spawned<T>) -> Self {
        if spawned.report.policy.is_granted() { Self::Requested } else { Self::Inherited }
    }
}

impl Calibration {
    /// Measures all costs, one after another: about three quarters of a second, most of it asleep.
    /// What other programs do meanwhile is measured as well.
    ///
    /// ```
    /// use hemiola_realtime::Calibration;
    ///
    /// let calibration = Calibration::measure();
    /// if let Some(wake_up) = calibration.wake_up {
    ///     println!("{:?} in the mean, {:?} at most of {} times", wake_up.median, wake_up.maximum, wake_up.samples);
    /// }
    /// ```
    pub fn measure() -> Self {
        Self::of(200)
    }

    /// Measures all costs in about a third of a second, for callers that measure several times:
    /// only then can a disturbed measurement be distinguished from the others.
    ///
    /// ```
    /// use hemiola_realtime::Calibration;
    ///
    /// let mut latenesses: Vec<_> = (0..3).filter_map(|_| Calibration::measure_briefly().timer_lateness).collect();
    /// latenesses.sort_by_key(|lateness| lateness.p99);
    /// println!("{:?}", latenesses.get(1)); // one bad moment does not matter
    /// ```
    pub fn measure_briefly() -> Self {
        Self::of(100)
    }

    /// Measures with `samples` timers and preemptions, and accordingly more of what takes less
    /// time. Two measurements of a process take turns, because each would disturb the other one.
    fn of(samples: usize) -> Self {
        static TURN: Mutex<()> = Mutex::new(());
        let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        let (timer_lateness, policy) = match timer::lateness(samples) {
            Some((lateness, policy)) => (Some(lateness), policy),
            None => (None, PolicyInForce::Inherited),
        };
        Self {
            policy,
            hand_over: hand_over::single(25 * samples as u32),
            wake_up: wake_up::latency(2 * samples),
            timer_lateness,
            preemption: preemption::cost(samples),
        }
    }
}

/// Returns the settings of a thread that measures, above all cycles, if that is permitted.
fn measuring(name: &str) -> ThreadSettings {
    above_others(name, 0)
}

/// Returns the settings of a measuring thread with a priority that is higher by `by`.
fn above_others(name: &str, by: u8) -> ThreadSettings {
    let settings = ThreadSettings::new(name);
    match Priority::new(90 + by) {
        Ok(priority) => settings.policy(Policy::Fifo(priority)),
        Err(_) => settings,
    }
}
