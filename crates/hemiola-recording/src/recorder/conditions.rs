//! The conditions `only_while`, evaluated on the newest values that have arrived.
//!
//! Within a cycle that is the value of the same run, as the values that conditions refer to are
//! observed first. A value of another cycle may be some milliseconds older.

use std::collections::BTreeMap;

use hemiola_model::configuration::{Comparison, Condition};
use hemiola_runtime::{Observer, SeenValue};

/// The conditions of what is recorded.
pub struct Conditions {
    comparisons: Vec<Watched>,
    /// The comparisons of each channel, by the number of the channel to which they refer.
    by_channel: BTreeMap<usize, Vec<usize>>,
    /// The alternatives of each condition, by the name of what it is for: all comparisons of one
    /// alternative must hold.
    of: BTreeMap<String, Vec<Vec<usize>>>,
}

struct Watched {
    comparison: Comparison,
    /// Set if the comparison holds; none does before the first value.
    holds: bool,
}

impl Conditions {
    /// Creates the conditions, which are given by the name of what they are for, for what is
    /// observed.
    pub fn new(conditions: &BTreeMap<String, Condition>, seen: &Observer) -> Self {
        let names: Vec<_> = seen.channels().iter().map(|channel| channel.descriptor.name()).collect();
        let of_name = |name: &str| (0..names.len()).filter(|channel| names[*channel] == name).collect::<Vec<_>>();
        let mut made = Self { comparisons: Vec::new(), by_channel: BTreeMap::new(), of: BTreeMap::new() };
        for (name, condition) in conditions {
            let any = condition.any.iter().map(|all| {
                let watched = all.iter().map(|comparison| {
                    let number = made.comparisons.len();
                    made.comparisons.push(Watched { comparison: comparison.clone(), holds: false });
                    for channel in of_name(&comparison.representation) {
                        made.by_channel.entry(channel).or_default().push(number);
                    }
                    number
                });
                watched.collect::<Vec<_>>()
            });
            let any: Vec<_> = any.collect();
            made.of.insert(name.clone(), any);
        }
        made
    }

    /// Evaluates the comparisons on a value, before the decision whether the value is recorded.
    pub fn look(&mut self, value: &SeenValue<'_>) {
        let Some(comparisons) = self.by_channel.get(&value.channel()) else { return };
        let Some(seen) = value.value().to_value() else { return };
        for &number in comparisons {
            let Watched { comparison, holds } = &mut self.comparisons[number];
            *holds = comparison.holds(&seen);
        }
    }

    /// Returns whether values of a representation, or messages of a topic, are recorded now.
    pub fn allow(&self, name: &str) -> bool {
        let Some(any) = self.of.get(name) else { return true };
        any.iter().any(|all| all.iter().all(|&number| self.comparisons[number].holds))
    }
}
