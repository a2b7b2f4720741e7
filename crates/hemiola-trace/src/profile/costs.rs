//! What a machine takes for itself, from several measurements of which some may have been
//! disturbed.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What the machine takes for itself each time.
///
/// ```
/// use hemiola_trace::CostProfile;
/// let wake_up = CostProfile { samples: 200, p99: 48_000, maximum: 9_300_000, ..CostProfile::default() };
/// assert!(wake_up.maximum > 100 * wake_up.p99); // once, something else had the core
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostProfile {
    /// How often it was measured.
    pub samples: u64,
    /// What 99 % of the measurements do not exceed, in nanoseconds; of several calibrations that
    /// of the one in the middle.
    pub p99: u64,
    /// The most, in nanoseconds.
    pub maximum: u64,
    /// In how many calibrations it was measured; 0 if that was not counted.
    #[serde(default)]
    pub calibrations: u32,
    /// Of the calibration in which 99 % of the measurements took least, in nanoseconds.
    #[serde(default)]
    pub lowest: u64,
    /// Of the calibration in which they took most.
    #[serde(default)]
    pub highest: u64,
}

/// What was measured of a machine at one time, by the names of the costs.
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
    /// The machine.
    pub machine: String,
    /// Whether the threads that measured had real-time priority.
    pub has_priority: bool,
    /// What it took.
    pub costs: BTreeMap<String, CostProfile>,
}

/// As many calibrations of one kind count: the newest.
pub const CALIBRATIONS: usize = 9;

impl MeasuredCosts {
    /// Whether one of them cannot be believed beside what is `known` without being measured again:
    /// it is more than twice as much, or less than half, and the difference is worth speaking of.
    pub fn contradicts(&self, known: &BTreeMap<String, CostProfile>) -> bool {
        let differs = |is: u64, was: u64| is.abs_diff(was) > WORTH_SPEAKING_OF && is.max(was) / 2 > is.min(was);
        self.costs.iter().any(|(name, cost)| known.get(name).is_some_and(|known| differs(cost.p99, known.p99)))
    }

    fn is_of_same_kind(&self, other: &Self) -> bool {
        (&self.machine, self.has_priority) == (&other.machine, other.has_priority)
    }
}

/// In nanoseconds: less changes no bound that anybody cares for.
const WORTH_SPEAKING_OF: u64 = 20_000;

/// Adds a calibration; of its kind the newest stay, and of all not more than of four kinds.
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

/// What a machine takes, by calibrations that are all of one kind: of each cost the middle one, the
/// lower one of two. So what disturbed fewer than half of them leaves it among the others.
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
