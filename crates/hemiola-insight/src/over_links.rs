use std::collections::BTreeMap;

use hemiola_analysis::TimeSpan;
use hemiola_runtime::LatencyBounds;
use hemiola_trace::in_part;

use crate::derive::Derived;
use crate::findings::{Findings, What};

/// The bounds of chains that end in one process of a robot and begin in another one: the results of
/// the analysis of the whole robot for what that process observes.
///
/// The process observes such a chain by the source of a link, whose samples carry the stamps of the
/// newest of all that they derive from. So no observation exceeds the bound of any chain that
/// arrives by that source, and the smallest of these bounds counts.
///
/// ```
/// use hemiola_insight::OverLinks;
/// use hemiola_runtime::LatencyBounds;
///
/// let nothing = OverLinks::default().watched_with(LatencyBounds::default());
/// assert_eq!(nothing, LatencyBounds::default());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OverLinks {
    /// The bounds by the source of the link and the output.
    bounds: BTreeMap<(String, String), Bounds>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Bounds {
    reaction: Option<TimeSpan>,
    data_age: Option<TimeSpan>,
}

impl OverLinks {
    /// Returns the bounds of the chains that end in a process, from the findings of a whole robot;
    /// none as long as something is only estimated.
    pub fn of(derived: &Derived, findings: &Findings, process: &str) -> Self {
        let mut all = Self::default();
        if !derived.unmeasured.is_empty() || !derived.estimated.is_empty() {
            return all;
        }
        let begin = in_part(process, "");
        for latency in &derived.latencies {
            let (name, output) = (latency.name(), &latency.chain.output);
            let bound_of = |what| {
                let row = findings.rows.iter().find(|row| row.what == what && row.name == name);
                row.and_then(|row| row.bound.as_ref().ok().copied())
            };
            for source in latency.observed_by_all.iter().filter_map(|source| source.strip_prefix(&begin)) {
                let known = all.bounds.entry((source.to_owned(), output.clone())).or_default();
                let least = |known: Option<TimeSpan>, new: Option<TimeSpan>| known.into_iter().chain(new).min();
                if latency.observed.iter().any(|shortest| *shortest == in_part(process, source)) {
                    known.reaction = least(known.reaction, bound_of(What::Reaction));
                }
                known.data_age = least(known.data_age, bound_of(What::DataAge));
            }
        }
        all
    }

    /// Adds these bounds to those that the running process watches.
    #[must_use]
    pub fn watched_with(&self, mut bounds: LatencyBounds) -> LatencyBounds {
        for ((source, output), Bounds { reaction, data_age }) in &self.bounds {
            if let Some(reaction) = *reaction {
                bounds = bounds.reaction(source, output, reaction.into());
            }
            if let Some(data_age) = *data_age {
                bounds = bounds.data_age(source, output, data_age.into());
            }
        }
        bounds
    }

    /// Enters these bounds into the findings of the process, where a chain that begins elsewhere
    /// has none.
    pub fn fill(&self, derived: &Derived, findings: &mut Findings) {
        for latency in &derived.latencies {
            let Some(bounds) = self.bounds.get(&(latency.chain.begin(), latency.chain.output.clone())) else {
                continue;
            };
            let name = latency.name();
            for row in findings.rows.iter_mut().filter(|row| row.name == name && row.bound.is_err()) {
                let bound = match row.what {
                    What::Reaction => bounds.reaction,
                    What::DataAge | What::NewestAge => bounds.data_age,
                    _ => None,
                };
                if let Some(bound) = bound {
                    row.holds = row.deadline.is_none_or(|deadline| bound <= deadline);
                    row.bound = Ok(bound);
                }
            }
        }
    }
}
