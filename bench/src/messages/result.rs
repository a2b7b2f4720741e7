//! The results of a run, in numbers that are written to files and read again.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::workload::{Contestant, Cores, Figure, Statistic};
use crate::contest::entrant::Side;
use crate::contest::host::Host;
use crate::contest::process::Samples;
use crate::contest::result::{Spread, median};
use crate::machine::Machine;

/// All results of one run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The name of the area that it is about.
    #[serde(default = "messages")]
    pub area: String,
    pub machine: Machine,
    pub host: Host,
    pub rounds: usize,
    /// True if the run was too short for its figures to mean anything.
    pub quick: bool,
    /// Notes on what is missing, and how to get it.
    pub notices: Vec<String>,
    pub contests: Vec<Contest>,
}

/// Returns the area of reports from before there were several.
fn messages() -> String {
    super::MESSAGES.name.to_owned()
}

/// The results of a case of a workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Contest {
    pub workload: String,
    pub case: String,
    pub entries: Vec<Entry>,
}

/// The results of one contestant in a case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    pub id: String,
    pub label: String,
    pub side: Side,
    pub version: String,
    pub granted: String,
    /// The results while the cores were in the same place, each place by itself.
    pub groups: Vec<Group>,
}

/// The results of some runs in the same place.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Group {
    pub placement: Placement,
    pub runs: usize,
    /// The time of a hand-over between the two cores, both spinning: the medians right before and
    /// right after the runs.
    pub hand_over_ns: Option<(f64, f64)>,
    pub figures: BTreeMap<String, Spread>,
}

/// The place of the two cores. A virtual machine's cores are moved within seconds, and what crosses
/// from one to the other takes two to eight times as long in one place as in another; only figures
/// from the same place compare.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Placement {
    /// The cores are hardware threads of one core.
    Siblings,
    /// The cores share a cache.
    Near,
    /// The cores share a processor.
    Far,
    /// The cores are even farther apart.
    Remote,
    /// The cores were moved meanwhile: the figures are not comparable.
    Moved,
    /// The distance of the cores has no effect.
    Alone,
}

/// One run of a contestant.
pub struct Sample {
    pub before_ns: Option<f64>,
    pub after_ns: Option<f64>,
    pub samples: Samples,
}

impl Placement {
    fn of(sample: &Sample, cores: Cores) -> Self {
        /// The factor by which a hand-over varies while the cores stay in place.
        const SAME: f64 = 1.5;
        if cores == Cores::One {
            return Placement::Alone;
        }
        let (Some(before), Some(after)) = (sample.before_ns, sample.after_ns) else { return Placement::Moved };
        match before.max(after) {
            longest if longest > SAME * before.min(after) => Placement::Moved,
            longest if longest < 25.0 => Placement::Siblings,
            longest if longest < 145.0 => Placement::Near,
            longest if longest < 290.0 => Placement::Far,
            _ => Placement::Remote,
        }
    }

    pub fn text(self) -> &'static str {
        match self {
            Placement::Siblings => "siblings",
            Placement::Near => "near",
            Placement::Far => "far",
            Placement::Remote => "remote",
            Placement::Moved => "moved",
            Placement::Alone => "",
        }
    }
}

impl Entry {
    pub fn new(contestant: &Contestant, samples: Vec<Sample>, cores: Cores) -> Self {
        let last = samples.last().map(|sample| sample.samples.clone()).unwrap_or_default();
        let mut by_placement: BTreeMap<Placement, Vec<Sample>> = BTreeMap::new();
        for sample in samples {
            by_placement.entry(Placement::of(&sample, cores)).or_default().push(sample);
        }
        Entry {
            id: contestant.id.to_owned(),
            label: contestant.label.to_owned(),
            side: contestant.side,
            version: last.contestant,
            granted: last.granted,
            groups: by_placement.into_iter().map(|(placement, samples)| Group::new(placement, &samples)).collect(),
        }
    }

    /// Returns the results in that place.
    pub fn group(&self, placement: Placement) -> Option<&Group> {
        self.groups.iter().find(|group| group.placement == placement)
    }
}

impl Group {
    fn new(placement: Placement, samples: &[Sample]) -> Self {
        let middle = |pick: fn(&Sample) -> Option<f64>| median(&samples.iter().filter_map(pick).collect::<Vec<_>>());
        let keys = samples.iter().flat_map(|sample| sample.samples.keys());
        let figures = keys.map(|key| {
            let rounds = samples.iter().map(|sample| sample.samples.values(key));
            let rounds: Vec<Vec<f64>> =
                rounds.map(|values| values.iter().map(|&value| value as f64).collect()).collect();
            (key, Spread::of(&rounds))
        });
        Group {
            placement,
            runs: samples.len(),
            hand_over_ns: middle(|sample| sample.before_ns).zip(middle(|sample| sample.after_ns)),
            figures: figures.filter_map(|(key, spread)| Some((key.to_owned(), spread?))).collect(),
        }
    }

    /// Returns a figure of the group.
    pub fn value(&self, figure: Figure) -> Option<f64> {
        let spread = self.figures.get(figure.key)?;
        Some(match figure.statistic {
            Statistic::Median => spread.median,
            Statistic::P99 => spread.p99,
            Statistic::Maximum => spread.maximum,
        })
    }
}

impl Report {
    /// Returns a case of a workload, if it was run.
    pub fn contest(&self, workload: &str, case: &str) -> Option<&Contest> {
        self.contests.iter().find(|contest| contest.workload == workload && contest.case == case)
    }
}

impl Contest {
    /// Returns the results of a contestant, if it took part.
    pub fn entry(&self, id: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.id == id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn placement(before_ns: f64, after_ns: f64) -> Placement {
        let sample = Sample { before_ns: Some(before_ns), after_ns: Some(after_ns), samples: Samples::default() };
        Placement::of(&sample, Cores::Two)
    }

    #[test]
    fn runs_during_which_the_cores_were_moved_are_kept_apart() {
        assert_eq!(placement(11.0, 12.0), Placement::Siblings);
        assert_eq!(placement(50.0, 52.0), Placement::Near);
        assert_eq!(placement(235.0, 190.0), Placement::Far);
        assert_eq!(placement(410.0, 390.0), Placement::Remote);
        assert_eq!(placement(50.0, 235.0), Placement::Moved);
    }
}
