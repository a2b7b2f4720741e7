//! The usual durations of the parts of a chain's path, so that unusual parts can be distinguished
//! from parts that were merely long.

use super::{Hop, Latency, Step, history::History};
use crate::ids::{CycleId, SourceId, TaskId};
use std::collections::BTreeMap;

/// The medians of the parts of a chain's path.
///
/// ```
/// use hemiola_trace::{Capture, Catalog, SourceId, TaskId, TickScale, Ticks, causes::{History, Hop, Latency, Step, UsualHops}};
///
/// let history = History::of(&Capture::default(), &Catalog::new("robot"), &TickScale::nanoseconds_per_tick_one());
/// let usual = UsualHops::of(&history, SourceId(0), TaskId(0), Latency::Reaction);
/// // Nothing is known of this chain, so all of a hop is more than usual.
/// assert_eq!(usual.excess(&Hop { begin: Ticks(10), end: Ticks(43), step: Step::Sample }), 33);
/// ```
#[derive(Clone, Debug, Default)]
pub struct UsualHops(BTreeMap<Part, u64>);

/// The key by which hops are compared: the same part of the path.
type Part = (u8, Option<CycleId>);

/// The largest number of outputs from which the usual durations are derived.
const MOST_COMPARED: usize = 200;

fn part(hop: &Hop) -> Part {
    match hop.step {
        Step::Sample => (0, None),
        Step::Release { cycle, .. } => (1, Some(cycle)),
        Step::Kept { cycle, .. } => (2, Some(cycle)),
        Step::Run { cycle, .. } => (3, Some(cycle)),
        Step::Unknown => (4, None),
    }
}

impl UsualHops {
    /// Returns the medians for the outputs of a chain: zero for a part that is usually not on its
    /// path.
    pub fn of(history: &History, source: SourceId, output: TaskId, latency: Latency) -> Self {
        let reactions = history.reactions(source, output, latency);
        let some = reactions.iter().step_by(reactions.len() / MOST_COMPARED + 1);
        let (mut hops, mut count) = (BTreeMap::<_, Vec<u64>>::new(), 0);
        for reaction in some {
            count += 1;
            for hop in history.hops(source, output, *reaction) {
                hops.entry(part(&hop)).or_default().push(hop.ticks());
            }
        }
        let median = |mut ticks: Vec<u64>| {
            ticks.resize(ticks.len().max(count), 0);
            ticks.sort_unstable();
            ticks[ticks.len() / 2]
        };
        Self(hops.into_iter().map(|(part, ticks)| (part, median(ticks))).collect())
    }

    /// Returns the number of ticks by which a part took longer than usual.
    pub fn excess(&self, hop: &Hop) -> u64 {
        hop.ticks().saturating_sub(self.0.get(&part(hop)).copied().unwrap_or(0))
    }

    /// Returns the index of the part that exceeded its usual duration most.
    pub fn most_unusual(&self, hops: &[Hop]) -> Option<usize> {
        (0..hops.len()).max_by_key(|&index| self.excess(&hops[index]))
    }
}
