//! The bars that messages have set themselves, in every place in which Hemiola was measured.

use super::result::{Contest, Placement, Report};
use super::workload::{Figure, Goal, Limit, Workload};
use crate::contest::entrant::Side;
use crate::report::bar::{Bar, Verdict};

/// Returns all bars, workload by workload.
pub fn all(report: &Report, workloads: &[Workload]) -> Vec<Bar> {
    let mut bars = Vec::new();
    for workload in workloads.iter().filter(|workload| is_measured(report, workload)) {
        for goal in &workload.goals {
            let contests: Vec<&Contest> =
                goal.cases.iter().filter_map(|case| report.contest(workload.name, case)).collect();
            let found = bars.len();
            for placement in [Placement::Alone, Placement::Siblings, Placement::Near, Placement::Far, Placement::Remote]
            {
                bars.extend(bar(workload, goal, &contests, placement));
            }
            if bars.len() == found {
                bars.push(Bar {
                    what: title(workload, goal, Placement::Alone, None),
                    best_peer: "–".to_owned(),
                    bar: "–".to_owned(),
                    hemiola: "–".to_owned(),
                    verdict: Verdict::NotMeasured,
                });
            }
        }
    }
    bars
}

/// Returns whether any case of the workload was run.
pub fn is_measured(report: &Report, workload: &Workload) -> bool {
    report.contests.iter().any(|contest| contest.workload == workload.name)
}

/// The figure that Hemiola reached in a case, and its limit.
struct Comparison<'c> {
    contest: &'c Contest,
    ours: f64,
    limit: f64,
    /// The figure relative to its limit: above 1 the bar is missed.
    excess: f64,
}

fn bar(workload: &Workload, goal: &Goal, contests: &[&Contest], placement: Placement) -> Option<Bar> {
    let comparisons = contests.iter().filter_map(|contest| compare(goal, contest, placement));
    let worst = comparisons.max_by(|a, b| a.excess.total_cmp(&b.excess))?;
    let case = (goal.cases.len() > 1).then_some(worst.contest.case.as_str());
    let show = goal.figure.show;
    let sign = if matches!(goal.limit, Limit::AtLeast(_)) { "≥" } else { "≤" };
    Some(Bar {
        what: title(workload, goal, placement, case),
        best_peer: peers(worst.contest, goal.figure, placement, goal.limit)
            .map_or_else(|| "–".to_owned(), |(label, value)| format!("{label} {}", show(value))),
        bar: format!("{sign} {}", show(worst.limit)),
        hemiola: show(worst.ours),
        verdict: if worst.excess <= 1.0 { Verdict::Met } else { Verdict::Missed(worst.excess - 1.0) },
    })
}

fn title(workload: &Workload, goal: &Goal, placement: Placement, case: Option<&str>) -> String {
    let place = match placement {
        Placement::Alone => String::new(),
        placement => format!(" (cores: {})", placement.text()),
    };
    let case = case.map_or_else(String::new, |case| format!(": {case}"));
    format!("{}: {}{case}{place}", workload.name, goal.what)
}

fn compare<'c>(goal: &Goal, contest: &'c Contest, placement: Placement) -> Option<Comparison<'c>> {
    let value = |id: &str| contest.entry(id)?.group(placement)?.value(goal.figure);
    let ours = value(goal.id)?;
    let limit = match goal.limit {
        Limit::AtMost(limit) | Limit::AtLeast(limit) => limit,
        Limit::AtMostNearOrFar(near, far) => match placement {
            Placement::Siblings | Placement::Near => near,
            _ => far,
        },
        Limit::TimesLess { than, factor } => value(than)? / factor,
        Limit::Within { of, tolerance } => value(of)? * (1.0 + tolerance),
        Limit::BestPeer { tolerance } => {
            peers(contest, goal.figure, placement, goal.limit).map(|(_, best)| best * (1.0 + tolerance))?
        }
    };
    let excess = match goal.limit {
        Limit::AtLeast(_) => 2.0 - ours / limit,
        _ if ours == limit => 1.0,
        _ => ours / limit,
    };
    Some(Comparison { contest, ours, limit, excess })
}

/// Returns the best peer in this place.
fn peers(contest: &Contest, figure: Figure, placement: Placement, limit: Limit) -> Option<(&str, f64)> {
    let peers = contest.entries.iter().filter(|entry| entry.side == Side::Peer);
    let values = peers.filter_map(|entry| Some((entry.label.as_str(), entry.group(placement)?.value(figure)?)));
    match limit {
        Limit::AtLeast(_) => values.max_by(|a, b| a.1.total_cmp(&b.1)),
        _ => values.min_by(|a, b| a.1.total_cmp(&b.1)),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::result::{Entry, Group};
    use super::super::workload::picoseconds;
    use super::*;
    use crate::contest::result::Spread;

    const FIGURE: Figure = Figure::median("message_ps", picoseconds);

    fn entry(id: &str, side: Side, values: &[(Placement, f64)]) -> Entry {
        let group = |&(placement, value): &(Placement, f64)| Group {
            placement,
            runs: 1,
            hand_over_ns: None,
            figures: BTreeMap::from([(FIGURE.key.to_owned(), Spread::of(&[vec![value]]).expect("a value"))]),
        };
        Entry {
            id: id.to_owned(),
            label: id.to_owned(),
            side,
            version: String::new(),
            granted: String::new(),
            groups: values.iter().map(group).collect(),
        }
    }

    fn excess(limit: Limit, ours: &[(Placement, f64)], theirs: &[(Placement, f64)]) -> Option<f64> {
        let entries = vec![entry("hemiola", Side::Hemiola, ours), entry("peer", Side::Peer, theirs)];
        let contest = Contest { workload: "ring".to_owned(), case: "one".to_owned(), entries };
        let goal = Goal { what: "", cases: vec!["one".to_owned()], id: "hemiola", figure: FIGURE, limit };
        compare(&goal, &contest, Placement::Near).map(|comparison| comparison.excess)
    }

    #[test]
    fn a_peer_in_another_place_is_no_measure() {
        use Placement::{Far, Near};
        let best = Limit::BestPeer { tolerance: 0.0 };
        assert_eq!(excess(best, &[(Near, 10.0)], &[(Near, 8.0), (Far, 40.0)]), Some(1.25));
        assert_eq!(excess(best, &[(Near, 10.0)], &[(Far, 40.0)]), None);
        assert_eq!(excess(best, &[(Far, 10.0)], &[(Far, 40.0)]), None);
    }

    #[test]
    fn every_kind_of_limit_tells_how_far_it_is_missed() {
        use Placement::Near;
        assert_eq!(excess(Limit::AtMost(5.0), &[(Near, 10.0)], &[]), Some(2.0));
        assert_eq!(excess(Limit::AtMost(0.0), &[(Near, 0.0)], &[]), Some(1.0));
        assert_eq!(excess(Limit::AtLeast(20.0), &[(Near, 10.0)], &[]), Some(1.5));
        assert_eq!(excess(Limit::AtMostNearOrFar(5.0, 8.0), &[(Near, 10.0)], &[]), Some(2.0));
        let eight_times = Limit::TimesLess { than: "peer", factor: 8.0 };
        assert_eq!(excess(eight_times, &[(Near, 10.0)], &[(Near, 40.0)]), Some(2.0));
        let within = Limit::Within { of: "peer", tolerance: 0.25 };
        assert_eq!(excess(within, &[(Near, 10.0)], &[(Near, 4.0)]), Some(2.0));
    }
}
