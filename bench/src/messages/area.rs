//! The subject of a report.

use super::workload::Workload;
use crate::contest::discipline::Effort;

/// The subject of a report: messages within a process, or links between processes.
pub struct Area {
    /// The command that measures it.
    pub name: &'static str,
    /// The title of its page.
    pub title: &'static str,
    /// The first sentence of its page.
    pub lead: &'static str,
    /// All workloads, in the order of the report.
    pub workloads: fn(Effort) -> Vec<Workload>,
}

/// Topics, queues, actors and executors.
pub static MESSAGES: Area = Area {
    name: "messages",
    title: "Hemiola’s messages beside their peers",
    lead: "Topics, queues, actors and executors: the same workloads, in the same run.",
    workloads: super::all,
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::links::LINKS;
    use crate::messages::workload::Limit;

    /// Bars of cases or contestants that nobody has would be shown as never measured.
    #[test]
    fn every_goal_is_about_cases_and_contestants_of_its_workload() {
        for workload in [&MESSAGES, &LINKS].into_iter().flat_map(|area| (area.workloads)(Effort::Full)) {
            let takes_part = |id: &str| workload.contestants.iter().any(|contestant| contestant.id == id);
            for goal in &workload.goals {
                let peer = match goal.limit {
                    Limit::Within { of, .. } => Some(of),
                    Limit::TimesLess { than, .. } => Some(than),
                    _ => None,
                };
                let about = format!("{}: {}", workload.name, goal.what);
                assert!(takes_part(goal.id) && peer.is_none_or(takes_part), "{about}");
                assert!(goal.cases.iter().all(|name| workload.cases.iter().any(|case| case.name == *name)), "{about}");
            }
            let mut left_out = workload.cases.iter().flat_map(|case| case.without);
            assert!(left_out.all(|id| takes_part(id)), "{}", workload.name);
        }
    }
}
