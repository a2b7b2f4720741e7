//! `only_while`: what holds now, by the newest values that have come.
//!
//! Within a cycle that is its run's own value, for what conditions speak of is passed on first; of
//! another cycle it may be some milliseconds older.

use std::collections::BTreeMap;

use hemiola_model::configuration::{Comparison, Condition};
use hemiola_runtime::{Observer, SeenValue};

/// See the module.
pub struct Conditions {
    comparisons: Vec<Watched>,
    /// By the number of the channel that it speaks of: which comparisons.
    by_channel: BTreeMap<usize, Vec<usize>>,
    /// By what they are about: one of these, all of which hold.
    of: BTreeMap<String, Vec<Vec<usize>>>,
}

struct Watched {
    comparison: Comparison,
    /// Before the first value nothing does.
    holds: bool,
}

impl Conditions {
    /// Conditions by what they are about, on what is seen.
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

    /// Looks at a value before it is asked whether it is recorded.
    pub fn look(&mut self, value: &SeenValue<'_>) {
        let Some(comparisons) = self.by_channel.get(&value.channel()) else { return };
        let Some(seen) = value.value().to_value() else { return };
        for &number in comparisons {
            let Watched { comparison, holds } = &mut self.comparisons[number];
            *holds = comparison.holds(&seen);
        }
    }

    /// Whether values of a representation, or messages of a topic, are recorded now.
    pub fn allow(&self, name: &str) -> bool {
        let Some(any) = self.of.get(name) else { return true };
        any.iter().any(|all| all.iter().all(|&number| self.comparisons[number].holds))
    }
}
