//! The costs of a machine itself, from several calibrations of which some may have been disturbed.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A cost of the machine itself, which is incurred each time.
///
/// ```
/// use hemiola_trace::CostProfile;
/// let wake_up = CostProfile { samples: 200, p99: 48_000, maximum: 9_300_000, ..CostProfile::default() };
/// assert!(wake_up.maximum > 100 * wake_up.p99); // once, something else had the core
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostProfile {
    /// The number of measurements.
    pub samples: u64,
    /// The 99th percentile of the measurements, in nanoseconds; of several calibrations, that of
    /// the one in the middle.
    pub p99: u64,
    /// The longest time, in nanoseconds.
    pub maximum: u64,
    /// The number of calibrations in which it was measured; 0 if that was not counted.
    #[serde(default)]
    pub calibrations: u32,
    /// The smallest 99th percentile of all calibrations, in nanoseconds.
    #[serde(default)]
    pub lowest: u64,
    /// The largest 99th percentile of all calibrations, in nanoseconds.
    #[serde(default)]
    pub highest: u64,
}

/// The costs of a machine that were measured in one calibration, by name.
///
/// ```
/// use hemiola_trace::{CostProfile, MeasuredCosts};
/// let wake_up = CostProfile { samples: 200, p99: 48_000, maximum: 60_000, ..CostProfile::default() };
/// let costs = MeasuredCosts {
///     machine: "laptop".into(),
///     has_priority: true,
///     costs: [("wake_up".into(), wake_up)].into(),
/// };
/// assert!(!costs.contradicts(&costs.costs));
/// ```
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasuredCosts {
    /// The description of the machine.
    pub machine: String,
    /// Set if the measuring threads had real-time priority.
    pub has_priority: bool,
    /// The costs, by name.
    pub costs: BTreeMap<String, CostProfile>,
}

/// The maximum number of calibrations of one kind that count: the newest.
pub const CALIBRATIONS: usize = 9;

impl MeasuredCosts {
    /// Returns whether one of the costs differs so much from the `known` ones that it should be
    /// measured again: it is more than twice as large, or less than half, and the difference is
    /// considerable.
    pub fn contradicts(&self, known: &BTreeMap<String, CostProfile>) -> bool {
        let differs = |is: u64, was: u64| is.abs_diff(was) > WORTH_SPEAKING_OF && is.max(was) / 2 > is.min(was);
        self.costs.iter().any(|(name, cost)| known.get(name).is_some_and(|known| differs(cost.p99, known.p99)))
    }

    fn is_of_same_kind(&self, other: &Self) -> bool {
        (&self.machine, self.has_priority) == (&other.machine, other.has_priority)
    }
}

/// The difference in nanoseconds up to which costs do not contradict each other: a smaller one
/// changes no bound considerably.
const WORTH_SPEAKING_OF: u64 = 20_000;

/// Adds a calibration. The newest ones of its kind are kept, and of all kinds together no more than
/// four times as many.
pub(super) fn add(calibrations: &mut Vec<MeasuredCosts>, newest: MeasuredCosts) {
    let same = calibrations.iter().filter(|known| known.is_of_same_kind(&newest)).count();
    let oldest = match same < CALIBRATIONS {
        true if calibrations.len() < 4 * CALIBRATIONS => None,
        true => Some(0),
        false => calibrations.iter().position(|known| known.is_of_same_kind(&newest)),
    };
    oldest.into_iter().for_each(|oldest| _ = calibrations.remove(oldest));
    calibrations.push(newest);
}

/// Returns the costs of a machine from calibrations of one kind: for each cost the median, the
/// lower one if there are two. So a disturbance of fewer than half of them leaves it within the
/// range of the others.
pub(super) fn middle<'c>(calibrations: impl Iterator<Item = &'c MeasuredCosts>) -> BTreeMap<String, CostProfile> {
    let mut by_name: BTreeMap<&String, Vec<CostProfile>> = BTreeMap::new();
    for (name, cost) in calibrations.flat_map(|calibration| &calibration.costs) {
        by_name.entry(name).or_default().push(*cost);
    }
    let of_all = |costs: &mut Vec<CostProfile>| {
        costs.sort_by_key(|cost| cost.p99);
        let [lowest, .., highest] = costs.as_slice() else {
            let [only] = costs.as_slice() else { return CostProfile::default() };
            return CostProfile { calibrations: 1, lowest: only.p99, highest: only.p99, ..*only };
        };
        CostProfile {
            samples: costs.iter().fold(0, |sum, cost| cost.samples.saturating_add(sum)),
            p99: costs[(costs.len() - 1) / 2].p99,
            maximum: costs.iter().map(|cost| cost.maximum).max().unwrap_or(0),
            calibrations: u32::try_from(costs.len()).unwrap_or(u32::MAX),
            lowest: lowest.p99,
            highest: highest.p99,
        }
    };
    by_name.into_iter().map(|(name, mut costs)| (name.clone(), of_all(&mut costs))).collect()
}
